import Campus
import HeapModule

/// The walkable ways of a campus as a graph: points, and the distances between neighbouring points.
struct WalkGraph {
    struct Edge {
        let to: Int32
        let metres: Float
    }
    private struct Reached: Comparable {
        let metres: Float
        let point: Int32
        static func < (one: Reached, other: Reached) -> Bool { one.metres < other.metres }
    }

    let points: [GeoPoint]
    let edges: [[Edge]]

    /// Creates the graph of the largest connected part of the walkable ways.
    init(_ ways: [CampusDocument.Way]) {
        var numbers: [GeoPoint: Int32] = [:]
        var points: [GeoPoint] = []
        var edges: [[Edge]] = []
        for way in ways where way.isWalkable {
            var last: Int32?
            for point in way.line {
                let number = numbers[point] ?? Int32(points.count)
                if numbers.updateValue(number, forKey: point) == nil {
                    points.append(point)
                    edges.append([])
                }
                if let last, last != number {
                    let metres = Float(points[Int(last)].distance(to: point))
                    edges[Int(last)].append(Edge(to: number, metres: metres))
                    edges[Int(number)].append(Edge(to: last, metres: metres))
                }
                last = number
            }
        }
        let kept = Self.largestPart(edges)
        let renumbered = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($0.element, Int32($0.offset)) })
        self.points = kept.map { points[Int($0)] }
        self.edges = kept.map { old in
            edges[Int(old)].compactMap { edge in renumbered[edge.to].map { Edge(to: $0, metres: edge.metres) } }
        }
    }

    private static func largestPart(_ edges: [[Edge]]) -> [Int32] {
        var seen = [Bool](repeating: false, count: edges.count)
        var largest: [Int32] = []
        for start in edges.indices where !seen[start] {
            seen[start] = true
            var part = [Int32(start)]
            var next = 0
            while next < part.count {
                for edge in edges[Int(part[next])] where !seen[Int(edge.to)] {
                    seen[Int(edge.to)] = true
                    part.append(edge.to)
                }
                next += 1
            }
            if part.count > largest.count { largest = part }
        }
        return largest.sorted()
    }

    /// The point nearest to a position. O(points).
    func nearest(to place: GeoPoint) -> Int32 {
        Int32(points.indices.min { points[$0].distance(to: place) < points[$1].distance(to: place) } ?? 0)
    }

    /// For each point, the next point on the shortest way to `goal`; for the goal, itself. O(edges · log points),
    /// Dijkstra 1959.
    func waysTo(_ goal: Int32) -> [Int32] {
        var next = [Int32](repeating: goal, count: points.count)
        var best = [Float](repeating: .infinity, count: points.count)
        best[Int(goal)] = 0
        var heap = Heap([Reached(metres: 0, point: goal)])
        while let reached = heap.popMin() {
            guard reached.metres == best[Int(reached.point)] else { continue }
            for edge in edges[Int(reached.point)] where reached.metres + edge.metres < best[Int(edge.to)] {
                best[Int(edge.to)] = reached.metres + edge.metres
                next[Int(edge.to)] = reached.point
                heap.insert(Reached(metres: best[Int(edge.to)], point: edge.to))
            }
        }
        return next
    }
}
