import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite("Files of functions")
struct FunctionFileTests {
    private let schema: SchemaFixture

    init() async throws {
        schema = try await SchemaFixture()
        try schema.write("0001_runs.sql", "CREATE TABLE runs (id bigint, name text);")
        try schema.write("functions/a.sql", Self.greeting("'hello ' || run_name(number)"))
        try schema.write("functions/b.sql", Self.name("SELECT r.name FROM runs r WHERE r.id = number"))
    }

    private static func greeting(_ expression: String, _ parameter: String = "number bigint") -> String {
        """
        CREATE OR REPLACE FUNCTION run_greeting(\(parameter)) RETURNS text LANGUAGE sql AS $$ SELECT \(expression) $$;
        COMMENT ON FUNCTION run_greeting IS 'owner only: an example';
        """
    }

    private static func name(_ body: String) -> String {
        "CREATE OR REPLACE FUNCTION run_name(number bigint) RETURNS text LANGUAGE sql AS $$ \(body) $$;"
    }

    private func greetings() async throws -> [String] {
        try await schema.values("SELECT run_greeting(1) AS value")
    }

    @Test(
        "Files of functions are applied after the migrations, in any order of their calls, and the owner's are closed")
    func applied() async throws {
        #expect(try await schema.migrator.status().allSatisfy { $0.appliedAt == nil })
        let names = ["0001_runs.sql", "functions/a.sql", "functions/b.sql"]
        #expect(try await schema.migrator.apply().map(\.name) == names)
        let status = try await schema.migrator.status()
        #expect(status.map(\.name) == names)
        #expect(status.map(\.version) == [1, nil, nil])
        #expect(status.allSatisfy { $0.appliedAt != nil })
        try await schema.execute("INSERT INTO runs VALUES (1, 'Ana')")
        #expect(try await greetings() == ["hello Ana"])

        let application = try await schema.connect(schema.access.application)
        defer { application.close() }
        #expect(try await application.query("SELECT run_name(1)").count == 1)
        for forbidden in ["SELECT run_greeting(1)", "DELETE FROM schema_functions"] {
            let error = await #expect(throws: PostgresError.self) { _ = try await application.query(forbidden) }
            #expect(error?.sqlState == "42501")
        }
    }

    @Test("Files of functions are applied again when they change, and only then")
    func changed() async throws {
        try await schema.migrator.apply()
        let functions =
            "SELECT proname || ' ' || xmin AS value FROM pg_proc WHERE proname LIKE 'run\\_%' ORDER BY proname"
        let before = try await schema.values(functions)
        let times = try await schema.migrator.status().map(\.appliedAt)
        try schema.write("functions/b.sql", Self.name("SELECT 'Ben'"))
        #expect(try await schema.migrator.status().map { $0.appliedAt == nil } == [false, false, true])
        #expect(try await schema.migrator.apply().map(\.name) == ["functions/b.sql"])
        #expect(try await greetings() == ["hello Ben"])
        #expect(
            try await schema.values("SELECT prosrc AS value FROM pg_proc WHERE proname = 'run_name'") == [
                " SELECT 'Ben' "
            ])
        let after = try await schema.values(functions)
        #expect(after.count == 2 && after[1] != before[1])
        #expect(try await schema.migrator.status().map(\.appliedAt)[1] == times[1])
        #expect(try await schema.migrator.apply() == [])
        #expect(try await schema.values(functions)[1] == after[1])
    }

    @Test("Files of functions are applied once by two processes at once")
    func concurrently() async throws {
        async let first = schema.migrator.apply()
        async let second = schema.migrator.apply()
        #expect(try await [first.count, second.count].sorted() == [0, 3])
    }

    @Test("Files of functions keep a function whose file is gone, until a migration drops it")
    func removed() async throws {
        try await schema.migrator.apply()
        try schema.remove("functions/b.sql")
        #expect(try await schema.migrator.apply() == [])
        #expect(try await schema.values("SELECT name AS value FROM schema_functions") == ["a.sql"])
        try await schema.execute("INSERT INTO runs VALUES (1, 'Ana')")
        #expect(try await greetings() == ["hello Ana"])
    }

    @Test(
        "Files of functions that change a result or parameters are refused as a whole, and applied once a migration drops the old function",
        arguments: [
            ("number bigint, mark text DEFAULT '!'", "text"), ("other bigint", "text"), ("number bigint", "bigint"),
        ])
    func signature(_ parameters: String, _ result: String) async throws {
        try await schema.migrator.apply()
        try await schema.execute("INSERT INTO runs VALUES (1, 'Ana')")
        try schema.write("functions/a.sql", Self.greeting("'goodbye'"))
        try schema.write(
            "functions/b.sql",
            "CREATE OR REPLACE FUNCTION run_name(\(parameters)) RETURNS \(result) LANGUAGE sql AS $$ SELECT '1'::\(result) $$;"
        )
        let error = await #expect(throws: MigrationError.self) { try await schema.migrator.apply() }
        guard case .signatureChanged(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("functions/b.sql") || reason.contains("run_name(bigint) and run_name(bigint,text)"))
        #expect(error?.description.contains("drop the old one in a new numbered migration") == true)
        #expect(try await greetings() == ["hello Ana"], "nothing of the files was applied")
        try schema.write("0002_drop.sql", "DROP FUNCTION IF EXISTS run_name(bigint);")
        #expect(
            try await schema.migrator.apply().map(\.name) == ["0002_drop.sql", "functions/a.sql", "functions/b.sql"])
        #expect(try await greetings() == ["goodbye"])
    }

    @Test("Files of functions with a body that PostgreSQL refuses are named, and nothing of the files is applied")
    func broken() async throws {
        try schema.write("functions/b.sql", Self.name("SELECT r.title FROM runs r"))
        let body = await #expect(throws: MigrationError.self) { try await schema.migrator.apply() }
        #expect(body?.description.contains("run_name(bigint): column r.title does not exist") == true, "\(body as Any)")
        #expect(try await schema.migrator.status().map { $0.appliedAt == nil } == [false, true, true])
        try schema.write("functions/b.sql", "CREATE OR REPLACE FUNCTION run_name( AS")
        let syntax = await #expect(throws: MigrationError.self) { try await schema.migrator.apply() }
        #expect(syntax?.description.hasPrefix("functions/b.sql was not applied: ") == true, "\(syntax as Any)")
        #expect(
            try await schema.values("SELECT proname::text AS value FROM pg_proc WHERE proname LIKE 'run\\_%'") == [])
        try FileManager.default.removeItem(atPath: "\(schema.directory)/functions")
        let missing = await #expect(throws: MigrationError.self) { try await schema.migrator.apply() }
        #expect(missing?.description.contains("/functions cannot be read: ") == true)
    }
}
