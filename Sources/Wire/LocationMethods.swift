// Where I am: told by my device, kept in memory only (N-1.1).

/// `location.report`: where the caller is. Told to whom they share it with, counted in the heatmap if they want that, and not stored.
public enum LocationReport: RPCMethod {
    public static let name = "location.report"
    public static let access = MethodAccess.accounts
    /// A position.
    public struct Params: Codable, Sendable {
        /// Degrees.
        @Latitude public var lat: Double
        /// Degrees.
        @Longitude public var lon: Double
        /// Metres, above 0, at most 100,000.
        @Quantity public var accuracy: Double
        /// What it was found by. A `manual` one holds for two hours against all others, until `location.clear`.
        public var source: LocationSource
        /// When, by the server's clock; now unless given.
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

/// Where the caller is, as the server has it, and what others see of it.
public struct MyLocation: Codable, Sendable, Equatable {
    /// Without noise of standing still; nil when nothing is known.
    public var location: SharedLocation?
    /// The building, if any.
    public var building: LocationPlace?
    /// The zone, if any.
    public var zone: LocationPlace?
    /// Why others see nothing, `zone` for one's own private zone, `residence` for a residence; nil when they do.
    public var hidden: Hidden?
    /// Shares that show it now.
    public var shares: Int
    /// Why others see nothing.
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

/// `location.mine`: where the caller is, as the server has it.
public enum LocationMine: RPCMethod {
    public static let name = "location.mine"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = MyLocation
}

/// `location.clear`: forgets where the caller is; their shares show nothing until the next report.
public enum LocationClear: RPCMethod {
    public static let name = "location.clear"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = MyLocation
}
