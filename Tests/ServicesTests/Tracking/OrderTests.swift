import Campus
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Services

/// The heart of the service: whatever comes late, twice, cut up or across a restart, the sums, verdicts and route are
/// those of the filter that sees everything at once and in order.
@Suite("The order in which points come")
struct OrderTests {
    /// One thing that a phone sends.
    enum Message: Sendable {
        case points([TrackPoint])
        case pause(Timestamp)
        case resume(Timestamp)
    }

    private func deliver(_ message: Message, to session: Session, as who: Identity, in world: World) async throws {
        switch message {
        case .points(let points): try await world.send(points, to: session, as: who)
        case .pause(let at): _ = try await world.pause(session, at: at, as: who)
        case .resume(let at): _ = try await world.resume(session, at: at, as: who)
        }
    }

    /// Pauses and resumes in their order, points anywhere.
    private func shuffled(_ run: SyntheticRun, _ random: inout SeededGenerator) -> [Message] {
        var messages = run.points.shuffled(using: &random).cut(sizeMax: 40, using: &random).map(Message.points)
        // Some come twice.
        messages += messages.prefix(2)
        var place = 0
        for (index, moment) in run.moments.enumerated() {
            place = Int.random(in: place...messages.count, using: &random)
            messages.insert(index % 2 == 0 ? .pause(moment) : .resume(moment), at: place)
            place += 1
        }
        return messages
    }

    /// As it happened: a pause after the points before it and before those after it; a point of the very same time comes
    /// before or after.
    private func inOrder(_ run: SyntheticRun, _ random: inout SeededGenerator) -> [Message] {
        var messages: [Message] = []
        var rest = run.points[...]
        for (index, moment) in run.moments.enumerated() {
            let isPointFirst = Bool.random(using: &random)
            let before = rest.prefix { isPointFirst ? $0.time <= moment : $0.time < moment }
            rest = rest.dropFirst(before.count)
            messages += Array(before).cut(sizeMax: 40, using: &random).map(Message.points)
            messages.append(index % 2 == 0 ? .pause(moment) : .resume(moment))
        }
        return messages + Array(rest).cut(sizeMax: 40, using: &random).map(Message.points)
    }

    @Test(
        "The order of points changes nothing: distance, verdicts and route are the filter's own over everything",
        arguments: [0, 3], [1, 2, 3, 4, 5] as [UInt64])
    func anyOrder(pauses: Int, seed: UInt64) async throws {
        let world = try await World()
        let start = world.clock.now
        world.clock.advance(bySeconds: 3_600)
        let run = SyntheticRun(seed: seed, count: 160, start: start, pauses: pauses)
        let expected = try run.expected()
        let expectedRoute = try run.expectedRoute()
        #expect(pauses > 0 || expected.distance > 100)
        var random = SeededGenerator(seed: seed &+ 1_000)
        for messages in [inOrder(run, &random), shuffled(run, &random), shuffled(run, &random)] {
            let who = try await world.member()
            let session = try await world.start(who, at: start)
            for message in messages { try await deliver(message, to: session, as: who, in: world) }
            #expect(try await world.stored(session) == expected)
            #expect(await world.hub.sessions.shown(session.id)?.route == expectedRoute.asKept)
            let stopped = try await world.stop(session, at: run.end, as: who)
            #expect(stopped.distance == expected.distance)
            #expect(stopped.moving == expected.moving)
            #expect(try await world.stored(session) == expected)
            let result = try await world.tracking.session(who, .init(session: session.id))
            #expect(result.route == expectedRoute)
            #expect(result.notCounted.values.reduce(0, +) == expected.points.filter { $0.reason != nil }.count)
        }
    }

    @Test(
        "The order of points and pauses before and after the stop changes nothing either",
        arguments: [11, 12, 13] as [UInt64])
    func lateAfterStop(seed: UInt64) async throws {
        let world = try await World()
        let start = world.clock.now
        world.clock.advance(bySeconds: 3_600)
        let run = SyntheticRun(seed: seed, count: 120, start: start, pauses: 2)
        let who = try await world.member()
        let session = try await world.start(who, at: start)
        for (index, moment) in run.moments.enumerated() {
            try await deliver(index % 2 == 0 ? .pause(moment) : .resume(moment), to: session, as: who, in: world)
        }
        var random = SeededGenerator(seed: seed)
        let batches = run.points.shuffled(using: &random).cut(sizeMax: 30, using: &random)
        for batch in batches.prefix(2) { try await world.send(batch, to: session, as: who) }
        try await world.stop(session, at: run.end, as: who)
        for batch in batches.dropFirst(2) { try await world.send(batch, to: session, as: who) }
        let expected = try run.expected()
        #expect(try await world.stored(session) == expected)
        let result = try await world.tracking.session(who, .init(session: session.id))
        #expect(result.session.distance == expected.distance)
        #expect(result.session.state == .finished)
        #expect(result.session.endedAt == run.end)
        #expect(result.route == (try run.expectedRoute()))
        // A late point does not bring a finished runner back to the map.
        #expect(await world.hub.sessions.shown(session.id) == nil)
        #expect(await world.tracking.records[session.id] == nil)
    }

    @Test(
        "Points with restarts of the server in between give the same result to the last bit",
        arguments: [21, 22] as [UInt64])
    func restarts(seed: UInt64) async throws {
        var world = try await World()
        let start = world.clock.now
        world.clock.advance(bySeconds: 3_600)
        let run = SyntheticRun(seed: seed, count: 160, start: start, pauses: 2)
        let who = try await world.member()
        let session = try await world.start(who, audience: .public, at: start)
        var random = SeededGenerator(seed: seed)
        for (index, message) in inOrder(run, &random).enumerated() {
            if index % 2 == 1 { world = world.restarted() }
            try await deliver(message, to: session, as: who, in: world)
            #expect(try await world.tracking.current(who).first?.distance == world.stored(session).distance)
        }
        #expect(try await world.stored(session) == (try run.expected()))
        #expect(await world.hub.sessions.shown(session.id)?.route == (try run.expectedRoute().asKept))
    }

    @Test("The map shows what was there after a restart, offline until the next point")
    func restore() async throws {
        let own = World(access: try await MigratedDatabase.shared.own())
        let who = try await own.member()
        let session = try await own.start(who, audience: .public)
        let paused = try await own.start(who)
        let finished = try await own.start(who)
        own.clock.advance(bySeconds: 60)
        try await own.send(steadyRun(1...50, from: session.startedAt), to: session, as: who)
        _ = try await own.pause(paused, as: who)
        try await own.stop(finished, as: who)
        let before = try #require(await own.hub.sessions.shown(session.id))

        let next = own.restarted()
        try await next.tracking.restore()
        #expect(await next.hub.sessions.shownIDs == [session.id, paused.id])
        let after = try #require(await next.hub.sessions.shown(session.id))
        #expect(after.route == before.route)
        #expect(after.runner?.state == .offline)
        #expect(after.runner?.at == before.runner?.at)
        #expect(after.session == before.session)
        #expect(await next.hub.sessions.shown(paused.id)?.state == .paused)
        try await next.send(steadyRun(51...52, from: session.startedAt), to: session, as: who)
        #expect(await next.hub.sessions.shown(session.id)?.runner?.state == .moving)
        await own.close()
    }
}
