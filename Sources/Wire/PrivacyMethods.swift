// What of one's whereabouts is shown to nobody (B-4), and what is kept (N-2, U-8).

/// What somebody wants kept and shown of where they are. Everything that tells more is off until it is switched on.
public struct PrivacySettings: Codable, Sendable, Equatable {
    /// Counts in the heatmap, as one among at least five.
    public var heatmap: Bool
    /// Notes which places one was at for five minutes, for "most visited"; kept for 90 days.
    public var visits: Bool
    /// Keeps what one looked for; kept for 90 days.
    public var searches: Bool
    /// Shows one in residences too, to those one shares with, and in one's routes.
    public var residences: Bool
    public init(heatmap: Bool = false, visits: Bool = false, searches: Bool = false, residences: Bool = false) {
        self.heatmap = heatmap
        self.visits = visits
        self.searches = searches
        self.residences = residences
    }
}

/// `privacy.settings`: the caller's settings.
public enum PrivacySettingsGet: RPCMethod {
    public static let name = "privacy.settings"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = PrivacySettings
}

/// `privacy.saveSettings`: other settings; what is left out stays. What is switched off is forgotten.
public enum PrivacySettingsSave: RPCMethod {
    public static let name = "privacy.saveSettings"
    public static let access = MethodAccess.accounts
    /// What changes: a page that was opened before another device switched something off does not switch it on again.
    public struct Params: Codable, Sendable {
        /// ``PrivacySettings/heatmap``; nil leaves it.
        public var heatmap: Bool?
        /// ``PrivacySettings/visits``; nil leaves it.
        public var visits: Bool?
        /// ``PrivacySettings/searches``; nil leaves it.
        public var searches: Bool?
        /// ``PrivacySettings/residences``; nil leaves it.
        public var residences: Bool?
        public init(heatmap: Bool? = nil, visits: Bool? = nil, searches: Bool? = nil, residences: Bool? = nil) {
            self.heatmap = heatmap
            self.visits = visits
            self.searches = searches
            self.residences = residences
        }
    }
    /// All of them, as they are now.
    public typealias Result = PrivacySettings
}

/// How large a private zone is, about: its true size and middle are secret, and nobody is told them, not even its owner.
public enum PrivateZoneSize: String, WireChoice {
    /// A radius of 150 to 225 m. The attacks of the Sharing article find more homes in it than in the others: for places that are no homes.
    case tiny
    /// A radius of 300 to 450 m.
    case small
    /// A radius of 500 to 750 m.
    case medium
    /// A radius of 1,000 to 1,500 m.
    case large
}

/// A place, such as one's home, around which one is shown to nobody.
public struct PrivateZone: Codable, Sendable, Equatable {
    /// Its number.
    public var id: Int64
    /// For its owner, 1 to 60 characters.
    public var name: String
    /// What is to be hidden, degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    /// How large.
    public var size: PrivateZoneSize
    public init(id: Int64, name: String, lat: Double, lon: Double, size: PrivateZoneSize) {
        self.id = id
        self.name = name
        self.lat = lat
        self.lon = lon
        self.size = size
    }
}

/// `privacy.zones`: the caller's private zones.
public enum PrivacyZones: RPCMethod {
    public static let name = "privacy.zones"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// All of them.
    public struct Result: Codable, Sendable {
        /// In order of name; at most 10.
        public var zones: [PrivateZone]
        public init(zones: [PrivateZone]) { self.zones = zones }
    }
}

/// `privacy.saveZone`: makes a private zone or changes one. It holds for what was recorded before, too.
public enum PrivacySaveZone: RPCMethod {
    public static let name = "privacy.saveZone"
    public static let access = MethodAccess.accounts
    /// A zone.
    public struct Params: Codable, Sendable {
        /// The one to change; nil for a new one.
        @ObjectID public var zone: Int64?
        /// For a new one, a UUID of the client's: sent again, it is the same zone.
        public var clientId: String?
        /// 1 to 60 characters.
        public var name: String
        /// Degrees.
        @Latitude public var lat: Double
        /// Degrees.
        @Longitude public var lon: Double
        /// How large.
        public var size: PrivateZoneSize
        public init(
            zone: Int64? = nil, clientId: String? = nil, name: String, lat: Double, lon: Double, size: PrivateZoneSize
        ) {
            self.zone = zone
            self.clientId = clientId
            self.name = name
            self.lat = lat
            self.lon = lon
            self.size = size
        }
    }
    public typealias Result = PrivateZone
}

/// `privacy.deleteZone`: shows one there again, in what was recorded as well.
public enum PrivacyDeleteZone: RPCMethod {
    public static let name = "privacy.deleteZone"
    public static let access = MethodAccess.accounts
    /// Which.
    public struct Params: Codable, Sendable {
        /// Its number.
        @ObjectID public var zone: Int64
        public init(zone: Int64) { self.zone = zone }
    }
    public typealias Result = Erased
}

/// Something that is kept of an account, and for how long (U-8).
public struct KeptData: Codable, Sendable, Equatable {
    /// What it is, such as `sessions`, `visits`, `messages`.
    public var kind: String
    /// How much there is.
    public var count: Int64
    /// Days it is kept; nil for as long as the account.
    public var days: Int?
    /// The method that erases it; nil when only `account.delete` does.
    public var erase: String?
    public init(kind: String, count: Int64, days: Int?, erase: String?) {
        self.kind = kind
        self.count = count
        self.days = days
        self.erase = erase
    }
}

/// `account.data`: what is kept of the caller. `GET /account/data.json` and `GET /account/tracks.gpx` have all of it.
public enum AccountData: RPCMethod {
    public static let name = "account.data"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// All kinds.
    public struct Result: Codable, Sendable {
        /// In a fixed order.
        public var kept: [KeptData]
        public init(kept: [KeptData]) { self.kept = kept }
    }
}

/// `account.delete`: deletes the caller's account and everything of it. There is no way back.
public enum AccountDelete: RPCMethod {
    public static let name = "account.delete"
    public static let access = MethodAccess.accounts
    /// That it is meant.
    public struct Params: Codable, Sendable {
        /// The account's password.
        public var password: String
        /// The account's username, typed once more.
        public var username: String
        public init(password: String, username: String) {
            self.password = password
            self.username = username
        }
    }
    /// What is left.
    public struct Result: Codable, Sendable {
        /// `Account deleted`.
        public var message: String
        public init(message: String) { self.message = message }
    }
}
