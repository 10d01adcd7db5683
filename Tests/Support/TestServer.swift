import Campus
import CampanileClient
import EventLoop
import Foundation
import Logging
import Postgres
import Server
import Services
import Wire

/// A real server in this process: over a database of its own, on a port of its own, with a small campus in it.
public actor TestServer {
    /// Makes simulated accounts.
    public static let simulationKey = "a-key-for-tests"
    /// The checkout's root.
    public static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// Hashing that costs a millisecond: what is tested here is not its strength.
    public static let passwords = Passwords(cost: Passwords.Cost(logN: 4, r: 8, p: 1))

    /// The web app as the sources have it. Read once for all servers: reading and compressing it takes a server's start a tenth of a second.
    private static let resources = Result {
        var resources = Resources(root: root)
        resources.files = try resources.readFiles()
        return resources
    }

    /// The database.
    public nonisolated let access: PrivateCluster.Access
    /// The address it listens at; every server has 127.0.0.1 unless a test wants one that no other test's server takes over.
    public nonisolated let host: String
    /// Where it listens, also after a restart.
    public nonisolated let port: UInt16
    /// True when it speaks TLS.
    public nonisolated let isSecure: Bool
    /// Its files, and the socket where it is asked to hand over.
    public nonisolated let dataDirectory: String
    private var configuration: ServerConfiguration
    /// The one that runs.
    public private(set) var server: CampanileServer?
    private var running: Task<ServerRun.Ending, any Error>?

    private init(access: PrivateCluster.Access, configuration: ServerConfiguration, server: CampanileServer) {
        self.access = access
        self.configuration = configuration
        self.server = server
        host = configuration.host
        dataDirectory = configuration.dataDirectory
        port = server.address.port
        isSecure = server.isSecure
        self.configuration.port = server.address.port
    }

    /// Starts a server with the sample campus.
    /// - Parameters:
    ///   - access: A database that is there already; nil makes one.
    ///   - logger: Where it logs.
    ///   - hasRoutes: Whether the campus has paths for routes, of which the server makes a graph.
    ///   - change: Changes the configuration first.
    public static func start(
        over access: PrivateCluster.Access? = nil, logger: Logger = TestDatabase.logger, hasRoutes: Bool = false,
        _ change: (inout ServerConfiguration) throws -> Void = { _ in }
    ) async throws -> TestServer {
        let made = access
        let access: PrivateCluster.Access
        if let made { access = made } else { access = try await TestDatabase.shared.makeMigratedDatabase() }
        var configuration = ServerConfiguration(
            dataDirectory: try TestDirectory.make("server"), resources: try resources.get())
        configuration.port = 0
        configuration.loopCount = 2
        configuration.databaseURL = access.databaseURL
        configuration.ownerDatabaseURL = access.ownerDatabaseURL
        configuration.simulationKey = simulationKey
        try change(&configuration)
        let server = try await CampanileServer.start(
            configuration, passwords: passwords, logger: logger)
        if made == nil {
            var campus = SampleCampus.document
            if !hasRoutes { campus.network = [] }
            _ = try await server.campusStore.store(campus, name: nil)
            try await server.reloadCampus()
        }
        return TestServer(access: access, configuration: configuration, server: server)
    }

    /// Starts another server over the same database: another node of the campus.
    /// - Parameter change: Changes the configuration first, which is otherwise the first one's.
    public func startBeside(_ change: (inout ServerConfiguration) throws -> Void = { _ in }) async throws -> TestServer
    {
        var configuration = configuration
        configuration.port = 0
        configuration.dataDirectory = try TestDirectory.make("server")
        try change(&configuration)
        let server = try await CampanileServer.start(
            configuration, passwords: Self.passwords, logger: TestDatabase.logger)
        return TestServer(access: access, configuration: configuration, server: server)
    }

    /// As `DATABASE_URL` has it.
    public nonisolated var databaseURL: String { access.databaseURL }
    /// The same as the role that owns the schema.
    public nonisolated var ownerDatabaseURL: String { access.ownerDatabaseURL }

    /// Stops it, unless it is stopped.
    public func stop() async {
        let (server, running) = (server, running)
        (self.server, self.running) = (nil, nil)
        guard let running else {
            await server?.stop()
            return
        }
        running.cancel()
        _ = await running.result
    }

    /// Starts it again, on the same port and database.
    /// - Parameter change: Changes the configuration first.
    public func startAgain(_ change: (inout ServerConfiguration) throws -> Void = { _ in }) async throws {
        await stop()
        try change(&configuration)
        server = try await CampanileServer.start(
            configuration, passwords: Self.passwords, logger: TestDatabase.logger)
    }

    /// Reads the certificate again.
    public func reloadCertificate() async throws { try await server?.reloadCertificate() }

    /// What became of a take-over.
    public enum TakeOverOutcome: Sendable { case replaced, servesAgain }

    /// When the server that takes over fails: after this one has stopped, or later, in a migration.
    public enum TakeOverFailure: Sendable { case beforeStart, inMigration }

    /// Has another server take this one's place, as `serve --take-over` does, within this process.
    /// - Parameter failing: When the other one fails; nil for a take-over that succeeds.
    public func takeOver(failing: TakeOverFailure? = nil) async throws -> TakeOverOutcome {
        let old = server
        let (run, running) = try run()
        let next = try await Self.replace(configuration, failing: failing)
        if failing != nil {
            server = try await eventually("it serves again") { run.server === old ? nil : run.server }
            return .servesAgain
        }
        guard case .replaced = try await running.value else {
            throw NeverHappened(what: "a take-over", limit: .zero)
        }
        await old?.sayFarewell()
        (server, self.running) = (next, nil)
        return .replaced
    }

    /// Has it run as `serve` does, until the task is cancelled or another has taken its place. ``stop()`` cancels it.
    public func run() throws -> (ServerRun, Task<ServerRun.Ending, any Error>) {
        guard let server else { throw NeverHappened(what: "a running server", limit: .zero) }
        let configuration = configuration
        let run = ServerRun(
            server, control: try ControlSocket(dataDirectory: dataDirectory), dataDirectory: dataDirectory,
            startAgain: {
                try await CampanileServer.start(
                    configuration, sockets: $0, passwords: Self.passwords, logger: TestDatabase.logger)
            }, note: { TestDatabase.logger.warning("\($0)") })
        let running = Task { try await run.untilEnd() }
        self.running = running
        return (run, running)
    }

    private static func replace(
        _ configuration: ServerConfiguration, failing: TakeOverFailure?
    ) async throws -> CampanileServer? {
        guard let takeOver = try await TakeOver.begin(dataDirectory: configuration.dataDirectory) else {
            throw NeverHappened(what: "somebody to take over from", limit: .zero)
        }
        try await takeOver.proceed()
        switch failing {
        case .beforeStart: return nil
        case .inMigration:
            var configuration = configuration
            configuration.resources = try resourcesWithFailingMigration()
            do {
                _ = try await CampanileServer.start(
                    configuration, sockets: takeOver.sockets, passwords: passwords, logger: TestDatabase.logger)
            } catch  where "\(error)".contains(failingMigration) {
                return nil
            }
            throw NeverHappened(what: "a migration that fails", limit: .zero)
        case nil:
            let server = try await CampanileServer.start(
                configuration, sockets: takeOver.sockets, passwords: passwords, logger: TestDatabase.logger)
            try await takeOver.finish(nil)
            return server
        }
    }

    private static let failingMigration = "9999_fails.sql"

    private static func resourcesWithFailingMigration() throws -> Resources {
        let resources = try resources.get()
        let root = URL(fileURLWithPath: try TestDirectory.make("failing-migration"))
        let sql = root.appendingPathComponent("sql")
        try FileManager.default.copyItem(at: resources.migrations, to: sql)
        try "SELECT 1 / 0;".write(
            to: sql.appendingPathComponent(failingMigration), atomically: true, encoding: .utf8)
        var failing = Resources(root: root)
        failing.files = resources.files
        return failing
    }

    /// As a client or a browser writes it.
    public nonisolated var url: String { "\(isSecure ? "https" : "http")://\(host):\(port)" }

    /// The port for metrics, if there is one.
    public var metricsPort: UInt16? { server?.metricsAddress?.port }

    // MARK: Database

    /// A connection as the owner of the schema, to look at what is stored.
    /// - Parameter queryTimeout: Longer for statements that read whole tables, which take their time on a busy machine.
    public nonisolated func database(queryTimeout: Duration = .seconds(10)) async throws -> PostgresConnection {
        var configuration = access.owner
        configuration.queryTimeout = queryTimeout
        return try await PostgresConnection.connect(configuration: configuration, loop: TestDatabase.shared.loop)
    }

    /// Cuts the server off from its database, or lets it back.
    public nonisolated func setDatabase(away: Bool) async throws {
        var maintenance = access.administrator
        maintenance.database = "postgres"
        let name = access.application.database ?? ""
        let connection = try await PostgresConnection.connect(
            configuration: maintenance, loop: TestDatabase.shared.loop)
        try await connection.script("ALTER DATABASE \(name) ALLOW_CONNECTIONS \(!away)")
        if away {
            try await connection.script(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
        }
        connection.close()
    }

    /// Has the server's sessions with its database take no writes, as after a failover to a standby, or lets them again.
    public nonisolated func setDatabase(readOnly: Bool) async throws {
        let connection = try await PostgresConnection.connect(
            configuration: access.administrator, loop: TestDatabase.shared.loop)
        defer { connection.close() }
        let (name, role) = (access.application.database ?? "", access.application.user ?? "")
        try await connection.script(
            "ALTER ROLE \(role) IN DATABASE \(name) SET default_transaction_read_only = \(readOnly)")
        try await connection.script(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)' AND usename = '\(role)'")
    }

    // MARK: Clients

    private static let loops = Result { try ClientLoops(count: 2) }

    /// A machine that is busy with the other tests may take long: what is late is no failure.
    public static var patient: CampanileConnection.Options {
        var options = CampanileConnection.Options()
        options.callTimeout = .seconds(60)
        return options
    }

    /// A connection that has said hello.
    public nonisolated func connect(
        token: String? = nil, authorityFile: String? = nil,
        options: CampanileConnection.Options = TestServer.patient
    ) async throws -> CampanileConnection {
        let loops = try authorityFile.map { try ClientLoops(count: 1, authorityFile: $0) } ?? Self.loops.get()
        let address = try ServerAddress(url: isSecure ? "https://localhost:\(port)" : url)
        let connection = try await CampanileConnection.connect(to: address, loops: loops, options: options)
        try await connection.hello(token: token, client: .init(name: "tests"))
        return connection
    }

    /// A connection signed in as a new account.
    public nonisolated func register(
        _ username: String = TestServer.newName(), simulated: Bool = false
    ) async throws -> (connection: CampanileConnection, account: SignedIn) {
        let connection = try await connect()
        let account = try await connection.call(
            AccountRegister.self,
            AccountRegister.Params(
                username: username, email: "\(username)@example.org", password: Self.password,
                simulationKey: simulated ? Self.simulationKey : nil))
        return (connection, account)
    }

    /// The password of every test account.
    public static let password = "Secret123"

    /// A username that no other test has.
    public static func newName(_ prefix: String = "u") -> String {
        prefix + String(UInt64.random(in: 0...UInt64.max), radix: 36).suffix(11)
    }
}

/// Tries until `body` gives something, or the limit has passed; looks every 20 ms.
/// - Parameter what: What is waited for, for the failure's message.
public func eventually<T: Sendable>(
    _ what: String, within limit: Duration = Patience.limit, _ body: () async throws -> T?
) async throws -> T {
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while true {
        if let value = try await body() { return value }
        guard clock.now < deadline else {
            Patience.ended(after: limit)
            throw NeverHappened(what: what, limit: limit)
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// What was waited for did not come.
public struct NeverHappened: Error, CustomStringConvertible {
    /// What was waited for.
    public let what: String
    /// How long.
    public let limit: Duration
    /// Memberwise.
    public init(what: String, limit: Duration) {
        self.what = what
        self.limit = limit
    }
    /// One plain fact.
    public var description: String { "\(what): not within \(limit)" }
}
