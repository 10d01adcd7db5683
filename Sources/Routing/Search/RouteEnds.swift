import Campus

/// Where a search begins or ends.
struct Seed {
    var vertex: Int32
    /// Cost and time between the end and the vertex.
    var cost: Int64
    var time: Int64
    var metres: Double
    /// The line from the end to the vertex, without the vertex.
    var line: [Route.Point]
    /// The partly used edge; nil at a door.
    var edge: Int32?
    /// The used part of the edge, from 0 to 1.
    var share = 1.0
}

/// An end of a route on the graph.
struct LocatedEnd {
    var seeds: [Seed]
    var entry: RouteDestination.Entry
    /// The nearest positions on edges, for two ends on one edge.
    var hits: [EdgeIndex.Hit]
}

extension RouteWeights {
    /// Finds an end on the graph. A point leads to the nearest path that the profile may use.
    func locate(_ end: RouteEnd, _ side: RouteError.Side) throws(RouteError) -> LocatedEnd {
        switch end {
        case .object(let sourceID):
            guard let object = graph.destinations[sourceID] else { throw .unknownObject(side) }
            let seeds = object.doors.map { Seed(vertex: $0, cost: 0, time: 0, metres: 0, line: [], edge: nil) }
            let points = object.doors.isEmpty ? object.points : []
            let found = points.compactMap { point in hit(point, on: object.level).map { (point: point, hit: $0) } }
            let around = found.flatMap { self.seeds($0.hit, from: $0.point, side) }
            guard !(seeds + around).isEmpty else { throw .outside(side) }
            return LocatedEnd(seeds: seeds + around, entry: object.entry, hits: found.map(\.hit))
        case .point(let point, let level):
            if let level, !graph.index.levels.contains(level) {
                throw .unknownLevel(side, level, known: graph.index.levels.sorted())
            }
            guard let hit = hit(point, on: level) else { throw .outside(side) }
            return LocatedEnd(seeds: seeds(hit, from: point, side), entry: .door, hits: [hit])
        }
    }

    /// The nearest usable path on a level. Without a level outdoor paths come first.
    private func hit(_ point: GeoPoint, on level: Level?) -> EdgeIndex.Hit? {
        func nearest(_ isOnLevel: (Level?) -> Bool) -> EdgeIndex.Hit? {
            graph.index.nearest(to: point) { edge in
                (costs[Int(edge)] != Self.closed || reversed(edge) != nil)
                    && isOnLevel(graph.vertices[Int(graph.sources[Int(edge)])].level)
                    && isOnLevel(graph.vertices[Int(graph.targets[Int(edge)])].level)
            }
        }
        return nearest { $0 == level } ?? (level == nil ? nearest { _ in true } : nil)
    }

    /// The usable edge in the other direction.
    private func reversed(_ edge: Int32) -> Int32? {
        let (source, target) = (graph.sources[Int(edge)], graph.targets[Int(edge)])
        return graph.edges(of: target).first {
            graph.targets[Int($0)] == source && graph.edgeFeatures[Int($0)] == graph.edgeFeatures[Int(edge)]
                && costs[Int($0)] != Self.closed
        }
    }

    /// The ways from a position on an edge to its ends, or from there to the position.
    private func seeds(_ hit: EdgeIndex.Hit, from point: GeoPoint, _ side: RouteError.Side) -> [Seed] {
        let there = costs[Int(hit.edge)] == Self.closed ? nil : hit.edge
        let back = reversed(hit.edge)
        // From the start people walk on to the target, or back to the source; to the destination it is the reverse.
        let ways: [(edge: Int32?, share: Double, isTarget: Bool)] =
            side == .start
            ? [(there, 1 - hit.share, true), (back, hit.share, false)]
            : [(there, hit.share, false), (back, 1 - hit.share, true)]
        let level = graph.vertices[Int(graph.sources[Int(hit.edge)])].level
        let approach = Int64((hit.metres * 1e6 / Double(profile.speed)).rounded(.up))
        return ways.compactMap { edge, share, isTarget in
            guard let edge else { return nil }
            func part(_ whole: Int32) -> Int64 { Int64((Double(whole) * share).rounded(.up)) }
            return Seed(
                vertex: isTarget ? graph.targets[Int(hit.edge)] : graph.sources[Int(hit.edge)],
                cost: approach + part(costs[Int(edge)]), time: approach + part(times[Int(edge)]),
                metres: hit.metres + Double(graph.metres[Int(edge)]) * share,
                line: (hit.metres > 1 ? [Route.Point(point: point, level: level)] : [])
                    + [Route.Point(point: hit.point, level: level)], edge: edge, share: share)
        }
    }

    /// The error of two ends without a connection.
    func missing(_ start: LocatedEnd, _ goal: LocatedEnd) -> RouteError {
        let (from, to) = (Set(start.seeds.map { part($0) }), Set(goal.seeds.map { part($0) }))
        guard from.isDisjoint(with: to) else {
            return .noRoute(isStepFree: profile.isStepFree, hasClosures: !closures.isEmpty)
        }
        func size(_ parts: Set<Int32>) -> Int32 { parts.map { graph.partSizes[Int($0)] }.max() ?? 0 }
        return .island(size(from) < size(to) ? .start : .destination)
    }

    private func part(_ seed: Seed) -> Int32 { graph.parts[Int(seed.vertex)] }
}
