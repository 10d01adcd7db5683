import ArgumentParser
import CommandSupport
import Server
import Services
import WebSocket
import Wire

/// Options for host names, rate limits and other HTTP rules, of `serve` and `demo`.
struct HTTPOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A host name of this server; may be repeated (CAMPANILE_HOST_NAME, comma-separated). Default: any",
            discussion: "Requests for other names get 421, which stops DNS rebinding.", valueName: "name"))
    var hostName: [String] = []

    @Option(
        help: ArgumentHelp(
            "Rate limits, such as account=50/s:500,register=10/min:100, or off (CAMPANILE_RATE_LIMIT).",
            discussion:
                "Names: \(RateLimitName.allCases.map(\.rawValue).joined(separator: ", ")). The number after the colon is the burst.",
            valueName: "limits"))
    var rateLimit: String?

    @Option(
        help: ArgumentHelp(
            "Registration: open (for everybody) or closed (admins add people) (CAMPANILE_REGISTRATION). Default: open",
            valueName: "policy"))
    var registration: String?

    @Option(
        help: ArgumentHelp(
            "Domains of the addresses that may register (CAMPANILE_REGISTRATION_DOMAINS). Default: any",
            valueName: "domain,…"))
    var registrationDomains: String?

    @Option(
        help: ArgumentHelp(
            """
            Confirmation of addresses: optional (until then nothing for the campus) or required (until then nothing)
            (CAMPANILE_CONFIRMATION). Default: optional
            """,
            discussion: "Codes are mailed: without --mail-url nothing is confirmed.", valueName: "policy"))
    var confirmation: String?

    @OptionGroup var passwords: PasswordOptions

    @Option(
        help: ArgumentHelp(
            """
            Second factor of admins, a passkey or an authenticator app: required or optional (CAMPANILE_ADMIN_SECOND_FACTOR).
            Default: required by serve, optional in the demo
            """, valueName: "policy"))
    var adminSecondFactor: String?

    @Option(
        help: ArgumentHelp(
            "File with the bearer token for GET /metrics (CAMPANILE_METRICS_TOKEN, CAMPANILE_METRICS_TOKEN_FILE). Default: not served",
            valueName: "file"))
    var metricsTokenFile: String?

    @Option(
        help: ArgumentHelp(
            "A port for GET /metrics alone, 0 for any free one (CAMPANILE_METRICS_PORT).", valueName: "port"),
        transform: ListenOptions.port)
    var metricsPort: UInt16?

    @Option(
        help: ArgumentHelp(
            "Address of the metrics port (CAMPANILE_METRICS_HOST). Default: 127.0.0.1", valueName: "address"))
    var metricsHost: String?

    func apply(to configuration: inout ServerConfiguration) throws {
        let environment = DataOptions.environment
        let listed = environment["CAMPANILE_HOST_NAME"]?.split(separator: ",").map { String($0) } ?? []
        configuration.hostNames = hostName.isEmpty ? listed : hostName
        for name in configuration.hostNames {
            guard let authority = HTTPAuthority(name), authority.port == nil else {
                throw CommandFailure(.usage, "--host-name \(name) must be a name or address without a port")
            }
        }
        try applyMetrics(to: &configuration, environment)
        if let text = registration ?? environment["CAMPANILE_REGISTRATION"] {
            guard let policy = RegistrationPolicy(rawValue: text) else {
                throw CommandFailure(.usage, "--registration must be open or closed")
            }
            configuration.registration = policy
        }
        try applyAddresses(to: &configuration, environment)
        configuration.passwords = try passwords.policy()
        if let text = rateLimit ?? environment["CAMPANILE_RATE_LIMIT"] {
            do {
                try configuration.rateLimits.apply(text)
            } catch let error as RateLimits.Invalid {
                throw CommandFailure(.usage, "--rate-limit: \(error.description)")
            }
        }
    }

    private func applyAddresses(
        to configuration: inout ServerConfiguration, _ environment: [String: String]
    ) throws {
        if let text = registrationDomains ?? environment["CAMPANILE_REGISTRATION_DOMAINS"] {
            guard let domains = EmailDomains(text) else {
                throw CommandFailure(
                    .usage, "--registration-domains must be like campus.example or campus.example,staff.campus.example")
            }
            configuration.registrationDomains = domains
        }
        if let text = adminSecondFactor ?? environment["CAMPANILE_ADMIN_SECOND_FACTOR"] {
            guard let policy = AdminFactorPolicy(rawValue: text) else {
                throw CommandFailure(.usage, "--admin-second-factor must be required or optional")
            }
            configuration.adminSecondFactor = policy
        }
        guard let text = confirmation ?? environment["CAMPANILE_CONFIRMATION"] else { return }
        guard let policy = ConfirmationPolicy(rawValue: text) else {
            throw CommandFailure(.usage, "--confirmation must be optional or required")
        }
        configuration.confirmation = policy
    }

    /// Checks settings that depend on others, when all are applied.
    static func checkConfirmation(_ configuration: ServerConfiguration) throws {
        guard configuration.confirmation == .required, configuration.accountMail == nil else { return }
        throw CommandFailure(
            .usage, "--confirmation required needs --mail-url: nobody could confirm an address without mail")
    }

    private func applyMetrics(to configuration: inout ServerConfiguration, _ environment: [String: String]) throws {
        configuration.metricsToken = try SecretInput.value(
            "CAMPANILE_METRICS_TOKEN", file: metricsTokenFile, environment)
        if let token = configuration.metricsToken, token.utf8.count < ServerConfiguration.metricsTokenBytesMin {
            throw CommandFailure(
                .usage,
                "CAMPANILE_METRICS_TOKEN must have at least \(ServerConfiguration.metricsTokenBytesMin) characters: openssl rand -hex 16"
            )
        }
        configuration.metricsPort =
            try metricsPort ?? ListenOptions.number("CAMPANILE_METRICS_PORT", environment)
        configuration.metricsHost = metricsHost ?? environment["CAMPANILE_METRICS_HOST"] ?? configuration.metricsHost
    }
}
