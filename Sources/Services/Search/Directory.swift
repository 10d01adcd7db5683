import Campus
import NameSearch
import Wire

/// A destination of the directory, in memory.
struct Listed: Sendable {
    let id: DestinationID
    let sourceID: String
    /// Names, the displayed one first; empty for a room with only a code.
    var names: [String]
    var code: String?
    var kindOfPlace: String?
    /// Name of the building around it.
    var building: String?
    /// Further names and the code of that building.
    var buildingWords: [String] = []
    /// Code of that building.
    var buildingCode: String?
    /// Number of the building around it, or of the building that a place is.
    var buildingNumber: Int64?
    /// Whether the place is a building, drawn as one or as a point in the building of its name, so that it stands for both.
    var isBuilding = false
    var level: String?
    let point: GeoPoint
    var zone: Int64?
    var wheelchair: WheelchairAccess?
    var openingHours: String?

    /// The displayed name.
    var name: String { names.first ?? code ?? Self.words(kindOfPlace ?? id.kind.rawValue) }

    /// A class as a heading: `drinking_water` is "Drinking water".
    static func words(_ kind: String) -> String {
        let words = kind.replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// - Parameter alternative: The other name that matched.
    func destination(isOpen: Bool?, metres: Double? = nil, alternative: String? = nil) -> Destination {
        Destination(
            id: id.description, kind: id.kind, name: name, code: code, class: kindOfPlace,
            building: building == name ? nil : building, level: level, lat: point.latitude, lon: point.longitude,
            zone: zone, wheelchair: wheelchair, open: isOpen, metres: metres, alternative: alternative)
    }
}

/// All destinations of one version of the campus, with the index of their names. Immutable.
struct Directory: Sendable {
    /// Maximum number of destinations; further ones are left out, and the log says so.
    static let destinationsMax = 250_000
    /// Kinds of places that are parts of the way and no place to look for nearby.
    private static let passages: Set = ["entrance", "room", "lift", "building"]

    let version: String
    /// The destinations that search finds.
    let listed: [Listed]
    /// Buildings that a place of the same object stands for.
    private let hidden: [Listed]
    private let positions: [DestinationID: Int]
    let index: NameIndex

    static let empty = Directory(version: "", destinations: [])

    init(version: String, destinations: [Listed]) {
        self.version = version
        // Of one object of the source the more specific destination is found: a café rather than the room that it is in.
        let places = Set(destinations.filter { $0.id.kind == .place && $0.kindOfPlace != "room" }.map(\.sourceID))
        // A library that is a point in a building of the same name is that building.
        let buildings = Set(destinations.filter(\.isBuilding).compactMap(\.buildingNumber))
        let rooms = Set(destinations.filter { $0.id.kind == .room }.map(\.sourceID))
        func isFound(_ one: Listed) -> Bool {
            switch one.id.kind {
            case .building: !places.contains(one.sourceID) && !buildings.contains(one.id.number)
            case .room: !places.contains(one.sourceID)
            case .place: one.kindOfPlace != "room" || !rooms.contains(one.sourceID)
            case .zone: true
            }
        }
        listed = destinations.filter(isFound)
        hidden = destinations.filter { !isFound($0) }
        positions = Dictionary(listed.enumerated().map { ($1.id, $0) }) { first, _ in first }
        index = NameIndex(listed.map(Self.document))
    }

    private static func document(_ one: Listed) -> NameIndex.Document {
        var codes = one.code.map { [$0] } ?? []
        // People write the building's short name before a room's number: `APB E017`.
        if let code = one.code, let building = one.buildingCode ?? one.building {
            codes.append("\(building) \(code)")
        }
        return NameIndex.Document(
            names: one.names, codes: codes,
            classes: one.kindOfPlace.map { [words($0)] + otherWords[$0, default: []] } ?? [],
            context: [one.building, one.code].compactMap(\.self) + one.buildingWords,
            weight: one.isBuilding ? 0.02 : weight(one.id.kind))
    }

    /// Other words that people type for a class of the source.
    private static let otherWords = [
        "toilets": ["wc", "restroom", "bathroom", "lavatory"], "cafe": ["coffee", "cafeteria"],
        "food_court": ["canteen", "cafeteria"], "fast_food": ["snack"], "atm": ["cash machine"],
        "bicycle_parking": ["bike rack"], "parking": ["car park"], "drinking_water": ["water fountain"],
        "pharmacy": ["chemist"], "class": ["classroom"], "auditorium": ["lecture hall"], "lift": ["elevator"],
        "sports_centre": ["gym"], "restaurant": ["canteen"],
    ]

    private static func words(_ kind: String) -> String { kind.replacing("_", with: " ") }

    private static func weight(_ kind: DestinationKind) -> Float {
        switch kind {
        case .building: 0.02
        case .zone: 0.015
        case .place: 0.01
        case .room: 0
        }
    }

    subscript(id: DestinationID) -> Listed? {
        positions[id].map { listed[$0] } ?? hidden.first { $0.id == id }
    }

    /// Places and toilets, which people look for nearby.
    var nearby: [Listed] {
        listed.filter { one in
            switch one.id.kind {
            case .place: !Self.passages.contains(one.kindOfPlace ?? "")
            case .room: one.kindOfPlace == "toilets"
            case .building, .zone: false
            }
        }
    }
}
