import Campus
import Foundation

/// The named buildings beside edges outdoors, which directions mention.
struct Sights: Sendable {
    /// For each edge, the number of its building in ``names``; -1 for none.
    private var byEdge: [Int32]
    private var names: [String] = []

    init(_ builder: RouteGraphBuilder, _ edges: [RouteGraph.Edge], index: EdgeIndex) {
        byEdge = [Int32](repeating: -1, count: edges.count)
        var distances = [Double](repeating: RouteLimits.sightMetresMax, count: edges.count)
        for area in builder.network.areas where (area.tags["building"] ?? "no") != "no" {
            guard let name = area.tags["name"] else { continue }
            names.append(String(name.prefix(CampusDocument.nameCharactersMax)))
            for ring in area.outer {
                let points = ring.compactMap { builder.network.nodes[$0]?.point.point }
                for (from, to) in zip(points, points.dropFirst()) {
                    for edge in index.edges(around: from, metres: RouteLimits.sightMetresMax)
                    where edges[Int(edge)].isOutdoors {
                        let ends = [edges[Int(edge)].source, edges[Int(edge)].target].compactMap {
                            builder.vertices[Int($0)].point.point
                        }
                        guard ends.count == 2 else { continue }
                        let middle = ends[0].moved(to: ends[1], share: 0.5)
                        let metres = middle.distance(to: from.nearest(to: middle, until: to))
                        guard metres < distances[Int(edge)] else { continue }
                        distances[Int(edge)] = metres
                        byEdge[Int(edge)] = Int32(names.count - 1)
                    }
                }
            }
        }
        // The index has one direction of each path.
        var numbers: [UInt64: Int32] = [:]
        for (edge, value) in edges.enumerated() where byEdge[edge] >= 0 {
            numbers[UInt64(UInt32(bitPattern: value.target)) << 32 | UInt64(UInt32(bitPattern: value.source))] =
                byEdge[edge]
        }
        for (edge, value) in edges.enumerated() where byEdge[edge] < 0 {
            byEdge[edge] =
                numbers[UInt64(UInt32(bitPattern: value.source)) << 32 | UInt64(UInt32(bitPattern: value.target))] ?? -1
        }
    }

    /// The building beside an edge.
    func name(beside edge: Int32) -> String? {
        let number = Int(byEdge[Int(edge)])
        return names.indices.contains(number) ? names[number] : nil
    }
}

extension GeoPoint {
    /// The point at a share of the straight line to another.
    func moved(to other: GeoPoint, share: Double) -> GeoPoint {
        (try? GeoPoint(
            latitude: latitude + (other.latitude - latitude) * share,
            longitude: longitude + (other.longitude - longitude) * share)) ?? self
    }

    /// The point on the straight line from here to `end` that is nearest to `point`.
    func nearest(to point: GeoPoint, until end: GeoPoint) -> GeoPoint {
        // Degrees of longitude are shorter than those of latitude.
        let shrink = cos(latitude * .pi / 180)
        let (dx, dy) = ((end.longitude - longitude) * shrink, end.latitude - latitude)
        let (px, py) = ((point.longitude - longitude) * shrink, point.latitude - latitude)
        let square = dx * dx + dy * dy
        return moved(to: end, share: square > 0 ? max(0, min(1, (px * dx + py * dy) / square)) : 0)
    }
}
