import TestSupport
import Testing

@testable import Postgres

@Suite("A pool")
struct PoolTests {
    private struct Change: Error, Equatable {}

    private func makePool(_ change: (inout PostgresConfiguration) -> Void = { _ in }) async throws -> PostgresPool {
        var configuration = try await TestDatabase.shared.makeDatabase().owner
        change(&configuration)
        let pool = PostgresPool(
            configuration: configuration, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
        _ = try await pool.query("CREATE TABLE runs (id bigint PRIMARY KEY)")
        return pool
    }

    private func count(_ pool: PostgresPool) async throws -> Int64? {
        try await pool.query("SELECT count(*) AS n FROM runs").first?.int("n")
    }

    @Test("A pool of a database that takes no writes asks to try again, with one line in the log for all statements")
    func readOnly() async throws {
        let access = try await TestDatabase.shared.makeDatabase()
        let administrator = try await PostgresConnection.connect(
            configuration: access.administrator, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
        defer { administrator.close() }
        try await administrator.script(
            "CREATE TABLE runs (id bigint); ALTER TABLE runs OWNER TO \(access.owner.user ?? "")")
        try await administrator.script(
            "ALTER DATABASE \(access.owner.database ?? "") SET default_transaction_read_only = on")
        let log = RecordedLog()
        let loop = TestDatabase.shared.loop
        let pool = PostgresPool(configuration: access.owner, loop: loop, logger: log.logger)
        let writer = GroupWriter(configuration: access.owner, loop: loop, logger: log.logger)
        for number in 0..<Int64(10) {
            for write in [
                { _ = try await pool.query("INSERT INTO runs VALUES ($1)", [.int(number)]) },
                { _ = try await writer.write([PostgresStatement("INSERT INTO runs VALUES ($1)", [.int(number)])]) },
                { try await pool.transaction { transaction in _ = try await transaction.query("DELETE FROM runs") } },
            ] as [() async throws -> Void] {
                let error = await #expect(throws: PostgresError.self) { try await write() }
                #expect(error?.outage == .readOnly && error?.isRetryable == true)
            }
        }
        #expect(log.lines.count { $0.contains("takes no writes") } == 1, "\(log.lines)")
        #expect(log.lines.count == 1, "\(log.lines)")
        await writer.close()
        await pool.close()
    }

    @Test(
        "A pool distinguishes an outage of the database from a wrong statement",
        arguments: [
            ("08006", DatabaseOutage.unreachable), ("57P01", .unreachable), ("57P03", .unreachable),
            ("25P03", .unreachable),
            ("25006", .readOnly), ("53100", .storageFull), ("53200", .exhausted), ("53300", .exhausted),
            ("53400", .exhausted), ("58030", .systemError), ("25P02", .busy), ("55P03", .busy), ("57014", .busy),
            ("40001", .busy), ("40P01", .busy), ("40003", .busy), ("23505", nil), ("22003", nil), ("42601", nil),
            ("42501", nil), ("XX000", nil),
        ] as [(String, DatabaseOutage?)])
    func outages(sqlState: String, outage: DatabaseOutage?) {
        #expect(DatabaseOutage(sqlState: sqlState) == outage)
        let error = PostgresError.fromServer(sqlState: sqlState, message: "words", constraint: nil)
        #expect(error.outage == outage)
        // A full disk has an answer of its own.
        #expect(error.isRetryable == (outage != nil && outage != .storageFull))
    }

    @Test(
        "A pool logs why it cannot connect again, also when the reason has changed, and nothing when it is closed"
    )
    func reasons() async throws {
        let access = try await TestDatabase.shared.makeDatabase()
        let name = access.owner.database ?? ""
        let log = RecordedLog()
        let pool = PostgresPool(configuration: access.owner, loop: TestDatabase.shared.loop, logger: log.logger)
        try await pool.ping()
        var maintenance = access.administrator
        maintenance.database = "postgres"
        let administrator = try await PostgresConnection.connect(
            configuration: maintenance, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
        try await administrator.script("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
        try await administrator.script(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
        let reason = "is not currently accepting connections"
        _ = try await eventually("the reason") { log.lines.contains { $0.contains(reason) } ? true : nil }
        try await administrator.script("ALTER DATABASE \(name) ALLOW_CONNECTIONS true")
        _ = try await eventually("it is back") { (try? await pool.ping()) }
        await pool.close()
        administrator.close()
        #expect(log.lines.count { $0.contains(reason) } == 1)
        #expect(!log.lines.contains { $0.contains("the connection was closed") }, "\(log.lines)")

        // Of another database: the lines about the first are not repeated so soon in any case.
        let other = try await TestDatabase.shared.makeDatabase().owner
        let quick = RecordedLog()
        let short = PostgresPool(configuration: other, loop: TestDatabase.shared.loop, logger: quick.logger)
        await short.close()
        await TestDatabase.shared.loop.sleep(for: .milliseconds(100))
        #expect(quick.lines.isEmpty)
    }

    @Test("A pool commits a transaction when its body returns, and undoes it when it throws")
    func transactions() async throws {
        let pool = try await makePool()
        let insert = "INSERT INTO runs VALUES ($1)"
        let answer = try await pool.transaction { transaction in
            _ = try await transaction.query(insert, [.int(1)])
            _ = try await transaction.query(insert, [.int(2)])
            return "done"
        }
        #expect(answer == "done")
        await #expect(throws: Change()) {
            try await pool.transaction { transaction in
                _ = try await transaction.query(insert, [.int(3)])
                throw Change()
            }
        }
        #expect(try await count(pool) == 2)
        #expect(pool.isReady)
        await pool.close()
    }

    @Test("A pool does not report a transaction as committed if the body swallowed its error")
    func swallowedError() async throws {
        let pool = try await makePool()
        let error = await #expect(throws: PostgresError.self) {
            try await pool.transaction { transaction in
                _ = try await transaction.query("INSERT INTO runs VALUES (1)")
                _ = try? await transaction.query("INSERT INTO runs VALUES (1)")
            }
        }
        #expect(error?.isUniqueViolation == true)
        #expect(try await count(pool) == 0)
        await pool.close()
    }

    @Test("a transaction kept beyond its body is refused")
    func keptTransaction() async throws {
        let pool = try await makePool()
        let kept = try await pool.transaction { $0 }
        await #expect(throws: PostgresError.self) { _ = try await kept.query("SELECT 1") }
        await pool.close()
    }

    @Test("A pool serves more callers than it has connections, statements and transactions mixed")
    func contention() async throws {
        let pool = try await makePool {
            $0.connectionsMax = 2
            // A machine that runs all tests at once may need longer than the default patience.
            $0.acquireTimeout = .seconds(60)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 as Range<Int64> {
                group.addTask {
                    let insert = "INSERT INTO runs VALUES ($1)"
                    if number % 2 == 0 {
                        _ = try await pool.query(insert, [.int(number)])
                    } else {
                        try await pool.transaction { _ = try await $0.query(insert, [.int(number)]) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await count(pool) == 200)
        await pool.close()
    }

    @Test("A pool refuses what does not fit into its queue, and serves the rest")
    func overload() async throws {
        let pool = try await makePool {
            $0.connectionsMax = 1
            $0.pipelinedQueriesMax = 1
            $0.waitingQueriesMax = 2
            $0.acquireTimeout = .seconds(60)
        }
        let outcomes = await withTaskGroup(of: PostgresError?.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    do {
                        _ = try await pool.query("SELECT pg_sleep(0.1)")
                        return nil
                    } catch {
                        return error as? PostgresError
                    }
                }
            }
            return await group.reduce(into: [PostgresError?]()) { $0.append($1) }
        }
        #expect(outcomes.contains(nil))
        #expect(outcomes.contains(.overloaded))
        #expect(outcomes.allSatisfy { $0 == nil || $0 == .overloaded })
        await pool.close()
    }

    @Test("a statement without a database waits for it, and then says that it is unavailable")
    func unavailable() async throws {
        let directory = try TestDirectory.make("nobody")
        var configuration = PostgresConfiguration(socketDirectory: directory, user: "nobody", database: "nothing")
        configuration.acquireTimeout = .milliseconds(100)
        let pool = PostgresPool(
            configuration: configuration, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
        #expect(!pool.isReady)
        let error = await #expect(throws: PostgresError.self) { try await pool.ping() }
        guard case .unavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await pool.close()
        await #expect(throws: PostgresError.self) { try await pool.ping() }
    }

    @Test("A pool connects again after every one of its sessions was ended")
    func reconnects() async throws {
        let pool = try await makePool()
        let access = try await TestDatabase.shared.makeDatabase()
        let administrator = try await PostgresConnection.connect(
            configuration: access.administrator, loop: TestDatabase.shared.loop)
        defer { administrator.close() }
        let ended = try await administrator.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
            [.text(pool.configuration.database ?? "")])
        #expect(!ended.isEmpty)
        // What was sent before the loss is noticed may fail; nothing may hang, and it must come back.
        var answered = false
        for _ in 0..<50 where !answered { answered = (try? await pool.ping()) != nil }
        #expect(answered)
        await pool.close()
    }
}
