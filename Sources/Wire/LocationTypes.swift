/// How exactly somebody shows where they are (B-4). Each rung says less than the one before.
public enum Precision: String, WireChoice {
    /// The position, with its accuracy.
    case exact
    /// The building one is in; outside of buildings, the zone.
    case building
    /// The zone one is in.
    case zone
    /// Only whether one is on campus.
    case campus

    /// 0 for the most exact.
    public var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What a position was found by.
public enum LocationSource: String, WireChoice {
    /// A satellite receiver.
    case gps
    /// Wireless networks nearby.
    case wifi
    /// The mobile network's masts.
    case cell
    /// A pin that the person set by hand.
    case manual
}

/// Something of the campus that somebody is in, as it is shown instead of a position.
public struct LocationPlace: Codable, Sendable, Equatable {
    /// What it is; `place`, one of the campus's, only among those one was at.
    public enum Kind: String, WireChoice { case building, zone, place }
    /// What it is.
    public var kind: Kind
    /// The building's or the zone's number.
    public var id: Int64
    /// For people; nil for a building without a name.
    public var name: String?
    public init(kind: Kind, id: Int64, name: String?) {
        self.kind = kind
        self.id = id
        self.name = name
    }
}

/// Where somebody is, as far as a share says.
///
/// With `exact` everything may be there. With `building` and `zone`: `place`, its middle as `lat` and `lon`, and half its extent as
/// `accuracy`; nothing else but `at`, which is the full minute it was looked at. With `campus`: `onCampus` and `at`.
public struct SharedLocation: Codable, Sendable, Equatable {
    /// Degrees; nil when only `onCampus` is told, or nothing is known of the place.
    public var lat: Double?
    /// Degrees.
    public var lon: Double?
    /// Metres around the position.
    public var accuracy: Double?
    /// Degrees clockwise from north, while moving; exact only.
    public var heading: Double?
    /// m/s; exact only.
    public var speed: Double?
    /// What it was found by; exact only.
    public var source: LocationSource?
    /// The building or zone; nil outside all, and with `exact`.
    public var place: LocationPlace?
    /// Whether it is on campus.
    public var onCampus: Bool
    /// Server time when it was so: its age is the server's now minus this.
    public var at: Timestamp
    public init(
        lat: Double? = nil, lon: Double? = nil, accuracy: Double? = nil, heading: Double? = nil, speed: Double? = nil,
        source: LocationSource? = nil, place: LocationPlace? = nil, onCampus: Bool, at: Timestamp
    ) {
        self.lat = lat
        self.lon = lon
        self.accuracy = accuracy
        self.heading = heading
        self.speed = speed
        self.source = source
        self.place = place
        self.onCampus = onCampus
        self.at = at
    }
}

/// Why there is a location, or none.
public enum ShareState: String, WireChoice {
    /// It is as new as the person's device tells.
    case live
    /// The person's device has not told for a while; how long ago it was is in `at`.
    case old
    /// There is none: nothing was told yet, or so long ago that it is not shown any more.
    case none
    /// The person is where they show nothing. Where that is, or since when, is not told.
    case hidden
}

/// An account as others see it on a map.
public struct SharingPerson: Codable, Sendable, Equatable {
    /// Its number.
    public var account: Int64
    /// What it is called where the viewer sees it.
    public var name: String
    /// Its username.
    public var username: String
    public init(account: Int64, name: String, username: String) {
        self.account = account
        self.name = name
        self.username = username
    }
}
