/// Precision at which a person shares a location (B-4). Each level reveals less than the level before it.
public enum Precision: String, WireChoice {
    /// Position with its accuracy.
    case exact
    /// Building of the position; outside of buildings, its zone.
    case building
    /// Zone of the position.
    case zone
    /// Only whether the position is on campus.
    case campus

    /// Index of the level; 0 for the most exact one.
    public var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Source of a position.
public enum LocationSource: String, WireChoice {
    /// A satellite receiver.
    case gps
    /// Wireless networks nearby.
    case wifi
    /// Masts of the mobile network.
    case cell
    /// A pin that the person set by hand.
    case manual
}

/// Campus feature that represents a position.
public struct LocationPlace: Codable, Sendable, Equatable {
    /// Kind of the feature. `place`, a point of interest, occurs only among the visited places.
    public enum Kind: String, WireChoice { case building, zone, place }
    public var kind: Kind
    /// Number of the feature.
    public var id: Int64
    /// Name to display; nil for a building without a name.
    public var name: String?
    public init(kind: Kind, id: Int64, name: String?) {
        self.kind = kind
        self.id = id
        self.name = name
    }
}

/// A person's location at the precision of a share.
///
/// With `exact`, all members can be present. With `building` and `zone`, there are only: `place`; its centre as `lat` and `lon`; half
/// its extent as `accuracy`; and `at`, rounded to the full minute. With `campus`, there are only `onCampus` and `at`.
public struct SharedLocation: Codable, Sendable, Equatable {
    /// Degrees; nil with `campus`, and for an unknown position.
    public var lat: Double?
    /// Degrees.
    public var lon: Double?
    /// Radius around the position in metres.
    public var accuracy: Double?
    /// Degrees clockwise from north; nil while not moving; only with `exact`.
    public var heading: Double?
    /// m/s; only with `exact`.
    public var speed: Double?
    /// Source of the position; only with `exact`.
    public var source: LocationSource?
    /// Building or zone; nil outside of all, and with `exact`.
    public var place: LocationPlace?
    /// Whether the position is on campus.
    public var onCampus: Bool
    /// Server time of the position. Its age is the server's present time minus this.
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

/// Reason why a share shows a location or none.
public enum ShareState: String, WireChoice {
    /// The location is current.
    case live
    /// The person's device has not reported for a while; `at` is the time of its last report.
    case old
    /// There is no location: the device has not reported, or its last report is too old to show.
    case none
    /// The person's location is hidden. Neither the location nor the beginning of this state is disclosed.
    case hidden
}

/// An account as others see it on a map.
public struct SharingPerson: Codable, Sendable, Equatable {
    public var account: Int64
    /// Name of the account as the viewer sees it.
    public var name: String
    public var username: String
    public init(account: Int64, name: String, username: String) {
        self.account = account
        self.name = name
        self.username = username
    }
}
