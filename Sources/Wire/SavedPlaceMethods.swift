// Places one saved, looked for, and was at (N-2).

/// A place that somebody saved.
public struct SavedPlace: Codable, Sendable, Equatable {
    /// Its number.
    public var id: Int64
    /// 1 to 120 characters.
    public var name: String
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    /// The campus's place it is, if any.
    public var place: Int64?
    /// When it was saved.
    public var savedAt: Timestamp
    public init(id: Int64, name: String, lat: Double, lon: Double, place: Int64? = nil, savedAt: Timestamp) {
        self.id = id
        self.name = name
        self.lat = lat
        self.lon = lon
        self.place = place
        self.savedAt = savedAt
    }
}

/// `saved.list`: places the caller saved, latest first.
public enum SavedList: RPCMethod {
    public static let name = "saved.list"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// All of them.
    public struct Result: Codable, Sendable {
        /// Latest first; at most 200.
        public var places: [SavedPlace]
        public init(places: [SavedPlace]) { self.places = places }
    }
}

/// `saved.save`: saves a place, or renames one.
public enum SavedSave: RPCMethod {
    public static let name = "saved.save"
    public static let access = MethodAccess.accounts
    /// A place.
    public struct Params: Codable, Sendable {
        /// The one to rename; nil for a new one.
        @ObjectID public var id: Int64?
        /// For a new one, a UUID of the client's: sent again, it is the same place.
        public var clientId: String?
        /// 1 to 120 characters.
        public var name: String
        /// Degrees; for a new one that is not a place of the campus.
        @Latitude public var lat: Double?
        /// Degrees.
        @Longitude public var lon: Double?
        /// A place of the campus, for a new one.
        @ObjectID public var place: Int64?
        public init(
            id: Int64? = nil, clientId: String? = nil, name: String, lat: Double? = nil, lon: Double? = nil,
            place: Int64? = nil
        ) {
            self.id = id
            self.clientId = clientId
            self.name = name
            self.lat = lat
            self.lon = lon
            self.place = place
        }
    }
    public typealias Result = SavedPlace
}

/// `saved.remove`: forgets a saved place.
public enum SavedRemove: RPCMethod {
    public static let name = "saved.remove"
    public static let access = MethodAccess.accounts
    /// Which.
    public struct Params: Codable, Sendable {
        /// Its number; nil for all.
        @ObjectID public var id: Int64?
        public init(id: Int64? = nil) { self.id = id }
    }
    public typealias Result = Erased
}

/// Something that somebody looked for.
public struct PastSearch: Codable, Sendable, Equatable {
    /// Its number.
    public var id: Int64
    /// The words.
    public var text: String
    /// The place that was chosen, if any.
    public var place: Int64?
    /// Its name.
    public var placeName: String?
    /// When, last.
    public var at: Timestamp
    public init(id: Int64, text: String, place: Int64?, placeName: String?, at: Timestamp) {
        self.id = id
        self.text = text
        self.place = place
        self.placeName = placeName
        self.at = at
    }
}

/// `searches.note`: keeps what the caller looked for, if they want that (`privacy.settings`).
public enum SearchesNote: RPCMethod {
    public static let name = "searches.note"
    public static let access = MethodAccess.accounts
    /// What was looked for.
    public struct Params: Codable, Sendable {
        /// 1 to 120 characters.
        public var text: String
        /// The place that was chosen.
        @ObjectID public var place: Int64?
        public init(text: String, place: Int64? = nil) {
            self.text = text
            self.place = place
        }
    }
    /// Whether it was kept.
    public struct Result: Codable, Sendable {
        /// False when the caller does not want that.
        public var kept: Bool
        public init(kept: Bool) { self.kept = kept }
    }
}

/// `searches.list`: what the caller looked for, latest first.
public enum SearchesList: RPCMethod {
    public static let name = "searches.list"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// The latest.
    public struct Result: Codable, Sendable {
        /// Latest first, each words once; at most 50.
        public var searches: [PastSearch]
        public init(searches: [PastSearch]) { self.searches = searches }
    }
}

/// `searches.erase`: forgets one, or all.
public enum SearchesErase: RPCMethod {
    public static let name = "searches.erase"
    public static let access = MethodAccess.accounts
    public typealias Params = SavedRemove.Params
    public typealias Result = Erased
}

/// A place somebody was at.
public struct VisitedPlace: Codable, Sendable, Equatable {
    /// A building's or a campus place's number, as its kind says.
    public var place: LocationPlace
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    /// Visits of at least five minutes, one a day at most.
    public var visits: Int
    /// The day of the last, UTC, such as `2026-11-20`.
    public var lastDay: String
    public init(place: LocationPlace, lat: Double, lon: Double, visits: Int, lastDay: String) {
        self.place = place
        self.lat = lat
        self.lon = lon
        self.visits = visits
        self.lastDay = lastDay
    }
}

/// `visits.most`: where the caller was most often in 90 days, if they want that kept (`privacy.settings`).
public enum VisitsMost: RPCMethod {
    public static let name = "visits.most"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// The places.
    public struct Result: Codable, Sendable {
        /// Most often first; at most 20.
        public var places: [VisitedPlace]
        public init(places: [VisitedPlace]) { self.places = places }
    }
}

/// `visits.erase`: forgets where the caller was.
public enum VisitsErase: RPCMethod {
    public static let name = "visits.erase"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = Erased
}
