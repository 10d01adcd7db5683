/// Short description of a campus zone.
public struct ZoneInfo: Sendable, Codable, Hashable {
    /// Number of the zone, part of topic names.
    public var id: Int64
    /// Key of the zone in the imported data, such as `A1`.
    public var ref: String
    /// Name to display.
    public var name: String
    /// True for a residential zone.
    public var residence: Bool?
    public init(id: Int64, ref: String, name: String, residence: Bool? = nil) {
        self.id = id
        self.ref = ref
        self.name = name
        self.residence = residence
    }
}

/// Rectangle in degrees.
public struct Bounds: Sendable, Codable, Hashable {
    public var south: Double
    public var west: Double
    public var north: Double
    public var east: Double
    public init(south: Double, west: Double, north: Double, east: Double) {
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }
}

/// Short description of the campus. Its map is `GET /campus/map.geojson`.
public struct CampusInfo: Sendable, Codable, Hashable {
    public var id: Int64
    /// Name to display.
    public var name: String
    /// Changes with every import.
    public var version: String
    /// Area that the map shows first; nil before the first import.
    public var bounds: Bounds?
    /// All zones, ordered by `ref`.
    public var zones: [ZoneInfo]
    public init(id: Int64, name: String, version: String, bounds: Bounds?, zones: [ZoneInfo]) {
        self.id = id
        self.name = name
        self.version = version
        self.bounds = bounds
        self.zones = zones
    }
}

public enum CampusInfoGet: RPCMethod {
    public static let name = "campus.info"
    public static let summary = "Returns the description of the campus."
    public static let access = MethodAccess.everybody
    public typealias Params = Empty
    public typealias Result = CampusInfo
}

public enum CampusLocate: RPCMethod {
    public static let name = "campus.locate"
    public static let summary = "Returns the zone that contains a position."
    public static let access = MethodAccess.everybody
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
    public struct Result: Codable, Sendable {
        /// Nil outside of all zones.
        public var zone: ZoneInfo?
        public init(zone: ZoneInfo?) { self.zone = zone }
    }
}

extension APIRegistry {
    static let campus: [any RPCMethod.Type] = [CampusInfoGet.self, CampusLocate.self]
}
