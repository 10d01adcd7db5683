import EventLoop
import Metrics
import Synchronization
import TestSupport
import Testing

@testable import Postgres

@Suite("Transactions that wait for each other")
struct DeadlockTests {
    /// How often each had its first row.
    private final class Meeting: Sendable {
        private let begun = Mutex<[Int64: Int]>([:])

        func begin(_ row: Int64) { begun.withLock { $0[row, default: 0] += 1 } }
        var tries: [Int] { begun.withLock { [$0[1] ?? 0, $0[2] ?? 0] } }
        var haveBoth: Bool { tries.allSatisfy { $0 > 0 } }
    }

    private func makePool(_ metrics: PostgresMetrics = PostgresMetrics()) async throws -> PostgresPool {
        var configuration = try await TestDatabase.shared.makeDatabase().owner
        configuration.acquireTimeout = .seconds(60)
        configuration.queryTimeout = .seconds(60)
        let pool = PostgresPool(
            configuration: configuration, loop: TestDatabase.shared.loop, metrics: metrics, logger: TestDatabase.logger)
        _ = try await pool.query("CREATE TABLE rows (id bigint PRIMARY KEY, count bigint NOT NULL DEFAULT 0)")
        _ = try await pool.query("INSERT INTO rows VALUES (1), (2)")
        return pool
    }

    private static let add = "UPDATE rows SET count = count + 1 WHERE id = $1"

    @Test(
        "Of two transactions that lock the same rows in other orders PostgreSQL ends one; it is begun again, and both succeed"
    )
    func both() async throws {
        let metrics = PostgresMetrics()
        let pool = try await makePool(metrics)
        let meeting = Meeting()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (first, second) in [(1, 2), (2, 1)] as [(Int64, Int64)] {
                group.addTask {
                    try await pool.transaction { transaction in
                        _ = try await transaction.query(Self.add, [.int(first)])
                        meeting.begin(first)
                        _ = try await eventually("each has its first row") { meeting.haveBoth ? true : nil }
                        _ = try await transaction.query(Self.add, [.int(second)])
                    }
                }
            }
            try await group.waitForAll()
        }
        let counts = try await pool.query("SELECT count FROM rows ORDER BY id").map { try $0.int("count") }
        #expect(counts == [2, 2], "each was done once")
        // The one that is begun again can take its first row before the other wakes up, and meet it once more.
        let tries = meeting.tries.reduce(0, +)
        #expect(tries >= 3, "one of them again")
        #expect(metrics.rolledBack.value == tries - 2, "each further try follows a rollback")
        await pool.close()
    }

    @Test("A single statement is a transaction of its own, and is sent again as well")
    func statement() async throws {
        let pool = try await makePool()
        // What a sequence gave is not rolled back.
        _ = try await pool.query("CREATE SEQUENCE tries")
        _ = try await pool.query(
            """
            CREATE FUNCTION third() RETURNS bigint LANGUAGE plpgsql AS $$
            BEGIN
                UPDATE rows SET count = count + 1 WHERE id = 1;
                IF nextval('tries') < 3 THEN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF;
                RETURN currval('tries');
            END $$
            """)
        #expect(try await pool.query("SELECT third() AS tries").first?.int("tries") == 3)
        #expect(try await pool.query("SELECT count FROM rows WHERE id = 1").first?.int("count") == 1)
        await pool.close()
    }

    @Test("What is rolled back again and again is given up, and says that it may be sent again; other errors at once")
    func bounded() async throws {
        let pool = try await makePool()
        let meeting = Meeting()
        func fail(_ state: String) async throws -> PostgresError? {
            await #expect(throws: PostgresError.self) {
                try await pool.transaction { transaction in
                    meeting.begin(1)
                    _ = try await transaction.query(
                        "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(state)'; END $$")
                }
            }
        }
        let error = try await fail("40001")
        #expect(error?.sqlState == "40001" && error?.isRetryable == true)
        #expect(meeting.tries[0] == 1 + PostgresPool.rolledBackRetriesMax)
        _ = try await fail("23514")
        #expect(meeting.tries[0] == 2 + PostgresPool.rolledBackRetriesMax, "what is no deadlock is not begun again")
        await pool.close()
    }
}
