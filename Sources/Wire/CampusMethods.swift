/// A zone as lists show it.
public struct ZoneInfo: Sendable, Codable, Hashable {
    /// Its number; topics use it.
    public var id: Int64
    /// The import's own key, such as `A1`.
    public var ref: String
    /// For people.
    public var name: String
    /// True for one that people live in.
    public var residence: Bool?
    public init(id: Int64, ref: String, name: String, residence: Bool? = nil) {
        self.id = id
        self.ref = ref
        self.name = name
        self.residence = residence
    }
}

/// A box in degrees.
public struct Bounds: Sendable, Codable, Hashable {
    /// The southern edge.
    public var south: Double
    /// The western edge.
    public var west: Double
    /// The northern edge.
    public var north: Double
    /// The eastern edge.
    public var east: Double
    public init(south: Double, west: Double, north: Double, east: Double) {
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }
}

/// The campus in a few words; its map is `GET /campus/map.geojson`.
public struct CampusInfo: Sendable, Codable, Hashable {
    /// Its number.
    public var id: Int64
    /// For people.
    public var name: String
    /// Changes with every import.
    public var version: String
    /// What the map shows first; nil before anything was imported.
    public var bounds: Bounds?
    /// All zones, in order of `ref`.
    public var zones: [ZoneInfo]
    public init(id: Int64, name: String, version: String, bounds: Bounds?, zones: [ZoneInfo]) {
        self.id = id
        self.name = name
        self.version = version
        self.bounds = bounds
        self.zones = zones
    }
}

/// `campus.info`.
public enum CampusInfoGet: RPCMethod {
    public static let name = "campus.info"
    public static let access = MethodAccess.everybody
    public typealias Params = Empty
    public typealias Result = CampusInfo
}

/// `campus.locate`: which zone a position is in.
public enum CampusLocate: RPCMethod {
    public static let name = "campus.locate"
    public static let access = MethodAccess.everybody
    /// A position.
    public struct Params: Codable, Sendable {
        /// Degrees, -90 to 90.
        @Latitude public var lat: Double
        /// Degrees, -180 to 180.
        @Longitude public var lon: Double
        public init(lat: Double, lon: Double) {
            self.lat = lat
            self.lon = lon
        }
    }
    /// The zone, or none.
    public struct Result: Codable, Sendable {
        /// Nil outside every zone.
        public var zone: ZoneInfo?
        public init(zone: ZoneInfo?) { self.zone = zone }
    }
}
