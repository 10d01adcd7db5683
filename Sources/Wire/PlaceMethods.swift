/// A place of the campus.
public struct Place: Codable, Sendable, Equatable {
    /// Its number.
    public var id: Int64
    /// For people.
    public var name: String
    /// Such as `library`, `cafe`, `lecture_hall`.
    public var `class`: String
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    /// Opening times and the like.
    public var details: String?
    /// The zone it is in.
    public var zone: Int64?
    /// Made or changed by an admin: an import leaves it as it is.
    public var edited: Bool
    public init(
        id: Int64, name: String, `class`: String, lat: Double, lon: Double, details: String? = nil, zone: Int64? = nil,
        edited: Bool
    ) {
        self.id = id
        self.name = name
        self.class = `class`
        self.lat = lat
        self.lon = lon
        self.details = details
        self.zone = zone
        self.edited = edited
    }
}

/// `places.list`: named places, by name.
public enum PlacesList: RPCMethod {
    public static let name = "places.list"
    public static let access = MethodAccess.everybody
    /// Which.
    public struct Params: Codable, Sendable {
        /// Words of the name, each anywhere.
        public var text: String?
        /// Only in this zone.
        @ObjectID public var zone: Int64?
        /// 1 to 200; 50 unless given.
        @Count public var limit: Int?
        public init(text: String? = nil, zone: Int64? = nil, limit: Int? = nil) {
            self.text = text
            self.zone = zone
            self.limit = limit
        }
    }
    /// Those that were found.
    public struct Result: Codable, Sendable {
        /// In order of name.
        public var places: [Place]
        /// There are more: say more of the name.
        public var more: Bool
        public init(places: [Place], more: Bool) {
            self.places = places
            self.more = more
        }
    }
}

/// `admin.savePlace`: marks a place, or changes one. Imports leave it as it is from then on.
public enum AdminSavePlace: RPCMethod {
    public static let name = "admin.savePlace"
    public static let access = MethodAccess.roles([.admin])
    /// A place.
    public struct Params: Codable, Sendable {
        /// The one to change; nil for a new one.
        @ObjectID public var place: Int64?
        /// For a new one, a UUID of the client's: sent again, it is the same place.
        public var id: String?
        /// 1 to 120 characters.
        public var name: String
        /// 1 to 40 of `a`-`z`, `0`-`9`, `_`.
        public var `class`: String
        /// Degrees, within the campus.
        @Latitude public var lat: Double
        /// Degrees, within the campus.
        @Longitude public var lon: Double
        /// At most 1,000 characters.
        public var details: String?
        public init(
            place: Int64? = nil, id: String? = nil, name: String, `class`: String, lat: Double, lon: Double,
            details: String? = nil
        ) {
            self.place = place
            self.id = id
            self.name = name
            self.class = `class`
            self.lat = lat
            self.lon = lon
            self.details = details
        }
    }
    public typealias Result = Place
}

/// A place by its number.
public struct PlaceParams: Codable, Sendable {
    /// Its number.
    @ObjectID public var place: Int64
    public init(place: Int64) { self.place = place }
}

/// `admin.deletePlace`: takes a place off the map. An import does not bring it back.
public enum AdminDeletePlace: RPCMethod {
    public static let name = "admin.deletePlace"
    public static let access = MethodAccess.roles([.admin])
    public typealias Params = PlaceParams
    public typealias Result = PlaceParams
}

/// A GeoJSON polygon (RFC 7946 §3.1.6): rings of `[longitude, latitude]`, each closed; the first is the outline, others are holes.
public struct ZoneShape: Codable, Sendable, Equatable {
    /// Always `Polygon`.
    public var type: String
    /// The rings.
    @Quantity public var coordinates: [[[Double]]]
    public init(type: String, coordinates: [[[Double]]]) {
        self.type = type
        self.coordinates = coordinates
    }
}

/// `admin.saveZone`: draws a zone, or changes one. Imports leave it as it is from then on.
public enum AdminSaveZone: RPCMethod {
    public static let name = "admin.saveZone"
    public static let access = MethodAccess.roles([.admin])
    /// A zone.
    public struct Params: Codable, Sendable {
        /// The one to change; nil for a new one.
        @ObjectID public var zone: Int64?
        /// Needed for a new one and unique, 1 to 20 letters, digits, `-`, `_`: sent again, it is the same zone. Not to be changed.
        public var ref: String?
        /// 1 to 120 characters.
        public var name: String
        /// Its shape; needed for a new one, and nil leaves it.
        public var polygon: ZoneShape?
        /// Whether people live there: nobody is shown in it then who has not switched that on. Nil leaves it; a new one is none.
        public var residence: Bool?
        public init(
            zone: Int64? = nil, ref: String? = nil, name: String, polygon: ZoneShape? = nil, residence: Bool? = nil
        ) {
            self.zone = zone
            self.ref = ref
            self.name = name
            self.polygon = polygon
            self.residence = residence
        }
    }
    public typealias Result = ZoneInfo
}

/// A zone by its number.
public struct ZoneParams: Codable, Sendable {
    /// Its number.
    @ObjectID public var zone: Int64
    public init(zone: Int64) { self.zone = zone }
}

/// `admin.deleteZone`: a zone is no more. An import does not bring it back.
public enum AdminDeleteZone: RPCMethod {
    public static let name = "admin.deleteZone"
    public static let access = MethodAccess.roles([.admin])
    public typealias Params = ZoneParams
    public typealias Result = ZoneParams
}
