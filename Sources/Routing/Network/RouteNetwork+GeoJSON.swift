import Campus

extension RouteNetwork {
    /// Creates a network from GeoJSON features whose properties are tags of OpenStreetMap. Positions that are equal to
    /// seven decimals are one node; a point feature tags the node at its position. An `id` becomes the source id, else
    /// `feature/` and the feature's index.
    public init(_ collection: GeoJSON.FeatureCollection) {
        var ids: [GridPoint: Int64] = [:]
        func node(_ point: GeoPoint) -> Int64 {
            let grid = GridPoint(point)
            if let known = ids[grid] { return known }
            let id = Int64(ids.count + 1)
            ids[grid] = id
            nodes[id] = Node(id: id, point: grid, tags: [:])
            return id
        }
        for (index, feature) in collection.features.enumerated() {
            let sourceID = feature.id ?? "feature/\(index)"
            switch feature.geometry {
            case .point(let point): nodes[node(point)]?.tags.merge(feature.properties) { $1 }
            case .lineString(let line):
                lines.append(Line(sourceID: sourceID, nodes: line.map(node), tags: feature.properties))
            case .polygon, .multiPolygon:
                let polygons = feature.geometry?.polygons ?? []
                areas.append(
                    Area(
                        sourceID: sourceID, outer: polygons.map { $0.outer.map(node) },
                        holes: polygons.flatMap { $0.holes.map { $0.map(node) } }, tags: feature.properties))
            case nil: break
            }
        }
    }
}
