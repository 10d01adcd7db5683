// What `share/<id>` and `people/<x>/<y>` tell.

/// The snapshot of `share/<id>`.
public struct ShareSnapshot: Codable, Sendable {
    /// The server's clock.
    public var serverTime: Timestamp
    /// The share.
    public var share: SharedWithMe
    /// Why there is a location, or none.
    public var state: ShareState
    /// Where they are, as far as the share says.
    public var location: SharedLocation?
    public init(serverTime: Timestamp, share: SharedWithMe, state: ShareState, location: SharedLocation?) {
        self.serverTime = serverTime
        self.share = share
        self.state = state
        self.location = location
    }
}

/// A push on `share/<id>`. Each says all there is: what is missing in it is to be taken off the map.
public struct ShareUpdate: Codable, Sendable {
    /// What happened. `closed`: the share is over, or not for this viewer any more; nothing else comes, and its last point must go.
    public enum Kind: String, Codable, Sendable { case location, closed, watching }
    /// What happened.
    public var type: Kind
    /// The server's clock.
    public var serverTime: Timestamp
    /// With `location`: why there is one, or none.
    public var state: ShareState?
    /// With `location`: where they are, as far as the share says.
    public var location: SharedLocation?
    /// With `location`, when it changed: how exactly from now on.
    public var precision: Precision?
    /// With `location`, when it changed: when it ends at the latest.
    public var expiresAt: Timestamp?
    /// With `closed`: why.
    public var reason: String?
    /// With `watching`, for the owner: how many have it open.
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

/// Somebody who shares with everybody on campus.
public struct PersonOnMap: Codable, Sendable, Equatable {
    /// The share's number.
    public var share: Int64
    /// Whose.
    public var person: SharingPerson
    /// How exactly.
    public var precision: Precision
    /// `live` or `old`; who shows nothing is not in the picture.
    public var state: ShareState
    /// Where they are.
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

/// The snapshot of `people/<x>/<y>`, and what is pushed there, once a second at most.
public struct PeopleUpdate: Codable, Sendable {
    /// Always `people`.
    public var type = "people"
    /// The server's clock.
    public var serverTime: Timestamp
    /// Entered or changed.
    public var people: [PersonOnMap]
    /// Shares that are not in the picture any more. Apply them first.
    public var left: [Int64]
    /// How many more there are than the 200 that are told.
    public var more: Int
    /// True: `people` is everyone, forget the others.
    public var full: Bool?
    public init(serverTime: Timestamp, people: [PersonOnMap], left: [Int64] = [], more: Int = 0, full: Bool? = nil) {
        self.serverTime = serverTime
        self.people = people
        self.left = left
        self.more = more
        self.full = full
    }
}
