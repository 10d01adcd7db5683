import Postgres
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Services

@Suite("What is written down of shares")
struct ShareTableTests {
    @Test("Nodes that write of the same shares at the same moment lose nothing, and wait for each other in one order")
    func together() async throws {
        let world = try await World()
        let owner = try await world.member()
        var viewers: [Int64] = []
        for _ in 1...8 { viewers.append(try await world.member().account.id) }
        let metrics = PostgresMetrics()
        var configuration = world.access.application
        configuration.connectionsMax = 4
        configuration.acquireTimeout = .seconds(60)
        let pool = PostgresPool(
            configuration: configuration, loop: world.loop, metrics: metrics, logger: TestDatabase.logger)
        let table = ShareTable(database: pool)
        let shares = try await world.pool.query(
            """
            INSERT INTO shares (account_id, client_id, audience, precision, secret, started_at, chosen_at, expires_at)
            SELECT $1, gen_random_uuid(), 'campus', 'exact', 1, now(), now(), now() + interval '1 hour'
            FROM generate_series(1, 5) RETURNING id
            """, [.int(owner.account.id)]
        ).map { try $0.int("id") }
        let at = world.clock.now
        let rounds = 20
        try await withThrowingTaskGroup(of: Void.self) { group in
            for viewer in viewers {
                group.addTask {
                    for _ in 1...rounds {
                        let seen = shares.shuffled().map {
                            AccessLogEntry(share: $0, account: viewer, precision: .exact, at: at)
                        }
                        try await table.log(seen, more: Dictionary(uniqueKeysWithValues: shares.map { ($0, 1) }))
                    }
                }
            }
            try await group.waitForAll()
        }
        let rows = try await world.pool.query("SELECT more FROM shares WHERE account_id = $1", [.int(owner.account.id)])
        #expect(try rows.map { try $0.int("more") } == shares.map { _ in Int64(viewers.count * rounds) })
        let lines = try await world.pool.query(
            "SELECT count(*) AS count FROM share_watches WHERE share_id = ANY ($1::bigint[]) AND times = 1",
            [.intArray(shares)])
        #expect(try lines.first?.int("count") == Int64(viewers.count * shares.count))
        #expect(metrics.rolledBack.value == 0)
        await pool.close()
    }
}
