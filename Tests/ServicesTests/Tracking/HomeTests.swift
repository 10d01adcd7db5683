import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Services

@Suite("A session that goes on at another server")
struct HomeTests {
    private func isRefused(_ error: any Error) -> Bool {
        RPCError.clientError(error)?.registered == .unavailable
    }

    @Test("Whoever wrote it before is refused until it takes it back as it is then: each point once, right sums")
    func points() async throws {
        let world = try await World()
        let other = world.restarted()
        let who = try await world.member()
        let start = world.clock.now
        world.clock.advance(bySeconds: 7_200)
        let run = SyntheticRun(seed: 51, count: 300, start: start)
        let session = try await world.start(who, at: start)
        var random = SeededGenerator(seed: 51)
        var refusals = 0
        for batch in run.points.cut(sizeMax: 20, using: &random) {
            // The phone's connection is now here, now there.
            let here = Bool.random(using: &random) ? world : other
            for attempt in 0..<3 {
                do {
                    try await here.send(batch, to: session, as: who)
                    break
                } catch {
                    guard isRefused(error), attempt < 2 else { throw error }
                    refusals += 1
                }
            }
        }
        #expect(refusals > 0)
        #expect(try await world.stored(session) == (try run.expected()))
        let stopped = try await again { try await world.stop(session, as: who) }
        #expect(stopped.points == run.points.count)
    }

    private func again<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch {
            guard isRefused(error) else { throw error }
            return try await body()
        }
    }

    @Test("A pause and a stop at one server hold at the other, which knew of neither")
    func moments() async throws {
        let world = try await World()
        let other = world.restarted()
        let who = try await world.member()
        let session = try await world.start(who)
        _ = try await other.pause(session, as: who)
        // It takes it for running, until it has seen that the session is another's.
        await #expect { try await world.resume(session, as: who) } throws: { isRefused($0) }
        world.clock.advance(bySeconds: 5)
        let resumed = try await again { try await world.resume(session, as: who) }
        #expect(resumed.state == .running)
        _ = try await again { try await other.stop(session, as: who) }
        let stopped = try await again { try await world.stop(session, as: who) }
        #expect(stopped.state == .finished)
    }

    @Test("An audience that was lowered at one server is never raised by points at the other")
    func audience() async throws {
        let world = try await World()
        let other = world.restarted()
        let who = try await world.member()
        let session = try await world.start(who, audience: .public)
        let points = SyntheticRun(seed: 52, count: 60, start: world.clock.now).points
        world.clock.advance(bySeconds: 10)
        try await world.send([points[0]], to: session, as: who)
        _ = try await other.tracking.setAudience(who, .init(session: session.id, audience: .private))
        await #expect { try await world.send([points[1]], to: session, as: who) } throws: { isRefused($0) }
        let reply = try await world.send([points[1], points[2]], to: session, as: who)
        #expect(reply.session.audience == .private)
        #expect(await world.hub.sessions.shown(session.id)?.session.audience == .private)
    }

    @Test("A server that starts shows a running session and takes it only when it has to write it")
    func restart() async throws {
        let world = try await World()
        let who = try await world.member()
        let start = world.clock.now
        world.clock.advance(bySeconds: 7_200)
        let run = SyntheticRun(seed: 53, count: 40, start: start)
        let session = try await world.start(who, at: start)
        try await world.send(Array(run.points[..<20]), to: session, as: who)
        let other = world.restarted()
        try await other.tracking.restore()
        #expect(await other.hub.sessions.shown(session.id) != nil)
        try await world.send(Array(run.points[20..<30]), to: session, as: who)
        try await other.send(Array(run.points[30...]), to: session, as: who)
        #expect(try await other.stored(session) == (try run.expected()))
    }
}
