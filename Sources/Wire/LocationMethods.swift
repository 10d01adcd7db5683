// The caller's location, reported by a device and kept in memory only (N-1.1).

public enum LocationReport: RPCMethod {
    public static let name = "location.report"
    public static let summary = """
        Reports the caller's position. The server sends it to the caller's shares and, with the caller's consent, \
        counts it in the heatmap. It does not store the position.
        """
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.location)]
    public static let errors: [ErrorCode] = [.conflict]
    public struct Params: Codable, Sendable {
        /// Degrees.
        @Latitude public var lat: Double
        /// Degrees.
        @Longitude public var lon: Double
        /// Metres, above 0, at most 100,000.
        @Quantity public var accuracy: Double
        /// Source of the position. A `manual` position takes precedence over all others for two hours or until `location.clear`.
        public var source: LocationSource
        /// Time of the position by the server's clock; default now.
        public var at: Timestamp?
        /// Degrees clockwise from north.
        @Quantity public var heading: Double?
        /// m/s.
        @Quantity public var speed: Double?
        public init(
            lat: Double, lon: Double, accuracy: Double, source: LocationSource, at: Timestamp? = nil,
            heading: Double? = nil, speed: Double? = nil
        ) {
            self.lat = lat
            self.lon = lon
            self.accuracy = accuracy
            self.source = source
            self.at = at
            self.heading = heading
            self.speed = speed
        }
    }
    public typealias Result = MyLocation
}

/// The caller's location as the server knows it, and its visibility to others.
public struct MyLocation: Codable, Sendable, Equatable {
    /// Position, smoothed while standing still; nil if unknown.
    public var location: SharedLocation?
    /// Building of the position, if any.
    public var building: LocationPlace?
    /// Zone of the position, if any.
    public var zone: LocationPlace?
    /// Reason why the location is hidden from others; nil if it is visible.
    public var hidden: Hidden?
    /// Number of shares that show the location now.
    public var shares: Int
    /// Reason for hiding a location: `zone` for a private zone of the caller, `residence` for a residence.
    public enum Hidden: String, WireChoice { case zone, residence }
    public init(
        location: SharedLocation?, building: LocationPlace? = nil, zone: LocationPlace? = nil, hidden: Hidden? = nil,
        shares: Int
    ) {
        self.location = location
        self.building = building
        self.zone = zone
        self.hidden = hidden
        self.shares = shares
    }
}

public enum LocationMine: RPCMethod {
    public static let name = "location.mine"
    public static let summary = "Returns the caller's location as the server knows it."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = MyLocation
}

public enum LocationClear: RPCMethod {
    public static let name = "location.clear"
    public static let summary = "Erases the caller's location. The caller's shares show nothing until the next report."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public typealias Params = Empty
    public typealias Result = MyLocation
}

extension APIRegistry {
    static let locations: [any RPCMethod.Type] = [LocationReport.self, LocationMine.self, LocationClear.self]
}
