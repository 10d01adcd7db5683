import Campus
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Services

@Suite("Points")
struct PointsTests {
    @Test("Points are in the database when they are acknowledged, 500 at once, with all members")
    func committed() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        world.clock.advance(bySeconds: 600)
        var points = steadyRun(1...500, from: session.startedAt)
        points[0].altitude = -3.25
        points[0].heading = 359.9
        points[0].speed = 4.5
        let result = try await world.send(points, to: session, as: who)
        #expect((result.stored, result.duplicates, result.refused) == (500, 0, []))
        let stored = try await world.stored(session)
        #expect(stored.points.count == 500)
        #expect(stored.count == 500)
        #expect(stored.distance == result.session.distance)
        #expect(abs(stored.distance - 499 * 4) < 5)
        #expect(result.notCounted.map(\.seq) == stored.points.filter { $0.reason != nil }.map(\.seq))
        let rows = try await world.pool.query(
            "SELECT altitude, heading, speed, accuracy, lat, lon, at FROM points WHERE session_id = $1 AND seq = 1",
            [.int(session.id)])
        #expect(try rows[0].double("altitude") == -3.25)
        #expect(try rows[0].double("heading") == 359.9)
        #expect(try rows[0].double("speed") == 4.5)
        #expect(try rows[0].double("lon") == points[0].lon)
        #expect(try rows[0].timestamp("at") == points[0].time.milliseconds)
    }

    @Test("Points that are sent again change nothing, also with other contents, and also twice in one request")
    func duplicates() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        world.clock.advance(bySeconds: 60)
        let points = steadyRun(1...30, from: session.startedAt)
        let first = try await world.send(points, to: session, as: who)
        let before = try await world.stored(session)
        var forged = points
        for index in forged.indices { forged[index].lon += 0.5 }
        let again = try await world.send(forged, to: session, as: who)
        #expect((again.stored, again.duplicates) == (0, 30))
        #expect(again.session == first.session)
        #expect(try await world.stored(session) == before)
        let twice = steadyRun(31...31, from: session.startedAt)
        let doubled = try await world.send(twice + twice + points.suffix(2), to: session, as: who)
        #expect((doubled.stored, doubled.duplicates) == (1, 3))
        #expect(try await world.stored(session).points.count == 31)
    }

    @Test("Points that two requests send at once are stored once")
    func concurrent() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        world.clock.advance(bySeconds: 100)
        let points = steadyRun(1...80, from: session.startedAt)
        let stored = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<8 {
                group.addTask {
                    try await world.send(Array(points[(index * 5)...(index * 5 + 40)]), to: session, as: who).stored
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(stored == 76)
        let oracle = GPSFilter.recompute(activity: .run, fixes: try points.prefix(76).map { try GPSFilter.Fix($0) })
        #expect(try await world.stored(session).distance == oracle.filter.distanceMetres)
    }

    @Test("Points with an impossible time are refused with the reason, while the others are stored")
    func timeRules() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        world.clock.advance(bySeconds: 100)
        func point(_ seq: Int64, _ seconds: Double) -> TrackPoint {
            TrackPoint(seq: seq, lat: 0, lon: 0, time: session.startedAt.advanced(bySeconds: seconds))
        }
        let result = try await world.send(
            [point(1, -5.001), point(2, -5), point(3, 130), point(4, 130.001)], to: session, as: who)
        #expect(result.refused == [.init(seq: 1, reason: "beforeStart"), .init(seq: 4, reason: "futureTime")])
        #expect(result.stored == 2)
        let stopped = try await world.stop(session, at: session.startedAt.advanced(bySeconds: 50), as: who)
        // What was tracked already belongs to it.
        #expect(stopped.endedAt == session.startedAt.advanced(bySeconds: 130))
        let late = try await world.send([point(5, 130.001), point(6, 60)], to: session, as: who)
        #expect(late.refused == [.init(seq: 5, reason: "afterStop")])
        #expect(late.stored == 1)
    }

    @Test("Points of a recording may run ahead of the server's clock, and are marked")
    func recordedTimes() async throws {
        let world = try await World()
        let who = try await world.simulated()
        let session = try await world.start(who, clock: .init(kind: .recorded, speed: 100))
        let points = steadyRun(1...400, from: session.startedAt)
        let result = try await world.send(points, to: session, as: who)
        #expect((result.stored, result.refused) == (400, []))
        #expect(result.session.simulated)
        // On the map the fix is as old as the server knows it.
        let runner = try #require(await world.hub.sessions.shown(session.id)?.runner)
        #expect(runner.at == world.clock.now)
        #expect(runner.rate == 100)
        let tooFar = TrackPoint(seq: 500, lat: 0, lon: 0, time: session.startedAt.advanced(bySeconds: 31 * 86_400))
        #expect(try await world.send([tooFar], to: session, as: who).refused.map(\.reason) == ["futureTime"])
        #expect(try await world.stop(session, as: who).endedAt == points.last?.time)
    }

    struct Bad: Sendable {
        var field: String
        var change: @Sendable (inout TrackPoint) -> Void
        init(_ field: String, _ change: @escaping @Sendable (inout TrackPoint) -> Void) {
            (self.field, self.change) = (field, change)
        }
    }

    @Test(
        "Points out of range are refused as a whole request, and the field is named",
        arguments: [
            Bad("seq") { $0.seq = 0 }, Bad("seq") { $0.seq = -1 }, Bad("seq") { $0.seq = 1_000_000_001 },
            Bad("seq") { $0.seq = .max }, Bad("lat") { $0.lat = 90.000_1 }, Bad("lat") { $0.lat = .nan },
            Bad("lat") { $0.lat = -.infinity }, Bad("lon") { $0.lon = 180.000_1 }, Bad("lon") { $0.lon = -181 },
            Bad("accuracy") { $0.accuracy = -0.1 }, Bad("accuracy") { $0.accuracy = 100_001 },
            Bad("altitude") { $0.altitude = -1_001 }, Bad("altitude") { $0.altitude = 20_001 },
            Bad("speed") { $0.speed = -1 }, Bad("speed") { $0.speed = .infinity },
            Bad("heading") { $0.heading = 360.1 },
        ])
    func ranges(bad: Bad) async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        world.clock.advance(bySeconds: 10)
        var points = steadyRun(1...3, from: session.startedAt)
        bad.change(&points[2])
        let error = await refusal(.invalidParams) { try await world.send(points, to: session, as: who) }
        #expect(error?.data?.field == "points[2].\(bad.field)")
        #expect(try await world.stored(session).points.isEmpty)
    }

    @Test("Points on the edge of the ranges are stored")
    func edges() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        world.clock.advance(bySeconds: 10)
        let time = session.startedAt
        let points = [
            TrackPoint(
                seq: 1, lat: 90, lon: 180, time: time, accuracy: 0, altitude: -1_000, speed: 0, heading: 0),
            TrackPoint(
                seq: 1_000_000_000, lat: -90, lon: -180, time: time.advanced(bySeconds: 1), accuracy: 100_000,
                altitude: 20_000, speed: 1_000, heading: 360),
        ]
        #expect(try await world.send(points, to: session, as: who).stored == 2)
    }

    @Test("Points come 1 to 500 in a request", arguments: [0, 501])
    func batchSize(count: Int64) async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        let points = count == 0 ? [] : steadyRun(1...count, from: session.startedAt)
        let error = await refusal(.invalidParams) { try await world.send(points, to: session, as: who) }
        #expect(error?.data?.field == "points")
    }

    @Test("Points and changes of somebody else's session are notFound, in the words for one that does not exist")
    func notYours() async throws {
        let world = try await World()
        let owner = try await world.member()
        let stranger = try await world.member()
        let session = try await world.start(owner, audience: .public)
        var nowhere = session
        nowhere.id = 1 << 60
        let point = steadyRun(1...1, from: session.startedAt)
        let attempts: [@Sendable (Session) async throws -> Void] = [
            { _ = try await world.send(point, to: $0, as: stranger) },
            { _ = try await world.pause($0, as: stranger) }, { _ = try await world.resume($0, as: stranger) },
            { _ = try await world.stop($0, as: stranger) },
            { _ = try await world.tracking.setAudience(stranger, .init(session: $0.id, audience: .private)) },
            { _ = try await world.tracking.makeLink(stranger, .init(session: $0.id)) },
            { _ = try await world.tracking.links(stranger, .init(session: $0.id)) },
            { _ = try await world.tracking.unlink(stranger, .init(session: $0.id, link: 1)) },
        ]
        for attempt in attempts {
            let theirs = await refusal(.notFound) { try await attempt(session) }
            let none = await refusal(.notFound) { try await attempt(nowhere) }
            #expect(theirs == none)
            // Also after a restart, when it must be looked up first.
            let restarted = world.restarted()
            let again = await refusal(.notFound) {
                try await restarted.tracking.points(stranger, .init(session: session.id, points: point))
            }
            #expect(again?.message == "there is no such session of yours")
        }
        #expect(try await world.tracking.current(owner) == [session])
    }

    @Test("Points of strangers do not wait in the owner's queue")
    func strangersDoNotQueue() async throws {
        let world = try await World()
        let owner = try await world.member()
        let stranger = try await world.member()
        let session = try await world.start(owner)
        world.clock.advance(bySeconds: 10)
        #expect(await world.tracking.hold(session.id))
        for _ in 0..<(SessionLocks.waitingMax * 2) {
            _ = await refusal(.notFound) {
                try await world.send(steadyRun(1...1, from: session.startedAt), to: session, as: stranger)
            }
        }
        await world.tracking.release(session.id)
        #expect(try await world.send(steadyRun(1...1, from: session.startedAt), to: session, as: owner).stored == 1)
    }

    @Test("A late point that is filled in keeps a runner on the move")
    func lateWhileMoving() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        world.clock.advance(bySeconds: 100)
        let points = steadyRun(1...60, from: session.startedAt)
        try await world.send(points.filter { $0.seq != 30 }, to: session, as: who)
        let before = try #require(await world.hub.sessions.shown(session.id)?.runner)
        #expect(before.state == .moving)
        #expect(abs(before.speed - 4) < 0.1)
        try await world.send([points[29]], to: session, as: who)
        let after = try #require(await world.hub.sessions.shown(session.id)?.runner)
        #expect(after.state == .moving)
        #expect(abs(after.speed - 4) < 0.1)
        #expect(after.heading.map { abs($0 - 90) < 1 } == true)
        #expect((after.lat, after.lon, after.at) == (before.lat, before.lon, before.at))
    }
}

extension Tracking {
    func hold(_ session: Int64) async -> Bool { await locks.acquire(session) }
    func release(_ session: Int64) { locks.release(session) }
}
