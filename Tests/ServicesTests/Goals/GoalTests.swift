import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Goals of a month")
struct GoalTests {
    /// Where the tests' clock stands: the middle of a month in UTC.
    private static let noon = Timestamp("2026-11-15T12:00:00.000Z") ?? .now

    private let world: World
    private let goals: Goals
    private let notified = NotifiedAccounts()

    /// Who was told that the goal is reached.
    private final class NotifiedAccounts: Sendable {
        let accounts = Mutex<[Int64]>([])
    }

    init() async throws {
        let world = try await World()
        let notified = notified
        self.world = world
        world.clock.advance(bySeconds: Self.noon.seconds(since: world.clock.now))
        goals = Goals(
            loop: world.loop, database: world.pool, now: { world.clock.now },
            reached: { account, _ in notified.accounts.withLock { $0.append(account) } })
    }

    /// A finished session.
    private func ran(_ kilometres: Double, _ who: Identity, at start: String, minutes: Double = 30) async throws {
        let start = try #require(Timestamp(start))
        _ = try await world.pool.query(
            """
            INSERT INTO sessions (account_id, client_id, activity, title, state, simulated, started_at, ended_at, distance)
            VALUES ($1, $2, 'run', 'Run', 'finished', false, $3, $4, $5)
            """,
            [
                .int(who.account.id), .uuid(World.newID()), .timestamp(start.milliseconds),
                .timestamp(start.advanced(bySeconds: minutes * 60).milliseconds), .double(kilometres * 1_000),
            ])
    }

    @Test("Goals begin with 50 km, and count the sessions that began in the month, by the clocks where the account is")
    func progress() async throws {
        let who = try await world.member()
        let fresh = try await goals.goal(.init(), of: who)
        #expect((fresh.kilometres, fresh.distance, fresh.percent, fresh.month) == (50, 0, 0, "2026-11"))
        #expect(fresh.completedAt == nil)
        #expect(fresh.totals == Goal.Totals(sessions: 0, distance: 0, elapsed: 0))
        try await ran(3, who, at: "2026-10-31T23:30:00.000Z")
        try await ran(5, who, at: "2026-11-10T08:00:00.000Z")
        // In UTC the first one is October's, in Berlin it was past midnight.
        #expect(try await goals.goal(.init(), of: who).distance == 5_000)
        let there = try await goals.goal(.init(timeZone: "Europe/Berlin"), of: who)
        #expect((there.distance, there.percent) == (8_000, 16))
        #expect(there.endsAt == Timestamp("2026-11-30T23:00:00.000Z"))
        // It is known from now on.
        #expect(try await goals.goal(.init(), of: who).distance == 8_000)
        #expect(there.totals == Goal.Totals(sessions: 2, distance: 8_000, elapsed: 3_600))
    }

    @Test("Goals are complete with the session that reached them, and later ones add to the percentage alone")
    func completion() async throws {
        let who = try await world.member()
        _ = try await goals.save(.init(kilometres: 10), of: who)
        try await ran(6, who, at: "2026-11-02T08:00:00.000Z")
        try await ran(4.5, who, at: "2026-11-03T08:00:00.000Z")
        try await ran(1, who, at: "2026-11-04T08:00:00.000Z")
        let goal = try await goals.goal(.init(), of: who)
        #expect(goal.completedAt == Timestamp("2026-11-03T08:30:00.000Z"))
        #expect(abs(goal.percent - 115) < 0.000_1)
    }

    @Test("Goals are whole kilometres from 10 to 999, and not below what the month already has, in the words of U-6")
    func bounds() async throws {
        let who = try await world.member()
        for wrong in [9, 0, -1, 10.5] {
            await #expect(throws: RPCError(.rejected, "Goal must be between 10-999 km", field: "kilometres")) {
                _ = try await goals.save(.init(kilometres: wrong), of: who)
            }
        }
        for wrong in [1_000, 1e300, .infinity] {
            await #expect(throws: RPCError(.rejected, "Goal must not exceed 999KM", field: "kilometres")) {
                _ = try await goals.save(.init(kilometres: wrong), of: who)
            }
        }
        #expect(try await goals.save(.init(kilometres: 999), of: who).kilometres == 999)
        try await ran(20.5, who, at: "2026-11-02T08:00:00.000Z")
        await #expect(throws: RPCError.self) { _ = try await goals.save(.init(kilometres: 20), of: who) }
        #expect(try await goals.save(.init(kilometres: 21), of: who).kilometres == 21)
        for zone in ["Mars/Olympus", "", String(repeating: "a", count: 65)] {
            await #expect(throws: RPCError.self) { _ = try await goals.goal(.init(timeZone: zone), of: who) }
        }
    }

    @Test("Goals that are reset count from then on, and keep history and totals; the next month begins by itself")
    func reset() async throws {
        let who = try await world.member()
        try await ran(20, who, at: "2026-11-02T08:00:00.000Z")
        let reset = try await goals.reset(.init(), of: who)
        #expect((reset.distance, reset.resetAt, reset.totals.distance) == (0, Self.noon, 20_000))
        try await ran(2, who, at: "2026-11-16T08:00:00.000Z")
        #expect(try await goals.goal(.init(), of: who).distance == 2_000)
        world.clock.advance(bySeconds: 16 * 86_400)
        let next = try await goals.goal(.init(), of: who)
        #expect((next.month, next.distance, next.resetAt) == ("2026-12", 0, nil))
    }

    @Test(
        "Goals that are reset late count from the time of the request, as often as it is sent, and never from the future"
    )
    func lateReset() async throws {
        let who = try await world.member()
        try await ran(20, who, at: "2026-11-02T08:00:00.000Z")
        try await ran(3, who, at: "2026-11-14T08:00:00.000Z")
        let asked = try #require(Timestamp("2026-11-13T08:00:00.000Z"))
        for _ in 0..<2 {
            let late = try await goals.reset(.init(at: asked), of: who)
            #expect((late.distance, late.resetAt) == (3_000, asked))
        }
        #expect(try await goals.reset(.init(at: Self.noon.advanced(bySeconds: 86_400)), of: who).resetAt == Self.noon)
        #expect(try await goals.reset(.init(at: asked), of: who).resetAt == Self.noon)
    }

    @Test("Goals that are reached notify once a month, however often a session ends")
    func telling() async throws {
        let who = try await world.member()
        _ = try await goals.save(.init(kilometres: 10), of: who)
        try await ran(6, who, at: "2026-11-02T08:00:00.000Z")
        try await goals.sessionEnded(of: who.account.id)
        #expect(notified.accounts.withLock { $0 } == [])
        try await ran(6, who, at: "2026-11-03T08:00:00.000Z")
        for _ in 0..<3 { try await goals.sessionEnded(of: who.account.id) }
        #expect(notified.accounts.withLock { $0 } == [who.account.id])
        world.clock.advance(bySeconds: 30 * 86_400)
        try await ran(11, who, at: "2026-12-03T08:00:00.000Z")
        try await goals.sessionEnded(of: who.account.id)
        #expect(notified.accounts.withLock { $0 } == [who.account.id, who.account.id])
    }

    @Test("Goals count no pause in the time to date")
    func totals() async throws {
        let who = try await world.member()
        try await ran(5, who, at: "2026-11-02T08:00:00.000Z", minutes: 60)
        _ = try await world.pool.query(
            """
            INSERT INTO pauses SELECT id, started_at + interval '10 minutes', started_at + interval '25 minutes'
            FROM sessions WHERE account_id = $1
            """, [.int(who.account.id)])
        #expect(try await goals.goal(.init(), of: who).totals.elapsed == 2_700)
    }
}
