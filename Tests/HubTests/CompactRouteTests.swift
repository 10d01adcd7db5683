import Testing
import TestSupport
import Wire

@testable import Hub

@Suite("Routes as they are kept")
struct CompactRouteTests {
    private func walk(_ count: Int, from start: LatLon, _ generator: inout SeededGenerator) -> [LatLon] {
        var at = start
        return (0..<count).map { _ in
            at = LatLon(
                min(90, max(-90, at.latitude + .random(in: -4e-5...4e-5, using: &generator))),
                min(180, max(-180, at.longitude + .random(in: -4e-5...4e-5, using: &generator))))
            return at
        }
    }

    @Test(
        "A route comes back piece by piece, no point further off than half a step, wherever on Earth it is",
        arguments: 1...20)
    func comesBack(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let route = (0..<5).map { _ in
            walk(
                .random(in: 1...200, using: &generator),
                from: LatLon(.random(in: -90...90, using: &generator), .random(in: -180...180, using: &generator)),
                &generator)
        }
        let kept = CompactRoute(route)
        #expect(kept.count == route.joined().count)
        #expect(kept.points.map(\.count) == route.map(\.count))
        for (was, now) in zip(route.joined(), kept.points.joined()) {
            #expect(
                abs(was.latitude - now.latitude) <= 0.500_001e-7 && abs(was.longitude - now.longitude) <= 0.500_001e-7)
        }
        // What was rounded once stays as it is.
        #expect(CompactRoute(kept.points).points == kept.points)
    }

    @Test("The ends of the Earth and leaps across it are kept")
    func ends() {
        let route = [[LatLon(90, 180), LatLon(-90, -180), LatLon(0, 0)], [LatLon(-90, 180)]]
        #expect(CompactRoute(route).points == route)
        #expect(CompactRoute([]).points.isEmpty && CompactRoute([]).isEmpty)
        #expect(CompactRoute([[]]).points == [[]])
    }

    @Test("Grown point by point it is the same as made at once")
    func grows() {
        var generator = SeededGenerator(seed: 7)
        let points = walk(1_000, from: LatLon(47.3, 8.5), &generator)
        var kept = CompactRoute([])
        kept.startPiece()
        for point in points { kept.append([point]) }
        #expect(kept.points == CompactRoute([points]).points)
    }

    @Test(
        "Thinned, it keeps the ends of its pieces and every second point, and loses old pieces only when nothing else is left"
    )
    func thins() {
        var generator = SeededGenerator(seed: 8)
        let route = [walk(100, from: LatLon(1, 1), &generator), walk(51, from: LatLon(2, 2), &generator)].asKept
        var kept = CompactRoute(route)
        kept.thin(to: 151)
        #expect(kept.points == route)
        kept.thin(to: 150)
        #expect(kept.points.map(\.count) == [51, 26] && kept.count == 77)
        #expect(kept.points.map(\.first) == route.map(\.first) && kept.points.map(\.last) == route.map(\.last))
        var ends = CompactRoute((0..<100).map { [LatLon(0, Double($0))] })
        ends.thin(to: 60)
        #expect(ends.points == (50..<100).map { [LatLon(0, Double($0))] })
    }
}
