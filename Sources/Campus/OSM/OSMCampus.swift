import Foundation

/// Sorts tagged objects into a campus document. One object may belong to several categories: a building that is a
/// library is a building and a place.
struct OSMCampus {
    let geometries: OSMGeometries
    private var buildings: [CampusDocument.Building] = []
    private var ways: [CampusDocument.Way] = []
    private var places: [CampusDocument.Place] = []
    private var areas: [CampusDocument.Area] = []
    private var rooms: [CampusDocument.Room] = []
    private var entrances: [CampusDocument.Entrance] = []
    private var counts = ImportCounts()
    /// Source ids of buildings tagged only `building=yes`.
    private var plainBuildings: Set<String> = []

    init(geometries: OSMGeometries) {
        self.geometries = geometries
    }

    mutating func add(_ object: OSMObject) {
        if let value = object.tags["building"] { addBuilding(object, value) }
        if let value = object.tags["highway"] { addWay(object, value) }
        if let kind = Self.placeKind(object) { addPlace(object, kind) }
        if let entrance = OSMRooms.entrance(object) { entrances.append(entrance) }
        if let room = OSMRooms.room(object, geometries) { rooms.append(room) }
        if object.kind != .node, let kind = Self.areaKind(object.tags) { addArea(object, kind) }
    }

    // MARK: Buildings

    private mutating func addBuilding(_ object: OSMObject, _ value: String) {
        if value == "no" { return counts.skip("buildings", because: "tagged building=no") }
        if object.kind == .node {
            // A point cannot be drawn as a building, but with a name it is a place to search for.
            return counts.skip("buildings", because: "a point without an outline, kept as a place if named")
        }
        guard let polygons = geometries.polygons(object) else {
            return counts.skip("buildings", because: "broken or incomplete outline")
        }
        let levels = object.tags["building:levels"].flatMap(Double.init)
            .flatMap { $0.isFinite && (0...300).contains($0) ? Int($0.rounded(.up)) : nil }
        buildings.append(
            .init(
                sourceID: object.sourceID, name: object.name, polygons: polygons, levels: levels,
                isResidence: OSMResidences.isResidence(building: object.tags), wheelchair: object.wheelchair,
                listing: .init(tags: object.tags, name: object.name)))
        if value == "yes" { plainBuildings.insert(object.sourceID) }
        counts.take("buildings")
    }

    // MARK: Ways

    private static let roads: Set<String> = [
        "motorway", "trunk", "primary", "secondary", "tertiary", "unclassified", "residential", "road", "busway",
        "motorway_link", "trunk_link", "primary_link", "secondary_link", "tertiary_link",
    ]

    private static func wayKind(_ highway: String) -> (kind: CampusDocument.WayKind, category: String)? {
        switch highway {
        case "footway", "corridor": (.footway, "footways")
        case "steps": (.steps, "steps")
        case "path", "bridleway": (.path, "paths")
        case "cycleway": (.cycleway, "cycleways")
        case "pedestrian": (.pedestrian, "pedestrian ways")
        case "service", "track", "living_street": (.service, "service ways")
        default: roads.contains(highway) ? (.road, "roads") : nil
        }
    }

    private mutating func addWay(_ object: OSMObject, _ highway: String) {
        if highway == "elevator" {
            guard let point = geometries.point(object) else {
                return counts.skip("lifts", because: "broken or incomplete geometry")
            }
            places.append(
                .init(
                    sourceID: object.sourceID, name: object.name, kind: "lift", point: point,
                    wheelchair: object.wheelchair, listing: .init(tags: object.tags, name: object.name)))
            return counts.take("lifts")
        }
        // Crossings, stops and lamps are points on a way, not ways.
        guard object.kind != .node else { return }
        guard let (kind, category) = Self.wayKind(highway) else {
            return counts.skip("other ways", because: "highway=\(highway.prefix(40)) is not a way to go along")
        }
        guard let line = geometries.line(object) else {
            return counts.skip(category, because: "broken or incomplete geometry")
        }
        ways.append(
            .init(
                sourceID: object.sourceID, kind: kind, name: object.name, line: line.points, isArea: line.isArea,
                isStepFree: Self.isStepFree(object, kind), wheelchair: object.wheelchair,
                isWalkable: Self.isWalkable(object.tags, highway)))
        counts.take(category)
    }

    private static func isStepFree(_ object: OSMObject, _ kind: CampusDocument.WayKind) -> Bool {
        if object.wheelchair == .no { return false }
        return kind != .steps || object.tags["ramp:wheelchair"] == "yes"
    }

    private static func isWalkable(_ tags: [String: String], _ highway: String) -> Bool {
        switch tags["foot"] {
        case "no", "private", "use_sidepath": return false
        case .some: return true
        case nil: return !["no", "private"].contains(tags["access"]) && !highway.hasPrefix("motorway")
        }
    }

    // MARK: Places

    /// Amenities that people search for even without a name.
    private static let namelessAmenities: Set<String> = [
        "toilets", "drinking_water", "bicycle_parking", "bicycle_rental", "bicycle_repair_station", "atm",
        "charging_station", "post_box", "fountain",
    ]

    private static func placeKind(_ object: OSMObject) -> String? {
        let tags = object.tags
        // A lift is a place already, also one that is mapped as a room.
        if tags["highway"] == "elevator" { return nil }
        if let amenity = tags["amenity"] {
            // Car parks with an outline are areas.
            return amenity == "parking" && object.kind != .node ? nil : amenity
        }
        if let kind = tags["shop"] ?? tags["tourism"] { return kind }
        if tags["highway"] == "bus_stop" { return "bus_stop" }
        if let leisure = tags["leisure"],
            ["sports_centre", "fitness_centre", "stadium", "swimming_pool"].contains(leisure)
        {
            return leisure
        }
        if tags["office"] != nil { return "office" }
        if let kind = indoorKind(object) ?? stopKind(tags) { return kind }
        return object.kind == .node && tags["building"] != nil && tags["building"] != "no" ? "building" : nil
    }

    /// The kind of a room or an entrance; nil for other objects.
    private static func indoorKind(_ object: OSMObject) -> String? {
        if object.tags["indoor"] == "room" || object.tags["room"] != nil { return "room" }
        guard object.kind == .node, let entrance = object.tags["entrance"], entrance != "no" else { return nil }
        return "entrance"
    }

    /// The kind of a public transport stop. `stop_position`, where vehicles stop, is skipped later, because people
    /// board at platforms.
    private static func stopKind(_ tags: [String: String]) -> String? {
        switch tags["public_transport"] {
        case "station": return "station"
        case "platform": return "platform"
        case "stop_position": return "stop_position"
        default: break
        }
        return tags["railway"].flatMap { ["station", "halt", "tram_stop"].contains($0) ? $0 : nil }
    }

    /// The import category of a kind of place.
    private static func category(of kind: String) -> String {
        switch kind {
        case "room": "rooms"
        case "entrance": "entrances"
        case "station", "platform", "stop_position", "halt", "tram_stop", "bus_stop": "stops"
        default: "places"
        }
    }

    private mutating func addPlace(_ object: OSMObject, _ kind: String) {
        let category = Self.category(of: kind)
        guard kind != "stop_position" else {
            return counts.skip(category, because: "the stop position of the vehicle, not the platform")
        }
        // The number or letter of a room or an entrance serves as its name.
        let name = object.name ?? (["room", "entrance"].contains(kind) ? object.number : nil)
        guard name != nil || Self.namelessAmenities.contains(kind) else {
            return counts.skip(category, because: "without a name")
        }
        guard let point = geometries.point(object) else {
            return counts.skip(category, because: "broken or incomplete geometry")
        }
        places.append(
            .init(
                sourceID: object.sourceID, name: name, kind: String(kind.prefix(60)), point: point,
                wheelchair: object.wheelchair, listing: .init(tags: object.tags, name: name)))
        counts.take(category)
    }

    // MARK: Areas

    private static func areaKind(_ tags: [String: String]) -> CampusDocument.AreaKind? {
        switch tags["natural"] {
        case "water": return .water
        case "beach", "sand": return .sand
        case "wood", "scrub": return .wood
        case "grassland", "heath": return .green
        default: break
        }
        switch tags["leisure"] {
        case "pitch", "track": return .pitch
        case "park", "garden", "golf_course", "common", "dog_park", "playground": return .green
        default: break
        }
        switch tags["landuse"] {
        case "grass", "meadow", "recreation_ground", "village_green", "flowerbed", "cemetery": return .green
        case "forest", "orchard": return .wood
        case "reservoir", "basin": return .water
        default: break
        }
        if tags["waterway"] == "riverbank" { return .water }
        return tags["amenity"] == "parking" ? .parking : nil
    }

    private mutating func addArea(_ object: OSMObject, _ kind: CampusDocument.AreaKind) {
        guard let polygons = geometries.polygons(object) else {
            return counts.skip("areas", because: "open outline, or incomplete at the edge of the extract")
        }
        areas.append(.init(sourceID: object.sourceID, kind: kind, name: object.name, polygons: polygons))
        counts.take("areas")
    }

    // MARK: Document

    /// Puts everything but zones into a document.
    func fill(_ document: inout CampusDocument, objects: [OSMObject]) {
        document.buildings = marked(objects)
        document.ways = ways
        document.places = places
        document.areas = areas
        document.rooms = rooms
        document.assignRoomsToBuildings()
        document.counts.add(counts)
    }

    /// The buildings with their entrances, and with marks of those that people live in.
    private func marked(_ objects: [OSMObject]) -> [CampusDocument.Building] {
        OSMResidences.marked(
            OSMRooms.buildings(buildings, with: entrances), plain: plainBuildings, objects: objects,
            geometries: geometries)
    }

    func document(
        bounds: GeoBox, objects: [OSMObject], gridTargetCells: Int
    ) throws(OSMImportError) -> CampusDocument {
        var counts = counts
        let buildings = marked(objects)
        let landmarks = buildings.map { $0.polygons[0].box.centre } + ways.map { $0.line[$0.line.count / 2] }
        let named = OSMZones.named(
            objects: objects, geometries: geometries, bounds: bounds, landmarks: landmarks)
        let zones: [ZoneDraft]
        if let named {
            zones = named
            counts.take(CampusDocument.namedCategory, count: named.count)
        } else {
            do {
                zones = try ZoneIndex.grid(over: bounds, targetCells: gridTargetCells)
            } catch {
                throw .flatBounds
            }
            counts.take(CampusDocument.gridCategory, count: zones.count)
        }
        var document = CampusDocument(
            attribution: OSMImport.attribution, bounds: bounds, zones: zones, buildings: buildings, ways: ways,
            places: places, areas: areas, rooms: rooms, counts: counts)
        document.assignRoomsToBuildings()
        return document
    }
}
