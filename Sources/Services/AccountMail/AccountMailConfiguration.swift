import Delivery

/// Settings for mails about accounts.
public struct AccountMailConfiguration: Sendable {
    /// Server that accepts mail.
    public var server: MailServer
    /// Sender address.
    public var from: MailAddress
    /// Public base URL of the server without a trailing slash, for links.
    public var site: String
    /// Names of the operator's providers to display, by issuer.
    public var providerLabels: [String: String] = [:]
    /// Interval between iterations of the outbox loop.
    public var interval = Duration.seconds(1)
    /// Seconds for which a claim on a mail lasts; after that its server counts as crashed.
    public var leaseSeconds = 120.0

    public init(server: MailServer, from: MailAddress, site: String) {
        (self.server, self.from, self.site) = (server, from, site)
    }

    /// Name of a provider; its issuer if the operator has removed it since.
    func providerLabel(of issuer: String) -> String { providerLabels[issuer] ?? issuer }
}
