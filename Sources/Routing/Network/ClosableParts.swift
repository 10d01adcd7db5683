import Campus

/// Something that can be closed: a lift, a door, a path, stairs, an escalator.
public struct ClosablePart: Sendable, Equatable {
    public enum Kind: String, Sendable { case lift, door, path, stairs, escalator }
    /// The stable id in the source.
    public var sourceID: String
    public var kind: Kind
    /// The name as people know it: `Lift in Main Library, levels 0–2`.
    public var name: String
    public var point: GeoPoint
    /// The level, if it is on one.
    public var level: Level?
}

extension RouteNetwork {
    /// Maximum number of objects that can be closed. Further ones are left out.
    public static let closableMax = 200_000
    /// Maximum length of an object's name, in characters.
    public static let closableNameCharactersMax = 120

    /// Everything that can be closed, lifts first, then by name. O(objects × named buildings).
    public func closableParts() -> [ClosablePart] {
        let buildings = NamedBuildings(self)
        let rooms = roomsByCorner
        var found: [ClosablePart] = []
        for area in areas {
            guard let kind = AreaKind(area.tags), kind == .lift || kind == .stairs || kind == .square,
                let middle = GeoBox(around: area.outer.joined().compactMap { nodes[$0]?.point.point })?.centre
            else { continue }
            let closable: ClosablePart.Kind = kind == .lift ? .lift : kind == .stairs ? .stairs : .path
            found.append(object(area.sourceID, closable, area.tags, middle, buildings))
        }
        for line in lines where Access.isWalkable(line.tags) {
            let known = line.nodes.compactMap { nodes[$0]?.point.point }
            guard !known.isEmpty else { continue }
            let isMoving = (line.tags["conveying"] ?? "no") != "no"
            let kind: ClosablePart.Kind =
                isMoving ? .escalator : line.tags["highway"] == "steps" ? .stairs : .path
            found.append(object(line.sourceID, kind, line.tags, known[known.count / 2], buildings))
        }
        for node in nodes.values {
            guard let point = node.point.point else { continue }
            if node.tags["highway"] == "elevator" {
                found.append(object("node/\(node.id)", .lift, node.tags, point, buildings))
            } else if Access.isOpening(node: node.tags) || node.tags["barrier"] == "gate" {
                found.append(object("node/\(node.id)", .door, node.tags, point, buildings, room: rooms[node.id]))
            }
        }
        found.sort { ($0.kind.order, $0.name, $0.sourceID) < ($1.kind.order, $1.name, $1.sourceID) }
        return Array(found.prefix(Self.closableMax))
    }

    /// Name or code of a room with each node of its outline. Of two rooms with a common door the first one counts.
    private var roomsByCorner: [Int64: String] {
        var rooms: [Int64: String] = [:]
        for area in areas where area.tags["indoor"] == "room" {
            guard let name = area.tags["ref"] ?? area.tags["name"] else { continue }
            for node in area.outer.joined() where rooms[node] == nil { rooms[node] = name }
        }
        return rooms
    }

    private func object(
        _ sourceID: String, _ kind: ClosablePart.Kind, _ tags: [String: String], _ point: GeoPoint,
        _ buildings: NamedBuildings, room: String? = nil
    ) -> ClosablePart {
        let levels = LevelTags(tags).all
        var name = Self.word(kind, tags)
        if let own = tags["name"] ?? tags["ref"] {
            // The name of a lift may have the word: `Lift A`, `East stairs`.
            let isWhole = kind == .path && tags["name"] != nil || own.lowercased().contains(name.lowercased())
            name = isWhole ? own : "\(name) \(own)"
        }
        if kind == .door, let room { name += " of \(room)" }
        if let building = buildings.name(at: point) {
            name += kind == .path || tags["barrier"] != nil ? " near \(building)" : " in \(building)"
        }
        if let low = levels.first, let high = levels.last {
            name += low == high ? ", level \(low)" : ", levels \(low) to \(high)"
        }
        return ClosablePart(
            sourceID: sourceID, kind: kind, name: String(name.prefix(Self.closableNameCharactersMax)), point: point,
            level: levels.count == 1 ? levels[0] : nil)
    }

    private static func word(_ kind: ClosablePart.Kind, _ tags: [String: String]) -> String {
        switch kind {
        case .lift: "Lift"
        case .stairs: "Stairs"
        case .escalator: "Escalator"
        case .door:
            tags["barrier"] != nil ? "Gate" : (tags["entrance"] ?? "no") != "no" ? "Entrance" : "Door"
        case .path: tags["highway"] == "corridor" || tags["indoor"] != nil ? "Corridor" : "Path"
        }
    }
}

extension ClosablePart.Kind {
    fileprivate var order: Int {
        switch self {
        case .lift: 0
        case .escalator: 1
        case .stairs: 2
        case .door: 3
        case .path: 4
        }
    }
}

/// The named buildings of a network, by position.
private struct NamedBuildings {
    /// How far outside its box a building gives its name to what has none, in degrees: about 10 m.
    private static let marginDegrees = 1e-4

    private var buildings: [(name: String, south: Double, west: Double, north: Double, east: Double)] = []

    init(_ network: RouteNetwork) {
        for area in network.areas where (area.tags["building"] ?? "no") != "no" {
            guard let name = area.tags["name"],
                let box = GeoBox(around: area.outer.joined().compactMap { network.nodes[$0]?.point.point })
            else { continue }
            buildings.append((String(name.prefix(80)), box.south, box.west, box.north, box.east))
        }
        // Of two boxes the smaller one is more exact.
        buildings.sort { ($0.north - $0.south) * ($0.east - $0.west) < ($1.north - $1.south) * ($1.east - $1.west) }
    }

    func name(at point: GeoPoint) -> String? {
        let margin = Self.marginDegrees
        return buildings.first {
            $0.south - margin <= point.latitude && point.latitude <= $0.north + margin
                && $0.west - margin <= point.longitude && point.longitude <= $0.east + margin
        }?.name
    }
}
