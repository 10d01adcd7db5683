import Campus

/// The buildings whose floors the map has.
struct MappedBuildings: Sendable {
    struct Building: Sendable {
        /// The outlines, with courts as holes.
        let outlines: [GeoPolygon]
        /// The levels that have paths.
        let levels: Set<Level>

        func contains(_ point: GeoPoint) -> Bool { outlines.contains { $0.contains(point) } }
    }

    /// The middle of a path on a level.
    private struct Spot {
        var point: GeoPoint
        var level: Level
    }

    private let buildings: [Building]

    var bytes: Int {
        buildings.reduce(0) { sum, building in
            building.outlines.reduce(sum) { $0 + ($1.outer.count + $1.holes.joined().count) * 16 }
        }
    }

    /// Finds the buildings around the paths that have a level.
    init(_ network: RouteNetwork, _ vertices: [RouteGraph.Vertex], _ edges: [RouteGraph.Edge]) {
        var spots: [Spot] = []
        for edge in edges where edge.kind == .path && edge.source < edge.target {
            let (from, to) = (vertices[Int(edge.source)], vertices[Int(edge.target)])
            guard let level = from.level, to.level == level, let start = from.point.point, let end = to.point.point
            else { continue }
            spots.append(Spot(point: start.moved(to: end, share: 0.5), level: level))
        }
        guard !spots.isEmpty else {
            buildings = []
            return
        }
        spots.sort { $0.point.latitude < $1.point.latitude }
        buildings = network.areas.compactMap { area in
            guard (area.tags["building"] ?? "no") != "no" else { return nil }
            let outlines = Self.outlines(of: area, network)
            let levels = Self.levels(inside: outlines, spots)
            return levels.isEmpty ? nil : Building(outlines: outlines, levels: levels)
        }
    }

    private static func outlines(of area: RouteNetwork.Area, _ network: RouteNetwork) -> [GeoPolygon] {
        func points(_ rings: [[Int64]]) -> [[GeoPoint]] {
            rings.map { $0.compactMap { network.nodes[$0]?.point.point } }.filter {
                (try? GeoPolygon(outer: $0)) != nil
            }
        }
        let courts = points(area.holes)
        return points(area.outer).compactMap { try? GeoPolygon(outer: $0, holes: courts) }
    }

    /// - Parameter spots: By latitude.
    private static func levels(inside outlines: [GeoPolygon], _ spots: [Spot]) -> Set<Level> {
        var found: Set<Level> = []
        for outline in outlines {
            var (low, high) = (0, spots.count)
            while low < high {
                let middle = (low + high) / 2
                if spots[middle].point.latitude < outline.box.south { low = middle + 1 } else { high = middle }
            }
            for spot in spots[low...].prefix(while: { $0.point.latitude <= outline.box.north })
            where !found.contains(spot.level) && outline.contains(spot.point) {
                found.insert(spot.level)
            }
        }
        return found
    }

    /// The buildings in which a point is. O(buildings).
    func around(_ point: GeoPoint) -> [Building] { buildings.filter { $0.contains(point) } }
}
