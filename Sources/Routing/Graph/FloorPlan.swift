/// The outline of an area on the grid, and which of its points see each other. All computing is with whole numbers, and
/// therefore exact.
struct FloorPlan {
    /// A point relative to the area's first one. Within ``RouteLimits/sideDegreesMax`` a product has at most 52 bits.
    struct Point {
        var x: Int64
        var y: Int64

        /// Twice the area of the triangle: positive if `third` is to the left of the line from here to `second`.
        func turn(_ second: Point, _ third: Point) -> Int64 {
            (second.x - x) * (third.y - y) - (second.y - y) * (third.x - x)
        }
    }

    /// Points of all rings, without the closing ones.
    private(set) var ids: [Int64] = []
    private(set) var points: [Point] = []
    /// Whether the shortest way may bend at the point: a corner that juts into the area.
    private(set) var isCorner: [Bool] = []
    /// The points of each ring.
    private(set) var rings: [Range<Int>] = []

    init(_ area: RouteNetwork.Area, _ network: RouteNetwork) {
        guard let first = area.outer.first?.first, let origin = network.nodes[first]?.point else { return }
        for (ring, isHole) in area.outer.map({ ($0, false) }) + area.holes.map({ ($0, true) }) {
            let start = points.count
            for id in ring.dropLast() {
                guard let point = network.nodes[id]?.point else { continue }
                ids.append(id)
                points.append(
                    Point(
                        x: Int64(point.longitude) - Int64(origin.longitude),
                        y: Int64(point.latitude) - Int64(origin.latitude)))
            }
            guard points.count - start >= 3 else {
                ids.removeLast(points.count - start)
                points.removeLast(points.count - start)
                continue
            }
            rings.append(start..<points.count)
            addCorners(start..<points.count, isHole: isHole)
        }
    }

    private mutating func addCorners(_ ring: Range<Int>, isHole: Bool) {
        // Doubles, because the sum of many products may not fit; only its sign counts.
        let area = ring.reduce(0.0) { sum, index in
            let next = index + 1 < ring.upperBound ? index + 1 : ring.lowerBound
            return sum + Double(points[index].x * points[next].y - points[next].x * points[index].y)
        }
        for index in ring {
            let before = index > ring.lowerBound ? index - 1 : ring.upperBound - 1
            let next = index + 1 < ring.upperBound ? index + 1 : ring.lowerBound
            let turn = points[before].turn(points[index], points[next])
            let isLeft = (turn > 0) == (area > 0)
            isCorner.append(turn != 0 && isLeft == isHole)
        }
    }

    /// Whether the straight line between two points stays within the area or on its edge. O(points).
    func isVisible(_ one: Int, _ other: Int) -> Bool {
        let (from, to) = (points[one], points[other])
        // Points of the outline on the line split it.
        var stops: [Point] = []
        for ring in rings {
            var last = ring.upperBound - 1
            for index in ring {
                let (start, end) = (points[last], points[index])
                last = index
                let (side1, side2) = (from.turn(to, start).signum(), from.turn(to, end).signum())
                if side1 * side2 < 0, start.turn(end, from).signum() * start.turn(end, to).signum() < 0 { return false }
                if side2 == 0, isBetween(end, from, to) { stops.append(end) }
            }
        }
        let byDistance = stops.sorted {
            abs($0.x - from.x) + abs($0.y - from.y) < abs($1.x - from.x) + abs($1.y - from.y)
        }
        var last = from
        for stop in byDistance + [to] {
            guard containsMiddle(last, stop) else { return false }
            last = stop
        }
        return true
    }

    private func isBetween(_ point: Point, _ from: Point, _ to: Point) -> Bool {
        let (along, length) = (
            (point.x - from.x) * (to.x - from.x) + (point.y - from.y) * (to.y - from.y),
            (to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y)
        )
        return along > 0 && along < length
    }

    /// Whether the middle of two points is inside (even-odd rule) or on an edge. Works in halves of the grid.
    private func containsMiddle(_ one: Point, _ other: Point) -> Bool {
        let middle = Point(x: one.x + other.x, y: one.y + other.y)
        var isInside = false
        for ring in rings {
            var last = ring.upperBound - 1
            for index in ring {
                let start = Point(x: 2 * points[last].x, y: 2 * points[last].y)
                let end = Point(x: 2 * points[index].x, y: 2 * points[index].y)
                last = index
                let turn = start.turn(end, middle)
                if turn == 0, min(start.x, end.x) <= middle.x, middle.x <= max(start.x, end.x),
                    min(start.y, end.y) <= middle.y,
                    middle.y <= max(start.y, end.y)
                {
                    return true
                }
                if (start.y > middle.y) != (end.y > middle.y), (turn > 0) == (end.y > start.y) { isInside.toggle() }
            }
        }
        return isInside
    }
}
