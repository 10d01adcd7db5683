import Delivery
import Wire

/// Channels for reminders and their settings on this server. Channels with nil settings are unavailable.
public struct ReminderConfiguration: Sendable {
    /// Settings for mail.
    public struct Mail: Sendable {
        /// Server that accepts mail.
        public var server: MailServer
        /// Sender address.
        public var from: MailAddress
        public init(server: MailServer, from: MailAddress) {
            self.server = server
            self.from = from
        }
    }

    /// Settings for mail; the channel also requires ``publicURL``.
    public var mail: Mail?
    /// Gateway for text messages.
    public var text: TextGateway?
    /// Contact for push services, a `mailto:` or `https://` URL; nil disables Web Push.
    public var pushContact: String?
    /// Private VAPID key for Web Push; nil for a key that the first start creates in the database for all servers.
    public var pushKey: PushKey?
    /// Host names of push services that may resolve to non-public addresses, for tests.
    public var pushAllowedHosts: Set<String> = []
    /// PEM file of certificate authorities for push services, instead of the system's.
    public var authorityFile: String?
    /// Public base URL of the server without a trailing slash, for links.
    public var publicURL: String?
    /// Interval between iterations of the outbox loop.
    public var interval = Duration.seconds(1)
    /// Seconds for which a claim on a reminder lasts; after that its server counts as crashed.
    public var leaseSeconds = 120.0
    /// Delay of a reminder after a message, in which the recipient may read it elsewhere.
    public var pushDelaySeconds = 5.0

    /// Creates a configuration without channels.
    public init() {}

    /// Available channels, in the order of ``Wire/ReminderChannel``.
    public var available: [ReminderChannel] {
        ReminderChannel.allCases.filter { channel in
            switch channel {
            case .push: pushContact != nil
            case .email: mail != nil && publicURL != nil
            case .text: text != nil
            }
        }
    }
}
