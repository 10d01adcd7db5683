// Search, pages of places, and what is near (N-1.2).

/// Kind of a destination.
public enum DestinationKind: String, WireChoice {
    case building, room, place, zone
}

/// Wheelchair access of a destination.
public enum WheelchairAccess: String, WireChoice {
    case yes
    /// Partly, or with help.
    case limited
    case no
}

/// A building, room, place or zone that search finds and routes lead to.
public struct Destination: Codable, Sendable, Equatable {
    /// `building/12`, `room/34`, `place/56` or `zone/7`.
    public var id: String
    public var kind: DestinationKind
    /// Name to display; of a room without a name its code.
    public var name: String
    /// Code of a room or a building, such as `5508.02.801`.
    public var code: String?
    /// Class of the source, such as `library`, `cafe`, `toilets`.
    public var `class`: String?
    /// Name of the building around it.
    public var building: String?
    /// Level as Simple Indoor Tagging writes it: `0`, `-1`, `0.5`.
    public var level: String?
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    /// Zone that contains it.
    public var zone: Int64?
    public var wheelchair: WheelchairAccess?
    /// Whether it is open now; nil if the server does not know.
    public var open: Bool?
    /// Distance in metres from the position of the request; in `places.nearby` the length of the way.
    public var metres: Double?
    /// Walking time in seconds, in `places.nearby`.
    public var seconds: Double?
    /// Other name that matched the text.
    public var alternative: String?
    public init(
        id: String, kind: DestinationKind, name: String, code: String? = nil, `class`: String? = nil,
        building: String? = nil, level: String? = nil, lat: Double, lon: Double, zone: Int64? = nil,
        wheelchair: WheelchairAccess? = nil, open: Bool? = nil, metres: Double? = nil, seconds: Double? = nil,
        alternative: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.code = code
        self.class = `class`
        self.building = building
        self.level = level
        self.lat = lat
        self.lon = lon
        self.zone = zone
        self.wheelchair = wheelchair
        self.open = open
        self.metres = metres
        self.seconds = seconds
        self.alternative = alternative
    }
}

public enum SearchFind: RPCMethod {
    public static let name = "search.find"
    public static let summary = "Finds buildings, rooms, places and zones while somebody types."
    public static let access = MethodAccess.everybody
    public static let texts: [String: TextLimit] = ["text": .searchText]
    public static let limits: [MethodLimit] = [.each(.find)]
    public static let errors: [ErrorCode] = [.unavailable]
    public struct Params: Codable, Sendable {
        /// Name, other name or code, or its beginning, in any script and with typing errors. 1 to 120 characters.
        public var text: String
        /// Kinds to find; nil for all.
        public var kinds: [DestinationKind]?
        /// Finds only destinations of this class, such as `cafe`.
        public var `class`: String?
        /// Finds only destinations that are open now.
        public var openNow: Bool?
        /// Leaves out destinations known to have steps. Those with full or partial wheelchair access come first.
        public var stepFree: Bool?
        /// Restricts the search to this zone.
        @ObjectID public var zone: Int64?
        /// Latitude of the person in degrees, to rank by distance. Latitude and longitude are both present or both nil.
        @Latitude public var lat: Double?
        /// Degrees.
        @Longitude public var lon: Double?
        /// 1 to 50; default 10.
        @Count public var limit: Int?
        public init(
            text: String, kinds: [DestinationKind]? = nil, `class`: String? = nil, openNow: Bool? = nil,
            stepFree: Bool? = nil, zone: Int64? = nil, lat: Double? = nil, lon: Double? = nil, limit: Int? = nil
        ) {
            self.text = text
            self.kinds = kinds
            self.class = `class`
            self.openNow = openNow
            self.stepFree = stepFree
            self.zone = zone
            self.lat = lat
            self.lon = lon
            self.limit = limit
        }
    }
    public struct Result: Codable, Sendable {
        /// Best first.
        public var results: [Destination]
        /// Name that is near the text, if there are no results or only weak ones.
        public var suggestion: String?
        public init(results: [Destination], suggestion: String? = nil) {
            self.results = results
            self.suggestion = suggestion
        }
    }
}

/// An interval in which a destination is open.
public struct OpenInterval: Codable, Sendable, Equatable {
    public var from: Timestamp
    public var to: Timestamp
    public init(from: Timestamp, to: Timestamp) {
        self.from = from
        self.to = to
    }
}

/// An entrance of a building.
public struct Entrance: Codable, Sendable, Equatable {
    public var name: String?
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    public var level: String?
    public var wheelchair: WheelchairAccess?
    public init(
        name: String? = nil, lat: Double, lon: Double, level: String? = nil, wheelchair: WheelchairAccess? = nil
    ) {
        self.name = name
        self.lat = lat
        self.lon = lon
        self.level = level
        self.wheelchair = wheelchair
    }
}

/// An event at a destination.
public struct EventThere: Codable, Sendable, Equatable {
    public var id: Int64
    public var title: String
    public var starts: Timestamp
    public init(id: Int64, title: String, starts: Timestamp) {
        self.id = id
        self.title = title
        self.starts = starts
    }
}

/// Everything that is known of a destination.
public struct DestinationPage: Codable, Sendable, Equatable {
    public var destination: Destination
    /// Name of the zone.
    public var zone: String?
    public var details: String?
    public var menu: String?
    /// Ids of pictures in their order, at most 6: parts of `GET /pictures/ID` and `GET /pictures/ID/thumb`, for everybody.
    public var pictures: [String]
    /// OpenStreetMap's `opening_hours`, as the source or an editor wrote it.
    public var openingHours: String?
    /// Intervals of today and the next seven days in which it is open, in order; nil if the server cannot evaluate `openingHours`.
    public var openings: [OpenInterval]?
    /// IANA name of the campus's time zone, in which `openings` are days, such as Europe/Berlin; nil if `openings` is.
    public var timeZone: String?
    public var entrances: [Entrance]
    /// Levels that have a plan, lowest first.
    public var floors: [String]
    public var website: String?
    public var phone: String?
    /// Approximate number of people around it: that of the published heatmap's cell; nil if the cell shows nothing.
    public var people: Int?
    /// Coming events there that the caller can see, at most 5, in order of time.
    public var events: [EventThere]
    /// Whether the caller may change it with `places.edit`.
    public var canEdit: Bool
    /// Username of the account that manages it, for admins only.
    public var manager: String?
    public init(
        destination: Destination, zone: String? = nil, details: String? = nil, menu: String? = nil,
        pictures: [String] = [], openingHours: String? = nil, openings: [OpenInterval]? = nil,
        timeZone: String? = nil, entrances: [Entrance] = [], floors: [String] = [], website: String? = nil,
        phone: String? = nil,
        people: Int? = nil, events: [EventThere] = [], canEdit: Bool = false, manager: String? = nil
    ) {
        self.destination = destination
        self.zone = zone
        self.details = details
        self.menu = menu
        self.pictures = pictures
        self.openingHours = openingHours
        self.openings = openings
        self.timeZone = timeZone
        self.entrances = entrances
        self.floors = floors
        self.website = website
        self.phone = phone
        self.people = people
        self.events = events
        self.canEdit = canEdit
        self.manager = manager
    }
}

public enum PlacesPage: RPCMethod {
    public static let name = "places.page"
    public static let summary = "Returns everything that is known of a destination."
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [.each(.list)]
    public static let errors: [ErrorCode] = [.notFound, .unavailable]
    public struct Params: Codable, Sendable {
        /// Id of the destination, such as `room/34`.
        public var destination: String
        public init(destination: String) { self.destination = destination }
    }
    public typealias Result = DestinationPage
}

public enum PlacesNearby: RPCMethod {
    public static let name = "places.nearby"
    public static let summary = "Lists places by their walking time from a position."
    public static let access = MethodAccess.everybody
    public static let limits: [MethodLimit] = [.each(.list)]
    public static let errors: [ErrorCode] = [.unavailable]
    public struct Params: Codable, Sendable {
        /// Degrees.
        @Latitude public var lat: Double
        /// Degrees.
        @Longitude public var lon: Double
        /// Level of the person, if known.
        public var level: String?
        /// Lists only places of this class, such as `cafe`.
        public var `class`: String?
        /// Lists only places that are open now.
        public var openNow: Bool?
        /// Lists only places that a way without steps leads to, and not those known to have steps.
        public var stepFree: Bool?
        /// 1 to 50; default 20.
        @Count public var limit: Int?
        public init(
            lat: Double, lon: Double, level: String? = nil, `class`: String? = nil, openNow: Bool? = nil,
            stepFree: Bool? = nil, limit: Int? = nil
        ) {
            self.lat = lat
            self.lon = lon
            self.level = level
            self.class = `class`
            self.openNow = openNow
            self.stepFree = stepFree
            self.limit = limit
        }
    }
    public struct Result: Codable, Sendable {
        /// By walking time.
        public var places: [Destination]
        /// True if the times are estimated from straight lines, because the campus has no network of paths.
        public var isEstimate: Bool?
        public init(places: [Destination], isEstimate: Bool? = nil) {
            self.places = places
            self.isEstimate = isEstimate
        }
    }
}

public enum PlacesEdit: RPCMethod {
    public static let name = "places.edit"
    public static let summary =
        "Changes the page of a place that the caller manages. Admins change all. Later imports do not modify it."
    public static let access = MethodAccess.accounts
    public static let texts: [String: TextLimit] = [
        "details": .placeDetails, "menu": .placeMenu, "openingHours": .openingHours, "website": .website,
        "phone": .phone,
    ]
    public static let limits: [MethodLimit] = [.each(.message)]
    public static let errors: [ErrorCode] = [.notFound, .forbidden, .unavailable]
    public struct Params: Codable, Sendable {
        @ObjectID public var place: Int64
        /// At most 1,000 characters. A text that is empty removes the value; nil keeps it. The same holds for the others.
        public var details: String?
        /// At most 5,000 characters.
        public var menu: String?
        /// Value of OpenStreetMap's `opening_hours`, at most 255 characters. A value that cannot be evaluated is shown as it is.
        public var openingHours: String?
        /// Address that begins with `http://` or `https://`, at most 255 characters.
        public var website: String?
        /// At most 100 characters.
        public var phone: String?
        public var wheelchair: WheelchairAccess?
        /// Ids of all pictures of the page in their order, at most 6: those that it has, and new ones that the caller uploaded with
        /// `POST /pictures?purpose=place`. Pictures that are left out are removed; nil keeps all.
        public var pictures: [String]?
        public init(
            place: Int64, details: String? = nil, menu: String? = nil, openingHours: String? = nil,
            website: String? = nil, phone: String? = nil, wheelchair: WheelchairAccess? = nil, pictures: [String]? = nil
        ) {
            self.place = place
            self.details = details
            self.menu = menu
            self.openingHours = openingHours
            self.website = website
            self.phone = phone
            self.wheelchair = wheelchair
            self.pictures = pictures
        }
    }
    public typealias Result = DestinationPage
}

public enum AdminDelegatePlace: RPCMethod {
    public static let name = "admin.delegatePlace"
    public static let summary = "Lets an account edit the page of a place."
    public static let access = MethodAccess.roles([.admin])
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var place: Int64
        /// Account that may edit the place from now on, instead of the previous one; nil for none.
        @ObjectID public var account: Int64?
        public init(place: Int64, account: Int64? = nil) {
            self.place = place
            self.account = account
        }
    }
    public typealias Result = PlaceParams
}

extension APIRegistry {
    static let search: [any RPCMethod.Type] = [
        SearchFind.self, PlacesPage.self, PlacesNearby.self, PlacesEdit.self, AdminDelegatePlace.self,
    ]
}
