import Campus

extension RouteNetwork {
    /// Sorts the objects of an extract into nodes, lines and areas. Ways lose the nodes that the extract lacks.
    public init(_ objects: [OSMObject]) {
        var ways: [Int64: OSMObject] = [:]
        for object in objects {
            switch object.kind {
            case .node:
                guard let point = object.point else { continue }
                nodes[object.id] = Node(id: object.id, point: GridPoint(point), tags: object.tags)
            case .way: ways[object.id] = object
            case .relation: break
            }
        }
        for way in ways.values.sorted(by: { $0.id < $1.id }) {
            guard way.nodes.count >= 2 else { continue }
            if way.nodes.count >= 4, way.nodes.first == way.nodes.last, Self.isArea(way.tags) {
                let ring = way.nodes.filter { nodes[$0] != nil }
                guard ring.count == way.nodes.count else { continue }
                areas.append(Area(sourceID: way.sourceID, outer: [ring], holes: [], tags: way.tags))
            } else {
                lines.append(Line(sourceID: way.sourceID, nodes: way.nodes, tags: way.tags))
            }
        }
        for relation in objects.filter({ $0.kind == .relation }).sorted(by: { $0.id < $1.id }) {
            guard relation.tags["type"] == "multipolygon" else { continue }
            func rings(_ isHole: Bool) -> [[Int64]]? {
                let parts = relation.members.filter { $0.kind == .way && ($0.role == "inner") == isHole }
                let known = parts.compactMap { ways[$0.id]?.nodes }
                guard known.count == parts.count, known.joined().allSatisfy({ nodes[$0] != nil }) else { return nil }
                return Self.joined(known)
            }
            guard let outer = rings(false), !outer.isEmpty, let holes = rings(true) else { continue }
            areas.append(Area(sourceID: relation.sourceID, outer: outer, holes: holes, tags: relation.tags))
        }
    }

    /// Whether a closed way is an area: rooms, lifts, buildings, and paths with `area=yes`.
    static func isArea(_ tags: [String: String]) -> Bool {
        if let area = tags["area"] { return area == "yes" }
        return ["room", "corridor", "area"].contains(tags["indoor"]) || tags["room"] != nil || tags["stairs"] == "yes"
            || tags["highway"] == "elevator" || (tags["building"] ?? "no") != "no"
            || (tags["highway"] == nil && tags["barrier"] == nil
                && ["amenity", "shop", "leisure", "tourism", "office"].contains { tags[$0] != nil })
    }

    /// Joins lines at equal ends into closed rings, in their order.
    /// - Returns: Nil if a line is left open.
    static func joined(_ lines: [[Int64]]) -> [[Int64]]? {
        var left = lines.filter { $0.count >= 2 }
        var rings: [[Int64]] = []
        while !left.isEmpty {
            var ring = left.removeFirst()
            while ring.first != ring.last {
                guard
                    let next = left.firstIndex(where: { $0.first == ring.last || $0.last == ring.last })
                else { return nil }
                let line = left.remove(at: next)
                ring += line.first == ring.last ? Array(line.dropFirst()) : Array(line.reversed().dropFirst())
            }
            guard ring.count >= 4 else { return nil }
            rings.append(ring)
        }
        return rings
    }
}
