/// Makes the objects of a network of GeoJSON features whose properties are tags of OpenStreetMap.
///
/// Positions that are equal to seven decimals are one node; a point feature tags the node at its position. Ids are negative,
/// as editors of OpenStreetMap number what has no id yet. They follow from the feature's `id` and from positions, so that the
/// same feature keeps its id when others are added. An `id` such as `way/12` stays as it is.
struct GeoJSONNetwork {
    /// The tags by which a feature belongs to the network.
    static let keys = [
        "building", "highway", "indoor", "room", "entrance", "door", "barrier", "kerb", "stairs", "amenity", "shop",
        "tourism", "leisure", "office",
    ]
    /// Bits of an id that follows from a text or a position.
    private static let idBits = 50

    private var nodes: [Int64: OSMObject] = [:]
    private var ways: [Int64: OSMObject] = [:]
    private var relations: [Int64: OSMObject] = [:]
    private var features: [(object: OSMObject, geometry: GeoJSON.Geometry)] = []

    /// All objects in a stable order.
    var objects: [OSMObject] {
        [nodes, ways, relations].flatMap { $0.values.sorted { $0.id > $1.id } }
    }

    /// The buildings, ways, places and areas among the features.
    var campus: OSMCampus {
        var campus = OSMCampus(geometries: OSMGeometries(features))
        for feature in features { campus.add(feature.object) }
        return campus
    }

    /// Adds a feature.
    /// - Returns: Whether it belongs to the network.
    mutating func add(_ feature: GeoJSON.Feature, index: Int) -> Bool {
        var tags = feature.properties
        guard Self.keys.contains(where: { tags[$0] != nil }), let geometry = feature.geometry else { return false }
        let name = feature.id ?? "feature/\(index)"
        let object: OSMObject
        switch geometry {
        case .point(let point):
            let id = node(point)
            nodes[id]?.tags.merge(tags) { $1 }
            object = OSMObject(kind: .node, id: id, tags: tags, point: point)
        case .lineString(let line):
            if line.first == line.last { tags["area"] = tags["area"] ?? "no" }
            object = OSMObject(kind: .way, id: id(.way, name, in: ways), tags: tags, nodes: line.map { node($0) })
            ways[object.id] = object
        case .polygon(let polygon) where polygon.holes.isEmpty:
            tags["area"] = "yes"
            object = OSMObject(kind: .way, id: id(.way, name, in: ways), tags: tags, nodes: ring(polygon.outer))
            ways[object.id] = object
        case .polygon, .multiPolygon:
            tags["type"] = "multipolygon"
            object = OSMObject(
                kind: .relation, id: id(.relation, name, in: relations), tags: tags,
                members: geometry.polygons.enumerated().flatMap { number, polygon in
                    [member(polygon.outer, "outer", "\(name)/\(number)")]
                        + polygon.holes.enumerated().map { member($1, "inner", "\(name)/\(number)/\($0)") }
                })
            relations[object.id] = object
        }
        features.append((object, geometry))
        return true
    }

    private mutating func ring(_ points: [GeoPoint]) -> [Int64] { points.map { node($0) } }

    private mutating func member(_ points: [GeoPoint], _ role: String, _ name: String) -> OSMObject.Member {
        let way = OSMObject(kind: .way, id: id(.way, name, in: ways), nodes: ring(points))
        ways[way.id] = way
        return .init(kind: .way, id: way.id, role: role)
    }

    /// The node at a position.
    private mutating func node(_ point: GeoPoint) -> Int64 {
        let grid = GridPosition(point)
        var id = Self.hashed(Array("\(grid.latitude) \(grid.longitude)".utf8))
        while let known = nodes[id]?.point, GridPosition(known) != grid { id -= 1 }
        if nodes[id] == nil { nodes[id] = OSMObject(kind: .node, id: id, point: point) }
        return id
    }

    /// An id that is free.
    private func id(_ kind: OSMObject.Kind, _ name: String, in known: [Int64: OSMObject]) -> Int64 {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] == kind.rawValue, let id = Int64(parts[1]), known[id] == nil,
            id.magnitude < 1 << UInt64(Self.idBits)
        {
            return id
        }
        var id = Self.hashed(Array(name.utf8))
        while known[id] != nil { id -= 1 }
        return id
    }

    /// A negative number by FNV-1a, the same in each run.
    private static func hashed(_ bytes: [UInt8]) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return -1 - Int64(hash >> UInt64(64 - idBits))
    }
}

/// A position on OpenStreetMap's grid of ten millionths of a degree.
private struct GridPosition: Hashable {
    let latitude: Int64
    let longitude: Int64

    init(_ point: GeoPoint) {
        latitude = Int64((point.latitude * 1e7).rounded())
        longitude = Int64((point.longitude * 1e7).rounded())
    }
}

extension CampusDocument {
    /// Joins two networks at nodes of the same position.
    static func joining(_ objects: [OSMObject], _ others: [OSMObject]) -> [OSMObject] {
        guard !objects.isEmpty, !others.isEmpty else { return objects + others }
        var joined = objects
        var places: [GridPosition: Int] = [:]
        for (index, object) in objects.enumerated() where object.kind == .node {
            if let point = object.point { places[GridPosition(point)] = index }
        }
        var renumbered: [Int64: Int64] = [:]
        for object in others where object.kind == .node {
            guard let index = object.point.flatMap({ places[GridPosition($0)] }) else {
                joined.append(object)
                continue
            }
            renumbered[object.id] = joined[index].id
            joined[index].tags.merge(object.tags) { $1 }
        }
        for var object in others where object.kind != .node {
            object.nodes = object.nodes.map { renumbered[$0] ?? $0 }
            joined.append(object)
        }
        return joined
    }
}
