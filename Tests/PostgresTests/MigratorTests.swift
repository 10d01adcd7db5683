import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Migrations")
struct MigratorTests {
    private let schema: SchemaFixture

    init() async throws {
        schema = try await SchemaFixture()
        try schema.write("0001_runs.sql", "CREATE TABLE runs (id bigserial PRIMARY KEY, name text);")
        try schema.write(
            "0002_more.sql", "ALTER TABLE runs ADD at timestamptz;\nINSERT INTO runs (name) VALUES ('a;b');")
    }

    private func execute(_ sql: String) async throws {
        let connection = try await PostgresConnection.connect(
            configuration: schema.access.administrator, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
        defer { connection.close() }
        try await connection.script(sql)
    }

    @Test(
        "Migrations that wait for a lock say which session holds it, in PostgreSQL's words, and end when they are cancelled"
    )
    func lock() async throws {
        try await schema.migrator.apply()
        let holder = try await PostgresConnection.connect(
            configuration: schema.access.owner, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
        defer { holder.close() }
        _ = try await holder.query("BEGIN")
        _ = try await holder.query("LOCK TABLE schema_migrations")
        let log = RecordedLog()
        let waiting = Migrator(
            directory: schema.directory, configuration: schema.access.owner, loop: TestDatabase.shared.loop,
            workers: TestDatabase.shared.workers, logger: log.logger)
        let applying = Task { try await waiting.apply() }
        let line = try await eventually("what it waits for") { log.lines.first { $0.contains("still waiting for") } }
        #expect(
            line.contains("relation schema_migrations; held by process ") && line.contains("idle in transaction"),
            "\(line)")
        applying.cancel()
        await #expect(throws: PostgresError.self) { try await applying.value }
        _ = try await holder.query("ROLLBACK")
        #expect(try await schema.migrator.apply() == [])
    }

    @Test("Migrations that need an extension name it, and the command that adds it, before the first file is applied")
    func extensionMissing() async throws {
        let name = schema.access.owner.database ?? ""
        for (wanted, isInstalled) in [("pg_trgm", true), ("no_such_extension", false)] {
            let demanding = Migrator(
                directory: schema.directory, configuration: schema.access.owner,
                extensions: ["plpgsql", "postgis", wanted],
                loop: TestDatabase.shared.loop, workers: TestDatabase.shared.workers, logger: TestDatabase.logger)
            let error = await #expect(throws: MigrationError.self) { try await demanding.apply() }
            #expect(error == .extensionMissing(name: wanted, database: name, isInstalled: isInstalled))
            #expect(error?.description.contains("psql -d \(name) -c 'CREATE EXTENSION \(wanted)'") == true)
        }
        #expect(try await schema.migrator.status().allSatisfy { $0.appliedAt == nil })
    }

    @Test("Migrations of a database that takes no writes do not begin, and say why")
    func readOnly() async throws {
        let name = schema.access.owner.database ?? ""
        try await execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        let error = await #expect(throws: MigrationError.self) { try await schema.migrator.apply() }
        #expect(error == .readOnly(database: name, isStandby: false))
        #expect(error?.description.contains("default_transaction_read_only is on") == true)
    }

    @Test("Migrations are applied once, in order, and let the application write what it does not own")
    func appliedOnce() async throws {
        #expect(try await schema.migrator.status().map(\.appliedAt) == [nil, nil])
        #expect(try await schema.migrator.apply().map(\.name) == ["0001_runs.sql", "0002_more.sql"])
        #expect(try await schema.migrator.apply() == [])
        let status = try await schema.migrator.status()
        #expect(status.map(\.version) == [1, 2])
        #expect(status.allSatisfy { $0.appliedAt != nil })

        let application = try await PostgresConnection.connect(
            configuration: schema.access.application, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
        defer { application.close() }
        #expect(try await application.query("INSERT INTO runs (name) VALUES ($1)", [.text("b")]).affected == 1)
        for forbidden in ["DROP TABLE runs", "DELETE FROM schema_migrations", "CREATE TABLE mine (n int)"] {
            let error = await #expect(throws: PostgresError.self) { _ = try await application.query(forbidden) }
            #expect(error?.sqlState == "42501")
        }
    }

    @Test(
        "Migrations make a table append-only for the application when its comment says append-only"
    )
    func appendOnly() async throws {
        try await schema.migrator.apply()
        let application = try await PostgresConnection.connect(
            configuration: schema.access.application, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
        defer { application.close() }
        #expect(try await application.query("DELETE FROM runs").affected == 1)
        try schema.write("0003_log.sql", "COMMENT ON TABLE runs IS 'append-only: never mind why';")
        try await schema.migrator.apply()
        #expect(try await application.query("INSERT INTO runs (name) VALUES ('c')").affected == 1)
        #expect(try await application.query("SELECT FROM runs").count == 1)
        for forbidden in ["DELETE FROM runs", "UPDATE runs SET name = ''", "TRUNCATE runs"] {
            let error = await #expect(throws: PostgresError.self) { _ = try await application.query(forbidden) }
            #expect(error?.sqlState == "42501")
        }
    }

    @Test("Migrations are applied once by two processes at once")
    func concurrently() async throws {
        async let first = schema.migrator.apply()
        async let second = schema.migrator.apply()
        let counts = try await [first.count, second.count].sorted()
        #expect(counts == [0, 2])
    }

    @Test("Migrations whose file changed after it was applied are refused")
    func changed() async throws {
        try await schema.migrator.apply()
        try schema.write("0001_runs.sql", "CREATE TABLE runs (id int);")
        await #expect(throws: MigrationError.changed("0001_runs.sql")) { try await schema.migrator.apply() }
        await #expect(throws: MigrationError.changed("0001_runs.sql")) { _ = try await schema.migrator.status() }
    }

    @Test("Migrations whose file is gone, or that a newer release applied, are refused")
    func missing() async throws {
        try await schema.migrator.apply()
        try FileManager.default.removeItem(atPath: "\(schema.directory)/0002_more.sql")
        await #expect(throws: MigrationError.databaseNewer(applied: 2, newestFile: 1)) {
            try await schema.migrator.apply()
        }
        try schema.write("0003_next.sql", "SELECT 1;")
        await #expect(throws: MigrationError.missing("0002_more.sql")) { try await schema.migrator.apply() }
    }

    @Test("Migrations that come before an applied one are refused")
    func outOfOrder() async throws {
        try FileManager.default.removeItem(atPath: "\(schema.directory)/0001_runs.sql")
        try schema.write("0002_more.sql", "CREATE TABLE runs (id int);")
        try await schema.migrator.apply()
        try schema.write("0001_late.sql", "SELECT 1;")
        await #expect(throws: MigrationError.outOfOrder("0001_late.sql", newestApplied: 2)) {
            try await schema.migrator.apply()
        }
    }

    @Test("Migrations that fail leave nothing behind, and those before them stay")
    func failing() async throws {
        try schema.write("0003_broken.sql", "CREATE TABLE half (n int); SELECT 1/0;")
        let error = await #expect(throws: MigrationError.self) { try await schema.migrator.apply() }
        guard case .failed(name: "0003_broken.sql", error: let cause) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.sqlState == "22012")
        #expect(try await schema.migrator.status().map { $0.appliedAt != nil } == [true, true, false])
        try schema.write("0003_broken.sql", "CREATE TABLE half (n int);")
        #expect(try await schema.migrator.apply().map(\.version) == [3])
    }

    @Test("Migrations with names that have no number, or the same one, are refused by name")
    func names() async throws {
        try schema.write("0002_again.sql", "SELECT 1;")
        await #expect(throws: MigrationError.sameVersion("0002_again.sql", "0002_more.sql")) {
            try await schema.migrator.apply()
        }
        try schema.write("first.sql", "SELECT 1;")
        await #expect(throws: MigrationError.badName("first.sql")) { try await schema.migrator.apply() }
    }
}
