import Postgres
import TestSupport
import Testing

@Suite("Grouped writes")
struct GroupWriterTests {
    private func make(
        _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) async throws -> (GroupWriter, PostgresPool) {
        var configuration = try await TestDatabase.shared.makeDatabase().owner
        change(&configuration)
        let loop = TestDatabase.shared.loop
        let pool = PostgresPool(configuration: configuration, loop: loop, logger: TestDatabase.logger)
        _ = try await pool.query(
            """
            CREATE TABLE points (id bigint PRIMARY KEY, distance bigint CHECK (distance >= 0),
                transaction_id bigint DEFAULT txid_current(),
                follows bigint REFERENCES points DEFERRABLE INITIALLY DEFERRED)
            """)
        return (GroupWriter(configuration: configuration, loop: loop, logger: TestDatabase.logger), pool)
    }

    private static func insert(_ id: Int64, distance: Int64 = 0) -> PostgresStatement {
        PostgresStatement("INSERT INTO points (id, distance) VALUES ($1, $2) RETURNING id", [.int(id), .int(distance)])
    }

    @Test("many writes share few transactions, each gets its own answers, in the order they came")
    func grouping() async throws {
        let (writer, pool) = try await make()
        let order = Shared<[Int64]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<400 as Range<Int64> {
                group.addTask(executorPreference: TestDatabase.shared.loop) {
                    let answers = try await writer.write([Self.insert(2 * id), Self.insert(2 * id + 1)])
                    let ids = try answers.map { try $0.first?.int("id") }
                    #expect(ids == [2 * id, 2 * id + 1])
                    order.withLock { $0.append(id) }
                }
            }
            try await group.waitForAll()
        }
        let row = try #require(
            try await pool.query("SELECT count(*) AS n, count(DISTINCT transaction_id) AS t FROM points").first)
        #expect(try row.int("n") == 800)
        #expect(try row.int("t") < 100)
        #expect(order.withLock { $0 } == Array(0..<400))
        await writer.close()
        await pool.close()
    }

    @Test("a write that fails is told so; its neighbours in the group are committed")
    func culprit() async throws {
        let (writer, pool) = try await make { $0.groupWindow = .milliseconds(50) }
        let failures = Shared<[Int64: PostgresError]>([:])
        await withTaskGroup(of: Void.self) { group in
            for id in 0..<20 as Range<Int64> {
                group.addTask {
                    do {
                        // The culprit's first statement is fine and must vanish with its second.
                        _ = try await writer.write([
                            Self.insert(id), Self.insert(100 + id, distance: id == 7 ? -1 : 1),
                        ])
                    } catch {
                        failures.withLock { $0[id] = error as? PostgresError }
                    }
                }
            }
        }
        let failed = failures.withLock { $0 }
        #expect(Array(failed.keys) == [7])
        #expect(failed[7]?.isCheckViolation == true)
        let rows = try await pool.query("SELECT id FROM points ORDER BY id")
        #expect(try rows.map { try $0.int("id") } == (0..<20).filter { $0 != 7 } + (100..<120).filter { $0 != 107 })
        // The connection is as good as before.
        _ = try await writer.write([Self.insert(1000)])
        await writer.close()
        await pool.close()
    }

    @Test("a constraint that fails only at the commit is told to the culprit alone")
    func deferredConstraint() async throws {
        let (writer, pool) = try await make { $0.groupWindow = .milliseconds(50) }
        let broken = PostgresStatement("INSERT INTO points (id, follows) VALUES (1, 999)")
        async let first = writer.write([broken])
        async let second = writer.write([Self.insert(2)])
        #expect(try await second.first?.first?.int("id") == 2)
        do {
            _ = try await first
            Issue.record("a row refers to nothing")
        } catch let error as PostgresError {
            #expect(error.isForeignKeyViolation)
        }
        #expect(try await pool.query("SELECT count(*) AS n FROM points").first?.int("n") == 1)
        await writer.close()
        await pool.close()
    }

    @Test("The group writer refuses what does not fit, and commits what it accepted")
    func overload() async throws {
        let (writer, pool) = try await make {
            $0.waitingWritesMax = 10
            $0.groupWritesMax = 5
        }
        _ = try await writer.write([Self.insert(1000)])
        let refused = Shared(0)
        let writes = try await pool.transaction { transaction in
            // The first group cannot end before this transaction does.
            _ = try await transaction.query("LOCK TABLE points")
            let writes = Task {
                await withTaskGroup(of: Void.self) { group in
                    for id in 0..<200 as Range<Int64> {
                        group.addTask {
                            do {
                                _ = try await writer.write([Self.insert(id)])
                            } catch {
                                #expect(error as? PostgresError == .overloaded)
                                refused.withLock { $0 += 1 }
                            }
                        }
                    }
                }
            }
            while refused.withLock({ $0 }) < 185 { await TestDatabase.shared.loop.sleep(for: .milliseconds(2)) }
            return writes
        }
        await writes.value
        #expect(refused.withLock { $0 } == 185)
        #expect(try await pool.query("SELECT count(*) AS n FROM points").first?.int("n") == 16)
        await writer.close()
        await pool.close()
    }

    @Test("closing commits what was accepted and refuses what comes later")
    func closing() async throws {
        let (writer, pool) = try await make { $0.groupWindow = .seconds(60) }
        // This one connects the writer, because closing fails writes that wait for a connection.
        _ = try await withCheckedThrowingContinuation { continuation in
            writer.transactions.write([Self.insert(0)]) { continuation.resume(with: $0) }
        }
        let accepted = Task(executorPreference: TestDatabase.shared.loop) {
            try await writer.write([Self.insert(1)])
        }
        // The loop takes messages in order, so a round trip behind the write proves that it was accepted.
        try await pool.ping()
        await writer.close()
        #expect(try await accepted.value.first?.first?.int("id") == 1)
        await #expect(throws: PostgresError.self) { _ = try await writer.write([Self.insert(2)]) }
        await pool.close()
    }
}
