import Campus

/// The cost of a route with other weights of the same graph, and its parts.
extension Route {
    /// The cost of the route's edges, those at the ends as a whole; nil if one of them is closed.
    public func wholeCost(in weights: RouteWeights) -> Int64? {
        var sum: Int64 = 0
        for edge in edges {
            guard weights.costs.indices.contains(Int(edge)), weights.costs[Int(edge)] != RouteWeights.closed else {
                return nil
            }
            sum += Int64(weights.costs[Int(edge)])
        }
        return sum
    }

    /// The part of the duration that is due to the crowd, in milliseconds.
    public func crowdMilliseconds(in weights: RouteWeights) -> Int64 {
        let (normal, speed) = (Int64(RouteProfile.speedDefault), Int64(weights.profile.speed))
        var sum: Int64 = 0
        for edge in edges where weights.times.indices.contains(Int(edge)) {
            let kind = weights.graph.kinds[Int(edge)]
            guard kind == .path || kind == .steps, weights.times[Int(edge)] != RouteWeights.closed else { continue }
            let free = (Int64(weights.graph.milliseconds[Int(edge)]) * normal + speed - 1) / speed
            sum += max(0, Int64(weights.times[Int(edge)]) - free)
        }
        return min(sum, milliseconds)
    }

    /// Whether two routes use the same paths.
    public func isAlong(_ other: Route) -> Bool { edges == other.edges }

    /// The source ids of the ways, rooms, lifts and doors on the route that are among `sourceIDs`.
    public func passes(_ sourceIDs: Set<String>, _ graph: RouteGraph) -> Set<String> {
        var found: Set<String> = []
        let hasNodes = sourceIDs.contains { $0.hasPrefix("node/") }
        for edge in edges where graph.edgeFeatures.indices.contains(Int(edge)) {
            let feature = graph.features[Int(graph.edgeFeatures[Int(edge)])].sourceID
            if sourceIDs.contains(feature) { found.insert(feature) }
            guard hasNodes else { continue }
            for vertex in [graph.sources[Int(edge)], graph.targets[Int(edge)]] {
                guard let node = graph.vertices[Int(vertex)].node else { continue }
                let name = "node/\(node)"
                if sourceIDs.contains(name) { found.insert(name) }
            }
        }
        return found
    }

    /// The source id of the last door to a building on the route; nil if it passes none.
    public func lastEntrance(_ graph: RouteGraph) -> String? {
        for edge in edges.reversed() where graph.targets.indices.contains(Int(edge)) {
            for vertex in [graph.targets[Int(edge)], graph.sources[Int(edge)]] {
                guard let node = graph.vertices[Int(vertex)].node, graph.doors[node]?.isEntrance == true else {
                    continue
                }
                return "node/\(node)"
            }
        }
        return nil
    }
}

extension RouteWeights {
    /// The graph's number of vertices.
    public var vertexCount: Int { graph.vertexCount }

    /// Whether everything on a route can be used with these weights.
    public func admits(_ route: Route) -> Bool { route.isOpen(in: self) }
}
