import Campus

@testable import Routing

/// A network drawn in metres, for tests of one rule each.
struct Sketch {
    private(set) var network = RouteNetwork()
    private static let origin = try? GeoPoint(latitude: 51.5, longitude: 8)

    static func point(_ east: Double, _ north: Double) -> GeoPoint {
        // The origin is valid, so the fallback is never used.
        (origin ?? SampleCampus.origin).offset(eastMetres: east, northMetres: north)
    }

    mutating func node(_ id: Int64, _ east: Double, _ north: Double, _ tags: [String: String] = [:]) {
        network.nodes[id] = .init(id: id, point: .init(Self.point(east, north)), tags: tags)
    }

    mutating func way(_ id: Int, _ nodes: [Int64], _ tags: [String: String] = ["highway": "footway"]) {
        network.lines.append(.init(sourceID: "way/\(id)", nodes: nodes, tags: tags))
    }

    /// - Parameter outer: Without the closing node.
    mutating func area(_ id: Int, _ outer: [Int64], holes: [[Int64]] = [], _ tags: [String: String]) {
        network.areas.append(
            .init(
                sourceID: "way/\(id)", outer: [outer + outer.prefix(1)], holes: holes.map { $0 + $0.prefix(1) },
                tags: tags))
    }

    /// A straight path of nodes 1, 2, 3 and so on, 100 m apart.
    static func street(_ nodes: Int64 = 3, _ tags: [String: String] = ["highway": "footway"]) -> Sketch {
        var sketch = Sketch()
        for node in 1...nodes { sketch.node(node, Double(node - 1) * 100, 0) }
        sketch.way(1, Array(1...nodes), tags)
        return sketch
    }

    func graph() throws -> RouteGraph { try RouteGraph(network) }

    /// The route between two nodes.
    func route(
        _ from: Int64, _ to: Int64, _ profile: RouteProfile = .init(), level: Level? = nil, toLevel: Level? = nil,
        crowd: RouteCrowd = .none, closures: Set<String> = []
    ) throws -> Route {
        let graph = try graph()
        var finder = RouteFinder()
        func end(_ id: Int64, _ level: Level?) -> RouteEnd {
            .point(network.nodes[id]?.point.point ?? SampleCampus.origin, level: level)
        }
        return try finder.route(
            from: end(from, level), to: end(to, toLevel),
            RouteWeights(graph, profile: profile, crowd: crowd, closures: closures))
    }
}

/// A building of two levels: outside street 1-2 in the south, entrance 3 in the south wall, a corridor on each level, a room
/// with a door on level 1, stairs and a lift.
enum TwoLevels {
    static func sketch(stairs: Bool = true, lift: [String: String] = ["highway": "elevator", "level": "0-1"]) -> Sketch
    {
        var sketch = Sketch()
        sketch.node(1, -50, -20)
        sketch.node(2, 10, -20)
        sketch.node(3, 10, 0, ["entrance": "main", "door": "hinged", "level": "0"])
        sketch.way(1, [1, 2, 3])
        for (id, x, y) in [
            (4, 0, 0), (5, 40, 0), (6, 40, 4), (7, 0, 4), (8, 44, 0), (9, 44, 4), (10, 0, 14), (11, 20, 14),
            (12, 20, 4), (13, -4, 0), (14, -4, 4),
        ] {
            sketch.node(Int64(id), Double(x), Double(y))
        }
        sketch.node(20, 40, 2, ["door": "no"])
        sketch.node(21, 0, 2, ["door": "sliding"])
        sketch.node(22, 10, 4, ["door": "hinged", "level": "1"])
        // Rings follow the walls; doors are on them.
        for level in ["0", "1"] {
            sketch.area(
                100 + (level == "0" ? 0 : 1), [4, 3, 5, 20, 6, 12, 22, 7, 21],
                ["indoor": "corridor", "level": level, "name": "Corridor \(level)"])
        }
        sketch.area(110, [7, 22, 12, 11, 10], ["indoor": "room", "level": "1", "ref": "1.01"])
        if stairs { sketch.area(120, [5, 8, 9, 6, 20], ["indoor": "room", "stairs": "yes", "level": "0-1"]) }
        sketch.area(130, [13, 4, 21, 7, 14], lift)
        sketch.area(140, [4, 3, 5, 8, 9, 6, 12, 11, 10, 7, 14, 13], ["building": "university", "name": "Hall"])
        return sketch
    }
}
