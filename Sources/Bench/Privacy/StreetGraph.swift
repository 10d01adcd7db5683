import Campus
import Foundation

/// A point on the plane that touches the earth at an origin, in metres.
struct PlanePoint: Sendable, Hashable {
    var east: Double
    var north: Double

    func distance(to other: PlanePoint) -> Double { hypot(other.east - east, other.north - north) }

    func moved(toward other: PlanePoint, _ share: Double) -> PlanePoint {
        PlanePoint(east: east + (other.east - east) * share, north: north + (other.north - north) * share)
    }
}

/// A projection between the earth and a plane; accurate at the scale of a campus.
struct Plane: Sendable {
    let origin: GeoPoint
    private static let metresPerDegree = GeoPoint.earthRadiusMetres * .pi / 180

    func point(_ place: GeoPoint) -> PlanePoint {
        PlanePoint(
            east: (place.longitude - origin.longitude) * Self.metresPerDegree * cos(origin.latitude * .pi / 180),
            north: (place.latitude - origin.latitude) * Self.metresPerDegree)
    }

    func place(_ point: PlanePoint) -> GeoPoint { origin.offset(eastMetres: point.east, northMetres: point.north) }
}

/// A graph of walkable streets, with a node at least every ``spacingMetres``.
struct StreetGraph: Sendable {
    static let spacingMetres = 15.0

    private(set) var nodes: [PlanePoint] = []
    private(set) var neighbours: [[(node: Int, metres: Double)]] = []
    let plane: Plane

    /// Creates the graph of the largest connected part of a campus's walkable ways.
    init(_ document: CampusDocument) {
        plane = Plane(origin: document.bounds.centre)
        var known: [GeoPoint: Int] = [:]
        for way in document.ways where way.isWalkable {
            var last: Int?
            for place in way.line {
                let node = known[place] ?? add(plane.point(place))
                known[place] = node
                if let last, last != node { join(last, node) }
                last = node
            }
        }
        keepLargestPart()
    }

    /// Creates a synthetic town: irregular blocks of about 90 m, with some streets missing.
    init(blocks: Int, seed: UInt64) {
        plane = Plane(origin: SampleCampus.origin)
        var generator = SplitMix(seed)
        let half = Double(blocks) * 45
        for row in 0...blocks {
            for column in 0...blocks {
                _ = add(
                    PlanePoint(
                        east: Double(column) * 90 - half + generator.normal() * 14,
                        north: Double(row) * 90 - half + generator.normal() * 14))
            }
        }
        func node(_ row: Int, _ column: Int) -> Int { row * (blocks + 1) + column }
        for row in 0...blocks {
            for column in 0...blocks {
                if column < blocks, generator.uniform() > 0.15 { join(node(row, column), node(row, column + 1)) }
                if row < blocks, generator.uniform() > 0.15 { join(node(row, column), node(row + 1, column)) }
            }
        }
        keepLargestPart()
    }

    private mutating func add(_ point: PlanePoint) -> Int {
        nodes.append(point)
        neighbours.append([])
        return nodes.count - 1
    }

    private mutating func join(_ from: Int, _ to: Int) {
        let steps = max(1, Int((nodes[from].distance(to: nodes[to]) / Self.spacingMetres).rounded(.up)))
        var last = from
        for step in 1...steps {
            let next =
                step == steps ? to : add(nodes[from].moved(toward: nodes[to], Double(step) / Double(steps)))
            let metres = nodes[last].distance(to: nodes[next])
            neighbours[last].append((next, metres))
            neighbours[next].append((last, metres))
            last = next
        }
    }

    private mutating func keepLargestPart() {
        var part = [Int](repeating: -1, count: nodes.count)
        var sizes: [Int] = []
        for start in nodes.indices where part[start] < 0 {
            var open = [start]
            part[start] = sizes.count
            var size = 0
            while let node = open.popLast() {
                size += 1
                for next in neighbours[node] where part[next.node] < 0 {
                    part[next.node] = sizes.count
                    open.append(next.node)
                }
            }
            sizes.append(size)
        }
        guard let largest = sizes.indices.max(by: { sizes[$0] < sizes[$1] }) else { return }
        var numbers: [Int: Int] = [:]
        for node in nodes.indices where part[node] == largest { numbers[node] = numbers.count }
        let kept = nodes.indices.filter { numbers[$0] != nil }
        neighbours = kept.map { node in neighbours[node].compactMap { (numbers[$0.node] ?? 0, $0.metres) } }
        nodes = kept.map { nodes[$0] }
    }

    /// Shortest distances along the streets from a node, in metres, and the predecessors.
    struct Ways {
        var metres: [Double]
        var before: [Int]

        /// The nodes from the start to `node`.
        func path(to node: Int) -> [Int] {
            var path = [node]
            while let last = path.last, before[last] >= 0 { path.append(before[last]) }
            return path.reversed()
        }
    }

    /// The shortest ways from a node up to `metresMax` (Dijkstra). O(streets × log streets).
    func ways(from start: Int, metresMax: Double = .infinity) -> Ways {
        var ways = Ways(
            metres: [Double](repeating: .infinity, count: nodes.count), before: [Int](repeating: -1, count: nodes.count)
        )
        ways.metres[start] = 0
        var heap = [(metres: 0.0, node: start)]
        func sift(down index: Int) {
            var index = index
            while true {
                let (left, right) = (2 * index + 1, 2 * index + 2)
                var least = index
                if left < heap.count, heap[left].metres < heap[least].metres { least = left }
                if right < heap.count, heap[right].metres < heap[least].metres { least = right }
                guard least != index else { return }
                heap.swapAt(index, least)
                index = least
            }
        }
        while let top = heap.first {
            heap[0] = heap[heap.count - 1]
            heap.removeLast()
            if !heap.isEmpty { sift(down: 0) }
            guard top.metres <= ways.metres[top.node] else { continue }
            for next in neighbours[top.node] {
                let metres = top.metres + next.metres
                guard metres < ways.metres[next.node], metres <= metresMax else { continue }
                ways.metres[next.node] = metres
                ways.before[next.node] = top.node
                heap.append((metres, next.node))
                var index = heap.count - 1
                while index > 0, heap[index].metres < heap[(index - 1) / 2].metres {
                    heap.swapAt(index, (index - 1) / 2)
                    index = (index - 1) / 2
                }
            }
        }
        return ways
    }

    /// The node nearest to a point. O(nodes).
    func nearest(to point: PlanePoint) -> Int {
        nodes.indices.min { nodes[$0].distance(to: point) < nodes[$1].distance(to: point) } ?? 0
    }
}
