// Hidden locations (B-4) and retained data (N-2, U-8).

/// A person's consents for processing and disclosing locations. Each consent is off by default.
public struct PrivacySettings: Codable, Sendable, Equatable {
    /// Whether the heatmap counts the person, in cells of at least five people.
    public var heatmap: Bool
    /// Whether the server records places at which the person stays for five minutes, for "most visited". Records are kept for 90 days.
    public var visits: Bool
    /// Whether the server records the person's searches. Records are kept for 90 days.
    public var searches: Bool
    /// Whether shares and routes show the person in residences too.
    public var residences: Bool
    public init(heatmap: Bool = false, visits: Bool = false, searches: Bool = false, residences: Bool = false) {
        self.heatmap = heatmap
        self.visits = visits
        self.searches = searches
        self.residences = residences
    }
}

public enum PrivacySettingsGet: RPCMethod {
    public static let name = "privacy.settings"
    public static let summary = "Returns the caller's settings."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = PrivacySettings
}

public enum PrivacySettingsSave: RPCMethod {
    public static let name = "privacy.saveSettings"
    public static let summary = "Changes the given settings. Data under a setting that is switched off is erased."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    // Each change may recompute routes.
    public static let limits: [MethodLimit] = [.each(.list)]
    public static let errors: [ErrorCode] = [.notFound]
    /// The settings to change. Omitted settings keep their value, so that an outdated page does not switch on a setting that another
    /// device has switched off.
    public struct Params: Codable, Sendable {
        /// ``PrivacySettings/heatmap``; nil keeps the value.
        public var heatmap: Bool?
        /// ``PrivacySettings/visits``; nil keeps the value.
        public var visits: Bool?
        /// ``PrivacySettings/searches``; nil keeps the value.
        public var searches: Bool?
        /// ``PrivacySettings/residences``; nil keeps the value.
        public var residences: Bool?
        public init(heatmap: Bool? = nil, visits: Bool? = nil, searches: Bool? = nil, residences: Bool? = nil) {
            self.heatmap = heatmap
            self.visits = visits
            self.searches = searches
            self.residences = residences
        }
    }
    /// All settings after the change.
    public typealias Result = PrivacySettings
}

/// Approximate size of a private zone. Its exact radius and centre are secret even from its owner.
public enum PrivateZoneSize: String, WireChoice {
    /// A radius of 150 to 225 m. The attacks described in the Sharing article find a home in a zone of this size more often than in a
    /// larger one. It is meant for places that are not homes.
    case tiny
    /// A radius of 300 to 450 m.
    case small
    /// A radius of 500 to 750 m.
    case medium
    /// A radius of 1,000 to 1,500 m.
    case large
}

/// A private suppression zone around a location such as a home. Its owner's location inside it is hidden from everybody.
public struct PrivateZone: Codable, Sendable, Equatable {
    public var id: Int64
    /// Name for the owner, 1 to 60 characters.
    public var name: String
    /// Latitude of the location to hide, in degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    public var size: PrivateZoneSize
    public init(id: Int64, name: String, lat: Double, lon: Double, size: PrivateZoneSize) {
        self.id = id
        self.name = name
        self.lat = lat
        self.lon = lon
        self.size = size
    }
}

public enum PrivacyZones: RPCMethod {
    public static let name = "privacy.zones"
    public static let summary = "Lists the caller's private zones."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Ordered by name; at most 10.
        public var zones: [PrivateZone]
        public init(zones: [PrivateZone]) { self.zones = zones }
    }
}

public enum PrivacySaveZone: RPCMethod {
    public static let name = "privacy.saveZone"
    public static let summary = "Creates or changes a private zone. The zone applies to earlier recordings too."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let texts: [String: TextLimit] = ["name": .privateZoneName]
    public static let limits: [MethodLimit] = [.each(.list)]
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        /// Zone to change; nil for a new one.
        @ObjectID public var zone: Int64?
        /// UUID chosen by the client, for a new zone. A repeated request with the same UUID changes the zone that the first one made.
        public var clientId: String?
        /// 1 to 60 characters.
        public var name: String
        /// Degrees.
        @Latitude public var lat: Double
        /// Degrees.
        @Longitude public var lon: Double
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

public enum PrivacyDeleteZone: RPCMethod {
    public static let name = "privacy.deleteZone"
    public static let summary = "Deletes a private zone. The caller becomes visible there, in earlier recordings too."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let limits: [MethodLimit] = [.each(.list)]
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var zone: Int64
        public init(zone: Int64) { self.zone = zone }
    }
    public typealias Result = Erased
}

/// One kind of retained data of an account, with its retention (U-8).
public struct KeptData: Codable, Sendable, Equatable {
    /// Name of the kind, such as `sessions`, `visits` or `messages`.
    public var kind: String
    /// Number of items.
    public var count: Int64
    /// Retention in days; nil for the lifetime of the account.
    public var days: Int?
    /// Method that erases this kind; nil if only `account.delete` erases it.
    public var erase: String?
    public init(kind: String, count: Int64, days: Int?, erase: String?) {
        self.kind = kind
        self.count = count
        self.days = days
        self.erase = erase
    }
}

public enum AccountData: RPCMethod {
    public static let name = "account.data"
    public static let summary = """
        Lists the retained data of the caller. `GET /account/data.json` and `GET /account/tracks.gpx` export it.
        """
    public static let access = MethodAccess.accounts
    // It counts rows of all kinds.
    public static let limits: [MethodLimit] = [.each(.list)]
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// All kinds, in a fixed order.
        public var kept: [KeptData]
        public init(kept: [KeptData]) { self.kept = kept }
    }
}

public enum AccountDelete: RPCMethod {
    public static let name = "account.delete"
    public static let summary = "Deletes the caller's account and its data permanently."
    public static let access = MethodAccess.accounts
    public static let isForProvisional = true
    public static let errors: [ErrorCode] = [.conflict, .invalidCredentials, .rejected]
    /// Credentials that confirm the deletion.
    public struct Params: Codable, Sendable {
        public var password: String
        /// Username of the account, as a confirmation.
        public var username: String
        public init(password: String, username: String) {
            self.password = password
            self.username = username
        }
    }
    public struct Result: Codable, Sendable {
        /// `Account deleted`.
        public var message: String
        public init(message: String) { self.message = message }
    }
}

extension APIRegistry {
    static let privacy: [any RPCMethod.Type] = [
        PrivacySettingsGet.self, PrivacySettingsSave.self, PrivacyZones.self, PrivacySaveZone.self,
        PrivacyDeleteZone.self, AccountData.self, AccountDelete.self,
    ]
}
