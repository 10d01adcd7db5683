import Delivery
import Wire

/// By which ways a server reminds, as its operator set it up. What is nil is unavailable.
public struct ReminderConfiguration: Sendable {
    /// Mail.
    public struct Mail: Sendable {
        /// Who takes it.
        public var server: MailServer
        /// From whom it is.
        public var from: MailAddress
        /// Memberwise.
        public init(server: MailServer, from: MailAddress) {
            self.server = server
            self.from = from
        }
    }

    /// Mail; needs ``publicURL``.
    public var mail: Mail?
    /// Text messages.
    public var text: TextGateway?
    /// Whom push services may write to: `mailto:` or `https://`; nil: no Web Push.
    public var pushContact: String?
    /// The private key that browsers subscribe with; nil: one that is made at the first start, and kept in the database for all servers.
    public var pushKey: PushKey?
    /// Names that browsers' addresses may have wherever they lead, for tests.
    public var pushAllowedHosts: Set<String> = []
    /// PEM, authorities that push services' certificates may come from instead of the system's.
    public var authorityFile: String?
    /// Where people reach the server, without a slash at the end; for links.
    public var publicURL: String?
    /// Between two looks at what is due.
    public var interval = Duration.seconds(1)
    /// How long a server may take to send one; then it is taken for dead.
    public var leaseSeconds = 120.0
    /// After a message, for its reader to be told otherwise.
    public var pushDelaySeconds = 5.0

    /// Nothing is available.
    public init() {}

    /// In the order of ``Wire/ReminderChannel``.
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
