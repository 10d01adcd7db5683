/// The costs of a graph's edges for one profile, crowd and set of closures. Immutable and shared by all searches until the
/// next one replaces it, so that no request waits.
///
/// No cost is below the free walking time at the profile's speed; the search's bound depends on it.
public struct RouteWeights: Sendable {
    /// The cost of an edge that must not be used.
    static let closed = Int32.max

    public let profile: RouteProfile
    /// The closed source ids.
    public let closures: Set<String>
    let graph: RouteGraph
    /// Costs that the search minimises, in milliseconds.
    let costs: [Int32]
    /// Expected durations, in milliseconds. They differ from the costs if the profile avoids crowds.
    let times: [Int32]
    /// The same costs without closures.
    let openCosts: [Int32]

    /// Weighs all edges. O(edges).
    public init(
        _ graph: RouteGraph, profile: RouteProfile = RouteProfile(), crowd: RouteCrowd = .none,
        closures: Set<String> = []
    ) {
        let times = Self.weigh(graph, profile, crowd, aversion: 1)
        self.times = times
        openCosts =
            profile.avoidsCrowds && !crowd.isEmpty
            ? Self.weigh(graph, profile, crowd, aversion: RouteProfile.aversion) : times
        self.graph = graph
        self.profile = profile
        self.closures = closures
        costs = Self.closing(openCosts, graph, closures)
    }

    private init(_ other: RouteWeights, closures: Set<String>) {
        (graph, profile, times, openCosts) = (other.graph, other.profile, other.times, other.openCosts)
        self.closures = closures
        costs = Self.closing(openCosts, graph, closures)
    }

    /// The same weights with other closures. Copies the costs; O(edges), without computing them.
    public func closing(_ closures: Set<String>) -> RouteWeights { RouteWeights(self, closures: closures) }

    /// The usable edges with their costs in milliseconds, for comparisons with other programs.
    public var usableEdges: [(source: Int, target: Int, cost: Int)] {
        costs.indices.lazy.filter { costs[$0] != Self.closed }.map { edge in
            (Int(graph.sources[edge]), Int(graph.targets[edge]), Int(costs[edge]))
        }
    }

    /// Whether an edge is usable in its direction or the other one.
    func isUsable(_ edge: Int32) -> Bool { costs[Int(edge)] != Self.closed || reversed(edge) != nil }

    /// The usable edge in the other direction.
    func reversed(_ edge: Int32) -> Int32? {
        let (source, target) = (graph.sources[Int(edge)], graph.targets[Int(edge)])
        return graph.edges(of: target).first {
            graph.targets[Int($0)] == source && graph.edgeFeatures[Int($0)] == graph.edgeFeatures[Int(edge)]
                && costs[Int($0)] != Self.closed
        }
    }

    /// Whether an edge is usable for those who can climb steps.
    func isOpenWithSteps(_ edge: Int32) -> Bool {
        guard costs[Int(edge)] == Self.closed else { return true }
        // An edge that is usable without closures is closed.
        guard openCosts[Int(edge)] == Self.closed else { return false }
        guard !closures.isEmpty else { return true }
        let ends = [graph.sources[Int(edge)], graph.targets[Int(edge)]]
        return !closures.contains(graph.features[Int(graph.edgeFeatures[Int(edge)])].sourceID)
            && !ends.contains { vertex in
                graph.vertices[Int(vertex)].node.map { closures.contains("node/\($0)") } ?? false
            }
    }

    private static func weigh(_ graph: RouteGraph, _ profile: RouteProfile, _ crowd: RouteCrowd, aversion: Double)
        -> [Int32]
    {
        let factors = crowd.isEmpty ? [] : graph.crowdCells.factors(crowd, aversion: aversion)
        let (normal, speed) = (Int64(RouteProfile.speedDefault), Int64(profile.speed))
        var weights = graph.milliseconds
        for edge in weights.indices {
            let kind = graph.kinds[edge]
            guard profile.uses(kind, graph.stepFree[edge]) else {
                weights[edge] = closed
                continue
            }
            guard kind == .path || kind == .steps else { continue }
            var time = Int64(weights[edge])
            if !factors.isEmpty { time = graph.crowdCells.time(weights[edge], of: edge, factors) }
            if speed != normal { time = (time * normal + speed - 1) / speed }
            weights[edge] = Int32(clamping: min(time, Int64(RouteLimits.edgeCostMax)))
        }
        return weights
    }

    private static func closing(_ open: [Int32], _ graph: RouteGraph, _ closures: Set<String>) -> [Int32] {
        guard !closures.isEmpty else { return open }
        var costs = open
        let closedFeatures = graph.features.map { closures.contains($0.sourceID) }
        if closedFeatures.contains(true) {
            for edge in costs.indices where closedFeatures[Int(graph.edgeFeatures[edge])] { costs[edge] = closed }
        }
        for sourceID in closures where sourceID.hasPrefix("node/") {
            guard let node = Int64(sourceID.dropFirst(5)) else { continue }
            for vertex in graph.verticesByNode[node] ?? [] {
                for edge in graph.edges(of: vertex) { costs[Int(edge)] = closed }
                for position in graph.firstIncoming[Int(vertex)]..<graph.firstIncoming[Int(vertex) + 1] {
                    costs[Int(graph.incomingEdges[Int(position)])] = closed
                }
            }
        }
        return costs
    }
}
