import Wire

/// Where somebody is, as their device told it: the latest is kept, in memory only.
public struct LocatedFix: Sendable, Equatable {
    /// Whose.
    public var account: Int64
    /// Where.
    public var position: LatLon
    /// Metres around the position.
    public var accuracy: Double
    /// Degrees clockwise from north.
    public var heading: Double?
    /// m/s.
    public var speed: Double?
    /// What it was found by.
    public var source: LocationSource
    /// When, by the server's clock.
    public var at: Timestamp

    /// Memberwise.
    public init(
        account: Int64, position: LatLon, accuracy: Double, heading: Double? = nil, speed: Double? = nil,
        source: LocationSource, at: Timestamp
    ) {
        self.account = account
        self.position = position
        self.accuracy = accuracy
        self.heading = heading
        self.speed = speed
        self.source = source
        self.at = at
    }
}

/// What may be told of a position: the ladder, and dark places. Asked on the hub's loop for each position that is about to leave, before
/// anything is encoded for anybody; it must not wait for anything.
public protocol LocationRules: Sendable {
    /// Why nothing of it may be told to anybody, in whatever precision; nil when it may.
    func hidden(_ account: Int64, at position: LatLon) -> MyLocation.Hidden?
    /// What a precision tells. Its `at` is the fix's; who looks at it on a clock of their own sets another.
    func shown(_ fix: LocatedFix, as precision: Precision) -> SharedLocation
}

/// Rules of a campus of which nothing is known: nothing is dark, and but for `exact` only that one is somewhere.
public struct PlainRules: LocationRules {
    /// No rules but the ladder's names.
    public init() {}

    /// Nil.
    public func hidden(_ account: Int64, at position: LatLon) -> MyLocation.Hidden? { nil }

    /// Everything, or nothing but the time.
    public func shown(_ fix: LocatedFix, as precision: Precision) -> SharedLocation {
        precision == .exact ? .init(exact: fix) : SharedLocation(onCampus: true, at: fix.at)
    }
}

extension SharedLocation {
    /// All there is of a position.
    public init(exact fix: LocatedFix, onCampus: Bool = true) {
        self.init(
            lat: fix.position.latitude, lon: fix.position.longitude, accuracy: fix.accuracy, heading: fix.heading,
            speed: fix.speed, source: fix.source, onCampus: onCampus, at: fix.at)
    }
}
