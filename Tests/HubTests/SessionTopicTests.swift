import TestSupport
import Testing
import Wire

@testable import Hub

@Suite("A session's topic")
struct SessionTopicTests {
    let stage = Stage()

    /// A hundredth of a degree apart: also thousands of them are longitudes.
    private func points(_ numbers: ClosedRange<Int>) -> [LatLon] { numbers.map { LatLon(0, Double($0) / 100) } }

    /// The route as a client draws it from what it was sent.
    private func draw(_ events: [RecordingViewer.Event]) -> [[LatLon]] {
        var route: [[LatLon]] = []
        for event in events {
            switch event {
            case .sessionSnapshot(let snapshot): route = snapshot.route
            case .session(let update) where update.type == .route: route = update.route ?? []
            case .session(let update) where update.append?.isEmpty == false:
                if update.startsPiece == true || route.isEmpty { route.append([]) }
                route[route.count - 1] += update.append ?? []
            default: break
            }
        }
        return route
    }

    @Test("A session's topic sends the route, then what is added to it, in pieces")
    func appends() async throws {
        await stage.place(1, zone: nil)
        let viewer = stage.viewer()
        #expect(try await stage.watch(viewer, session: 1))
        var events = try await viewer.events()
        let session = stage.session(1)
        for (piece, starts) in [(points(1...2), false), (points(3...4), true), (points(5...5), false)] {
            await stage.hub.sessions.move(
                session, fix: stage.fix(nil), append: [.init(points: piece, startsPiece: starts)])
            await stage.hub.tickNow()
            events += try await viewer.events()
        }
        #expect(draw(events) == [points(0...2), points(3...5)])
        let updates = events.compactMap { if case .session(let update) = $0 { update } else { nil } }
        #expect(updates.map(\.type) == [.session, .session, .session])
        #expect(updates.map(\.startsPiece) == [false, true, false])
    }

    @Test("A session's topic sends the whole route when a piece ends and another begins within a tick")
    func twoPiecesInATick() async throws {
        await stage.place(1, zone: nil)
        let viewer = stage.viewer()
        try await stage.watch(viewer, session: 1)
        let (session, fix) = (stage.session(1), stage.fix(nil))
        let pieces = [
            RoutePiece(points: points(1...2), startsPiece: false), RoutePiece(points: points(3...4), startsPiece: true),
        ]
        await stage.hub.inOneIteration { hub in
            hub.sessions.now { $0.move(session, fix: fix, append: pieces) }
            hub.tickNow()
        }
        #expect(draw(try await viewer.events()) == [points(0...2), points(3...4)])
    }

    @Test(
        "A session's topic does not send points again that the snapshot or the refreshed route held already",
        arguments: [false, true])
    func pendingPoints(isRefresh: Bool) async throws {
        await stage.place(1, zone: nil)
        let viewer = stage.viewer()
        if isRefresh { try await stage.watch(viewer, session: 1) }
        let (session, fix) = (stage.session(1), stage.fix(nil))
        let added = RoutePiece(points: points(1...3), startsPiece: false)
        try await stage.hub.inOneIteration { hub in
            hub.sessions.now { $0.move(session, fix: fix, append: [added]) }
            if isRefresh {
                hub.refresh(viewer, topics: [.session(1)], isSlow: true)
            } else {
                _ = try hub.sessions.now {
                    try $0.subscribe(
                        viewer, session: 1, access: .stranger, reply: RecordingViewer.reply(.session(1)))
                }
            }
            hub.tickNow()
        }
        #expect(draw(try await viewer.events()) == [points(0...3)])
    }

    @Test("snapshot and updates join without a gap or a double, however subscribing and moving interleave on two loops")
    func concurrentSubscribing() async throws {
        await stage.place(1, zone: 7)
        let viewers = (0..<40).map { stage.viewer($0 % 2 == 0 ? stage.loop : Stage.secondLoop) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [stage] in
                for number in 1...600 {
                    let longitude = Double(number) / 100
                    await stage.hub.sessions.move(
                        stage.session(1, metres: Double(number)), fix: stage.fix(7, longitude),
                        append: [.init(points: [LatLon(0, longitude)], startsPiece: number % 97 == 0)])
                    if number % 7 == 0 { await stage.hub.tickNow() }
                    if number % 50 == 0 { await stage.loop.sleep(for: .milliseconds(1)) }
                }
            }
            for viewer in viewers {
                group.addTask { [stage] in
                    for _ in 0..<(viewer.subscriberID % 13) { await viewer.settle() }
                    try await stage.watch(viewer, session: 1)
                    try await stage.watch(viewer, zone: 7)
                }
            }
            try await group.waitForAll()
        }
        await stage.hub.tickNow()
        for viewer in viewers {
            let events = try await viewer.events()
            #expect(draw(events).flatMap { $0 } == points(0...600))
            #expect(draw(events).count == 7)
            var distances: [Double] = []
            for event in events {
                switch event {
                case .zoneSnapshot(let snapshot): distances += snapshot.runners.map(\.distance)
                case .zone(let update): distances += update.runners.map(\.distance)
                default: break
                }
            }
            #expect(distances == distances.sorted())
            #expect(distances.last == 600)
        }
    }

    @Test("A session's topic sends a new route when late points changed the past")
    func rewrite() async throws {
        await stage.place(1, zone: 7)
        let viewer = stage.viewer()
        try await stage.watch(viewer, session: 1)
        _ = await viewer.take()
        await stage.hub.sessions.rewrite(stage.session(1, metres: 9), route: [points(4...6)], fix: stage.fix(7, 6))
        await stage.hub.tickNow()
        let updates = try await viewer.sessionUpdates()
        #expect(updates.map(\.type) == [.route])
        #expect(updates.first?.route == [points(4...6)])
        #expect(updates.first?.session?.distance == 9)
    }

    @Test("A session's topic removes a runner from the map who was shown in a place that is now hidden")
    func rewrittenDark() async throws {
        await stage.place(1, zone: 7)
        let (viewer, map) = (stage.viewer(), stage.viewer())
        try await stage.watch(viewer, session: 1)
        try await stage.watch(map, zone: 7)
        for one in [viewer, map] { _ = await one.take() }
        let own = OwnerView(session: stage.session(1), fix: stage.fix(7), isHidden: false)
        await stage.hub.sessions.rewrite(stage.session(1), route: [points(4...6)], fix: nil, own: own)
        await stage.hub.tickNow()
        let updates = try await viewer.sessionUpdates()
        #expect(updates.map(\.type) == [.route] && updates.allSatisfy { $0.runner == nil })
        #expect(try await map.zoneUpdates().map(\.left) == [[.init(session: 1, reason: .hidden)]])
        // Until it may be shown again.
        await stage.hub.sessions.move(stage.session(1), fix: stage.fix(7, 1), append: [], own: own)
        await stage.hub.tickNow()
        #expect(try await map.zoneUpdates().flatMap(\.sessions) == [1])
    }

    @Test("A session's topic ends: the last points, then `ended`, then nothing, and the session is gone")
    func ended() async throws {
        await stage.place(1, zone: 7)
        let viewer = stage.viewer()
        let neighbour = stage.viewer()
        try await stage.watch(viewer, session: 1)
        try await stage.watch(neighbour, zone: 7)
        _ = (await viewer.take(), await neighbour.take())
        let (session, fix, over) = (stage.session(1), stage.fix(7), stage.session(1, state: .finished, metres: 4))
        let piece = RoutePiece(points: points(1...1), startsPiece: false)
        await stage.hub.inOneIteration { hub in
            hub.sessions.now { $0.move(session, fix: fix, append: [piece]) }
            hub.sessions.now { $0.end(over) }
        }
        await stage.hub.tickNow()
        let updates = try await viewer.sessionUpdates()
        #expect(updates.map(\.type) == [.session, .ended])
        #expect(updates.first?.append == points(1...1))
        #expect(updates.last?.session?.distance == 4)
        #expect(updates.last?.runner?.state == .finished)
        #expect(try await neighbour.zoneUpdates().flatMap(\.left) == [.init(session: 1, reason: .finished)])
        #expect(try await stage.watch(viewer, session: 1) == false)
        await stage.hub.sessions.move(session, fix: fix, append: [])
        await stage.hub.disconnect(neighbour)
        #expect(await stage.hub.sessions.shownIDs.isEmpty)
        #expect(await stage.hub.subscriberTablesAreEmpty)
        #expect(await stage.hub.sessions.occupiedZones.isEmpty)
    }

    @Test("A session's topic is refused without audience or link, in the words for a session that does not exist")
    func refused() async throws {
        await stage.place(1, .private, zone: nil)
        await stage.place(2, .campus, zone: nil)
        let viewer = stage.viewer()
        for (id, access) in [(1, .stranger), (1, .member), (2, .stranger)] as [(Int64, SessionAccess)] {
            let error = await #expect(throws: RPCError.self) { try await stage.watch(viewer, session: id, access) }
            #expect(error?.registered == .notFound)
        }
        #expect(await viewer.take().isEmpty)
        #expect(await stage.hub.subscriberTablesAreEmpty)
        #expect(try await stage.watch(viewer, session: 2, .member))
        #expect(try await stage.watch(viewer, session: 1, .owner))
        #expect(try await stage.watch(viewer, session: 1, .link(5)))
    }

    @Test("A session's topic cuts the viewers whom a lowered audience excludes at once: `closed`, and no push after it")
    func lowered() async throws {
        await stage.place(1, zone: nil)
        let guest = stage.viewer()
        let member = stage.viewer(Stage.secondLoop)
        let holder = stage.viewer()
        let owner = stage.viewer()
        try await stage.watch(guest, session: 1)
        try await stage.watch(member, session: 1, .member)
        try await stage.watch(holder, session: 1, .link(5))
        try await stage.watch(owner, session: 1, .owner)
        for viewer in [guest, member, holder, owner] { _ = await viewer.take() }
        let (open, lowered, fix) = (stage.session(1), stage.session(1, .private), stage.fix(nil, 3))
        await stage.hub.inOneIteration { hub in
            hub.sessions.now { $0.move(open, fix: fix, append: [.init(points: [LatLon(0, 3)], startsPiece: false)]) }
            hub.sessions.now { $0.changeAudience(lowered) }
        }
        for viewer in [guest, member] {
            let updates = try await viewer.sessionUpdates()
            #expect(updates.map(\.type) == [.closed])
            #expect(updates.first?.session == nil)
            #expect(updates.first?.reason == "no longer shared")
        }
        await stage.hub.tickNow()
        await stage.hub.sessions.move(lowered, fix: fix, append: [])
        await stage.hub.tickNow()
        for viewer in [guest, member] {
            await stage.hub.refresh(viewer, topics: [.session(1)], isSlow: true)
            #expect(await viewer.take().isEmpty)
        }
        for viewer in [holder, owner] { #expect(try await viewer.sessionUpdates().count == 2) }
    }

    @Test("A session's topic cuts the holders of a revoked link and no others")
    func revoked() async throws {
        await stage.place(1, .campus, zone: nil)
        let one = stage.viewer()
        let two = stage.viewer()
        let member = stage.viewer()
        try await stage.watch(one, session: 1, .link(5))
        try await stage.watch(two, session: 1, .link(6))
        // It came by the link, but the audience admits it without.
        try await stage.watch(member, session: 1, SessionAccess(isOwner: false, isMember: true, linkID: 5))
        for viewer in [one, two, member] { _ = await viewer.take() }
        await stage.hub.sessions.revoke(link: 5, session: 1)
        #expect(try await one.sessionUpdates().map(\.type) == [.closed])
        await stage.hub.sessions.move(stage.session(1, .campus), fix: stage.fix(nil), append: [])
        await stage.hub.tickNow()
        #expect(await one.take().isEmpty)
        #expect(try await two.sessionUpdates().map(\.type) == [.session])
        #expect(try await member.sessionUpdates().map(\.type) == [.session])
        await stage.hub.sessions.changeAudience(stage.session(1, .private))
        #expect(try await member.sessionUpdates().map(\.type) == [.closed])
        // Its link still holds: a tick may say something, a cut may not.
        #expect(try await two.sessionUpdates().allSatisfy { $0.type == .session })
    }

    @Test("A session's topic cuts the holders of a link when it expires")
    func expired() async throws {
        await stage.place(1, .private, zone: nil)
        let viewer = stage.viewer()
        try await stage.watch(viewer, session: 1, .link(5, until: stage.clock.now.advanced(bySeconds: 60)))
        _ = await viewer.take()
        stage.clock.advance(bySeconds: 59)
        await stage.hub.sessions.sweep()
        #expect(await viewer.take().allSatisfy { $0.lane == .conflating })
        stage.clock.advance(bySeconds: 1)
        await stage.hub.sessions.sweep()
        let updates = try await viewer.sessionUpdates()
        #expect(updates.map(\.type) == [.closed])
        #expect(updates.first?.reason == "the link expired")
        await stage.hub.tickNow()
        #expect(await viewer.take().isEmpty)
        #expect(await stage.hub.subscriberTablesAreEmpty)
    }

    @Test("A session's topic thins a route beyond its limit and keeps the ends of its pieces")
    func thinning() async throws {
        await stage.place(1, zone: nil)
        let route = [points(0...5_000), points(6_000...9_000)]
        await stage.hub.sessions.rewrite(stage.session(1), route: route, fix: nil)
        let kept = try #require(await stage.hub.sessions.shown(1)).route
        #expect(kept.joined().count <= RouteLimits.pointsMax)
        #expect(kept.map(\.first) == route.map(\.first))
        #expect(kept.map(\.last) == route.map(\.last))
        #expect(await stage.hub.sessions.shown(1)?.trailPoints == RouteLimits.trailPointsMax)
        // Thousands of pieces are all ends.
        await stage.hub.sessions.rewrite(stage.session(1), route: (0..<5_000).map { points($0...$0) }, fix: nil)
        #expect(try #require(await stage.hub.sessions.shown(1)).route.joined().count <= RouteLimits.pointsMax)
    }
}
