import ArgumentParser
import CommandSupport
import Delivery
import Foundation
import Server
import Services

/// Options for the channels of reminders, of `serve` and `doctor`.
struct ReminderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Public address of this server, such as https://campus.example, for links in mails (CAMPANILE_PUBLIC_URL).",
            valueName: "url"))
    var publicURL: String?

    @Option(
        help: ArgumentHelp(
            "Mail server: smtp://host:587 (STARTTLS), smtps://host:465, smtp+plain://localhost:25 (CAMPANILE_MAIL_URL).",
            discussion: """
                User and password: CAMPANILE_MAIL_USER, and CAMPANILE_MAIL_PASSWORD or a file that CAMPANILE_MAIL_PASSWORD_FILE names.
                Needs --mail-from and --public-url.
                """, valueName: "url"))
    var mailURL: String?

    @Option(help: ArgumentHelp("Address that mails are from (CAMPANILE_MAIL_FROM).", valueName: "address"))
    var mailFrom: String?

    @Option(
        help: ArgumentHelp(
            "Provider of text messages (CAMPANILE_TEXT_GATEWAY_URL).",
            discussion: """
                A header with its secret: CAMPANILE_TEXT_GATEWAY_HEADER, such as "Authorization: Bearer …", or a file that
                CAMPANILE_TEXT_GATEWAY_HEADER_FILE names.
                """, valueName: "url"))
    var textGatewayURL: String?

    @Option(
        help: ArgumentHelp("POST or PUT (CAMPANILE_TEXT_GATEWAY_METHOD). Default: POST", valueName: "method"))
    var textGatewayMethod: String?

    @Option(
        help: ArgumentHelp(
            "Body of its requests: JSON with {to} and {text} (CAMPANILE_TEXT_GATEWAY_BODY).", valueName: "json"))
    var textGatewayBody: String?

    @Option(
        help: ArgumentHelp(
            "Contact for push services, mailto: or https: (CAMPANILE_PUSH_CONTACT). Default: --mail-from, or --public-url",
            valueName: "url"))
    var pushContact: String?

    @Option(
        help: ArgumentHelp(
            "PEM file with the key that browsers subscribe with (CAMPANILE_PUSH_KEY). Default: one in the database",
            valueName: "file"))
    var pushKey: String?

    @Option(
        help: ArgumentHelp(
            "Host name of a push service that may resolve to any address, for tests (CAMPANILE_PUSH_ALLOW_HOST, comma-separated).",
            valueName: "name"))
    var pushAllowHost: [String] = []

    @Option(
        help: ArgumentHelp(
            "PEM file with the authorities of these servers' certificates (CAMPANILE_REMINDER_AUTHORITY). Default: the system's",
            valueName: "file"))
    var reminderAuthority: String?

    func apply(to configuration: inout ServerConfiguration) throws {
        try apply(to: &configuration, DataOptions.environment)
    }

    func apply(to configuration: inout ServerConfiguration, _ environment: [String: String]) throws {
        var reminders = ReminderConfiguration()
        reminders.publicURL = try site(environment)
        reminders.authorityFile = reminderAuthority ?? environment["CAMPANILE_REMINDER_AUTHORITY"]
        if let file = reminders.authorityFile, !FileManager.default.isReadableFile(atPath: file) {
            throw CommandFailure(.usage, "--reminder-authority: \(file) cannot be read")
        }
        try applyMail(to: &reminders, environment)
        try applyText(to: &reminders, environment)
        try applyPush(to: &reminders, environment)
        configuration.reminders = reminders
    }

    private func site(_ environment: [String: String]) throws -> String? {
        guard var url = publicURL ?? environment["CAMPANILE_PUBLIC_URL"] else { return nil }
        while url.hasSuffix("/") { url.removeLast() }
        guard let parts = URLComponents(string: url), let scheme = parts.scheme, ["https", "http"].contains(scheme),
            parts.host?.isEmpty == false, (1...65_535).contains(parts.port ?? 443), parts.query == nil,
            parts.fragment == nil, parts.user == nil,
            url.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x3C && $0 != 0x3E })
        else { throw CommandFailure(.usage, "--public-url must be like https://campus.example") }
        return url
    }

    private func applyMail(to reminders: inout ReminderConfiguration, _ environment: [String: String]) throws {
        guard let url = mailURL ?? environment["CAMPANILE_MAIL_URL"] else { return }
        let server: MailServer
        do {
            server = try MailServer(
                url: url, user: environment["CAMPANILE_MAIL_USER"],
                password: try SecretInput.value("CAMPANILE_MAIL_PASSWORD", environment),
                authorityFile: reminders.authorityFile)
        } catch let error as MailServer.Invalid {
            throw CommandFailure(.usage, "--mail-url \(error.description)")
        }
        guard let from = mailFrom ?? environment["CAMPANILE_MAIL_FROM"], let address = MailAddress(from) else {
            throw CommandFailure(.usage, "--mail-url needs --mail-from, an address such as campus@example.org")
        }
        guard reminders.publicURL != nil else {
            throw CommandFailure(.usage, "--mail-url needs --public-url: every mail has a link to stop such mails")
        }
        reminders.mail = .init(server: server, from: address)
    }

    private func applyText(to reminders: inout ReminderConfiguration, _ environment: [String: String]) throws {
        guard let url = textGatewayURL ?? environment["CAMPANILE_TEXT_GATEWAY_URL"] else { return }
        do {
            reminders.text = try TextGateway(
                url: url, method: textGatewayMethod ?? environment["CAMPANILE_TEXT_GATEWAY_METHOD"] ?? "POST",
                header: try SecretInput.value("CAMPANILE_TEXT_GATEWAY_HEADER", environment),
                body: textGatewayBody ?? environment["CAMPANILE_TEXT_GATEWAY_BODY"] ?? TextGateway.bodyDefault,
                authorityFile: reminders.authorityFile)
        } catch let error as TextGateway.Invalid {
            throw CommandFailure(.usage, "--text-gateway-url \(error.description)")
        }
    }

    private func applyPush(to reminders: inout ReminderConfiguration, _ environment: [String: String]) throws {
        let given = pushContact ?? environment["CAMPANILE_PUSH_CONTACT"]
        if let given, !given.hasPrefix("mailto:"), !given.hasPrefix("https://") {
            throw CommandFailure(.usage, "--push-contact must begin with mailto: or https://")
        }
        let site = reminders.publicURL.flatMap { $0.hasPrefix("https://") ? $0 : nil }
        reminders.pushContact = given ?? reminders.mail.map { "mailto:\($0.from)" } ?? site
        let listed = environment["CAMPANILE_PUSH_ALLOW_HOST"]?.split(separator: ",").map { String($0) } ?? []
        reminders.pushAllowedHosts = Set((pushAllowHost + listed).map { $0.lowercased() })
        guard let file = pushKey ?? environment["CAMPANILE_PUSH_KEY"] else { return }
        do {
            let pem = try SecretInput.contents(of: file)
            reminders.pushKey = try PushKey(pem: pem)
        } catch let error as PushKey.Failed {
            throw CommandFailure(.usage, "--push-key: \(error.description) (\(file))")
        }
    }
}
