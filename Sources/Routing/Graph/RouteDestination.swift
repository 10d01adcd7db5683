import Campus

/// Something on the map that routes lead to or from.
public struct RouteDestination: Sendable, Equatable {
    /// How exactly the map says where people enter.
    public enum Entry: String, Sendable, Codable {
        /// At a door, or at the object itself.
        case door
        /// At an entrance; the inside is not mapped.
        case entrance
        /// At the edge; no entrance is mapped.
        case edge
    }

    /// The stable id in the source.
    public let sourceID: String
    /// The name, else the number.
    public let name: String?
    public let level: Level?
    public let entry: Entry
    /// The middle.
    public let point: GeoPoint
    /// Vertices where people enter.
    let doors: [Int32]
    /// Points where people enter, if none of them is a vertex.
    let points: [GeoPoint]
}

/// Finds out where people enter destinations.
struct DestinationFinder {
    private(set) var destinations: [String: RouteDestination] = [:]
    private let network: RouteNetwork
    private let builder: RouteGraphBuilder
    private let index: EdgeIndex
    private let edges: [RouteGraph.Edge]

    private static let keys = [
        "amenity", "shop", "tourism", "office", "leisure", "railway", "public_transport", "highway",
    ]
    /// Maximum number of points of an outline that are compared with the paths around.
    private static let outlinePointsMax = 500

    init(_ builder: RouteGraphBuilder, _ edges: [RouteGraph.Edge], index: EdgeIndex) {
        (network, self.builder, self.edges, self.index) = (builder.network, builder, edges, index)
        for area in network.areas where destinations.count < RouteLimits.destinationsMax {
            guard
                Self.isDestination(area.tags) || builder.portals[area.sourceID] != nil
                    || AreaKind(area.tags) == .indoors
            else { continue }
            add(area)
        }
        for node in network.nodes.values.sorted(by: { $0.id < $1.id })
        where destinations.count < RouteLimits.destinationsMax
            && (Self.isDestination(node.tags) || Access.isOpening(node: node.tags))
        {
            guard let point = node.point.point else { continue }
            let doors = builder.verticesByNode[node.id] ?? []
            destinations["node/\(node.id)"] = RouteDestination(
                sourceID: "node/\(node.id)", name: Self.name(node.tags), level: LevelTags(node.tags).own.first,
                entry: .door,
                point: point, doors: doors, points: doors.isEmpty ? [point] : [])
        }
    }

    private static func isDestination(_ tags: [String: String]) -> Bool {
        (tags["building"] ?? "no") != "no" || (name(tags) != nil && keys.contains { tags[$0] != nil })
    }

    private static func name(_ tags: [String: String]) -> String? {
        (tags["name"] ?? tags["ref"]).map { String($0.prefix(CampusDocument.nameCharactersMax)) }
    }

    private mutating func add(_ area: RouteNetwork.Area) {
        let nodes = area.rings.joined().compactMap { network.nodes[$0] }
        let outline = nodes.compactMap(\.point.point)
        guard let middle = GeoBox(around: outline)?.centre else { return }
        let level = LevelTags(area.tags).own.first
        func destination(_ entry: RouteDestination.Entry, doors: [Int32] = [], points: [GeoPoint] = [])
            -> RouteDestination
        {
            RouteDestination(
                sourceID: area.sourceID, name: Self.name(area.tags), level: level, entry: entry, point: middle,
                doors: Array(Set(doors)).sorted(), points: points)
        }
        if let doors = builder.portals[area.sourceID], !doors.isEmpty {
            destinations[area.sourceID] = destination(.door, doors: doors)
            return
        }
        let entrances = nodes.filter {
            (level != nil ? Access.isOpening(node: $0.tags) : !["no", "exit"].contains($0.tags["entrance"] ?? "no"))
                && !Access.isBlocked(node: $0.tags)
        }
        let doors = entrances.flatMap { node in
            (builder.verticesByNode[node.id] ?? []).filter {
                let known = builder.vertices[Int($0)].level
                return level == nil || known == nil || known == level
            }
        }
        if !entrances.isEmpty {
            destinations[area.sourceID] = destination(
                .entrance, doors: doors, points: doors.isEmpty ? entrances.compactMap(\.point.point) : [])
            return
        }
        destinations[area.sourceID] = destination(.edge, points: nearestToPath(outline, level).map { [$0] } ?? [middle])
    }

    /// The point of an outline that is nearest to a path.
    private func nearestToPath(_ outline: [GeoPoint], _ level: Level?) -> GeoPoint? {
        outline.prefix(Self.outlinePointsMax).compactMap { point in
            index.nearest(to: point) { edge in
                let edge = edges[Int(edge)]
                return builder.vertices[Int(edge.source)].level == level
                    && builder.vertices[Int(edge.target)].level == level
            }.map { (point: point, metres: $0.metres) }
        }.min { $0.metres < $1.metres }?.point
    }
}
