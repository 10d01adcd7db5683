import Campus
import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Services

@Suite("Routes that are dark in part")
struct DarkRouteTests {
    /// Metres of a route.
    private static func length(_ route: [[LatLon]]) throws -> Double {
        try route.reduce(0.0) { sum, piece in
            try sum
                + zip(piece, piece.dropFirst()).reduce(0.0) { try $0 + GeoPoint($1.0).distance(to: GeoPoint($1.1)) }
        }
    }

    @Test("Others see the part outside and its numbers only; the owner sees all of it, and which part others do not")
    func outside() async throws {
        let dark = try await DarkWorld()
        let world = dark.world
        try await dark.hide()
        let session = try await world.start(dark.owner, audience: .public)
        world.clock.advance(bySeconds: 500)
        let points = steadyRun(1...400, from: session.startedAt)
        for start in stride(from: 0, to: 400, by: 50) {
            try await world.send(Array(points[start..<(start + 50)]), to: session, as: dark.owner)
        }
        var visible: [TrackPoint] = []
        for point in points where await !dark.isHidden(point) { visible.append(point) }
        #expect((100..<400).contains(visible.count))
        let first = try #require(visible.first)
        let stranger = try await world.member()
        func check(_ shown: TrackingSession.Result) async throws {
            for position in shown.route.joined() { #expect(await !dark.isHidden(position)) }
            #expect(shown.route.joined().count > 50)
            #expect(shown.hidden == nil)
            #expect(shown.session.startedAt == first.time)
            #expect(shown.session.points == visible.count)
            #expect(shown.session.lastSeq == nil)
            #expect(shown.session.elapsed == points[399].time.seconds(since: first.time))
            // Nothing of the way in the dark is in it.
            let length = try Self.length(shown.route)
            #expect(abs(shown.session.distance - length) < 15)
            #expect(shown.session.averageSpeed == shown.session.distance / shown.session.elapsed)
        }
        for who in [stranger, nil] { try await check(try await dark.session(session.id, as: who)) }
        let link = try await world.tracking.makeLink(dark.owner, .init(session: session.id))
        try await check(try await dark.session(session.id, as: nil, share: link.token))
        let own = try await dark.session(session.id, as: dark.owner)
        #expect(own.session.points == 400 && own.session.startedAt == session.startedAt)
        let others = try await dark.session(session.id, as: nil)
        #expect(own.session.distance > others.session.distance + 50)
        for position in try #require(own.hidden).joined() { #expect(await dark.isHidden(position)) }
        // And when it is over, and after a restart.
        try await world.stop(session, at: points[399].time, as: dark.owner)
        try await check(try await dark.session(session.id, as: stranger))
        let restarted = world.restarted()
        try await check(try await restarted.tracking.session(stranger, .init(session: session.id)))
        #expect(try await dark.session(session.id, as: stranger).session.endedAt == points[399].time)
    }

    @Test(
        "What others see does not depend on what happened in the dark: not on the way there, its length, its time, or how it was sent",
        arguments: [1, 7, 1_000])
    func indifferent(batch: Int) async throws {
        let dark = try await DarkWorld()
        let world = dark.world
        let (_, circle) = try await dark.hide()
        let start = world.clock.now
        world.clock.advance(bySeconds: 3_000)
        let stranger = try await world.member()
        var seen: [(TrackingSession.Result, SessionSnapshot)] = []
        for way in 0..<3 {
            let session = try await world.start(
                dark.owner, audience: .public, at: start.advanced(bySeconds: Double(way) * 100))
            var points: [TrackPoint] = []
            // Each with other loops at home, in and between; seen at the same times in the same places.
            for index in 0..<(20 + way * 30) {
                let at = start.advanced(bySeconds: 1_000 - Double(20 + way * 30 - index) * Double(3 - way))
                let turn = Double(index) * Double(way + 1) * 0.3
                let place = circle.centre.offset(eastMetres: 60 * sin(turn), northMetres: 60 * cos(turn))
                points.append(
                    TrackPoint(seq: 0, lat: place.latitude, lon: place.longitude, time: at, accuracy: 5))
            }
            for index in 0..<60 {
                let at = start.advanced(bySeconds: 1_000 + Double(index))
                points.append(DarkWorld.point(0, metres: 700 + Double(index) * 3, at: at))
            }
            for index in 0..<(5 * way) {
                let at = start.advanced(bySeconds: 1_100 + Double(index))
                points.append(
                    DarkWorld.point(0, in: circle, at: at))
            }
            for index in 0..<40 {
                let at = start.advanced(bySeconds: 1_500 + Double(index))
                points.append(DarkWorld.point(0, metres: 900 + Double(index) * 3, at: at))
            }
            if way == 0 {
                // The third way has been through the dark between the two parts, and so has this one.
                points.insert(
                    DarkWorld.point(0, in: circle, at: start.advanced(bySeconds: 1_200)), at: points.count - 40)
            }
            for index in points.indices { points[index].seq = Int64(index + 1) }
            for from in stride(from: 0, to: points.count, by: batch) {
                try await world.send(
                    Array(points[from..<min(from + batch, points.count)]), to: session, as: dark.owner)
            }
            let viewer = RecordingViewer(loop: world.loop)
            _ = try await world.watch(viewer, session.id, as: stranger)
            let snapshot = try #require(
                try await viewer.events().compactMap { event -> SessionSnapshot? in
                    if case .sessionSnapshot(let snapshot) = event { snapshot } else { nil }
                }.first)
            seen.append((try await dark.session(session.id, as: stranger), snapshot))
        }
        for (shown, snapshot) in seen.dropFirst() {
            for pair in [(shown.session, seen[0].0.session), (snapshot.session, seen[0].1.session)] {
                var (one, other) = pair
                (one.id, one.clientId) = (other.id, other.clientId)
                #expect(one == other)
            }
            #expect(shown.route == seen[0].0.route)
            #expect(shown.notCounted == seen[0].0.notCounted)
            #expect(snapshot.route == seen[0].1.route)
            #expect(snapshot.runner?.lat == seen[0].1.runner?.lat)
            #expect(snapshot.runner?.speed == seen[0].1.runner?.speed)
            #expect(snapshot.runner?.distance == seen[0].1.runner?.distance)
        }
        // Live and from the database it is the same.
        #expect(seen[0].0.session.distance == seen[0].1.session.distance)
        #expect(seen[0].0.session.elapsed == seen[0].1.session.elapsed)
    }

    @Test(
        "Into the dark: maps lose the runner as hidden, viewers hear it once and no more, the owner sees on; out of it, it is back"
    )
    func live() async throws {
        let dark = try await DarkWorld()
        let world = dark.world
        let (_, circle) = try await dark.hide(LatLon(0, 0.008))
        let session = try await world.start(dark.owner, audience: .campus)
        let stranger = try await world.member()
        // Not yet there: nothing has been seen of it.
        _ = await refusal(.notFound) {
            try await world.watch(RecordingViewer(loop: world.loop), session.id, as: stranger)
        }
        _ = await refusal(.notFound) { try await dark.session(session.id, as: stranger) }
        world.clock.advance(bySeconds: 1_000)
        let start = session.startedAt
        func send(_ seq: Int64, metres: Double) async throws {
            try await world.send(
                [DarkWorld.point(seq, metres: metres, at: start.advanced(bySeconds: Double(seq)))], to: session,
                as: dark.owner)
            await world.hub.tickNow()
        }
        let middle = (circle.centre.longitude - DarkWorld.home.longitude) * GeoPoint.earthRadiusMetres * .pi / 180
        let (west, east) = (middle - circle.radiusMetres - 50, middle + circle.radiusMetres + 50)
        for seq in 1...5 { try await send(Int64(seq), metres: west - 25 + Double(seq) * 4) }
        let (map, viewer, own) = (
            RecordingViewer(loop: world.loop), RecordingViewer(loop: world.loop), RecordingViewer(loop: world.loop)
        )
        for zone: Int64 in [1, 2] { try await world.watch(map, zone: zone, as: stranger) }
        _ = try await world.watch(viewer, session.id, as: stranger)
        _ = try await world.watch(own, session.id, as: dark.owner)
        for one in [map, viewer, own] { _ = try await one.events() }
        for seq in 6...12 { try await send(Int64(seq), metres: middle + Double(seq)) }
        let left = try await map.zoneUpdates()
        #expect(left.flatMap(\.left) == [.init(session: session.id, reason: .hidden)])
        #expect(left.flatMap(\.runners).isEmpty)
        let received = try await viewer.sessionUpdates().filter { $0.type != .presence }
        #expect(received.count == 1)
        #expect(received.first?.hidden == true && received.first?.runner == nil)
        #expect(received.first?.append?.isEmpty != false)
        #expect(received.first?.session?.points == 5)
        let ownReceived = try await own.sessionUpdates().filter { $0.type != .presence }
        #expect(ownReceived.count == 7)
        #expect(ownReceived.last?.hidden == true && ownReceived.last?.runner != nil)
        #expect(ownReceived.last?.session?.points == 12)
        // A pause in the dark, and the silence, are nobody's news either.
        _ = try await world.pause(session, at: start.advanced(bySeconds: 12.5), as: dark.owner)
        world.clock.advance(bySeconds: 60)
        await world.hub.sessions.sweep()
        await world.hub.tickNow()
        _ = try await world.resume(session, at: start.advanced(bySeconds: 12.7), as: dark.owner)
        await world.hub.tickNow()
        #expect(try await viewer.sessionUpdates().filter { $0.type != .presence }.isEmpty)
        #expect(try await map.zoneUpdates().isEmpty)
        // Who comes now finds no position either.
        let late = RecordingViewer(loop: world.loop)
        _ = try await world.watch(late, session.id, as: stranger)
        _ = try await viewer.events()
        guard case .sessionSnapshot(let snapshot)? = try await late.events().first else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.hidden == true && snapshot.runner == nil && snapshot.session.points == 5)
        #expect(snapshot.session.state == .running)
        for seq in 13...16 { try await send(Int64(seq), metres: east + Double(seq) * 4) }
        let back = try await viewer.sessionUpdates().filter { $0.type != .presence }
        #expect(back.first?.startsPiece == true && back.first?.hidden == nil)
        for position in back.flatMap({ $0.append ?? [] }) { #expect(await !dark.isHidden(position)) }
        #expect(back.last?.session?.points == 9)
        #expect(try #require(back.last?.session?.distance) < 40)
        #expect(try await map.zoneUpdates().flatMap(\.runners).last?.distance == back.last?.session?.distance)
    }

    @Test(
        "An end in the dark is told to others at the full quarter of an hour since they saw somebody last; to the owner at once"
    )
    func ending() async throws {
        let dark = try await DarkWorld()
        let world = dark.world
        let (session, circle) = try await dark.beside()
        let start = session.startedAt
        for seq in 1...5 {
            try await world.send(
                [DarkWorld.point(Int64(seq), metres: Double(seq) * 4, at: start.advanced(bySeconds: Double(seq)))],
                to: session, as: dark.owner)
        }
        let (viewer, own) = (RecordingViewer(loop: world.loop), RecordingViewer(loop: world.loop))
        _ = try await world.watch(viewer, session.id)
        _ = try await world.watch(own, session.id, as: dark.owner)
        try await world.send(
            [DarkWorld.point(6, in: circle, at: start.advanced(bySeconds: 200))], to: session, as: dark.owner)
        await world.hub.tickNow()
        for one in [viewer, own] { _ = try await one.events() }
        let stopped = try await world.stop(session, at: start.advanced(bySeconds: 250), as: dark.owner)
        #expect(stopped.endedAt == start.advanced(bySeconds: 250))
        #expect(try await own.sessionUpdates().map(\.type).filter { $0 != .presence } == [.ended])
        #expect(try await viewer.sessionUpdates().filter { $0.type != .presence }.isEmpty)
        let before = try await dark.session(session.id, as: nil).session
        #expect(before.state == .running && before.endedAt == nil)
        #expect(try await world.tracking.truth(of: [session.id])[session.id]?.state == .running)
        world.clock.advance(bySeconds: 905 - 300)
        let after = try await dark.session(session.id, as: nil).session
        #expect(after.state == .finished && after.endedAt == start.advanced(bySeconds: 5))
        #expect(after.elapsed == before.elapsed && after.distance == before.distance)
        #expect(try await world.tracking.truth(of: [session.id])[session.id]?.state == .finished)
        #expect(try await dark.session(session.id, as: dark.owner).session.endedAt == stopped.endedAt)
    }

    @Test("A zone holds for what was recorded before, finished or live, and deleting it shows that again")
    func later() async throws {
        let dark = try await DarkWorld()
        let world = dark.world
        var sessions: [Session] = []
        for _ in 0..<2 {
            sessions.append(try await world.start(dark.owner, audience: .public, at: world.clock.now))
        }
        world.clock.advance(bySeconds: 500)
        let points = steadyRun(1...400, from: sessions[0].startedAt)
        for session in sessions { try await world.send(points, to: session, as: dark.owner) }
        try await world.stop(sessions[0], at: points[399].time, as: dark.owner)
        let viewer = RecordingViewer(loop: world.loop)
        _ = try await world.watch(viewer, sessions[1].id)
        guard case .sessionSnapshot(let whole)? = try await viewer.events().first else {
            Issue.record("no snapshot")
            return
        }
        // Where it is now, so that its dot goes too.
        let end = points[399]
        let (zone, circle) = try await dark.hide(LatLon(end.lat, end.lon))
        #expect(circle.contains(try GeoPoint(latitude: end.lat, longitude: end.lon)))
        await world.hub.tickNow()
        let redrawn = try #require(try await viewer.sessionUpdates().last { $0.type == .route })
        #expect(redrawn.type == .route && redrawn.hidden == true && redrawn.runner == nil)
        let route = try #require(redrawn.route)
        #expect(!route.isEmpty)
        for position in route.joined() { #expect(await !dark.isHidden(position)) }
        for session in sessions {
            let shown = try await dark.session(session.id, as: nil)
            for position in shown.route.joined() { #expect(await !dark.isHidden(position)) }
            #expect(shown.session.points < 400)
        }
        _ = try await dark.privacy.delete(.init(zone: zone.id), of: dark.owner)
        await world.hub.tickNow()
        let again = try #require(try await viewer.sessionUpdates().last { $0.type == .route })
        #expect(again.route?.joined().count == whole.route.joined().count)
        #expect(again.runner != nil && again.session?.points == 400)
        #expect(try await dark.session(sessions[0].id, as: nil).session.points == 400)
    }

    @Test("A late point in the dark changes nothing for others; one that is seen does")
    func late() async throws {
        let dark = try await DarkWorld()
        let world = dark.world
        let (_, circle) = try await dark.hide()
        let session = try await world.start(dark.owner, audience: .public)
        let start = session.startedAt
        world.clock.advance(bySeconds: 500)
        let points = steadyRun(1...400, from: start).filter { $0.seq % 2 == 0 }
        try await world.send(points, to: session, as: dark.owner)
        let before = try await dark.session(session.id, as: nil)
        try await world.send(
            [
                DarkWorld.point(3, in: circle, at: start.advanced(bySeconds: 3))
            ], to: session, as: dark.owner)
        #expect(try await dark.session(session.id, as: nil).session == before.session)
        try await world.send([steadyRun(399...399, from: start)[0]], to: session, as: dark.owner)
        #expect(try await dark.session(session.id, as: nil).session.points == before.session.points + 1)
    }

    @Test(
        "What may be in the dark is dark: live, in what is stored, and in the numbers; however inexact, it is not dark far away"
    )
    func inexact() async throws {
        let dark = try await DarkWorld()
        let world = dark.world
        let (_, circle) = try await dark.hide()
        let session = try await world.start(dark.owner, audience: .public)
        let start = session.startedAt
        world.clock.advance(bySeconds: 500)
        func point(_ seq: Int64, beyond metres: Double, accuracy: Double?) -> TrackPoint {
            let place = circle.centre.offset(eastMetres: circle.radiusMetres + metres, northMetres: 0)
            return TrackPoint(
                seq: seq, lat: place.latitude, lon: place.longitude, time: start.advanced(bySeconds: Double(seq)),
                accuracy: accuracy)
        }
        let points = [
            point(1, beyond: 60, accuracy: 5), point(2, beyond: 40, accuracy: 45), point(3, beyond: 15, accuracy: nil),
            point(4, beyond: 60, accuracy: 5), point(5, beyond: 200, accuracy: 100_000),
            point(6, beyond: SuppressionAreas.pointAccuracyMax + 100, accuracy: 100_000),
        ]
        for point in points {
            try await world.send([point], to: session, as: dark.owner)
            await world.hub.tickNow()
        }
        let shown = try await dark.session(session.id, as: nil)
        #expect(shown.session.points == 3)
        let viewer = RecordingViewer(loop: world.loop)
        _ = try await world.watch(viewer, session.id)
        guard case .sessionSnapshot(let snapshot)? = try await viewer.events().first else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.session.points == 3 && snapshot.session.distance == shown.session.distance)
        #expect(snapshot.route.map(\.count) == shown.route.map(\.count))
        #expect(try await dark.session(session.id, as: dark.owner).session.points == 6)
        let restarted = world.restarted()
        #expect(try await restarted.tracking.session(nil, .init(session: session.id)).session.points == 3)
    }

    @Test("A session that begins where there are residences is not there for others before its first point")
    func beginning() async throws {
        let dark = try await DarkWorld()
        let world = dark.world
        let session = try await world.start(dark.owner, audience: .public)
        let record = try #require(await world.tracking.records[session.id])
        let box = try GeoBox(south: 0.0001, west: 0.0101, north: 0.0003, east: 0.0103)
        let hall = Building(id: 1, name: nil, polygons: [try box.polygon()], isResidence: true)
        let residences = ResidenceIndex(buildings: [hall], zones: [])
        let part = try PublicPart.draw(record, [], SuppressionAreas(zones: [], residences: residences)).part
        #expect(part?.isHidden == true && part?.session(of: record, at: world.clock.now).points == 0)
        #expect(try PublicPart.draw(record, [], SuppressionAreas(zones: [], residences: nil)).part == nil)
    }

    @Test("An account whose rules cannot be read is dark, and so is one that is gone")
    func unknown() async throws {
        let dark = try await DarkWorld()
        let rules = await dark.world.tracking.rules
        #expect(rules.hidden(-5, at: LatLon(0, 0)) == .zone)
        await #expect(throws: RPCError.self) { try await rules.load(-5) }
        #expect(rules.hidden(-5, at: LatLon(0, 0)) == .zone)
        try await rules.load(dark.owner.account.id)
        #expect(rules.hidden(dark.owner.account.id, at: LatLon(0, 0)) == nil)
        rules.forgetAll()
        // Asked in passing, they are read.
        #expect(rules.hidden(dark.owner.account.id, at: LatLon(0, 0)) == .zone)
        _ = try await eventually("they are read") {
            rules.hidden(dark.owner.account.id, at: LatLon(0, 0)) == nil ? true : nil
        }
    }
}
