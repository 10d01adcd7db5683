import APIDescription
import ArgumentParser
import CommandSupport
import EventLoop
import Foundation
import Logging
import Postgres
import Server
import Services

/// `campanile doctor`.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the requirements of Campanile and print how to fix problems.",
        discussion: """
            Exits with 0 if everything is fine, with 69 if a problem must be fixed before serving. It creates nothing: a data \
            directory without a database stays without one.
            """)

    @OptionGroup var data: DataOptions
    @OptionGroup var listen: ListenOptions
    @OptionGroup var nodes: NodeOptions
    @OptionGroup var reminders: ReminderOptions
    @OptionGroup var passwords: PasswordOptions
    @OptionGroup var openID: OpenIDOptions

    @Flag(help: "Print the methods of the API instead.")
    var api = false

    @Option(help: "With --api: text, openrpc (methods) or asyncapi (WebSocket, topics, binary frames).")
    var format = APIFormat.text

    func run() async throws {
        if api {
            return printAPI()
        }
        var checks = Checkup()
        await checks.run(
            data: data, listen: listen, nodes: nodes, reminders: reminders, passwords: passwords, openID: openID)
        for finding in checks.findings { Terminal.output(finding.line) }
        let bad = checks.findings.count { $0.isBad }
        guard bad == 0 else { throw CommandFailure(.unavailable, "\(bad) of \(checks.findings.count) checks failed") }
    }

    private func printAPI() {
        switch format {
        case .text: for line in MethodCatalogue.lines { Terminal.output(line) }
        case .openrpc: Terminal.output(OpenRPC.document(version: ServerConfiguration.version).text)
        case .asyncapi: Terminal.output(AsyncAPI.document(version: ServerConfiguration.version).text)
        }
    }
}

/// Formats of `doctor --api`.
enum APIFormat: String, ExpressibleByArgument, CaseIterable {
    /// A line for each method.
    case text
    /// OpenRPC, as JSON.
    case openrpc
    /// AsyncAPI, as JSON.
    case asyncapi
}

/// Checks of `doctor`, in the order in which `serve` would encounter the problems.
private struct Checkup {
    struct Finding {
        enum Grade: String { case fine = "ok  ", warning = "warn", bad = "FAIL" }
        let grade: Grade
        let subject: String
        let detail: String
        var line: String { "\(grade.rawValue)  \(subject): \(detail)" }
        var isBad: Bool { grade == .bad }
    }

    /// Number of descriptors that the clients of a campus need.
    static let descriptorsWanted: UInt64 = 32_768
    /// Free space in bytes below which a warning is printed.
    static let freeBytesWanted: Int64 = 2_000_000_000

    private(set) var findings: [Finding] = []

    private mutating func add(_ grade: Finding.Grade, _ subject: String, _ detail: String) {
        findings.append(Finding(grade: grade, subject: subject, detail: detail))
    }

    /// Time limit for connecting to NATS.
    static let natsTimeMax = Duration.seconds(3)
    /// Time for receiving the other nodes' heartbeats, which they send once a second.
    static let nodesTime = Duration.milliseconds(1_500)

    mutating func run(
        data: DataOptions, listen: ListenOptions, nodes: NodeOptions, reminders: ReminderOptions,
        passwords: PasswordOptions, openID: OpenIDOptions
    ) async {
        var configuration: ServerConfiguration
        do {
            configuration = try data.configuration()
            try listen.apply(to: &configuration, makesCertificate: false)
            try nodes.apply(to: &configuration)
            try reminders.apply(to: &configuration)
            _ = try StaticPagesCheck.check(configuration)
            add(.fine, "files", "migrations and web app in \(configuration.resources.root.path)")
        } catch {
            return add(.bad, "files", CommandFailure(error).message)
        }
        checkPasswords(passwords)
        checkTools()
        checkLimits()
        checkDisk(configuration.dataDirectory)
        checkCertificate(configuration)
        await checkPort(configuration)
        await checkReminders(configuration.reminders)
        await checkOpenID(&configuration, openID)
        await checkDatabase(configuration)
    }

    /// Signs in at the mail server. A gateway or a push service cannot be checked without sending a message.
    private mutating func checkReminders(_ reminders: ReminderConfiguration) async {
        if let mail = reminders.mail {
            let workers = WorkerPool(label: "doctor-mail", concurrentMax: 1, waitingMax: 1)
            if let trouble = try? await workers.run({ mail.server.trouble() }) {
                add(.bad, "mail", "\(mail.server.name): \(trouble): mend the address, user or password")
            } else {
                add(.fine, "mail", "\(mail.server.name), from \(mail.from)")
            }
        } else {
            add(
                .warning, "mail",
                """
                not set up (--mail-url): people cannot reset a forgotten password, addresses are not confirmed, and nobody is \
                reminded by mail
                """)
        }
        add(.fine, "text messages", reminders.text?.name ?? "not set up (--text-gateway-url)")
        add(
            .fine, "push",
            reminders.pushContact.map { "contact \($0)" } ?? "not set up (--push-contact): browsers cannot subscribe")
    }

    private mutating func checkPasswords(_ passwords: PasswordOptions) {
        do {
            let policy = try passwords.policy()
            guard let common = policy.common else {
                return add(
                    .warning, "passwords",
                    """
                    rule \(policy.rule.rawValue), and common ones are not refused: apt-get install python3-django, or give \
                    --common-passwords
                    """
                )
            }
            add(.fine, "passwords", "rule \(policy.rule.rawValue); \(common.count) common ones are refused")
        } catch {
            add(.bad, "passwords", CommandFailure(error).message)
        }
    }

    private mutating func checkOpenID(_ configuration: inout ServerConfiguration, _ options: OpenIDOptions) async {
        do {
            try options.apply(to: &configuration)
        } catch {
            return add(.bad, "sign-ins", CommandFailure(error).message)
        }
        for finding in await OpenIDCheck.run(configuration, options) {
            let grade: Finding.Grade =
                switch finding.grade {
                case .fine: .fine
                case .warning: .warning
                case .bad: .bad
                }
            add(grade, finding.subject, finding.detail)
        }
    }

    private mutating func checkTools() {
        let paths = (DataOptions.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        let osmium = paths.map { "\($0)/osmium" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        if let osmium {
            add(.fine, "osmium", osmium)
        } else {
            add(.warning, "osmium", "not found, OpenStreetMap extracts cannot be imported: apt-get install osmium-tool")
        }
        let missing = Pictures.tools.filter { !FileManager.default.isExecutableFile(atPath: $0) }
        if missing.isEmpty {
            add(.fine, "libvips", Pictures.tools.joined(separator: ", "))
        } else {
            add(
                .warning, "libvips",
                "\(missing.joined(separator: ", ")) missing, pictures cannot be taken: apt-get install libvips-tools")
        }
        if let library = OpeningHours.installed {
            add(.fine, "opening hours", "opening-hours-py in \(library)")
        } else {
            add(.warning, "opening hours", OpeningHours.missing)
        }
        let isolation = Pictures.decoderIsolation
        add(isolation.isWhole ? .fine : .warning, "picture decoder", "\(isolation)")
    }

    private mutating func checkLimits() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if limit.rlim_cur >= Self.descriptorsWanted {
            add(.fine, "open files", "\(limit.rlim_cur)")
        } else {
            add(
                .warning, "open files",
                "the limit is \(limit.rlim_cur): raise it with ulimit -n or LimitNOFILE for more clients")
        }
    }

    private mutating func checkDisk(_ directory: String) {
        var path = URL(fileURLWithPath: directory)
        while !FileManager.default.fileExists(atPath: path.path), path.path != "/" { path.deleteLastPathComponent() }
        guard FileManager.default.isWritableFile(atPath: path.path) else {
            return add(
                .bad, "data directory", "\(path.path) cannot be written: choose another with --data, or its owner")
        }
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: path.path)
        let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
        if free < Self.freeBytesWanted {
            add(.warning, "data directory", "\(directory): only \(free / 1_000_000) MB free: make room before serving")
        } else {
            add(.fine, "data directory", "\(directory), \(free / 1_000_000_000) GB free")
        }
    }

    private mutating func checkCertificate(_ configuration: ServerConfiguration) {
        guard let tls = configuration.tls else { return }
        do {
            _ = try TLSContext(certificateFile: tls.certificate, keyFile: tls.key)
            add(.fine, "TLS", tls.certificate)
        } catch {
            add(.bad, "TLS", "\(error)")
        }
    }

    private mutating func checkPort(_ configuration: ServerConfiguration) async {
        let place = "\(configuration.host):\(configuration.port)"
        do {
            let loop = try EventLoop(label: "doctor")
            let listener = try Listener(host: configuration.host, port: configuration.port, loops: [loop]) { _ in }
            listener.stop()
            add(.fine, "port", "\(place) is free")
        } catch let error as SystemError where error.code == EADDRINUSE {
            add(.warning, "port", "\(place) is in use, perhaps by Campanile: else stop that program or choose --port")
        } catch {
            add(.bad, "port", "\(place) cannot be used: \(error)")
        }
    }

    private mutating func checkDatabase(_ configuration: ServerConfiguration) async {
        guard configuration.databaseURL != nil || DataDirectory.hasCluster(configuration.dataDirectory) else {
            do {
                let version = try PostgresBinaries.find(.environment).first?.version ?? 0
                add(
                    .fine, "PostgreSQL",
                    "\(version); no database yet in \(configuration.dataDirectory): serve makes one")
            } catch {
                add(.bad, "PostgreSQL", CommandFailure(error).message)
            }
            return
        }
        let logger = Logger(label: "campanile.doctor") { _ in SwiftLogNoOpLogHandler() }
        do {
            let loop = try EventLoop(label: "doctor")
            let access = try await DatabaseAccess.open(
                configuration, loop: loop, migrating: false, joining: true, logger: logger)
            var given = access.application
            given.connectionsMax = 1
            let pool = PostgresPool(configuration: given, loop: loop, logger: logger)
            do {
                try await checkVersion(pool)
                try await checkSchema(configuration, access, loop, logger)
                try await checkNodes(configuration, pool, loop)
            } catch {
                add(.bad, "PostgreSQL", CommandFailure(error).message)
            }
            await pool.close()
            await access.close()
        } catch {
            add(.bad, "PostgreSQL", CommandFailure(error).message)
        }
    }

    private mutating func checkNodes(
        _ configuration: ServerConfiguration, _ pool: PostgresPool, _ loop: EventLoop
    ) async throws {
        for trouble in try await NodesCheck.troubles(pool) { add(.warning, "servers", trouble) }
        guard let nodes = configuration.nodes else { return }
        let found = try await NodesCheck.run(
            nodes, pool: pool, loop: loop, connectingMax: Self.natsTimeMax, listening: Self.nodesTime)
        switch found {
        case .unreachable(let reason):
            add(.bad, "NATS", "\(nodes.nats) cannot be used (\(reason)): start it, or mend the address or credentials")
        case .nodes(let names):
            add(.fine, "NATS", "\(nodes.nats)")
            add(.fine, "other nodes", names.isEmpty ? "none runs" : names.joined(separator: ", "))
        }
    }

    private mutating func checkVersion(_ pool: PostgresPool) async throws {
        let row = try await pool.query(
            """
            SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
                (SELECT extversion FROM pg_extension WHERE extname = 'postgis') AS postgis
            """
        ).first
        let version = try row?.text("version") ?? "?"
        if try row?.int("number") ?? 0 >= 150_000 {
            add(.fine, "PostgreSQL", version)
        } else {
            add(.bad, "PostgreSQL", "\(version) is too old: 15 or newer is needed")
        }
        if let postgis = try row?.optionalText("postgis") {
            add(.fine, "PostGIS", postgis)
        } else {
            add(
                .bad, "PostGIS",
                "the extension is not in this database: apt-get install postgresql-15-postgis-3, then CREATE EXTENSION postgis"
            )
        }
    }

    private mutating func checkSchema(
        _ configuration: ServerConfiguration, _ access: DatabaseAccess, _ loop: EventLoop, _ logger: Logger
    ) async throws {
        let workers = WorkerPool(label: "doctor", concurrentMax: 1, waitingMax: 8)
        let migrator = access.migrator(configuration, loop: loop, workers: workers, logger: logger)
        try await migrator.checkDatabase()
        let entries = try await migrator.status()
        let pending = entries.filter { $0.appliedAt == nil }
        if pending.isEmpty {
            add(.fine, "schema", "\(entries.count) files of migrations and functions applied")
        } else {
            add(.warning, "schema", "\(pending.count) files to apply: campanile migrate, or serve does it")
        }
    }
}

/// Checks that the web app and its libraries are where the server expects them.
private enum StaticPagesCheck {
    static func check(_ configuration: ServerConfiguration) throws {
        for (path, help) in [
            (configuration.resources.webApp.path + "/index.html", "set CAMPANILE_RESOURCES"),
            (configuration.resources.leaflet.path + "/leaflet.js", "install it with apt-get install libjs-leaflet"),
            (configuration.resources.charts.path + "/chart.min.js", "install it with apt-get install libjs-chart.js"),
        ] where !FileManager.default.isReadableFile(atPath: path) {
            throw CommandFailure(.unavailable, "\(path) is missing: \(help)")
        }
    }
}
