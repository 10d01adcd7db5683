import Campus

/// Makes vertices and edges of a network.
struct RouteGraphBuilder {
    /// Identity of a vertex. One node is a vertex on each of its levels. A corner that only one area uses, or the
    /// inside of a lift, has that feature as its owner.
    private struct Key: Hashable {
        var node: Int64
        var level: Level?
        var owner: Int32
    }

    let network: RouteNetwork
    private(set) var vertices: [RouteGraph.Vertex] = []
    private(set) var verticesByNode: [Int64: [Int32]] = [:]
    private(set) var edges: [RouteGraph.Edge] = []
    private(set) var features: [RouteGraph.Feature] = []
    private(set) var doors: [Int64: RouteGraph.Door] = [:]
    /// Areas that can be crossed or ridden, with the vertices where people enter: rooms to go to.
    private(set) var portals: [String: [Int32]] = [:]
    private var keys: [Key: Int32] = [:]
    /// Known facts about the node of each vertex.
    private var nodeStepFree: [StepFree] = []

    /// Levels of the walkable lines by node; nil stands for a line without levels.
    var lineLevels: [Int64: Set<Level?>] = [:]
    /// Number of walkable outdoor areas by node.
    var outdoorAreaCounts: [Int64: Int] = [:]

    init(_ network: RouteNetwork) { self.network = network }

    mutating func build() throws(RouteGraphError) {
        let lines = network.lines.filter { Access.isWalkable($0.tags) }
        for line in lines {
            let levels = LevelTags(line.tags).all
            for node in line.nodes {
                lineLevels[node, default: []].formUnion(levels.isEmpty ? [nil] : levels.map { $0 })
            }
        }
        let areas = network.areas.compactMap { area in AreaKind(area.tags).map { (area: area, kind: $0) } }
        try checkExtent(lines.flatMap(\.nodes) + areas.flatMap { $0.area.rings.joined() })
        for (area, kind) in areas where kind == .square {
            for node in Set(area.rings.joined()) { outdoorAreaCounts[node, default: 0] += 1 }
        }
        for line in lines { add(line) }
        for node in network.nodes.values.sorted(by: { $0.id < $1.id }) where node.tags["highway"] == "elevator" {
            addLift(at: node)
        }
        for (area, kind) in areas {
            switch kind {
            case .square, .indoors: addFloor(area, kind)
            case .stairs, .lift: addShaft(area, kind)
            }
            guard edges.count <= RouteLimits.edgesMax, vertices.count <= RouteLimits.verticesMax else {
                throw .tooLarge
            }
        }
        linkLevels()
        guard !edges.isEmpty else { throw .noPaths }
        guard edges.count <= RouteLimits.edgesMax, vertices.count <= RouteLimits.verticesMax else { throw .tooLarge }
        noteDoors()
    }

    private func checkExtent(_ ids: [Int64]) throws(RouteGraphError) {
        let points = ids.compactMap { network.nodes[$0]?.point }
        let limit = Int64(RouteLimits.sideDegreesMax * RouteNetwork.GridPoint.stepsPerDegree)
        for axis in [points.map(\.latitude), points.map(\.longitude)] {
            guard let low = axis.min(), let high = axis.max() else { throw .noPaths }
            guard Int64(high) - Int64(low) <= limit else { throw .tooWide }
        }
    }

    // MARK: Vertices and edges

    mutating func addFeature(_ sourceID: String, _ kind: RouteGraph.Feature.Kind, _ tags: [String: String]) -> Int32 {
        let name = (tags["name"] ?? tags["ref"]).map { String($0.prefix(CampusDocument.nameCharactersMax)) }
        features.append(.init(sourceID: sourceID, kind: kind, name: name))
        return Int32(features.count - 1)
    }

    /// The vertex of a node on a level.
    /// - Parameter owner: The feature that alone uses the vertex; nil for a vertex that all may share.
    /// - Returns: Nil if the source lacks the node, or it stops everybody.
    mutating func vertex(_ id: Int64, _ level: Level?, owner: Int32? = nil) -> Int32? {
        guard let node = network.nodes[id], !Access.isBlocked(node: node.tags) else { return nil }
        let key = Key(node: id, level: level, owner: owner ?? -1)
        if let known = keys[key] { return known }
        let vertex = RouteGraph.Vertex(point: node.point, level: level, node: id, owner: owner)
        let number = append(vertex, StepFree(node: node.tags))
        keys[key] = number
        verticesByNode[id, default: []].append(number)
        return number
    }

    /// The inside of a lift or a staircase on a level.
    mutating func vertex(inside feature: Int32, _ level: Level?, at point: RouteNetwork.GridPoint) -> Int32 {
        append(RouteGraph.Vertex(point: point, level: level, node: nil, owner: feature), .known)
    }

    private mutating func append(_ vertex: RouteGraph.Vertex, _ stepFree: StepFree) -> Int32 {
        vertices.append(vertex)
        nodeStepFree.append(stepFree)
        return Int32(vertices.count - 1)
    }

    /// Adds an edge in one direction. Its step-free value is the worst of its own and of both ends.
    mutating func addEdge(
        _ source: Int32, _ target: Int32, milliseconds: Int32, kind: PassageKind, stepFree: StepFree, feature: Int32,
        isOutdoors: Bool
    ) {
        guard source != target else { return }
        edges.append(
            RouteGraph.Edge(
                source: source, target: target, milliseconds: milliseconds, metres: Float(metres(source, target)),
                kind: kind,
                stepFree: min(stepFree, nodeStepFree[Int(source)], nodeStepFree[Int(target)]), feature: feature,
                isOutdoors: isOutdoors))
    }

    func metres(_ one: Int32, _ other: Int32) -> Double {
        guard let from = vertices[Int(one)].point.point, let to = vertices[Int(other)].point.point else { return 0 }
        return from.distance(to: to)
    }

    /// Adds a walk in both directions.
    mutating func addWalk(_ one: Int32, _ other: Int32, _ tags: [String: String], feature: Int32, isOutdoors: Bool) {
        let stepFree = StepFree(way: tags, kind: .path)
        for (source, target, isForward) in [(one, other, true), (other, one, false)] {
            let speed = WalkingTime.speed(tags, kind: .path, isForward: isForward)
            addEdge(
                source, target, milliseconds: WalkingTime.milliseconds(metres(source, target), speed: speed),
                kind: .path,
                stepFree: stepFree, feature: feature, isOutdoors: isOutdoors)
        }
    }

    // MARK: Levels

    /// Joins paths without levels to the level of a node where both meet: the node's own, else the one nearest to the ground.
    private mutating func linkLevels() {
        for (node, numbers) in verticesByNode.sorted(by: { $0.key < $1.key }) {
            let shared = numbers.filter { keys[Key(node: node, level: vertices[Int($0)].level, owner: -1)] == $0 }
            guard let without = shared.first(where: { vertices[Int($0)].level == nil }) else { continue }
            let levels = shared.compactMap { vertices[Int($0)].level }
            let own = LevelTags(network.nodes[node]?.tags ?? [:]).own
            let chosen =
                levels.filter(own.contains).min()
                ?? levels.min { (abs($0.thousandths), $0) < (abs($1.thousandths), $1) }
            guard let chosen, let with = shared.first(where: { vertices[Int($0)].level == chosen }) else { continue }
            let feature = addFeature("node/\(node)", .indoors, [:])
            for (source, target) in [(without, with), (with, without)] {
                addEdge(
                    source, target, milliseconds: 0, kind: .path, stepFree: .known, feature: feature, isOutdoors: false)
            }
        }
    }

    // MARK: Names

    mutating func notePortals(_ sourceID: String, _ vertices: [Int32]) { portals[sourceID, default: []] += vertices }

    private mutating func noteDoors() {
        var buildings: [Int64: (name: String?, box: GeoBox)] = [:]
        for area in network.areas where (area.tags["building"] ?? "no") != "no" {
            let nodes = area.rings.joined()
            guard let box = GeoBox(around: nodes.compactMap { network.nodes[$0]?.point.point }) else { continue }
            for node in nodes { buildings[node] = (name(area.tags["name"]), box) }
        }
        for node in network.nodes.values where Access.isOpening(node: node.tags) {
            let building = buildings[node.id]
            let side = building.flatMap { building in node.point.point.map { Self.side(of: building.box, $0) } }
            doors[node.id] = .init(
                name: name(node.tags["name"] ?? node.tags["ref"]), isEntrance: (node.tags["entrance"] ?? "no") != "no",
                building: building?.name, side: side)
        }
    }

    private func name(_ text: String?) -> String? { text.map { String($0.prefix(CampusDocument.nameCharactersMax)) } }

    /// The edge of a building's box that is nearest to a point, by the box's own proportions.
    private static func side(of box: GeoBox, _ point: GeoPoint) -> String {
        let east = (point.longitude - box.centre.longitude) / max(box.east - box.west, .leastNormalMagnitude)
        let north = (point.latitude - box.centre.latitude) / max(box.north - box.south, .leastNormalMagnitude)
        if abs(east) > abs(north) { return east > 0 ? "east" : "west" }
        return north > 0 ? "north" : "south"
    }
}
