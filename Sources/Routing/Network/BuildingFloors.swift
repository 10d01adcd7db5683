import Campus

/// The floor plan of one level of a building.
public struct BuildingFloor: Sendable, Equatable {
    public struct Room: Sendable, Equatable {
        public enum Kind: String, Sendable { case room, corridor, lift, stairs, area }
        /// The stable id in the source.
        public var sourceID: String
        public var kind: Kind
        public var name: String?
        /// The number or code.
        public var code: String?
        /// Closed rings: outlines, then holes.
        public var rings: [[GeoPoint]]
    }

    public var level: Level
    public var rooms: [Room]
    public var doors: [GeoPoint]
}

extension RouteNetwork {
    /// Maximum number of rooms and doors of a building's plans. Further ones are left out.
    public static let floorRoomsMax = 2_000
    /// Maximum number of points of all outlines of a building's plans.
    public static let floorPointsMax = 60_000

    /// The floors of a building that have a plan, the lowest first. O(areas + points).
    /// - Parameter outline: The building's polygons. A room whose middle is inside belongs to the building.
    public func floors(inside outline: [GeoPolygon]) -> [BuildingFloor] {
        guard let box = GeoBox(around: outline.flatMap(\.outer)) else { return [] }
        var floors: [Level: BuildingFloor] = [:]
        var (rooms, points) = (0, 0)
        var doorIDs: [Level: Set<Int64>] = [:]
        for area in areas {
            guard let kind = BuildingFloor.Room.Kind(area.tags) else { continue }
            let levels = LevelTags(area.tags).all
            guard !levels.isEmpty, rooms < Self.floorRoomsMax else { continue }
            let rings = area.rings.map { $0.compactMap { nodes[$0]?.point.point } }
            guard let middle = GeoBox(around: rings.joined())?.centre, box.contains(middle),
                outline.contains(where: { $0.contains(middle) })
            else { continue }
            for level in levels {
                let count = rings.reduce(0) { $0 + $1.count }
                guard rooms < Self.floorRoomsMax, points + count <= Self.floorPointsMax else { break }
                (rooms, points) = (rooms + 1, points + count)
                floors[level, default: BuildingFloor(level: level, rooms: [], doors: [])].rooms.append(
                    .init(
                        sourceID: area.sourceID, kind: kind, name: area.tags["name"], code: area.tags["ref"],
                        rings: rings))
                for id in area.rings.joined() where isDoor(id, on: level) { doorIDs[level, default: []].insert(id) }
            }
        }
        for (level, ids) in doorIDs {
            floors[level]?.doors = ids.sorted().prefix(Self.floorRoomsMax).compactMap { nodes[$0]?.point.point }
        }
        return floors.values.sorted { $0.level < $1.level }
    }

    private func isDoor(_ id: Int64, on level: Level) -> Bool {
        guard let tags = nodes[id]?.tags, Access.isOpening(node: tags) else { return false }
        let levels = LevelTags(tags).all
        return levels.isEmpty || levels.contains(level)
    }
}

extension BuildingFloor.Room.Kind {
    /// - Returns: Nil for what a floor plan does not show.
    fileprivate init?(_ tags: [String: String]) {
        if tags["highway"] == "elevator" || tags["room"] == "elevator" {
            self = .lift
        } else if tags["stairs"] == "yes" || tags["room"] == "stairs" {
            self = .stairs
        } else {
            switch tags["indoor"] {
            case "corridor": self = .corridor
            case "area": self = .area
            case "room": self = .room
            default:
                guard let room = tags["room"] else { return nil }
                self = room == "corridor" ? .corridor : .room
            }
        }
    }
}
