import TestSupport
import Testing
import Wire

@testable import Hub

@Suite("A zone's topic")
struct ZoneTopicTests {
    let stage = Stage()

    @Test("A zone's topic sends a snapshot of the runners there, with trails, and then the changes")
    func snapshotThenUpdates() async throws {
        await stage.place(1, zone: 7)
        await stage.place(2, zone: 8)
        let viewer = stage.viewer()
        try await stage.watch(viewer, zone: 7)
        guard case .zoneSnapshot(let snapshot)? = try await viewer.events().first else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.runners.map(\.session) == [1])
        #expect(snapshot.trails == ["1": [LatLon(0, 0)]])
        #expect(snapshot.serverTime == stage.clock.now)
        await stage.hub.sessions.move(stage.session(1, metres: 5), fix: stage.fix(7, 0.1), append: [])
        await stage.hub.tickNow()
        let updates = try await viewer.zoneUpdates()
        #expect(updates.map(\.sessions) == [[1]])
        #expect(updates.first?.runners.first?.distance == 5)
        #expect(updates.first?.left == [])
    }

    @Test("A zone's topic says that a runner left and where to, and the next zone shows it")
    func crossing() async throws {
        await stage.place(1, zone: 7)
        let old = stage.viewer()
        let new = stage.viewer(Stage.secondLoop)
        try await stage.watch(old, zone: 7)
        try await stage.watch(new, zone: 8)
        _ = (await old.take(), await new.take())
        await stage.hub.sessions.move(stage.session(1), fix: stage.fix(8), append: [])
        await stage.hub.tickNow()
        let left = try await old.zoneUpdates()
        #expect(left.map(\.left) == [[.init(session: 1, reason: .zone, to: 8)]])
        #expect(left.map(\.sessions) == [[]])
        let entered = try await new.zoneUpdates()
        #expect(entered.map(\.sessions) == [[1]])
        #expect(entered.first?.runners.first?.zone == 8)
        // Out of every zone.
        await stage.hub.sessions.move(stage.session(1), fix: stage.fix(nil), append: [])
        await stage.hub.tickNow()
        #expect(try await new.zoneUpdates().map(\.left) == [[.init(session: 1, reason: .zone)]])
        #expect(await stage.hub.sessions.occupiedZones.isEmpty)
    }

    @Test("A zone's topic does not say that a runner left who came back within a tick")
    func thereAndBack() async throws {
        await stage.place(1, zone: 7)
        let viewer = stage.viewer()
        let other = stage.viewer()
        try await stage.watch(viewer, zone: 7)
        try await stage.watch(other, zone: 8)
        _ = (await viewer.take(), await other.take())
        let (session, away, back) = (stage.session(1), stage.fix(8), stage.fix(7, 0.2))
        await stage.hub.inOneIteration { hub in
            hub.sessions.now { $0.move(session, fix: away, append: []) }
            hub.sessions.now { $0.move(session, fix: back, append: []) }
            hub.tickNow()
        }
        let updates = try await viewer.zoneUpdates()
        #expect(updates.map(\.sessions) == [[1]])
        #expect(updates.map(\.left) == [[]])
        #expect(updates.first?.runners.first?.lon == 0.2)
        #expect(try await other.zoneUpdates().map(\.sessions).joined().isEmpty)
    }

    @Test("A zone's topic names the zone a runner is in now when it crossed two within a tick")
    func twoCrossings() async throws {
        await stage.place(1, zone: 7)
        let viewer = stage.viewer()
        try await stage.watch(viewer, zone: 7)
        _ = await viewer.take()
        let (session, second, third) = (stage.session(1), stage.fix(8), stage.fix(9))
        await stage.hub.inOneIteration { hub in
            hub.sessions.now { $0.move(session, fix: second, append: []) }
            hub.sessions.now { $0.move(session, fix: third, append: []) }
            hub.tickNow()
        }
        #expect(try await viewer.zoneUpdates().map(\.left) == [[.init(session: 1, reason: .zone, to: 9)]])
    }

    @Test("A zone's topic conflates: ten movements within a tick are one entry, the newest")
    func conflation() async throws {
        await stage.place(1, zone: 7)
        let viewer = stage.viewer()
        try await stage.watch(viewer, zone: 7)
        _ = await viewer.take()
        let moves = (1...10).map { (stage.session(1, metres: Double($0)), stage.fix(7, Double($0) / 100)) }
        await stage.hub.inOneIteration { hub in
            for (session, fix) in moves { hub.sessions.now { $0.move(session, fix: fix, append: []) } }
            hub.tickNow()
        }
        let updates = try await viewer.zoneUpdates()
        #expect(updates.map(\.sessions) == [[1]])
        #expect(updates.first?.runners.first?.distance == 10)
        #expect(updates.first?.runners.first?.lon == 0.1)
        await stage.hub.tickNow()
        #expect(await viewer.take().isEmpty)
    }

    @Test("A zone's topic is sent by the hub's own timer, too")
    func timer() async throws {
        await stage.place(1, zone: 7)
        let viewer = stage.viewer()
        try await stage.watch(viewer, zone: 7)
        _ = await viewer.take()
        await stage.hub.sessions.move(stage.session(1), fix: stage.fix(7, 0.3), append: [])
        var updates: [ZoneUpdate] = []
        while updates.isEmpty {
            await stage.loop.sleep(for: .milliseconds(5))
            updates = try await viewer.zoneUpdates()
        }
        #expect(updates.first?.runners.first?.lon == 0.3)
    }

    @Test("A zone's topic is encoded once for all viewers of a tier, whatever loop they are on")
    func oneEncoding() async throws {
        await stage.place(1, .campus, zone: 7)
        await stage.place(2, zone: 7)
        let guests = [stage.viewer(), stage.viewer(Stage.secondLoop), stage.viewer(Stage.secondLoop)]
        let members = [stage.viewer(), stage.viewer(Stage.secondLoop)]
        for viewer in guests { try await stage.watch(viewer, zone: 7) }
        for viewer in members { try await stage.watch(viewer, zone: 7, as: stage.member) }
        for viewer in guests + members { _ = await viewer.take() }
        await stage.hub.inOneIteration { [stage] hub in
            hub.sessions.now { $0.move(stage.session(1, .campus), fix: stage.fix(7, 0.1), append: []) }
            hub.sessions.now { $0.move(stage.session(2), fix: stage.fix(7, 0.2), append: []) }
            hub.tickNow()
        }
        func storages(_ viewers: [RecordingViewer]) async -> Set<UnsafeRawPointer?> {
            var addresses: Set<UnsafeRawPointer?> = []
            for viewer in viewers {
                let deliveries = await viewer.take()
                #expect(deliveries.count == 1)
                for delivery in deliveries { addresses.insert(delivery.frame.withUnsafeBytes(\.baseAddress)) }
            }
            return addresses
        }
        // The viewers are kept until both are counted, so that no address is used again.
        #expect(await storages(guests).count == 1)
        #expect(await storages(members).count == 1)
    }

    @Test("A zone's topic shows guests what is public, members what the campus may see, and private runners to nobody")
    func tiers() async throws {
        await stage.place(1, .private, zone: 7)
        await stage.place(2, .campus, zone: 7)
        await stage.place(3, .public, zone: 7)
        let guest = stage.viewer()
        let member = stage.viewer()
        try await stage.watch(guest, zone: 7)
        try await stage.watch(member, zone: 7, as: stage.member)
        for (viewer, expected) in [(guest, Set<Int64>([3])), (member, Set<Int64>([2, 3]))] {
            guard case .zoneSnapshot(let snapshot)? = try await viewer.events().first else {
                Issue.record("no snapshot")
                return
            }
            #expect(Set(snapshot.runners.map(\.session)) == expected)
            #expect(Set(snapshot.trails.keys) == Set(expected.map(String.init)))
        }
        for (id, audience) in [(1, .private), (2, .campus), (3, .public)] as [(Int64, Audience)] {
            await stage.hub.sessions.move(stage.session(id, audience), fix: stage.fix(7, 0.5), append: [])
        }
        await stage.hub.tickNow()
        #expect(Set(try await guest.zoneUpdates().flatMap(\.sessions)) == [3])
        #expect(Set(try await member.zoneUpdates().flatMap(\.sessions)) == [2, 3])
        // Leaving and ending a private or campus session is no news for those who never saw it.
        await stage.hub.sessions.move(stage.session(1, .private), fix: stage.fix(8), append: [])
        await stage.hub.sessions.end(stage.session(2, .campus, state: .finished))
        await stage.hub.tickNow()
        #expect(await guest.take().isEmpty)
        #expect(try await member.zoneUpdates().flatMap(\.left) == [.init(session: 2, reason: .finished)])
    }

    @Test("A zone's topic hides a runner at once when its audience is lowered, and says nothing of it afterwards")
    func hidden() async throws {
        await stage.place(1, zone: 7)
        let guest = stage.viewer()
        let member = stage.viewer()
        try await stage.watch(guest, zone: 7)
        try await stage.watch(member, zone: 7, as: stage.member)
        _ = (await guest.take(), await member.take())
        let (moved, lowered) = (stage.fix(7, 0.4), stage.session(1, .campus))
        let open = stage.session(1)
        await stage.hub.inOneIteration { hub in
            hub.sessions.now { $0.move(open, fix: moved, append: []) }
            hub.sessions.now { $0.changeAudience(lowered) }
        }
        // Before any tick, and without the position that came last.
        let cut = try await guest.zoneUpdates()
        #expect(cut.flatMap(\.left) == [.init(session: 1, reason: .hidden)])
        #expect(cut.flatMap(\.sessions) == [])
        await stage.hub.tickNow()
        await stage.hub.sessions.move(lowered, fix: stage.fix(8), append: [])
        await stage.hub.tickNow()
        await stage.hub.sessions.end(lowered)
        await stage.hub.tickNow()
        #expect(await guest.take().isEmpty)
        let seen = try await member.zoneUpdates()
        #expect(seen.flatMap(\.left) == [.init(session: 1, reason: .zone, to: 8)])
        #expect(!seen.flatMap(\.sessions).isEmpty)
    }

    @Test("A zone's topic shows a runner whose audience is raised at the next tick")
    func raised() async throws {
        await stage.place(1, .private, zone: 7)
        let guest = stage.viewer()
        try await stage.watch(guest, zone: 7)
        _ = await guest.take()
        await stage.hub.sessions.changeAudience(stage.session(1, .public))
        await stage.hub.tickNow()
        #expect(try await guest.zoneUpdates().map(\.sessions) == [[1]])
    }

    @Test("A zone's topic sends everything with full: true to a viewer that skipped updates, as it may see it")
    func refresh() async throws {
        await stage.place(1, zone: 7)
        await stage.place(2, .campus, zone: 7)
        let guest = stage.viewer()
        try await stage.watch(guest, zone: 7)
        _ = await guest.take()
        // It signed in since: its subscription is still a guest's, and would never hear of runner 2 leaving.
        await stage.hub.refresh(guest, topics: [.zonePositions(7)], isSlow: true)
        let updates = try await guest.zoneUpdates()
        #expect(updates.map(\.sessions) == [[1]])
        #expect(updates.map(\.full) == [true])
        await stage.hub.refresh(guest, topics: [.zonePositions(8)], isSlow: true)
        #expect(await guest.take().isEmpty)
    }

    @Test("A zone's topic has a viewer once, also when it subscribes again after signing in")
    func subscribeAgain() async throws {
        await stage.place(1, zone: 7)
        let viewer = stage.viewer()
        try await stage.watch(viewer, zone: 7)
        try await stage.watch(viewer, zone: 7)
        try await stage.watch(viewer, zone: 7, as: stage.member)
        _ = await viewer.take()
        await stage.hub.sessions.move(stage.session(1), fix: stage.fix(7, 0.1), append: [])
        await stage.hub.tickNow()
        #expect(await viewer.take().count == 1)
        await stage.hub.disconnect(viewer)
        #expect(await stage.hub.subscriberTablesAreEmpty)
    }

    @Test("A zone's topic places everyone anew when the zones change")
    func rezone() async throws {
        await stage.place(1, zone: 7)
        let viewer = stage.viewer()
        try await stage.watch(viewer, zone: 7)
        _ = await viewer.take()
        await stage.hub.sessions.rezone { _ in 9 }
        await stage.hub.tickNow()
        #expect(try await viewer.zoneUpdates().flatMap(\.left) == [.init(session: 1, reason: .zone, to: 9)])
        #expect(await stage.hub.sessions.occupiedZones == [9: [1]])
    }
}
