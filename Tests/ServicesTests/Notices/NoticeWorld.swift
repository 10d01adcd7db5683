import EventLoop
import Foundation
import Hub
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

/// Notices over a database of the test's own, as what is for everybody is for every test's people too, and a clock that the test moves.
struct NoticeWorld: Sendable {
    let world: World
    let events: Events
    let notices: Notices
    let table: NoticeTable
    let receipts: TransactionWriter
    var clock: TestClock { world.clock }
    var pool: PostgresPool { world.pool }
    var hub: Hub { world.hub }
    var loop: EventLoop { world.loop }

    init() async throws {
        let world = World(access: try await MigratedDatabase.shared.own(), patience: .seconds(30), connections: 4)
        try await self.init(on: world)
        for zone in [1, 2] as [Int64] {
            let west = Double(zone - 1) * World.zoneWidth
            _ = try await pool.query(
                """
                INSERT INTO zones (id, ref, name, geometry) OVERRIDING SYSTEM VALUE
                VALUES ($1, $2, $2, ST_Multi(ST_MakeEnvelope($3, -0.005, $4, 0.005, 4326)))
                """, [.int(zone), .text("A\(zone)"), .double(west), .double(west + World.zoneWidth)])
        }
    }

    private init(on world: World) async throws {
        self.world = world
        let clock = world.clock
        events = Events(
            loop: world.loop, database: world.pool, hub: world.hub, campus: world.campus, now: { clock.now })
        table = NoticeTable(database: world.pool, now: { clock.now })
        await world.hub.notices.setStore(table)
        receipts = TransactionWriter(
            configuration: world.access.application, loop: world.loop,
            logger: TestDatabase.logger)
        notices = Notices(
            loop: world.loop, database: world.pool, writer: receipts, hub: world.hub, table: table,
            now: { clock.now }, logger: TestDatabase.logger)
    }

    /// The services as they are after a restart.
    func restarted() async throws -> NoticeWorld { try await NoticeWorld(on: world.restarted()) }

    func close() async {
        await receipts.close()
        await world.close()
    }

    // MARK: People

    func member(_ role: Role = .student) async throws -> Identity {
        let identity = try await world.member()
        guard role != .student else { return identity }
        return try await become(role, identity)
    }

    func become(_ role: Role, _ identity: Identity) async throws -> Identity {
        _ = try await pool.query(
            "UPDATE accounts SET role = $2 WHERE id = $1", [.int(identity.account.id), .text(role.rawValue)])
        var account = identity.account
        account.role = role
        return Identity(account: account, tokenID: identity.tokenID)
    }

    func block(_ one: Identity, _ other: Identity) async throws {
        _ = try await pool.query(
            "INSERT INTO blocks (blocker_id, blocked_id) VALUES ($1, $2)",
            [.int(one.account.id), .int(other.account.id)])
    }

    func follow(_ zones: [Int64], _ who: Identity, quiet: QuietHours? = nil) async throws {
        _ = try await notices.save(NoticeSettings(quietHours: quiet, zones: zones), of: who)
    }

    func event(
        by owner: Identity, _ audience: EventAudience = .public, publish: Bool = true, capacity: Int? = nil
    ) async throws -> Int64 {
        let event = try await events.create(
            .init(
                id: World.newID(), audience: audience,
                details: EventDetails(
                    title: "Run", description: nil, workout: nil, startsAt: clock.now.advanced(bySeconds: 3_600),
                    duration: 3_600, place: EventPlace(name: "Stadium", lat: 0.001, lon: 0.001), capacity: capacity),
                publish: publish), by: owner
        ).id
        // The host stays away, so that counts are those of whom a test names.
        _ = try await pool.query("DELETE FROM event_people WHERE event_id = $1", [.int(event)])
        return event
    }

    // MARK: Notices

    @discardableResult
    func publish(
        _ title: String = "Lift 3 is broken", to audience: NoticeAudience = .campus, level: NoticeLevel? = nil,
        at: Timestamp? = nil, until: Timestamp? = nil, id: String = World.newID(), body: String? = nil,
        by who: Identity
    ) async throws -> SentNotice {
        try await notices.publish(
            .init(
                id: id, audience: audience, title: title, body: body, level: level, publishAt: at, expiresAt: until),
            by: who)
    }

    @discardableResult
    func correct(_ sent: SentNotice, _ title: String, level: NoticeLevel? = nil, by who: Identity) async throws
        -> SentNotice
    {
        try await notices.correct(
            .init(notice: sent.notice.number, revision: sent.notice.revision, title: title, level: level), by: who)
    }

    @discardableResult
    func withdraw(_ sent: SentNotice, by who: Identity) async throws -> SentNotice {
        try await notices.withdraw(NoticeParams(notice: sent.notice.number), by: who)
    }

    func listed(_ who: Identity, unread: Bool? = nil) async throws -> [String] {
        try await notices.list(.init(limit: 50, unread: unread), for: who).notices.map(\.title)
    }

    func listen(_ who: Identity, at position: TopicPosition? = nil) async throws -> NoticeListener {
        var listener = NoticeListener(loop, at: position)
        try await listener.subscribe(hub, account: who.account.id)
        return listener
    }
}
