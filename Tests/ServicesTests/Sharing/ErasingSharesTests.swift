import Testing
import Wire

@testable import Services

@Suite("Shares that are over")
struct ErasingSharesTests {
    @Test("All of them are forgotten, however many, but none before everybody was told of its end")
    func erasing() async throws {
        let world = try await World()
        let owner = try await world.member()
        let sharing = Sharing(loop: world.loop, database: world.pool, openings: world.writer, hub: world.hub)
        func insert(_ count: Int64, isPublished: Bool) async throws {
            _ = try await world.pool.query(
                """
                INSERT INTO shares (account_id, client_id, audience, precision, secret, started_at, chosen_at, expires_at,
                    ended_at, end_reason, is_end_published)
                SELECT $1, gen_random_uuid(), 'campus', 'exact', 1, now(), now(), now() + interval '1 hour', now(), 'stopped', $3
                FROM generate_series(1, $2)
                """, [.int(owner.account.id), .int(count), .bool(isPublished)])
        }
        try await insert(Sharing.removedMax * 2 + 50, isPublished: true)
        try await insert(3, isPublished: false)
        #expect(try await sharing.erasePast(of: owner).erased == Int(Sharing.removedMax) * 2 + 50)
        #expect(try await sharing.past(.init(), of: owner).shares.count == 3)
    }
}
