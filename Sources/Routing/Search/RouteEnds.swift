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
    /// The end is a building, room, entrance or place.
    var isObject: Bool
}

extension RouteWeights {
    /// Checks a start before many searches from it.
    /// - Throws: ``RouteError`` if no route can begin there.
    public func check(start: RouteEnd) throws(RouteError) { _ = try locate(start, .start) }

    /// Finds an end on the graph. A point leads to the nearest path that the profile may use.
    func locate(_ end: RouteEnd, _ side: RouteError.Side) throws(RouteError) -> LocatedEnd {
        switch end {
        case .object(let sourceID):
            guard let object = graph.destinations[sourceID] else { throw .unknownObject(side) }
            let doors = object.doors.map { Seed(vertex: $0, cost: 0, time: 0, metres: 0, line: [], edge: nil) }
            var located = LocatedEnd(seeds: doors, entry: object.entry, hits: [], isObject: true)
            let points = object.doors.isEmpty ? object.points : []
            for point in points {
                for hit in NearbyPaths(weights: self, point: point, level: object.level, isObject: true).hits {
                    located.seeds += seeds(hit, from: point, side)
                    located.hits.append(hit)
                }
            }
            guard !located.seeds.isEmpty else { throw missingPath(points, object.level, side, isObject: true) }
            if let level = object.level, level != .ground,
                located.hits.contains(where: { !graph.isOn(level, $0.edge) })
            {
                located.entry = .edge
            }
            return located
        case .point(let point, let level):
            let hits = NearbyPaths(weights: self, point: point, level: level, isObject: false).hits
            guard !hits.isEmpty else { throw missingPath([point], level, side, isObject: false) }
            return LocatedEnd(
                seeds: hits.flatMap { seeds($0, from: point, side) }, entry: .door, hits: hits, isObject: false)
        }
    }

    /// The reason why no path is near the points of an end.
    private func missingPath(
        _ points: [GeoPoint], _ level: Level?, _ side: RouteError.Side, isObject: Bool
    ) -> RouteError {
        func nearby(_ weights: RouteWeights, _ level: Level?, includesClosed: Bool = false) -> [NearbyPaths] {
            points.map {
                NearbyPaths(
                    weights: weights, point: $0, level: level, isObject: isObject, includesClosed: includesClosed)
            }
        }
        let isStepFree = profile.isStepFree
        if nearby(closing([]), level).contains(where: { !$0.hits.isEmpty }) {
            return .noRoute(.closure(isStepFree: isStepFree, hasSteps: false))
        }
        if nearby(self, level, includesClosed: true).contains(where: { !$0.hits.isEmpty }) {
            return .noRoute(.preferences(isStepFree: isStepFree, hasSteps: false))
        }
        guard !isObject else { return .noRoute(.unmapped(side)) }
        guard let level, let paths = nearby(self, nil, includesClosed: true).first, !paths.hits.isEmpty else {
            return .outside(side)
        }
        return .unknownLevel(side, level, known: paths.levels.filter { $0 != level })
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
    /// - Parameter excluded: The ways to the destination that the preferences or the closures exclude, if there are any.
    func missing(
        _ start: LocatedEnd, _ goal: LocatedEnd, _ excluded: @autoclosure () -> ExcludedWays?
    ) -> RouteError {
        let (from, to) = (Set(start.seeds.map { part($0) }), Set(goal.seeds.map { part($0) }))
        guard from.isDisjoint(with: to) else {
            let obstacle = excluded()?.obstacle(from: start.seeds)
            return .noRoute(obstacle ?? .preferences(isStepFree: profile.isStepFree, hasSteps: false))
        }
        func size(_ parts: Set<Int32>) -> Int32 { parts.map { graph.partSizes[Int($0)] }.max() ?? 0 }
        let isStart = size(from) < size(to)
        let side: RouteError.Side = isStart ? .start : .destination
        return (isStart ? start : goal).isObject ? .noRoute(.unmapped(side)) : .island(side)
    }

    private func part(_ seed: Seed) -> Int32 { graph.parts[Int(seed.vertex)] }
}
