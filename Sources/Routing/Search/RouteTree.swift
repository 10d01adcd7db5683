/// The cheapest ways from everywhere to one destination. Walkers with the same destination and preferences share it.
public struct RouteTree: Sendable {
    private static let unreached = Int64.max

    public let weights: RouteWeights
    public let destination: RouteEnd
    private let end: LocatedEnd
    private let costs: [Int64]
    /// The edge from each vertex; -1 at the destination.
    private let next: [Int32]
    /// Says why vertices that are connected to the destination have no route; nil if all have one.
    private let excluded: ExcludedWays?

    /// Searches backwards from the destination (Dijkstra 1959). O(edges × log vertices).
    /// - Throws: ``RouteError`` if the destination is not on the map.
    public init(to destination: RouteEnd, _ weights: RouteWeights) throws(RouteError) {
        let graph = weights.graph
        end = try weights.locate(destination, .destination)
        self.destination = destination
        self.weights = weights
        var costs = [Int64](repeating: Self.unreached, count: graph.vertexCount)
        var next = [Int32](repeating: -1, count: graph.vertexCount)
        var queue = SearchQueue()
        for seed in end.seeds where seed.cost < costs[Int(seed.vertex)] {
            costs[Int(seed.vertex)] = seed.cost
            queue.insert(seed.cost, seed.vertex)
        }
        while let (cost, vertex) = queue.popMin() {
            guard cost == costs[Int(vertex)] else { continue }
            for position in graph.firstIncoming[Int(vertex)]..<graph.firstIncoming[Int(vertex) + 1] {
                let edge = graph.incomingEdges[Int(position)]
                let weight = weights.costs[Int(edge)]
                guard weight != RouteWeights.closed else { continue }
                let (source, total) = (graph.sources[Int(edge)], cost + Int64(weight))
                guard total < costs[Int(source)], total <= RouteLimits.routeCostMax / 2 else { continue }
                costs[Int(source)] = total
                next[Int(source)] = edge
                queue.insert(total, source)
            }
        }
        let parts = Set(end.seeds.map { graph.parts[Int($0.vertex)] })
        let isCutOff = costs.indices.contains { costs[$0] == Self.unreached && parts.contains(graph.parts[$0]) }
        excluded = isCutOff ? ExcludedWays(to: end.seeds, weights) : nil
        (self.costs, self.next) = (costs, next)
    }

    /// The cheapest route from a start to the destination. O(length of the route).
    /// - Throws: ``RouteError``.
    public func route(from start: RouteEnd) throws(RouteError) -> Route {
        guard start != destination else { throw .startIsDestination }
        let from = try weights.locate(start, .start)
        let assembly = RouteAssembly(weights)
        let direct = assembly.direct(from, end)
        let reachable = from.seeds.filter { costs[Int($0.vertex)] != Self.unreached }
        guard let seed = reachable.min(by: { $0.cost + costs[Int($0.vertex)] < $1.cost + costs[Int($1.vertex)] }) else {
            if let direct { return direct }
            throw weights.missing(from, end, excluded)
        }
        var edges: [Int32] = []
        var vertex = seed.vertex
        while next[Int(vertex)] >= 0 {
            edges.append(next[Int(vertex)])
            vertex = weights.graph.targets[Int(next[Int(vertex)])]
        }
        guard let goal = end.seeds.filter({ $0.vertex == vertex }).min(by: { $0.cost < $1.cost }) else {
            throw weights.missing(from, end, excluded)
        }
        let cost = seed.cost + costs[Int(seed.vertex)]
        let route = assembly.route(.init(start: seed, edges: edges, goal: goal, cost: cost), entry: end.entry)
        return direct.map { $0.cost < route.cost ? $0 : route } ?? route
    }
}
