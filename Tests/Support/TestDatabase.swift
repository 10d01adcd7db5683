import EventLoop
import Foundation
import Logging
import Postgres
import Testing

/// A real PostgreSQL for the tests of a process: one private cluster in a temporary directory, started when it is first
/// asked for and stopped when the process exits; what a crashed run left behind is removed by the next.
public actor TestDatabase {
    /// The cluster that all tests of the process share. Tests that stop or kill PostgreSQL start one of their own.
    public static let shared = TestDatabase()

    /// A loop for tests that do not care which.
    public nonisolated let loop: EventLoop
    /// Workers for tests that do not care which.
    public nonisolated let workers = WorkerPool(label: "tests", concurrentMax: 2, waitingMax: 256)

    private var cluster: Task<(PrivateCluster.Access, PostgresConnection), any Error>?
    private var databasesMade = 0
    private var migrated: Task<String, any Error>?

    private init() {
        do {
            loop = try EventLoop(label: "tests")
        } catch {
            fatalError("no event loop: \(error)")
        }
    }

    /// A database of the test's own: empty but for PostGIS, with the roles of the private cluster.
    ///
    /// `owner` migrates it, `application` is the server's role; grant it rights with `Migrator(applicationRole:)`.
    public func makeDatabase() async throws -> PrivateCluster.Access {
        try await makeDatabase(from: PrivateCluster.databaseName)
    }

    /// A database of the test's own to which all files of `sql/` were applied, as a server's first start leaves it. It is a copy of one
    /// that was migrated once: migrating each took as long as all else that the tests ask of PostgreSQL.
    public func makeMigratedDatabase() async throws -> PrivateCluster.Access {
        let migrated = migrated ?? Task { try await migrate() }
        self.migrated = migrated
        return try await makeDatabase(from: try await migrated.value)
    }

    private func makeDatabase(from template: String) async throws -> PrivateCluster.Access {
        let (access, administrator) = try await start().value
        databasesMade += 1
        let name = "test_\(databasesMade)"
        // One connection, so one copy of the template at a time, as PostgreSQL demands. Copies of files take half of the processor's time
        // that copies of blocks by the log take: 30 in place of 58 ms.
        try await administrator.script(
            "CREATE DATABASE \(name) OWNER \(PrivateCluster.ownerRole) TEMPLATE \(template) STRATEGY file_copy")
        return access.database(name)
    }

    /// - Returns: The name of the database that the migrated ones are copies of.
    private func migrate() async throws -> String {
        let access = try await makeDatabase()
        let migrator = Migrator(
            directory: TestServer.root.appendingPathComponent("sql").path, configuration: access.owner,
            applicationRole: PrivateCluster.applicationRole, loop: loop, workers: workers, logger: Self.logger)
        _ = try await migrator.apply()
        let name = try #require(access.owner.database)
        try await shrink(access)
        // Sessions that look after it would be in the way of a copy.
        try await start().value.1.script("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
        return name
    }

    /// Removes the reference systems that Campanile does not use: they are a third of each copy.
    private func shrink(_ access: PrivateCluster.Access) async throws {
        let connection = try await PostgresConnection.connect(configuration: access.administrator, loop: loop)
        try await connection.script("DELETE FROM spatial_ref_sys WHERE srid <> 4326")
        try await connection.script("VACUUM FULL spatial_ref_sys")
        connection.close()
    }

    private func start() -> Task<(PrivateCluster.Access, PostgresConnection), any Error> {
        if let cluster { return cluster }
        let started = Task { [loop, workers] in
            let directory = try TestDirectory.make("shared", isInMemory: true)
            func makeCluster() -> PrivateCluster {
                PrivateCluster(dataDirectory: directory, loop: loop, workers: workers, logger: TestDatabase.logger)
            }
            try await Self.allowConnections(of: makeCluster(), loop)
            let cluster = makeCluster()
            TestDirectory.beforeRemoval { await cluster.stop(immediately: true) }
            let access = try await cluster.start()
            var maintenance = access.administrator
            maintenance.database = "postgres"
            maintenance.queryTimeout = .seconds(60)
            return (access, try await PostgresConnection.connect(configuration: maintenance, loop: loop))
        }
        cluster = started
        return started
    }

    /// Sessions of PostgreSQL. A server has up to a dozen; a test that fails leaves its servers running, and the other tests must not fail
    /// with it.
    private static let connectionsMax = 500

    /// Settings that hold from the next start on. Sessions load PostGIS from the postmaster instead of each for itself, and map fewer
    /// buffers, because the tests open thousands of them over small databases. Nothing is vacuumed that is gone with the tests.
    private static let settings = [
        "max_connections = \(connectionsMax)", "shared_preload_libraries = 'plpgsql', 'postgis-3'",
        "shared_buffers = '32MB'", "autovacuum = off",
    ]

    /// Makes the cluster and changes its settings.
    private static func allowConnections(of cluster: PrivateCluster, _ loop: EventLoop) async throws {
        var administrator = try await cluster.start().administrator
        administrator.database = "postgres"
        let connection = try await PostgresConnection.connect(configuration: administrator, loop: loop)
        for setting in settings { try await connection.script("ALTER SYSTEM SET \(setting)") }
        connection.close()
        await cluster.stop()
    }

    /// Silent but for errors: tests cause many outages on purpose.
    public static let logger: Logger = {
        var logger = Logger(label: "tests")
        logger.logLevel = ProcessInfo.processInfo.environment["CAMPANILE_TEST_LOG"] == nil ? .critical : .debug
        return logger
    }()
}

extension PrivateCluster.Access {
    /// The server's role, as `DATABASE_URL` has it; also for programs, which read the password from its file.
    public var databaseURL: String { url(application) }
    /// The role that owns the schema, as `CAMPANILE_OWNER_DATABASE_URL` has it.
    public var ownerDatabaseURL: String { url(owner) }

    private func url(_ configuration: PostgresConfiguration) -> String {
        "host='\(configuration.host ?? "")' port=5432 user='\(configuration.user ?? "")' "
            + "dbname='\(configuration.database ?? "")' passfile='\(passwordFile)'"
    }
}
