import Campus
import Dispatch
import EventLoop
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Services

@Suite("A long session")
struct LongSessionTests {
    /// A session with points `first` to `count`, one a second.
    private func started(
        _ world: World, _ who: Identity, first: Int64 = 1, count: Int64
    ) async throws -> (Session, [TrackPoint]) {
        world.clock.advance(bySeconds: Double(count) + 60)
        let session = try await world.start(
            who, audience: .public, at: world.clock.now.advanced(bySeconds: -Double(count) - 30))
        let points = steadyRun(first...count, from: session.startedAt)
        for start in stride(from: 0, to: points.count, by: 500) {
            try await world.send(Array(points[start..<min(start + 500, points.count)]), to: session, as: who)
        }
        return (session, points)
    }

    private func judged(_ points: [TrackPoint], pauses: [GPSFilter.Pause] = []) throws -> [FilteredPoint] {
        let result = GPSFilter.recompute(
            activity: .run, fixes: try points.map { try GPSFilter.Fix($0) }, pauses: pauses)
        return zip(points, result.verdicts).map { FilteredPoint(point: $0, verdict: $1) }
    }

    /// Holds the pool's only worker while `body` runs.
    private func withBlocked(_ workers: WorkerPool, _ body: () async throws -> Void) async throws {
        let gate = DispatchSemaphore(value: 0)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        async let blocked: Void = workers.run {
            start.finish()
            gate.wait()
        }
        for await _ in started {}
        defer { gate.signal() }
        try await body()
        gate.signal()
        try await blocked
    }

    @Test("A long session sends its route, thinned, to callers and viewers")
    func route() async throws {
        let world = try await World()
        let who = try await world.member()
        let (session, points) = try await started(world, who, count: 20_000)
        try await world.stop(session, as: who)
        let result = try await world.tracking.session(nil, .init(session: session.id, share: nil))
        let expected = try judged(points)
        #expect(result.route == Tracking.thinned(Tracking.draw(expected).pieces.map(\.points)))
        #expect(result.session.points == 20_000)
        let reasons = expected.compactMap { $0.reason?.rawValue }
        #expect(result.notCounted == Dictionary(grouping: reasons) { $0 }.mapValues(\.count))
        let frame = try #require(try await world.watch(RecordingViewer(loop: world.loop), session.id))
        let snapshot = try WireJSON.decode(
            Success<Subscribed<SessionSnapshot>>.self, from: frame
        ).result.snapshot
        #expect(snapshot.route == result.route)
    }

    @Test("A long session is filtered and drawn by a worker, for which no other request waits")
    func worker() async throws {
        // Nothing may wait for the worker: what needs it is refused at once while it is held.
        let workers = WorkerPool(label: "held", concurrentMax: 1, waitingMax: 0)
        let world = try await World()
        let who = try await world.member()
        let (session, points) = try await started(world, who, count: 1_000)
        let (finished, _) = try await started(world, who, first: 2, count: 1_001)
        try await world.stop(finished, as: who)
        let held = world.restarted(routes: workers)
        try await withBlocked(workers) {
            await #expect(throws: WorkerPool.Overloaded.self) {
                _ = try await held.tracking.session(nil, .init(session: finished.id, share: nil))
            }
            await #expect(throws: WorkerPool.Overloaded.self) {
                _ = try await held.watch(RecordingViewer(loop: held.loop), finished.id)
            }
            // Loads the session first.
            await #expect(throws: WorkerPool.Overloaded.self) { try await held.send([points[0]], to: session, as: who) }
            // A point of before the stop that comes late: everything is judged anew.
            let late = steadyRun(1...1, from: finished.startedAt)
            await #expect(throws: WorkerPool.Overloaded.self) { try await held.send(late, to: finished, as: who) }
            let other = try await held.member()
            let short = try await held.start(other, audience: .public)
            #expect(try await held.tracking.current(other).map(\.id) == [short.id])
            #expect(try await held.tracking.session(nil, .init(session: short.id, share: nil)).route.isEmpty)
        }
        #expect(try await world.stored(finished).count == 1_000)
    }

    @Test("A long session whose verdicts change by the thousand is committed apart from other sessions' points")
    func apart() async throws {
        let world = World(access: try await MigratedDatabase.shared.own(), patience: .seconds(120))
        let who = try await world.member()
        // More than one statement takes.
        let count = Int64(RefilteredSession.verdictsPerStatementMax + 500)
        let (session, points) = try await started(world, who, count: count)
        // Whatever would go through the group fails from now on.
        await world.writer.close()
        let from = session.startedAt.advanced(bySeconds: 100)
        let paused = try await world.pause(session, at: from, as: who)
        let expected = try judged(
            points, pauses: [.init(fromMilliseconds: from.milliseconds, toMilliseconds: nil)])
        let stored = try await world.stored(session)
        #expect(
            stored.points
                == expected.map {
                    .init(seq: $0.point.seq, distance: $0.distance, moving: $0.moving, reason: $0.reason?.rawValue)
                })
        #expect(stored.points.count { $0.reason == "paused" } > RefilteredSession.verdictsPerStatementMax)
        #expect(paused.state == .paused)
        #expect(stored.distance == paused.distance)
        // Few changes go with everybody's.
        await #expect(throws: (any Error).self) { try await world.resume(session, as: who) }
        await world.pool.close()
    }
}
