import Campus
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Splits per kilometre")
struct SplitTests {
    private static let start = Timestamp("2026-11-15T12:00:00.000Z") ?? .now

    /// A point that adds `metres`, `seconds` after the start.
    private func point(
        _ seq: Int64, _ metres: Double, at seconds: Double, _ reason: GPSFilter.Reason? = nil
    ) -> FilteredPoint {
        let verdict: GPSFilter.Verdict =
            if let reason { .notCounted(reason) } else { .counted(distanceMetres: metres, movingSeconds: 1) }
        return FilteredPoint(
            point: TrackPoint(seq: seq, lat: 0, lon: 0, time: Self.start.advanced(bySeconds: seconds)),
            verdict: verdict)
    }

    private func splits(_ points: [FilteredPoint], pauses: [GPSFilter.Pause] = []) -> [Split] {
        var times = SplitTimes(pauses: pauses)
        times.beginStretch(from: Self.start)
        for point in points { times.add(point) }
        return times.splits
    }

    @Test("A kilometre ends where it is reached, also between two points, and the rest is the last split")
    func interpolated() {
        let steady = (1...25).map { point(Int64($0), 100, at: Double($0) * 30) }
        #expect(
            splits(steady) == [
                .init(distance: 1_000, elapsed: 300), .init(distance: 1_000, elapsed: 300),
                .init(distance: 500, elapsed: 150),
            ])
        // 2,500 m in one step of 500 s, after 800 m.
        let jumps = [point(1, 800, at: 100), point(2, 2_500, at: 600)]
        #expect(
            splits(jumps) == [
                .init(distance: 1_000, elapsed: 140), .init(distance: 1_000, elapsed: 200),
                .init(distance: 1_000, elapsed: 200), .init(distance: 300, elapsed: 60),
            ])
    }

    @Test("Pauses are left out, standing still is not, and a few metres at the end are no split")
    func pauses() {
        let from = Self.start.advanced(bySeconds: 100).milliseconds
        let pause = GPSFilter.Pause(fromMilliseconds: from, toMilliseconds: from + 1_000_000)
        let points = [
            point(1, 500, at: 100), point(2, 0, at: 600, .paused), point(3, 0, at: 1_100, .resumed),
            point(4, 0, at: 1_160, .drift), point(5, 505, at: 1_260),
        ]
        let found = splits(points, pauses: [pause])
        #expect(found.map(\.distance) == [1_000])
        let expected: Double = 160 + 100.0 * 500 / 505
        let elapsed = found.first?.elapsed ?? 0
        #expect(abs(elapsed - expected) < 0.01)
        #expect(splits([]).isEmpty)
    }

    @Test("Times that go backwards, an open pause and a distance beyond any earth end in bounded splits")
    func bounded() {
        let open = GPSFilter.Pause(fromMilliseconds: Self.start.milliseconds, toMilliseconds: nil)
        let points = [point(1, 600, at: 50), point(2, 600, at: 10), point(3, .greatestFiniteMagnitude, at: 60)]
        let found = splits(points, pauses: [open])
        #expect(found.count == SplitTimes.splitsMax)
        #expect(found.allSatisfy { $0.elapsed >= 0 && $0.elapsed.isFinite })
    }

    @Test("A session's splits add up to its distance, for its owner and for others alike")
    func session() async throws {
        let world = try await World()
        let who = try await world.member()
        let start = world.clock.now.advanced(bySeconds: -1_000)
        let session = try await world.start(who, audience: .public, at: start)
        for first in stride(from: Int64(1), to: 600, by: 300) {
            try await world.send(steadyRun(first...(first + 299), from: start), to: session, as: who)
        }
        let ended = try await world.stop(session, as: who)
        for reader in [who, nil] {
            let splits = try #require(
                try await world.tracking.session(reader, .init(session: session.id)).splits)
            #expect(splits.count == 3)
            #expect(abs(splits.reduce(0) { $0 + $1.distance } - ended.distance) < 1)
            for split in splits.dropLast() { #expect(abs(split.elapsed - 250) < 8) }
        }
    }
}
