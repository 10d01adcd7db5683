import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Services

@Suite("Pause, resume, stop")
struct PauseStopTests {
    @Test("Pause and resume leave pauses out of elapsed, distance and speed, and are harmless when sent again")
    func times() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        let start = session.startedAt
        func after(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }
        world.clock.advance(bySeconds: 400)
        let points = steadyRun(1...300, from: start)
        try await world.send(Array(points[0..<100]), to: session, as: who)
        for _ in 0..<2 {
            let paused = try await world.pause(session, at: after(100.5), as: who)
            #expect((paused.state, paused.elapsed) == (.paused, 100.5))
        }
        let still = try await world.send(Array(points[100..<200]), to: session, as: who)
        #expect(Set(still.notCounted.map(\.reason)) == ["paused"])
        #expect(still.notCounted.count == 100)
        #expect(still.session.elapsed == 100.5)
        for _ in 0..<2 {
            #expect(try await world.resume(session, at: after(200.5), as: who).state == .running)
        }
        // A late copy of the pause does not pause again.
        #expect(try await world.pause(session, at: after(100.5), as: who).state == .running)
        let result = try await world.send(Array(points[200..<300]), to: session, as: who)
        #expect(result.session.elapsed == 200)
        for _ in 0..<2 {
            let stopped = try await world.stop(session, at: after(310), as: who)
            #expect(stopped.elapsed == 210)
            #expect(stopped.endedAt == after(310))
            #expect(abs(stopped.distance - 2 * 99 * 4) < 12)
            #expect(stopped.averageSpeed == stopped.distance / 210)
            #expect(stopped.moving <= 200)
            #expect(stopped.moving > 180)
        }
        let reply = try await world.tracking.stop(who, .init(session: session.id))
        #expect(reply.message == "Session successfully saved")
        for change in [world.pause, world.resume] {
            _ = await refusal(.conflict) { try await change(session, after(311), who) }
        }
    }

    @Test("A late copy of a resume is accepted while the next pause lasts")
    func lateResume() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        let start = session.startedAt
        world.clock.advance(bySeconds: 100)
        _ = try await world.pause(session, at: start.advanced(bySeconds: 10), as: who)
        _ = try await world.resume(session, at: start.advanced(bySeconds: 20), as: who)
        _ = try await world.pause(session, at: start.advanced(bySeconds: 30), as: who)
        #expect(try await world.resume(session, at: start.advanced(bySeconds: 20), as: who).state == .paused)
        let error = await refusal(.invalidParams) {
            try await world.resume(session, at: start.advanced(bySeconds: 25), as: who)
        }
        #expect(error?.data?.field == "at")
    }

    @Test("Pause, resume and stop come in their order, not before the start and not from the future")
    func order() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        let start = session.startedAt
        world.clock.advance(bySeconds: 100)
        #expect(try await world.resume(session, as: who).state == .running)
        _ = try await world.pause(session, at: start.advanced(bySeconds: 20), as: who)
        _ = try await world.resume(session, at: start.advanced(bySeconds: 40), as: who)
        // Another device agrees with the server's clock: this one's is wrong.
        _ = try await world.start(try await world.member(), at: world.clock.now)
        for seconds in [-5.1, 30, 130.1] {
            let error = await refusal(.invalidParams) {
                try await world.pause(session, at: start.advanced(bySeconds: seconds), as: who)
            }
            #expect(error?.data?.field == "at")
        }
        for seconds in [-5.1, 130.1] {
            _ = await refusal(.invalidParams) {
                try await world.stop(session, at: start.advanced(bySeconds: seconds), as: who)
            }
        }
        #expect(try await world.tracking.current(who).first?.state == .running)
    }

    @Test("Pause, resume and stop that many requests send at once are done once")
    func concurrent() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        world.clock.advance(bySeconds: 10)
        for kind in [world.pause, world.resume, world.pause, world.stop] {
            let at = world.clock.now
            world.clock.advance(bySeconds: 1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { _ = try await kind(session, at, who) } }
                try await group.waitForAll()
            }
        }
        let pauses = try await world.pool.query(
            "SELECT count(*) AS n, count(to_at) AS ended FROM pauses WHERE session_id = $1", [.int(session.id)])
        #expect(try pauses[0].int("n") == 2)
        #expect(try pauses[0].int("ended") == 2)
        #expect(try await world.tracking.history(who, .init()).sessions.map(\.elapsed) == [11])
    }

    @Test("a stop ends an open pause, and what was paused stays out")
    func stopWhilePaused() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        world.clock.advance(bySeconds: 60)
        try await world.send(steadyRun(1...50, from: session.startedAt), to: session, as: who)
        _ = try await world.pause(session, at: session.startedAt.advanced(bySeconds: 50.5), as: who)
        let stopped = try await world.stop(session, as: who)
        #expect(stopped.elapsed == 50.5)
        #expect(stopped.endedAt == world.clock.now)
        let late = TrackPoint(seq: 51, lat: 0, lon: 0.5, time: session.startedAt.advanced(bySeconds: 55))
        let result = try await world.send([late], to: session, as: who)
        #expect(result.notCounted == [.init(seq: 51, reason: "paused")])
        #expect(result.session.distance == stopped.distance)
    }
}

@Suite("History and routes")
struct HistoryTests {
    @Test(
        "History has pages, newest first, each session once, also when many start at the same moment",
        arguments: [1, 2, 3, 7, 100])
    func paging(limit: Int) async throws {
        let world = try await World()
        let who = try await world.member()
        var made: [Int64] = []
        for index in 0..<7 {
            let session = try await world.start(who)
            try await world.stop(session, as: who)
            made.append(session.id)
            if index == 2 { world.clock.advance(bySeconds: 1) }
        }
        let running = try await world.start(who)
        var seen: [Int64] = []
        var next: String?
        repeat {
            let page = try await world.tracking.history(who, .init(limit: limit, before: next))
            #expect(page.sessions.count <= limit)
            seen += page.sessions.map(\.id)
            next = page.next
        } while next != nil
        #expect(seen == made.reversed())
        #expect(!seen.contains(running.id))
        let stranger = try await world.member()
        #expect(try await world.tracking.history(stranger, .init()).sessions.isEmpty)
    }

    @Test(
        "History refuses invalid limits and cursors",
        arguments: [
            (0, nil, "limit"), (101, nil, "limit"), (-1, nil, "limit"), (nil, "", "before"), (nil, "1", "before"),
            (nil, "1.2.3", "before"), (nil, "x.1", "before"), (nil, "-1.1", "before"),
            (nil, "9999999999999999.1", "before"),
            (nil, "1.'; --", "before"), (nil, "1.\0", "before"),
        ] as [(Int?, String?, String)])
    func malformed(limit: Int?, before: String?, field: String) async throws {
        let world = try await World()
        let who = try await world.member()
        let error = await refusal(.invalidParams) {
            try await world.tracking.history(who, .init(limit: limit, before: before))
        }
        #expect(error?.data?.field == field)
    }

    @Test("a route breaks at a pause, at a gap and at a ride, and nowhere else")
    func pieces() async throws {
        let world = try await World()
        let who = try await world.member()
        let session = try await world.start(who)
        let start = session.startedAt
        world.clock.advance(bySeconds: 7_200)
        let metre = steadyRun(2...2, from: start)[0].lon - steadyRun(1...1, from: start)[0].lon
        var seq: Int64 = 0
        var longitude = 0.0
        var time = start
        func leg(_ seconds: Int, metresPerSecond: Double) -> [TrackPoint] {
            (0..<seconds).map { _ in
                seq += 1
                longitude += metre / 4 * metresPerSecond
                time = time.advanced(bySeconds: 1)
                return TrackPoint(seq: seq, lat: 0, lon: longitude, time: time, accuracy: 5)
            }
        }
        try await world.send(leg(60, metresPerSecond: 4), to: session, as: who)
        _ = try await world.pause(session, at: time.advanced(bySeconds: 0.5), as: who)
        time = time.advanced(bySeconds: 30)
        _ = try await world.resume(session, at: time, as: who)
        try await world.send(leg(60, metresPerSecond: 4), to: session, as: who)
        time = time.advanced(bySeconds: 601)
        try await world.send(leg(60, metresPerSecond: 4), to: session, as: who)
        let ride = try await world.send(leg(120, metresPerSecond: 20), to: session, as: who)
        #expect(ride.notCounted.contains { $0.reason == "vehicle" })
        try await world.send(leg(120, metresPerSecond: 4), to: session, as: who)
        let result = try await world.tracking.session(who, .init(session: session.id))
        #expect(result.route.count == 4)
        #expect(result.route[0].count > 45)
        #expect(result.notCounted["resumed"] == 1)
        #expect(result.notCounted["gap"] == 1)
        #expect(await world.hub.sessions.shown(session.id)?.route == result.route.asKept)
        // Pieces come in order and do not share points.
        let longitudes = result.route.joined().map(\.longitude)
        #expect(longitudes == longitudes.sorted())
    }
}
