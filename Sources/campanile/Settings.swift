import ArgumentParser
import CommandSupport
import EventLoop
import Foundation
import Logging
import Postgres
import Server

/// Options for the locations of the database and the data, shared by all commands that use them.
struct DataOptions: ParsableArguments {
    @Option(
        name: [.customLong("data"), .customLong("data-directory")],
        help: ArgumentHelp(
            "Directory for the private PostgreSQL and the simulation key (CAMPANILE_DATA).", valueName: "dir"))
    var data: String?

    @Option(
        help: ArgumentHelp(
            "PostgreSQL to use instead of a private one (DATABASE_URL, DATABASE_URL_FILE).",
            discussion: """
                Migrations run as the role of CAMPANILE_OWNER_DATABASE_URL if it is set. A password belongs in a variable or a \
                file, because every user of this machine can see this option.
                """, valueName: "url"))
    var databaseURL: String?

    func validate() throws {
        guard data?.isEmpty != true else { throw ValidationError("--data must name a directory") }
        guard databaseURL?.isEmpty != true else { throw ValidationError("--database-url must not be empty") }
    }

    static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
    }

    /// `/var/lib/campanile` for root, otherwise `campanile` in the user's data home (XDG base directories).
    static var defaultDirectory: String {
        if getuid() == 0 { return "/var/lib/campanile" }
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        return (environment["XDG_DATA_HOME"] ?? home + "/.local/share") + "/campanile"
    }

    var directory: String {
        let path = data ?? Self.environment["CAMPANILE_DATA"] ?? Self.defaultDirectory
        return URL(fileURLWithPath: path).standardizedFileURL.path
    }

    func configuration() throws -> ServerConfiguration {
        let environment = Self.environment
        var configuration = ServerConfiguration(dataDirectory: directory, resources: try Resources.find())
        configuration.databaseURL = try databaseURL ?? SecretInput.value("DATABASE_URL", environment)
        configuration.ownerDatabaseURL = try SecretInput.value("CAMPANILE_OWNER_DATABASE_URL", environment)
        guard configuration.databaseURL != nil || configuration.ownerDatabaseURL == nil else {
            throw CommandFailure(
                .usage,
                "CAMPANILE_OWNER_DATABASE_URL also needs DATABASE_URL, which names the server's role: set both")
        }
        configuration.simulationKey = try SecretInput.value("CAMPANILE_SIMULATION_KEY", environment)
        return configuration
    }
}

/// Options for listening, of `serve` and `demo`.
struct ListenOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Address to listen on (CAMPANILE_HOST). Default: 127.0.0.1", valueName: "address"))
    var host: String?

    @Option(
        help: ArgumentHelp("Port to listen on, 0 for any free one (CAMPANILE_PORT). Default: 8080", valueName: "port"),
        transform: ListenOptions.port)
    var port: UInt16?

    @Option(help: ArgumentHelp("Event loops (CAMPANILE_LOOPS). Default: one per core", valueName: "count"))
    var loops: Int?

    @Option(
        help: ArgumentHelp(
            "PEM certificate chain; serves https and wss (CAMPANILE_TLS_CERTIFICATE).", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("PEM private key of the certificate (CAMPANILE_TLS_KEY).", valueName: "file"))
    var tlsKey: String?

    @Flag(
        name: [.customLong("tls"), .customLong("tls-self-signed")],
        help: ArgumentHelp(
            "Serve https and wss with a self-signed certificate for localhost, made in the data directory (CAMPANILE_TLS=self-signed)."
        ))
    var selfSigned = false

    @Option(
        help: ArgumentHelp(
            "Another site whose pages may connect; may be repeated (CAMPANILE_ALLOW_ORIGIN, comma-separated).",
            valueName: "origin"))
    var allowOrigin: [String] = []

    @OptionGroup var limits: LimitOptions

    @Option(
        help: ArgumentHelp(
            "Tiles under the campus map, such as https://tile.example/{z}/{x}/{y}.png (CAMPANILE_TILE_URL).",
            valueName: "url"))
    var tileURL: String?

    @Option(
        help: ArgumentHelp(
            "Attribution of the tiles, shown on the map (CAMPANILE_TILE_ATTRIBUTION).", valueName: "text"))
    var tileAttribution: String?

    @Flag(
        help: ArgumentHelp(
            "Serve /test/echo and /test/room to anybody, for conformance suites and measurements (CAMPANILE_TEST_ENDPOINTS=1)."
        ))
    var testEndpoints = false

    /// - Parameter makesCertificate: False leaves the data directory unchanged.
    func apply(to configuration: inout ServerConfiguration, makesCertificate: Bool = true) throws {
        let environment = DataOptions.environment
        configuration.testEndpoints = testEndpoints || environment["CAMPANILE_TEST_ENDPOINTS"] == "1"
        configuration.host = host ?? environment["CAMPANILE_HOST"] ?? configuration.host
        configuration.port = try port ?? Self.number("CAMPANILE_PORT", environment) ?? configuration.port
        configuration.loopCount = try loops ?? Self.number("CAMPANILE_LOOPS", environment) ?? configuration.loopCount
        guard (1...64).contains(configuration.loopCount) else {
            throw CommandFailure(.usage, "--loops must be 1 to 64")
        }
        try applyTLS(to: &configuration, environment, makesCertificate: makesCertificate)
        try limits.apply(to: &configuration, environment)
        let listed = environment["CAMPANILE_ALLOW_ORIGIN"]?.split(separator: ",").map { String($0) } ?? []
        configuration.allowedOrigins = allowOrigin + listed
        for origin in configuration.allowedOrigins where !Self.isOrigin(origin) {
            throw CommandFailure(
                .usage, "--allow-origin \(origin) must be a scheme and host, such as https://campus.example")
        }
        configuration.tileURL = tileURL ?? environment["CAMPANILE_TILE_URL"]
        if let url = configuration.tileURL, !(url.hasPrefix("https://") || url.hasPrefix("http://")) {
            throw CommandFailure(.usage, "--tile-url must begin with https:// or http://")
        }
        configuration.tileAttribution = tileAttribution ?? environment["CAMPANILE_TILE_ATTRIBUTION"] ?? ""
    }

    /// Instructions for making a client trust the self-signed certificate; nil for another certificate.
    func trustNote(_ configuration: ServerConfiguration) -> String? {
        guard let file = configuration.tls?.certificate, file == "\(configuration.dataDirectory)/tls/localhost.pem"
        else {
            return nil
        }
        return """
            The certificate is self-signed, so browsers warn of it once. To have it trusted instead:
              curl --cacert \(file) …
              certutil -d sql:$HOME/.pki/nssdb -A -t P,, -n campanile -i \(file)    (Chromium; package libnss3-tools)
              Firefox: Settings, Certificates, Servers, Add Exception
            """
    }

    private func applyTLS(
        to configuration: inout ServerConfiguration, _ environment: [String: String], makesCertificate: Bool
    ) throws {
        let isSelfSigned = selfSigned || environment["CAMPANILE_TLS"] == "self-signed"
        switch (tlsCertificate ?? environment["CAMPANILE_TLS_CERTIFICATE"], tlsKey ?? environment["CAMPANILE_TLS_KEY"])
        {
        case (let certificate?, let key?):
            guard !selfSigned else {
                throw CommandFailure(.usage, "--tls makes a certificate: leave --tls-certificate and --tls-key out")
            }
            configuration.tls = (certificate, key)
        case (nil, nil):
            let directory = configuration.dataDirectory
            guard isSelfSigned, makesCertificate || FileManager.default.fileExists(atPath: "\(directory)/tls") else {
                return
            }
            do {
                try DataDirectory.make(directory)
                let made = try SelfSignedCertificate.findOrMake(in: "\(directory)/tls")
                configuration.tls = (made.certificateFile, made.keyFile)
            } catch {
                throw CommandFailure(.cannotCreate, "no certificate can be kept in \(directory): \(error)")
            }
        default: throw CommandFailure(.usage, "TLS needs both --tls-certificate and --tls-key")
        }
    }

    private static func isOrigin(_ text: String) -> Bool {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme, parts.host?.isEmpty == false else {
            return false
        }
        return ["http", "https"].contains(scheme) && parts.path.isEmpty && parts.query == nil
    }

    static func number<T: FixedWidthInteger>(_ name: String, _ environment: [String: String]) throws -> T? {
        guard let text = environment[name] else { return nil }
        guard let value = T(text) else {
            let isSmall = T.bitWidth <= 16
            throw CommandFailure(
                .usage, "\(name) must be a whole number\(isSmall ? " from \(T.min) to \(T.max)" : "")")
        }
        return value
    }

    /// Parses a port of an option.
    static func port(_ text: String) throws -> UInt16 {
        guard let port = UInt16(text) else { throw ValidationError("it must be a number from 0 to \(UInt16.max)") }
        return port
    }
}
