import Campus
import EventLoop
import TestSupport
import Testing
import Wire

@testable import Hub

/// Tried as somebody would who wants to go on seeing who has blocked them. A runner's account has its session's number; who watches has
/// one from 100.
@Suite("A block (B-5)")
struct BlockTests {
    /// Who makes it must not matter.
    enum Maker: CaseIterable {
        case viewer, runner
    }

    let stage = Stage(firstTickDelay: .seconds(3_600))
    let blocked = Viewer(accountID: 100)
    let other = Viewer(accountID: 101)

    private func viewport(zoom: Double = 17) throws -> Viewport {
        Viewport(box: try GeoBox(south: -0.001, west: -0.003, north: 0.001, east: 0.003), zoom: zoom)
    }

    private func block(_ viewer: Int64 = 100, _ runner: Int64 = 1, by maker: Maker = .viewer, isOn: Bool = true) async {
        switch maker {
        case .viewer: await stage.hub.blocks.set(viewer, runner, isOn: isOn)
        case .runner: await stage.hub.blocks.set(runner, viewer, isOn: isOn)
        }
    }

    private func tick(_ maps: MapClient...) async {
        stage.clock.advance(bySeconds: 2)
        await stage.hub.tickNow()
        for map in maps { await map.settle() }
    }

    private func access(_ account: Int64, link: Int64? = nil) -> SessionAccess {
        SessionAccess(
            isOwner: false, isMember: true, linkID: link, account: .init(id: account, name: "viewer\(account)"))
    }

    // MARK: Maps

    @Test(
        "A block takes a runner from the other's map at once, and from nobody else's", arguments: Maker.allCases,
        PositionEncoding.allCases)
    func map(maker: Maker, encoding: PositionEncoding) async throws {
        for id in Int64(1)...2 { await stage.place(id, zone: nil) }
        let maps = [MapClient(loop: stage.loop), MapClient(loop: Stage.secondLoop), MapClient(loop: stage.loop)]
        for (map, viewer) in zip(maps, [blocked, other, stage.guest]) {
            await stage.view(map, try viewport(), encoding, as: viewer)
        }
        let before = maps.map(\.frames.count)
        await block(by: maker)
        for map in maps { await map.settle() }
        #expect(maps[0].runners.map(\.session) == [2])
        #expect(maps.map(\.frames.count) == [before[0] + 1, before[1], before[2]])
        await stage.move(1, 0.000_1)
        await stage.move(2, 0.000_2)
        await tick(maps[0], maps[1], maps[2])
        #expect(maps[0].runners.map(\.session) == [2] && maps[0].shows(2, at: 0.000_2))
        for map in maps[1...] { #expect(map.shows(1, at: 0.000_1) && map.shows(2, at: 0.000_2)) }
        #expect(maps.allSatisfy { $0.strangers == 0 })
        // Looking away and again, or from another connection, shows no more.
        await stage.view(maps[0], nil, encoding, as: blocked)
        await stage.view(maps[0], try viewport(), encoding, as: blocked)
        let again = MapClient(loop: stage.loop)
        await stage.view(again, try viewport(), encoding, as: blocked)
        #expect(maps[0].runners.map(\.session) == [2] && again.runners.map(\.session) == [2])
    }

    @Test(
        "A block leaves nothing to notice: a blocked person who comes, moves, hides, goes or ends causes not even an empty message",
        arguments: PositionEncoding.allCases)
    func silence(encoding: PositionEncoding) async throws {
        await block()
        await stage.place(2, zone: nil)
        let map = MapClient(loop: stage.loop)
        let witness = MapClient(loop: stage.loop)
        await stage.view(map, try viewport(), encoding, as: blocked)
        await stage.view(witness, try viewport(), encoding, as: other)
        let before = (map.frames.count, witness.frames.count)
        await stage.place(1, zone: nil)
        await stage.move(1, 0.000_1)
        await tick(map, witness)
        await stage.move(1, 0.5)
        await tick(map, witness)
        await stage.move(1, 0.000_1)
        await tick(map, witness)
        await stage.hub.sessions.changeAudience(stage.session(1, .private))
        await tick(map, witness)
        await stage.hub.sessions.changeAudience(stage.session(1, .public))
        await tick(map, witness)
        await stage.hub.sessions.end(stage.session(1, state: .finished))
        await tick(map, witness)
        #expect(map.frames.count == before.0)
        #expect(witness.frames.count == before.1 + 7)
        // And it was told of the other all the time.
        await stage.move(2, 0.000_3)
        await tick(map, witness)
        #expect(map.shows(2, at: 0.000_3) && witness.shows(2, at: 0.000_3))
    }

    @Test("A block holds for a person who has just left a place: this is published once, without the new place")
    func leaving() async throws {
        await stage.place(1, zone: 7)
        let viewer = stage.viewer()
        try await stage.watch(viewer, zone: 7, as: blocked)
        _ = try await viewer.events()
        await stage.hub.inOneIteration { [stage] hub in
            hub.sessions.now { $0.move(stage.session(1), fix: stage.fix(8, 0.5), append: []) }
            hub.blocks.now { $0.set(1, 100, isOn: true) }
        }
        let updates = try await viewer.zoneUpdates()
        #expect(updates.flatMap(\.left) == [.init(session: 1, reason: .hidden)] && updates.count == 1)
        await stage.hub.tickNow()
        #expect(try await viewer.zoneUpdates().isEmpty)
        // Who comes between is not told that it was there.
        await stage.hub.inOneIteration { [stage] hub in
            hub.sessions.now { $0.move(stage.session(1), fix: stage.fix(7), append: []) }
        }
        await stage.hub.tickNow()
        await stage.hub.inOneIteration { [stage] hub in
            hub.sessions.now { $0.move(stage.session(1), fix: stage.fix(8, 0.5), append: []) }
        }
        await block(102)
        let late = stage.viewer()
        try await stage.watch(late, zone: 7, as: Viewer(accountID: 102))
        _ = try await late.events()
        await stage.hub.tickNow()
        #expect(try await late.zoneUpdates().isEmpty)
        #expect(try await viewer.zoneUpdates().isEmpty)
    }

    @Test(
        "A block holds in zones: snapshot, trail, ticks and what is sent again after a backlog",
        arguments: Maker.allCases)
    func zone(maker: Maker) async throws {
        for id in Int64(1)...2 { await stage.place(id, .campus, zone: 7) }
        let viewer = stage.viewer()
        try await stage.watch(viewer, zone: 7, as: blocked)
        _ = try await viewer.events()
        await block(by: maker)
        #expect(try await viewer.zoneUpdates().map(\.left) == [[.init(session: 1, reason: .hidden)]])
        for id in Int64(1)...2 { await stage.move(id, 0.000_1, .campus, zone: 7) }
        await stage.hub.tickNow()
        #expect(try await viewer.zoneUpdates().map(\.sessions) == [[2]])
        await stage.hub.refresh(viewer, topics: [.zonePositions(7)], isSlow: false)
        #expect(try await viewer.zoneUpdates().map(\.sessions) == [[2]])
        let late = stage.viewer(Stage.secondLoop)
        try await stage.watch(late, zone: 7, as: blocked)
        guard case .zoneSnapshot(let snapshot)? = try await late.events().first else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.runners.map(\.session) == [2] && snapshot.trails.keys.sorted() == ["2"])
    }

    @Test(
        "A block holds for a map that does not keep up, in slow updates and in snapshots",
        arguments: PositionEncoding.allCases)
    func slow(encoding: PositionEncoding) async throws {
        for id in Int64(1)...3 { await stage.place(id, zone: nil) }
        let map = MapClient(loop: stage.loop)
        await stage.view(map, try viewport(), encoding, as: blocked)
        map.setBacklog(true)
        await stage.move(2, 0.000_1)
        await tick(map)
        await block(by: .runner)
        await map.settle()
        await stage.catchUp(map, isSlow: true)
        #expect(map.runners.map(\.session).sorted() == [2, 3])
        await block(100, 3)
        await map.settle()
        #expect(map.runners.map(\.session) == [2])
        for id in Int64(1)...3 { await stage.move(id, 0.000_2) }
        for _ in 0..<3 { await tick(map) }
        #expect(map.runners.map(\.session) == [2] && map.shows(2, at: 0.000_2))
    }

    @Test(
        "A block takes the person from the count of a crowd as well, and from whether there is a crowd",
        arguments: PositionEncoding.allCases)
    func crowd(encoding: PositionEncoding) async throws {
        for id in Int64(1)...70 {
            await stage.hub.sessions.begin(stage.session(id), rate: 1)
            await stage.move(id, 0.000_01 * Double(id))
        }
        func counted(_ map: MapClient) -> Int { map.clusters.values.joined().reduce(0) { $0 + $1.count } }
        let (map, witness) = (MapClient(loop: stage.loop), MapClient(loop: stage.loop))
        await stage.view(map, try viewport(zoom: 13), encoding, as: blocked)
        await stage.view(witness, try viewport(zoom: 13), encoding, as: other)
        #expect(counted(map) == 70)
        await block()
        await map.settle()
        #expect(counted(map) == 69 && counted(witness) == 70)
        for id in Int64(48)...70 { await block(100, id, by: .runner) }
        await map.settle()
        #expect(map.runners.map(\.session).sorted() == Array(2...47) && map.clusters.isEmpty)
        await tick(map, witness)
        #expect(counted(witness) == 70 && map.runners.count == 46 && map.strangers == 0)
    }

    @Test("A lifted block shows the two accounts to each other by the next tick; of two blocks, both must be lifted")
    func lifting() async throws {
        await stage.place(1, zone: nil)
        let map = MapClient(loop: stage.loop)
        await stage.view(map, try viewport(), .binary, as: blocked)
        await block(by: .viewer)
        await block(by: .runner)
        await block(by: .viewer, isOn: false)
        await stage.move(1, 0.000_1)
        await tick(map)
        #expect(await stage.hub.blocks.isBlocked(1, 100))
        #expect(map.runners.isEmpty)
        await block(by: .runner, isOn: false)
        await tick(map)
        #expect(map.shows(1, at: 0.000_1) && map.strangers == 0)
        #expect(await !stage.hub.blocks.isBlocked(1, 100))
    }

    @Test("A block holds for an account that signs in on a guest's connection", arguments: [true, false])
    func signingIn(isBlockedBefore: Bool) async throws {
        for id in Int64(1)...2 { await stage.place(id, zone: 7) }
        if isBlockedBefore { await block() }
        let (maps, viewer) = ([MapClient(loop: stage.loop), MapClient(loop: stage.loop)], stage.viewer())
        for map in maps { await stage.view(map, try viewport(), .binary) }
        try await stage.watch(viewer, zone: 7)
        try await stage.watch(viewer, session: 1)
        #expect(maps.allSatisfy { $0.runners.count == 2 })
        _ = try await viewer.events()
        for one in maps { await stage.hub.signIn(one, as: 100) }
        await stage.hub.signIn(viewer, as: 100)
        if !isBlockedBefore { await block() }
        for map in maps {
            await map.settle()
            #expect(map.runners.map(\.session) == [2])
        }
        let events = try await viewer.events()
        let updates = events.compactMap { if case .zone(let update) = $0 { update } else { nil } }
        let closed = events.contains { if case .session(let update) = $0 { update.type == .closed } else { false } }
        #expect(updates.count == 1 && closed)
        if isBlockedBefore {
            #expect(updates.first?.full == true && updates.first?.sessions == [2])
        } else {
            #expect(updates.first?.left == [.init(session: 1, reason: .hidden)])
        }
        for id in Int64(1)...2 { await stage.move(id, 0.000_1, zone: 7) }
        await tick(maps[0], maps[1])
        for map in maps { #expect(map.runners.map(\.session) == [2] && map.shows(2, at: 0.000_1)) }
        #expect(try await viewer.zoneUpdates().map(\.sessions) == [[2]])
        // Signing in again tells the account's other connections nothing.
        let before = maps.map(\.frames.count)
        let third = MapClient(loop: stage.loop)
        await stage.view(third, try viewport(), .binary)
        await stage.hub.signIn(third, as: 100)
        for map in maps { await map.settle() }
        #expect(maps.map(\.frames.count) == before)
        #expect(try await viewer.events().isEmpty)
    }

    @Test("A block holds also when more accounts have private renditions than the full update rate allows")
    func manyPictures() async throws {
        let runners = Int64(99)
        for id in 1...runners { await stage.place(id, zone: 7) }
        let count = Int64(AreaFeeds.privateRunnersMax) / (runners + 1) + 1
        let viewers = (0..<count).map { _ in stage.viewer() }
        for (index, viewer) in viewers.enumerated() {
            let account = 1_000 + Int64(index)
            try await stage.watch(viewer, zone: 7, as: Viewer(accountID: account))
            // What is about to be told at the full pace must not be lost to who is not any more.
            if index == viewers.count - 1 { await stage.move(3, 0.000_1, zone: 7) }
            await block(account)
        }
        let (first, last) = (viewers[0], try #require(viewers.last))
        for viewer in [first, last] { _ = try await viewer.events() }
        #expect(await stage.hub.sessions.privateRunnerCount == AreaFeeds.privateRunnersMax)
        func move() async {
            for id in Int64(1)...2 { await stage.move(id, 0.000_1, zone: 7) }
            await stage.hub.tickNow()
        }
        await move()
        // At once when they were not told for long, and then every five seconds.
        for viewer in [first, last] {
            #expect(try await viewer.zoneUpdates().map { $0.sessions.sorted() } == [[2, 3]])
        }
        stage.clock.advance(bySeconds: 1)
        await move()
        #expect(try await first.zoneUpdates().map(\.sessions) == [[2]])
        #expect(try await last.zoneUpdates().isEmpty)
        stage.clock.advance(bySeconds: 5)
        await stage.hub.tickNow()
        #expect(try await last.zoneUpdates().map(\.sessions) == [[2]])
        for viewer in viewers { await stage.hub.disconnect(viewer) }
        #expect(await stage.hub.sessions.privateRunnerCount == 0)
        #expect(await stage.hub.subscriberTablesAreEmpty)
    }

    // MARK: Sessions

    @Test(
        "A block ends watching a session at once, also by a link, and removes the name that the owner sees",
        arguments: Maker.allCases)
    func session(maker: Maker) async throws {
        await stage.place(1, zone: nil)
        let (cut, linked, stays, owner) = (stage.viewer(), stage.viewer(), stage.viewer(), stage.viewer())
        try await stage.watch(cut, session: 1, access(100))
        try await stage.watch(linked, session: 1, access(100, link: 5))
        try await stage.watch(stays, session: 1, access(101))
        var own = access(1)
        own.isOwner = true
        try await stage.watch(owner, session: 1, own)
        await stage.hub.presence.publishChanges()
        for viewer in [cut, linked, stays, owner] { _ = try await viewer.events() }
        await block(by: maker)
        for viewer in [cut, linked] {
            let updates = try await viewer.sessionUpdates()
            #expect(updates.map(\.type) == [.closed] && updates[0].reason == "no longer shared")
        }
        #expect(try await owner.sessionUpdates().map(\.presence) == [Presence(count: 1, names: ["viewer101"], more: 0)])
        #expect(try await stays.sessionUpdates().map(\.presence) == [Presence(count: 1)])
        await stage.move(1, 0.000_1)
        await stage.hub.tickNow()
        for viewer in [cut, linked] {
            #expect(try await viewer.events().isEmpty)
            await stage.hub.refresh(viewer, topics: [.session(1)], isSlow: false)
            #expect(try await viewer.events().isEmpty)
        }
        #expect(try await stays.sessionUpdates().map(\.type) == [.session])
    }

    @Test(
        "A block refuses a session as if it were not shared, also by a link, until it is lifted",
        arguments: Maker.allCases)
    func refusal(maker: Maker) async throws {
        await stage.place(1, zone: nil)
        await stage.place(2, .private, zone: nil)
        await block(by: maker)
        func error(_ session: Int64, _ access: SessionAccess) async -> RPCError? {
            do {
                try await stage.watch(stage.viewer(), session: session, access)
                return nil
            } catch { return error as? RPCError }
        }
        let notShared = await error(2, access(100))
        #expect(notShared?.registered == .notFound)
        for tried in [await error(1, access(100)), await error(1, access(100, link: 5))] {
            #expect(tried != nil && tried == notShared)
        }
        // The runner's own device, a stranger and a guest are not concerned.
        #expect(await error(1, access(101)) == nil)
        #expect(await error(1, .stranger) == nil)
        await block(by: maker, isOn: false)
        #expect(await error(1, access(100)) == nil)
    }
}
