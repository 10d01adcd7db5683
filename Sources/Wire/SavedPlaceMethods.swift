// Saved places, past searches and visited places (N-2).

/// A saved place of an account.
public struct SavedPlace: Codable, Sendable, Equatable {
    public var id: Int64
    /// 1 to 120 characters.
    public var name: String
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    /// Campus place that was saved, if any.
    public var place: Int64?
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

public enum SavedList: RPCMethod {
    public static let name = "saved.list"
    public static let summary = "Lists the caller's saved places, latest first."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Latest first; at most 200.
        public var places: [SavedPlace]
        public init(places: [SavedPlace]) { self.places = places }
    }
}

public enum SavedSave: RPCMethod {
    public static let name = "saved.save"
    public static let summary = "Saves a place or renames a saved place."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let texts: [String: TextLimit] = ["name": .searchText]
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        /// Saved place to rename; nil for a new one.
        @ObjectID public var id: Int64?
        /// UUID chosen by the client, for a new place. A further request with it changes that place's name and position.
        public var clientId: String?
        /// 1 to 120 characters.
        public var name: String
        /// Latitude in degrees, for a new place that is not a campus place.
        @Latitude public var lat: Double?
        /// Degrees.
        @Longitude public var lon: Double?
        /// Campus place to save, for a new one.
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

public enum SavedRemove: RPCMethod {
    public static let name = "saved.remove"
    public static let summary = "Removes a saved place, or all."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        /// Saved place to remove; nil removes all.
        @ObjectID public var id: Int64?
        public init(id: Int64? = nil) { self.id = id }
    }
    public typealias Result = Erased
}

/// A past search of an account.
public struct PastSearch: Codable, Sendable, Equatable {
    public var id: Int64
    /// Search text.
    public var text: String
    /// Place that the person selected, if any.
    public var place: Int64?
    /// Name of that place.
    public var placeName: String?
    /// Time of the latest search for this text.
    public var at: Timestamp
    public init(id: Int64, text: String, place: Int64?, placeName: String?, at: Timestamp) {
        self.id = id
        self.text = text
        self.place = place
        self.placeName = placeName
        self.at = at
    }
}

public enum SearchesNote: RPCMethod {
    public static let name = "searches.note"
    public static let summary = "Records a search of the caller, if the caller consents (`privacy.settings`)."
    public static let access = MethodAccess.accounts
    public static let texts: [String: TextLimit] = ["text": .searchText]
    public struct Params: Codable, Sendable {
        /// 1 to 120 characters.
        public var text: String
        /// Place that the person selected.
        @ObjectID public var place: Int64?
        public init(text: String, place: Int64? = nil) {
            self.text = text
            self.place = place
        }
    }
    public struct Result: Codable, Sendable {
        /// Whether the server recorded the search; false without consent.
        public var kept: Bool
        public init(kept: Bool) { self.kept = kept }
    }
}

public enum SearchesList: RPCMethod {
    public static let name = "searches.list"
    public static let summary = "Lists the caller's searches, latest first."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Latest first, each text once; at most 50.
        public var searches: [PastSearch]
        public init(searches: [PastSearch]) { self.searches = searches }
    }
}

public enum SearchesErase: RPCMethod {
    public static let name = "searches.erase"
    public static let summary = "Erases one search, or all."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        /// Search to erase; nil erases all.
        @ObjectID public var id: Int64?
        /// Without `id`: only searches up to this time are erased, for a request that waited. Default: now.
        public var at: Timestamp?
        public init(id: Int64? = nil, at: Timestamp? = nil) {
            self.id = id
            self.at = at
        }
    }
    public typealias Result = Erased
}

/// A place that the caller visited.
public struct VisitedPlace: Codable, Sendable, Equatable {
    /// Building or campus place.
    public var place: LocationPlace
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    /// Number of days with a visit of at least five minutes.
    public var visits: Int
    /// Day of the latest visit in UTC, such as `2026-11-20`.
    public var lastDay: String
    public init(place: LocationPlace, lat: Double, lon: Double, visits: Int, lastDay: String) {
        self.place = place
        self.lat = lat
        self.lon = lon
        self.visits = visits
        self.lastDay = lastDay
    }
}

public enum VisitsMost: RPCMethod {
    public static let name = "visits.most"
    public static let summary = """
        Returns the caller's most visited places of the last 90 days, if the caller consents (`privacy.settings`).
        """
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Most visited first; at most 20.
        public var places: [VisitedPlace]
        public init(places: [VisitedPlace]) { self.places = places }
    }
}

public enum VisitsErase: RPCMethod {
    public static let name = "visits.erase"
    public static let summary = "Erases the caller's visits."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public struct Params: Codable, Sendable {
        /// Only visits up to the UTC day of this time are erased, for a request that waited. Default: now.
        public var at: Timestamp?
        public init(at: Timestamp? = nil) { self.at = at }
    }
    public typealias Result = Erased
}

extension APIRegistry {
    static let savedPlaces: [any RPCMethod.Type] = [
        SavedList.self, SavedSave.self, SavedRemove.self, SearchesNote.self, SearchesList.self, SearchesErase.self,
        VisitsMost.self, VisitsErase.self,
    ]
}
