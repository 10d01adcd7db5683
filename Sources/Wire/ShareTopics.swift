// Snapshots and publications of `share/<id>` and `people/<x>/<y>`.

/// Snapshot of `share/<id>`.
public struct ShareSnapshot: Codable, Sendable {
    /// Clock of the server.
    public var serverTime: Timestamp
    public var share: SharedWithMe
    /// Reason why there is a location or none.
    public var state: ShareState
    /// Location at the precision of the share.
    public var location: SharedLocation?
    public init(serverTime: Timestamp, share: SharedWithMe, state: ShareState, location: SharedLocation?) {
        self.serverTime = serverTime
        self.share = share
        self.state = state
        self.location = location
    }
}

/// Publication on `share/<id>`. Each contains the complete state: the client removes everything else from the map.
public struct ShareUpdate: Codable, Sendable {
    /// Type of the publication. After `closed`, the share has ended or is not shared with this viewer any more: nothing else follows, and
    /// the client removes the last position.
    public enum Kind: String, WireChoice { case location, closed, watching }
    public var type: Kind
    /// Clock of the server.
    public var serverTime: Timestamp
    /// With `location`: reason why there is a location or none.
    public var state: ShareState?
    /// With `location`: location at the precision of the share.
    public var location: SharedLocation?
    /// With `location`, after a change: the new precision.
    public var precision: Precision?
    /// With `location`, after a change: the latest end of the share.
    public var expiresAt: Timestamp?
    /// With `closed`: the reason.
    public var reason: String?
    /// With `watching`, for the owner: the number of present watchers.
    public var watching: Int?
    public init(
        type: Kind, serverTime: Timestamp, state: ShareState? = nil, location: SharedLocation? = nil,
        precision: Precision? = nil, expiresAt: Timestamp? = nil, reason: String? = nil, watching: Int? = nil
    ) {
        self.type = type
        self.serverTime = serverTime
        self.state = state
        self.location = location
        self.precision = precision
        self.expiresAt = expiresAt
        self.reason = reason
        self.watching = watching
    }
}

/// A person who shares a location with everybody on campus.
public struct PersonOnMap: Codable, Sendable, Equatable {
    /// Number of the share.
    public var share: Int64
    /// Owner of the share.
    public var person: SharingPerson
    public var precision: Precision
    /// `live` or `old`. People whose location is hidden are not published.
    public var state: ShareState
    public var location: SharedLocation
    public init(
        share: Int64, person: SharingPerson, precision: Precision, state: ShareState, location: SharedLocation
    ) {
        self.share = share
        self.person = person
        self.precision = precision
        self.state = state
        self.location = location
    }
}

/// Snapshot of `people/<x>/<y>`, and its publication, at most one per second.
public struct PeopleUpdate: Codable, Sendable {
    /// Always `people`.
    public var type = "people"
    /// Clock of the server.
    public var serverTime: Timestamp
    /// People who entered or changed.
    public var people: [PersonOnMap]
    /// Shares that left. A client applies these before `people`.
    public var left: [Int64]
    /// Number of people beyond the 200 that the topic publishes.
    public var more: Int
    /// True if `people` is the complete set; the client forgets all others.
    public var full: Bool?
    public init(serverTime: Timestamp, people: [PersonOnMap], left: [Int64] = [], more: Int = 0, full: Bool? = nil) {
        self.serverTime = serverTime
        self.people = people
        self.left = left
        self.more = more
        self.full = full
    }
}
