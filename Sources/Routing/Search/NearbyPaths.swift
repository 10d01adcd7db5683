import Campus

/// The paths near a point, at which a route begins or ends.
struct NearbyPaths {
    let weights: RouteWeights
    let point: GeoPoint
    let level: Level?
    /// The point is where people enter an object of the map, and not a position.
    let isObject: Bool
    /// Also counts paths that the preferences or the closures exclude.
    var includesClosed = false

    private var graph: RouteGraph { weights.graph }

    /// The nearest position on a path of the level. If that is on an island, the nearest one on the rest of the network comes before it.
    /// Empty if no path is near.
    ///
    /// Without a level outdoor paths come first. A level is that of the building around the point, or of a path within
    /// ``RouteLimits/indoorApproachMetresMax``: the level of another building says nothing, and walls are between. The ground is
    /// outdoors, too.
    var hits: [EdgeIndex.Hit] {
        guard let level else {
            let outdoors = nearest { graph.isOn(nil, $0) }
            return outdoors.isEmpty ? nearest { _ in true } : outdoors
        }
        let buildings = graph.buildings.around(point)
        let inside = buildings.filter { $0.levels.contains(level) }
        if !inside.isEmpty {
            let found = nearest { edge in
                guard graph.isOn(level, edge), let middle = graph.middle(of: edge) else { return false }
                return inside.contains { $0.contains(middle) }
            }
            if !found.isEmpty { return found }
        }
        let indoors = nearest(within: RouteLimits.indoorApproachMetresMax) { graph.isOn(level, $0) }
        // An object on a floor of a building without a plan is reached from outdoors.
        guard inside.isEmpty, level == .ground || (isObject && buildings.isEmpty) else { return indoors }
        let outdoors = nearest { graph.isOn(nil, $0) }
        guard let floor = indoors.first, let path = outdoors.first else { return indoors + outdoors }
        return level == .ground && path.metres < floor.metres ? outdoors : indoors
    }

    /// The levels that people at the point can be on, ascending.
    var levels: [Level] {
        var found = graph.buildings.around(point).reduce(into: Set<Level>()) { $0.formUnion($1.levels) }
        while let next = nearestLevel(except: found) { found.insert(next) }
        return found.sorted()
    }

    private func nearestLevel(except known: Set<Level>) -> Level? {
        func level(of edge: Int32) -> Level? {
            let level = graph.vertices[Int(graph.sources[Int(edge)])].level
            return graph.isOn(level, edge) ? level : nil
        }
        let hit = graph.index.nearest(to: point, metres: RouteLimits.indoorApproachMetresMax) { edge in
            level(of: edge).map { !known.contains($0) } ?? false
        }
        return hit.flatMap { level(of: $0.edge) }
    }

    private func nearest(
        within metres: Double = RouteLimits.approachMetresMax, _ isHere: (Int32) -> Bool
    ) -> [EdgeIndex.Hit] {
        func hit(exceptIslands: Bool) -> EdgeIndex.Hit? {
            graph.index.nearest(to: point, metres: metres) { edge in
                isHere(edge) && (includesClosed || weights.isUsable(edge))
                    && !(exceptIslands && graph.isOnIsland(edge))
            }
        }
        guard let nearest = hit(exceptIslands: false) else { return [] }
        guard !isObject, graph.isOnIsland(nearest.edge), let other = hit(exceptIslands: true) else { return [nearest] }
        return [other, nearest]
    }
}
