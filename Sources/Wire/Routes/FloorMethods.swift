// Floor plans of buildings.

/// A room, or what else a floor plan shows.
public struct FloorRoom: Codable, Sendable, Equatable {
    public enum Kind: String, WireChoice { case room, corridor, lift, stairs, area }
    /// `room/<id>`; nil for what is no destination.
    public var id: String?
    public var name: String?
    /// Room code.
    public var code: String?
    public var kind: Kind
    /// Closed rings: the outline first, then holes.
    public var lines: [[LatLon]]
    public init(id: String? = nil, name: String? = nil, code: String? = nil, kind: Kind, lines: [[LatLon]]) {
        self.id = id
        self.name = name
        self.code = code
        self.kind = kind
        self.lines = lines
    }
}

/// A door on a floor plan.
public struct FloorDoor: Codable, Sendable, Equatable {
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    public init(lat: Double, lon: Double) {
        self.lat = lat
        self.lon = lon
    }
}

/// A floor of a building.
public struct Floor: Codable, Sendable, Equatable {
    public var level: String
    public var rooms: [FloorRoom]
    public var doors: [FloorDoor]
    public init(level: String, rooms: [FloorRoom], doors: [FloorDoor]) {
        self.level = level
        self.rooms = rooms
        self.doors = doors
    }
}

public enum PlacesFloors: RPCMethod {
    public static let name = "places.floors"
    public static let summary = "Returns the floor plans of a building."
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [.each(.list)]
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var building: Int64
        public init(building: Int64) { self.building = building }
    }
    public struct Result: Codable, Sendable {
        /// The lowest first; empty for a building without mapped rooms.
        public var floors: [Floor]
        public init(floors: [Floor]) { self.floors = floors }
    }
}
