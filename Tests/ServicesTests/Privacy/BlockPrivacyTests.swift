import Foundation
@testable import Hub
import TestSupport
import Testing
import Wire

@testable import Services

/// Tried as somebody would whom a runner has blocked, or who has blocked a runner. What the hub does at once is tested with it.
@Suite("A block, by request (B-5)")
struct BlockPrivacyTests {
    /// Who makes it must not matter.
    enum Maker: CaseIterable {
        case viewer, owner
    }

    private let world: World
    private let owner: Identity
    private let viewer: Identity
    private let stranger: Identity

    init() async throws {
        world = try await World()
        owner = try await world.member()
        viewer = try await world.member()
        stranger = try await world.member()
    }

    /// As the database has it, and nobody told the hub.
    private func store(by maker: Maker, isOn: Bool = true) async throws {
        let (one, other) = maker == .owner ? (owner, viewer) : (viewer, owner)
        _ = try await world.pool.query(
            """
            INSERT INTO blocks (blocker_id, blocked_id, is_on) VALUES ($1, $2, $3)
            ON CONFLICT (blocker_id, blocked_id)
            DO UPDATE SET is_on = $3, version = nextval('block_versions'), changed_at = now()
            """, [.int(one.account.id), .int(other.account.id), .bool(isOn)])
    }

    private func moving(_ audience: Audience = .public) async throws -> Session {
        let session = try await world.start(owner, audience: audience)
        world.clock.advance(bySeconds: 100)
        try await world.send(steadyRun(1...20, from: session.startedAt), to: session, as: owner)
        await world.hub.tickNow()
        return session
    }

    private func subscriber() -> RecordingViewer { RecordingViewer(loop: world.loop) }

    /// All ways to one session are closed to the viewer, with the words that a session has that does not exist.
    private func isHidden(_ session: Int64, share: String? = nil) async throws {
        let asked = await refusal(.notFound) {
            try await world.tracking.session(viewer, .init(session: session, share: share))
        }
        let watched = await refusal(.notFound) {
            try await world.watch(subscriber(), session, as: viewer, share: share)
        }
        let missing = await refusal(.notFound) { try await world.tracking.session(viewer, .init(session: 1 << 50)) }
        let unwatched = await refusal(.notFound) { try await world.watch(subscriber(), 1 << 50, as: viewer) }
        #expect(asked == missing && watched == unwatched)
    }

    @Test(
        "A block hides live and finished sessions before the hub has learned of it, also by a link",
        arguments: Maker.allCases)
    func stored(maker: Maker) async throws {
        let session = try await moving()
        let link = try await world.tracking.makeLink(owner, .init(session: session.id))
        _ = try await world.tracking.session(viewer, .init(session: session.id))
        try await store(by: maker)
        try await isHidden(session.id)
        try await isHidden(session.id, share: link.token)
        // Everybody else is not concerned; a guest may be anybody.
        for identity in [owner, stranger, nil] {
            _ = try await world.tracking.session(identity, .init(session: session.id))
            let watching = subscriber()
            #expect(try await world.watch(watching, session.id, as: identity) == nil)
            await world.hub.disconnect(watching)
        }
        try await world.stop(session, as: owner)
        try await isHidden(session.id)
        try await isHidden(session.id, share: link.token)
        #expect(try await world.watch(subscriber(), session.id, as: stranger) != nil)
        #expect(try await world.tracking.history(viewer, .init()).sessions.isEmpty)
        try await store(by: maker, isOn: false)
        _ = try await world.tracking.session(viewer, .init(session: session.id))
    }

    @Test("A block cuts viewers when the table is read, and lets nobody back in", arguments: Maker.allCases)
    func cut(maker: Maker) async throws {
        let session = try await moving()
        try await world.hub.blocks.load(from: BlockTable(database: world.pool))
        let (map, watching) = (subscriber(), subscriber())
        try await world.watch(map, zone: 1, as: viewer)
        #expect(try await world.watch(watching, session.id, as: viewer) == nil)
        _ = try await map.events()
        _ = try await watching.events()
        try await store(by: maker)
        try await world.hub.blocks.readChanges()
        #expect(try await map.zoneUpdates().map(\.left) == [[.init(session: session.id, reason: .hidden)]])
        let updates = try await watching.sessionUpdates()
        #expect(updates.map(\.type) == [.closed] && updates.first?.reason == "no longer shared")
        try await world.send(steadyRun(21...30, from: session.startedAt), to: session, as: owner)
        await world.hub.tickNow()
        #expect(try await map.events().isEmpty)
        #expect(try await watching.events().isEmpty)
        try await isHidden(session.id)
    }

    @Test("A mutual block holds until both accounts have lifted it, in the table and in the hub")
    func both() async throws {
        let session = try await moving()
        for maker in Maker.allCases { try await store(by: maker) }
        try await world.hub.blocks.load(from: BlockTable(database: world.pool))
        try await store(by: .viewer, isOn: false)
        try await world.hub.blocks.readChanges()
        try await isHidden(session.id)
        #expect(await world.hub.blocks.isBlocked(viewer.account.id, owner.account.id))
        try await store(by: .owner, isOn: false)
        try await world.hub.blocks.readChanges()
        #expect(await !world.hub.blocks.isBlocked(viewer.account.id, owner.account.id))
        _ = try await world.tracking.session(viewer, .init(session: session.id))
    }

    @Test("A block that commits behind others with higher versions is found, and an old one is not read again")
    func order() async throws {
        let table = BlockTable(database: world.pool)
        let newest = try await world.pool.query("SELECT nextval('block_versions') AS version").first?.int("version")
        let version = try #require(newest)
        try await store(by: .owner)
        func read() async throws -> [StoredBlock] {
            try await table.blocks(above: version, changedSince: version + 1_000, limit: 1_000)
                .filter { $0.blocker == owner.account.id }
        }
        #expect(try await read().map(\.blocked) == [viewer.account.id])
        _ = try await world.pool.query(
            "UPDATE blocks SET changed_at = now() - interval '61 seconds' WHERE blocker_id = $1",
            [.int(owner.account.id)])
        #expect(try await read().isEmpty)
    }

    @Test("A block that comes during a subscription cuts or refuses it")
    func race() async throws {
        let session = try await moving()
        let (hub, one, other) = (world.hub, owner.account.id, viewer.account.id)
        for _ in 0..<20 {
            let watching = subscriber()
            async let blocking: Void = hub.blocks.set(one, other, isOn: true)
            let refused = try await isRefused(watching, session.id)
            await blocking
            let updates = try await watching.sessionUpdates()
            #expect(refused != updates.contains { $0.type == .closed })
            await hub.disconnect(watching)
            await hub.blocks.set(one, other, isOn: false)
        }
    }

    private func isRefused(_ watching: RecordingViewer, _ id: Int64) async throws -> Bool {
        do {
            _ = try await world.watch(watching, id, as: viewer)
            return false
        } catch let error as RPCError where error.registered == .notFound {
            return true
        }
    }
}
