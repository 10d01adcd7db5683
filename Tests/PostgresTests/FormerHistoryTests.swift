import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite("Databases with the migrations from before the baselines")
struct FormerHistoryTests {
    private static let history = """
        SELECT version || ' ' || name || ' ' || checksum AS value FROM schema_migrations ORDER BY version
        """

    /// The schema of the product's baselines, with rows of former migrations as its history.
    private func makeDatabase(_ files: some Sequence<(name: String, checksum: String)>) async throws -> SchemaFixture {
        let product = TestServer.root.appendingPathComponent("sql").path
        let baselines = try await SchemaFixture()
        for file in try MigrationFile.readAll(directory: product) where file.version <= FormerHistory.newestBaseline {
            try baselines.write(file.name, file.sql)
        }
        _ = try await baselines.migrator.apply()
        let rows = files.map {
            "(\(Int($0.name.prefix(4)) ?? 0), '\($0.name)', '\($0.checksum)', '2026-01-01T00:00:00Z')"
        }
        let schema = SchemaFixture(baselines.access, directory: product)
        try await schema.execute(
            """
            DROP TABLE schema_functions;
            DELETE FROM schema_migrations;
            INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES \(rows.joined(separator: ", "));
            """)
        return schema
    }

    /// What a database that was taken over still needs: the migrations after the baselines, and the functions.
    private func pendingNames(_ schema: SchemaFixture) throws -> [String] {
        try MigrationFile.readAll(directory: schema.directory).filter { $0.version > FormerHistory.newestBaseline }
            .map(\.name) + FunctionFile.readAll(directory: schema.directory).map(\.path)
    }

    @Test(
        "Databases with all former migrations are taken over: the baselines count as applied, and only later files are applied"
    )
    func takeOver() async throws {
        let schema = try await makeDatabase(FormerHistory.files)
        let keys = "SELECT encode(key, 'hex') AS value FROM node_keys"
        let before = try await schema.values(keys)
        try await schema.execute(
            "CREATE OR REPLACE FUNCTION goal_progress(account bigint, month_start timestamptz, month_end timestamptz, "
                + "metres double precision, OUT distance double precision, OUT completed_at timestamptz) "
                + "LANGUAGE sql STABLE AS $$ SELECT 0::double precision, now() $$")
        let expected = try MigrationFile.readAll(directory: schema.directory).map {
            "\($0.version) \($0.name) \($0.checksum)"
        }
        let status = try await schema.migrator.status()
        let pending = try pendingNames(schema)
        #expect(status.filter { !pending.contains($0.name) }.allSatisfy { $0.appliedAt == 1_767_225_600_000 })
        #expect(status.filter { pending.contains($0.name) }.allSatisfy { $0.appliedAt == nil })
        #expect(status.count { $0.appliedAt != nil } == Int(FormerHistory.newestBaseline))
        #expect(try await schema.values(Self.history).count == FormerHistory.files.count, "status changes nothing")

        let applied = try await schema.migrator.apply()
        #expect(applied.map(\.name) == pending)
        #expect(try await schema.values(Self.history) == expected)
        #expect(try await schema.values(keys) == before, "no baseline was run")
        let body = try await schema.values("SELECT prosrc AS value FROM pg_proc WHERE proname = 'goal_progress'")
        #expect(body.first?.contains("FROM sessions s") == true)
        #expect(try await schema.migrator.apply() == [])
        #expect(FormerHistory.newestBaseline == 17 && FormerHistory.files.count == 40)
    }

    @Test("Databases with the former migrations are taken over once by two processes at once")
    func concurrently() async throws {
        let schema = try await makeDatabase(FormerHistory.files)
        async let first = schema.migrator.apply()
        async let second = schema.migrator.apply()
        let counts = try await [first.count, second.count].sorted()
        #expect(counts == [0, try pendingNames(schema).count])
    }

    @Test("Databases with a part of the former migrations, or another version of one, are refused, and nothing changes")
    func refused() async throws {
        var changed = FormerHistory.files
        changed[39].checksum = String(repeating: "0", count: 64)
        for (files, newest) in [
            (Array(FormerHistory.files.dropLast()), "0044_reminder_locks.sql"),
            (Array(FormerHistory.files.prefix(17)), "0017_admin.sql"),
            (Array(FormerHistory.files.dropFirst()), "0045_push_tokens.sql"),
            (changed, "0045_push_tokens.sql"),
        ] {
            let schema = try await makeDatabase(files)
            let before = try await schema.values(Self.history)
            let error = await #expect(throws: MigrationError.formerHistory(newestApplied: newest)) {
                try await schema.migrator.apply()
            }
            #expect(
                error?.description.contains("run campanile migrate of the release with 0045_push_tokens.sql") == true)
            #expect(error?.description.contains("back up and start afresh") == true)
            await #expect(throws: MigrationError.formerHistory(newestApplied: newest)) {
                _ = try await schema.migrator.status()
            }
            #expect(try await schema.values(Self.history) == before)
        }
    }
}
