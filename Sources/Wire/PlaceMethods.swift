/// A point of interest on the campus.
public struct Place: Codable, Sendable, Equatable {
    public var id: Int64
    /// Name to display.
    public var name: String
    /// Kind such as `library`, `cafe` or `lecture_hall`.
    public var `class`: String
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    /// Further information such as opening times.
    public var details: String?
    /// Zone that contains the place.
    public var zone: Int64?
    /// True if an admin created or changed the place. Imports do not modify it.
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

public enum PlacesList: RPCMethod {
    public static let name = "places.list"
    public static let summary = "Lists named places, ordered by name."
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [.each(.list)]
    public struct Params: Codable, Sendable {
        /// Words that occur anywhere in the name.
        public var text: String?
        /// Restricts the list to this zone.
        @ObjectID public var zone: Int64?
        /// 1 to 200; default 50.
        @Count public var limit: Int?
        public init(text: String? = nil, zone: Int64? = nil, limit: Int? = nil) {
            self.text = text
            self.zone = zone
            self.limit = limit
        }
    }
    public struct Result: Codable, Sendable {
        /// Ordered by name.
        public var places: [Place]
        /// True if further places match. A longer `text` narrows the search.
        public var more: Bool
        public init(places: [Place], more: Bool) {
            self.places = places
            self.more = more
        }
    }
}

public enum AdminSavePlace: RPCMethod {
    public static let name = "admin.savePlace"
    public static let summary = "Creates or changes a place. Later imports do not modify it."
    public static let access = MethodAccess.roles([.admin])
    public static let texts: [String: TextLimit] = ["name": .placeName, "details": .placeDetails]
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        /// Place to change; nil for a new one.
        @ObjectID public var place: Int64?
        /// UUID chosen by the client, for a new place. A repeated request with the same UUID has no further effect.
        public var id: String?
        /// 1 to 120 characters.
        public var name: String
        /// 1 to 40 of the characters `a`-`z`, `0`-`9` and `_`.
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

/// Number of one place.
public struct PlaceParams: Codable, Sendable {
    @ObjectID public var place: Int64
    public init(place: Int64) { self.place = place }
}

public enum AdminDeletePlace: RPCMethod {
    public static let name = "admin.deletePlace"
    public static let summary = "Removes a place from the map. Later imports do not restore it."
    public static let access = MethodAccess.roles([.admin])
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public typealias Params = PlaceParams
    public typealias Result = PlaceParams
}

/// A GeoJSON polygon (RFC 7946 §3.1.6): closed rings of `[longitude, latitude]`. The first ring is the outline, the others are holes.
public struct ZoneShape: Codable, Sendable, Equatable {
    /// Always `Polygon`.
    public var type: String
    @Quantity public var coordinates: [[[Double]]]
    public init(type: String, coordinates: [[[Double]]]) {
        self.type = type
        self.coordinates = coordinates
    }
}

public enum AdminSaveZone: RPCMethod {
    public static let name = "admin.saveZone"
    public static let summary = "Creates or changes a zone. Later imports do not modify it."
    public static let access = MethodAccess.roles([.admin])
    public static let texts: [String: TextLimit] = ["name": .placeName]
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        /// Zone to change; nil for a new one.
        @ObjectID public var zone: Int64?
        /// Unique key of 1 to 20 letters, digits, `-` and `_`. Required for a new zone; cannot be changed. A repeated request with the same
        /// key has no further effect.
        public var ref: String?
        /// 1 to 120 characters.
        public var name: String
        /// Shape of the zone. Required for a new zone; nil keeps the shape.
        public var polygon: ZoneShape?
        /// Whether the zone is residential. In a residential zone people are hidden unless they permit it. Nil keeps the value; the default
        /// of a new zone is false.
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

/// Number of one zone.
public struct ZoneParams: Codable, Sendable {
    @ObjectID public var zone: Int64
    public init(zone: Int64) { self.zone = zone }
}

public enum AdminDeleteZone: RPCMethod {
    public static let name = "admin.deleteZone"
    public static let summary = "Removes a zone. Later imports do not restore it."
    public static let access = MethodAccess.roles([.admin])
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public typealias Params = ZoneParams
    public typealias Result = ZoneParams
}

extension APIRegistry {
    static let places: [any RPCMethod.Type] = [
        PlacesList.self, AdminSavePlace.self, AdminDeletePlace.self, AdminSaveZone.self, AdminDeleteZone.self,
    ]
}
