import Campus

/// Searches routes one after the other. It keeps its memory from search to search, so each thread has its own.
///
/// A* with bounds by landmarks (ALT; Goldberg and Harrelson 2005). Its costs are those of Dijkstra's algorithm.
public struct RouteFinder: Sendable {
    private var costs: [Int64] = []
    /// The edge to each vertex; -1 at the start.
    private var edges: [Int32] = []
    /// The number of the search that reached a vertex, or settled it.
    private var reached: [UInt32] = []
    private var settled: [UInt32] = []
    private var round: UInt32 = 0
    private var queue = SearchQueue()

    public init() {}

    /// The cheapest route.
    /// - Throws: ``RouteError``.
    public mutating func route(
        from start: RouteEnd, to destination: RouteEnd, _ weights: RouteWeights
    ) throws(RouteError) -> Route {
        guard start != destination else { throw .startIsDestination }
        let from = try weights.locate(start, .start)
        let to = try weights.locate(destination, .destination)
        let assembly = RouteAssembly(weights)
        let direct = assembly.direct(from, to)
        guard let path = path(from.seeds, to.seeds, weights) else {
            if let direct { return direct }
            throw weights.missing(from, to, ExcludedWays(to: to.seeds, weights))
        }
        let route = assembly.route(path, entry: to.entry)
        return direct.map { $0.cost < route.cost ? $0 : route } ?? route
    }

    /// The cost between two vertices, for comparisons with other programs.
    /// - Returns: Nil without a way, or for a number that is no vertex.
    public mutating func cost(from start: Int, to goal: Int, _ weights: RouteWeights) -> Int64? {
        let vertices = 0..<weights.graph.vertexCount
        guard vertices.contains(start), vertices.contains(goal) else { return nil }
        func seed(_ vertex: Int) -> Seed {
            Seed(vertex: Int32(vertex), cost: 0, time: 0, metres: 0, line: [], edge: nil)
        }
        return path([seed(start)], [seed(goal)], weights)?.cost
    }

    /// A path on the graph, with its seeds.
    struct Path {
        var start: Seed
        var edges: [Int32]
        var goal: Seed
        var cost: Int64
    }

    mutating func path(_ starts: [Seed], _ goals: [Seed], _ weights: RouteWeights) -> Path? {
        let graph = weights.graph
        begin(graph.vertexCount)
        let bounds = RouteBounds(starts, goals, weights)
        // Arrays by themselves, because each access through the graph counts references.
        let (firstEdge, targets, edgeCosts) = (graph.firstEdge, graph.targets, weights.costs)
        for seed in starts { reach(seed.vertex, seed.cost, -1, bounds) }
        var best: (goal: Seed, cost: Int64)?
        while let (key, vertex) = queue.popMin() {
            if let best, key >= best.cost { break }
            guard settled[Int(vertex)] != round else { continue }
            settled[Int(vertex)] = round
            let cost = costs[Int(vertex)]
            for goal in goals where goal.vertex == vertex && cost + goal.cost < best?.cost ?? .max {
                best = (goal, cost + goal.cost)
            }
            for edge in firstEdge[Int(vertex)]..<firstEdge[Int(vertex) + 1] {
                let weight = edgeCosts[Int(edge)]
                guard weight != RouteWeights.closed else { continue }
                reach(targets[Int(edge)], cost + Int64(weight), edge, bounds)
            }
        }
        guard let best else { return nil }
        var path: [Int32] = []
        var vertex = best.goal.vertex
        while edges[Int(vertex)] >= 0 {
            path.append(edges[Int(vertex)])
            vertex = graph.sources[Int(edges[Int(vertex)])]
        }
        let start = starts.filter { $0.vertex == vertex }.min { $0.cost < $1.cost }
        return start.map { Path(start: $0, edges: path.reversed(), goal: best.goal, cost: best.cost) }
    }

    /// Starts a round. The marks of earlier rounds are below it.
    private mutating func begin(_ count: Int) {
        if costs.count != count || round == .max {
            costs = [Int64](repeating: 0, count: count)
            edges = [Int32](repeating: -1, count: count)
            reached = [UInt32](repeating: 0, count: count)
            settled = reached
            round = 0
        }
        round += 1
        queue.removeAll()
    }

    private mutating func reach(_ vertex: Int32, _ cost: Int64, _ edge: Int32, _ bounds: RouteBounds) {
        let index = Int(vertex)
        guard settled[index] != round, reached[index] != round || cost < costs[index],
            cost <= RouteLimits.routeCostMax / 2
        else { return }
        reached[index] = round
        costs[index] = cost
        edges[index] = edge
        queue.insert(cost + bounds.bound(vertex), vertex)
    }
}

/// Lower bounds of the costs to the nearest goal, by the landmarks that say most about the start. Free walking times obey the
/// triangle inequality, and no weight is below them.
struct RouteBounds {
    /// Number of landmarks of one search.
    private static let boundsMax = 4

    private struct Bound {
        var landmark: Int
        var isFrom: Bool
        var constant: Int32
    }

    private var bounds: [Bound] = []
    private let count: Int
    private let from: [Int32]
    private let to: [Int32]
    private let speed: Int64

    init(_ starts: [Seed], _ goals: [Seed], _ weights: RouteWeights) {
        let landmarks = weights.graph.landmarks
        (count, from, to, speed) = (landmarks.count, landmarks.from, landmarks.to, Int64(weights.profile.speed))
        guard let start = starts.first else { return }
        var found: [(bound: Bound, value: Int32)] = []
        for landmark in 0..<count {
            var (least, most) = (Int32.max, Int32(0))
            for goal in goals {
                least = min(least, from[Int(goal.vertex) * count + landmark])
                most = max(most, to[Int(goal.vertex) * count + landmark])
            }
            for bound in [
                Bound(landmark: landmark, isFrom: true, constant: least),
                Bound(landmark: landmark, isFrom: false, constant: most),
            ] where bound.constant != .max {
                found.append((bound, value(bound, row: Int(start.vertex) * count)))
            }
        }
        bounds = found.sorted { $0.value > $1.value }.prefix(Self.boundsMax).map(\.bound)
    }

    private func value(_ bound: Bound, row: Int) -> Int32 {
        let known = bound.isFrom ? from[row + bound.landmark] : to[row + bound.landmark]
        guard known != .max else { return 0 }
        return bound.isFrom ? bound.constant - known : known - bound.constant
    }

    /// A speed above the normal one makes the bound smaller.
    func bound(_ vertex: Int32) -> Int64 {
        var best: Int32 = 0
        for bound in bounds { best = max(best, value(bound, row: Int(vertex) * count)) }
        let normal = Int64(RouteProfile.speedDefault)
        return speed > normal ? Int64(best) * normal / speed : Int64(best)
    }
}
