extension SampleCampus {
    /// The campus as tagged objects: paths, buildings with entrances, floors with rooms, corridors, doors, lifts and
    /// staircases (Simple Indoor Tagging). Its ids are those of the document.
    public static let network: [OSMObject] = {
        var drawing = NetworkDrawing()
        for (way, course) in zip(ways, courses(of: allEdges)) { drawing.way(way.sourceID, course, wayTags(way)) }
        drawing.way(trackID, trackCourse, ["highway": "path", "name": "Running Track", "surface": "tartan"])
        for (position, tags) in pointTags { drawing.node(position, tags) }
        for (index, sketch) in sketches.enumerated() {
            let (name, outline, court) = (sketch.0, outline(of: sketch).outline, outline(of: sketch).court)
            let plan = plans.first { $0.building == name }
            let entrances = entrances(of: sketch)
            for entrance in entrances { drawing.node(entrance.position, entrance.tags) }
            drawing.area(
                index + 1, [outline] + (court.map { [$0] } ?? []), through: entrances.map(\.position),
                buildingTags(name, levels: sketch.7))
            if let plan { plan.draw(into: &drawing) }
        }
        for (index, place) in places.enumerated() where place.sourceID.hasPrefix("node/") {
            drawing.place(Int64(-index - 1), place.point, placeTags(place))
        }
        return drawing.objects
    }()

    private static func entrances(of sketch: Sketch) -> [FloorPlans.Entrance] {
        let planned = plans.first { $0.building == sketch.0 }?.entrances ?? []
        guard let wall = entranceWalls[sketch.0] else { return planned }
        return planned + [.init(middle(of: outline(of: sketch).outline, wall: wall.0), wall.1)]
    }

    /// The entrances of a building as its page lists them.
    static func listedEntrances(of sketch: Sketch) -> [CampusDocument.Entrance] {
        entrances(of: sketch).compactMap { entrance in
            var node = OSMObject(kind: .node, id: 0, tags: entrance.tags)
            node.point = at(entrance.position.0, entrance.position.1)
            return OSMRooms.entrance(node)
        }
    }

    /// The rooms of all floors.
    static let rooms: [CampusDocument.Room] = {
        let nodes = Dictionary(uniqueKeysWithValues: network.filter { $0.kind == .node }.map { ($0.id, $0) })
        let ways = Dictionary(uniqueKeysWithValues: network.filter { $0.kind == .way }.map { ($0.id, $0) })
        func ring(_ way: OSMObject) -> [GeoPoint] { way.nodes.compactMap { nodes[$0]?.point } }
        let features = network.compactMap { object -> (object: OSMObject, geometry: GeoJSON.Geometry)? in
            guard object.tags["indoor"] != nil else { return nil }
            let rings = object.kind == .way ? [ring(object)] : object.members.compactMap { ways[$0.id].map(ring) }
            // The drawing is constant and tests prove that its rings are valid.
            guard let outer = rings.first, let area = try? GeoPolygon(outer: outer, holes: Array(rings.dropFirst()))
            else { return nil }
            return (object, .polygon(area))
        }
        let geometries = OSMGeometries(features)
        return features.compactMap { OSMRooms.room($0.object, geometries) }
    }()

    private static func buildingTags(_ name: String, levels: Int) -> [String: String] {
        var tags = details[name] ?? [:]
        tags["building"] = residences.contains(name) ? "dormitory" : "university"
        tags["name"] = name
        tags["building:levels"] = "\(levels)"
        return tags
    }

    private static func placeTags(_ place: CampusDocument.Place) -> [String: String] {
        var tags = place.name.flatMap { placeDetails[$0] } ?? [:]
        tags["name"] = place.name
        tags["wheelchair"] = place.wheelchair?.rawValue
        switch place.kind {
        case "kiosk", "books": tags["shop"] = place.kind
        case "museum": tags["tourism"] = place.kind
        case "sports_centre": tags["leisure"] = place.kind
        case "bus_stop": tags["highway"] = place.kind
        default: tags["amenity"] = place.kind
        }
        return tags
    }

    private static func wayTags(_ way: CampusDocument.Way) -> [String: String] {
        var tags = way.name.flatMap { slopes[$0] } ?? [:]
        tags["name"] = way.name
        tags["highway"] = way.kind == .road ? "unclassified" : way.kind.rawValue
        switch way.kind {
        case .footway, .pedestrian: tags["surface"] = "paving_stones"
        case .steps: tags.merge(["surface": "concrete", "handrail": "yes"]) { $1 }
        // The arboretum's paths are loose, those around the campus firm.
        case .path: tags["surface"] = way.name == "Campus Loop" ? "compacted" : "fine_gravel"
        case .cycleway, .service, .road: tags["surface"] = "asphalt"
        }
        return tags
    }

    /// Tags of slopes and steps by name. The Old Quad is the highest part of the campus; its steps lead down from there.
    private static let slopes: [String: [String: String]] = [
        "Quad Steps West": ["incline": "down", "step_count": "16"],
        "Quad Steps East": ["incline": "down", "step_count": "16"],
        "Lake Steps": ["incline": "down", "step_count": "24"],
        "North Steps": ["incline": "down", "step_count": "18"],
        "West Ramp": ["incline": "-5%", "wheelchair": "yes"], "East Ramp": ["incline": "-4%"],
        "Lake Ramp": ["incline": "-3%"], "North Ramp": ["incline": "-4%"],
    ]

    /// Kerbs where paths meet the road, and a barrier.
    private static let pointTags: [((Double, Double), [String: String])] = [
        ((-660, 60), ["kerb": "lowered", "highway": "crossing"]),
        ((-570, 370), ["kerb": "flush", "highway": "crossing"]),
        ((-600, -440), ["kerb": "lowered", "highway": "crossing"]),
        ((-400, 345), ["kerb": "raised"]),
        ((-460, 95), ["barrier": "bollard"]),
    ]

    /// Buildings without floors that have an entrance: the number of its wall, from the south-western corner
    /// counter-clockwise, and its tags.
    private static let entranceWalls: [String: (Int, [String: String])] = {
        let main = ["entrance": "main", "door": "hinged", "wheelchair": "yes"]
        return [
            "Student Union": (0, main), "Refectory": (2, main), "Medical Centre": (2, main), "Concert Hall": (12, main),
            "Sports Hall": (2, main), "Physics Building": (1, main), "Business School": (0, main),
            "Museum of Bells": (0, ["entrance": "main", "door": "hinged", "wheelchair": "limited"]),
            "Boathouse": (2, ["entrance": "yes", "door": "hinged", "wheelchair": "no"]),
        ]
    }()

    private static func middle(of outline: [(Double, Double)], wall: Int) -> (Double, Double) {
        let (start, end) = (outline[wall % outline.count], outline[(wall + 1) % outline.count])
        return ((start.0 + end.0) / 2, (start.1 + end.1) / 2)
    }
}

/// Tagged objects that are drawn in metres. Equal positions are one node.
struct NetworkDrawing {
    /// A position in centimetres.
    private struct Position: Hashable {
        var east: Int
        var north: Int
    }

    /// The first id of a node. Ids are negative, because OpenStreetMap does not have the objects.
    private static let firstNode: Int64 = -1001
    /// Distance from a wall within which a door is in it, in metres.
    private static let wallMetres = 0.02

    /// Difference between the id of a multipolygon and those of its outlines.
    private static let membersStep = 100_000_000

    private var numbers: [Position: Int] = [:]
    private var nodes: [OSMObject] = []
    private var places: [OSMObject] = []
    private var areas: [OSMObject] = []
    /// The levels of each door, by its index in ``nodes``.
    private var doorLevels: [Int: Set<Int>] = [:]

    /// Nodes, ways and relations.
    var objects: [OSMObject] {
        var nodes = nodes
        for (index, levels) in doorLevels {
            nodes[index].tags["level"] = levels.sorted().map { "\($0)" }.joined(separator: ";")
        }
        return places + nodes + areas.filter { $0.kind == .way } + areas.filter { $0.kind == .relation }
    }

    /// Adds tags to the node at a position.
    @discardableResult
    mutating func node(_ position: (Double, Double), _ tags: [String: String] = [:]) -> Int64 {
        let key = Position(east: Int((position.0 * 100).rounded()), north: Int((position.1 * 100).rounded()))
        let index = numbers[key] ?? nodes.count
        if numbers.updateValue(index, forKey: key) == nil {
            nodes.append(OSMObject(kind: .node, id: Self.firstNode - Int64(index), tags: [:]))
            nodes[index].point = SampleCampus.at(position.0, position.1)
        }
        nodes[index].tags.merge(tags) { $1 }
        return nodes[index].id
    }

    /// Adds a door on levels. Doors above each other are one node.
    mutating func door(_ position: (Double, Double), levels: [Int], _ tags: [String: String]) {
        let id = node(position, tags)
        doorLevels[Int(Self.firstNode - id), default: []].formUnion(levels)
    }

    mutating func place(_ id: Int64, _ point: GeoPoint, _ tags: [String: String]) {
        var place = OSMObject(kind: .node, id: id, tags: tags)
        place.point = point
        places.append(place)
    }

    mutating func way(_ sourceID: String, _ course: [(Double, Double)], _ tags: [String: String]) {
        var way = OSMObject(kind: .way, id: Int64(sourceID.dropFirst(4)) ?? 0, tags: tags)
        way.nodes = course.map { node($0) }
        areas.append(way)
    }

    /// Adds an area, with holes as a multipolygon.
    /// - Parameters:
    ///   - number: The id times -1.
    ///   - rings: Corners of the outline and of holes.
    ///   - doors: Positions, which become points of the walls that they are in.
    mutating func area(
        _ number: Int, _ rings: [[(Double, Double)]], through doors: [(Double, Double)], _ tags: [String: String]
    ) {
        var relation = OSMObject(kind: .relation, id: Int64(-number), tags: tags)
        relation.tags["type"] = "multipolygon"
        for (index, ring) in rings.enumerated() {
            let id = rings.count == 1 ? -number : -number - Self.membersStep * (index + 1)
            var way = OSMObject(kind: .way, id: Int64(id), tags: rings.count == 1 ? tags : [:])
            way.nodes = self.ring(ring, doors)
            areas.append(way)
            relation.members.append(.init(kind: .way, id: way.id, role: index == 0 ? "outer" : "inner"))
        }
        if rings.count > 1 { areas.append(relation) }
    }

    private mutating func ring(_ corners: [(Double, Double)], _ doors: [(Double, Double)]) -> [Int64] {
        var ids: [Int64] = []
        for (start, end) in zip(corners, corners.dropFirst() + corners.prefix(1)) {
            ids.append(node(start))
            let (east, north) = (end.0 - start.0, end.1 - start.1)
            let length = east * east + north * north
            let inWall = doors.compactMap { door -> (share: Double, door: (Double, Double))? in
                let share = ((door.0 - start.0) * east + (door.1 - start.1) * north) / length
                let (x, y) = (start.0 + east * share - door.0, start.1 + north * share - door.1)
                let isInWall = x * x + y * y < Self.wallMetres * Self.wallMetres
                return share > 0 && share < 1 && isInWall ? (share, door) : nil
            }
            ids += inWall.sorted { $0.share < $1.share }.map { node($0.door) }
        }
        // Two doors at one position are one node.
        ids = ids.enumerated().filter { $0.offset == 0 || ids[$0.offset - 1] != $0.element }.map(\.element)
        return ids + ids.prefix(1)
    }
}
