/// A position. Its wire form is `[latitude, longitude]` in degrees.
public struct LatLon: Sendable, Hashable, Codable {
    /// Degrees, -90 to 90.
    public var latitude: Double
    /// Degrees, -180 to 180.
    public var longitude: Double

    /// - Parameters:
    ///   - latitude: Degrees.
    ///   - longitude: Degrees.
    public init(_ latitude: Double, _ longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        latitude = try container.decode(Latitude<Double>.self).wrappedValue
        longitude = try container.decode(Longitude<Double>.self).wrappedValue
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(latitude)
        try container.encode(longitude)
    }
}

/// Reason why a runner's dot on the map moves or stands still (B-8).
public enum RunnerState: String, WireChoice {
    case moving, stationary, paused, offline, finished
}

/// A runner on the live map.
public struct Runner: Sendable, Codable, Equatable {
    /// Number of the session.
    public var session: Int64
    /// Username of the owner.
    public var name: String
    public var activity: Activity
    /// Title of the session.
    public var title: String
    public var state: RunnerState
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    /// Degrees clockwise from north; nil while not moving.
    public var heading: Double?
    /// Present speed in m/s.
    public var speed: Double
    /// Server time of the last fix. The age of the position is the server's present time minus this.
    public var at: Timestamp
    /// Counted distance in metres.
    public var distance: Double
    /// Seconds without pauses, at the time `at`.
    public var elapsed: Double
    /// `distance / elapsed` in m/s.
    public var averageSpeed: Double
    /// Zone of the position; nil outside of all zones.
    public var zone: Int64?
    /// True for a sample runner or a recording.
    public var simulated: Bool
    /// Seconds by which `elapsed` grows per second.
    public var rate: Double

    public init(
        session: Int64, name: String, activity: Activity, title: String, state: RunnerState, lat: Double, lon: Double,
        heading: Double?, speed: Double, at: Timestamp, distance: Double, elapsed: Double, averageSpeed: Double,
        zone: Int64?, simulated: Bool, rate: Double
    ) {
        self.session = session
        self.name = name
        self.activity = activity
        self.title = title
        self.state = state
        self.lat = lat
        self.lon = lon
        self.heading = heading
        self.speed = speed
        self.at = at
        self.distance = distance
        self.elapsed = elapsed
        self.averageSpeed = averageSpeed
        self.zone = zone
        self.simulated = simulated
        self.rate = rate
    }
}

/// Snapshot of the topic `zone/<id>/positions`.
public struct ZoneSnapshot: Sendable, Codable {
    /// Clock of the server.
    public var serverTime: Timestamp
    /// All runners in the zone that the subscriber may see.
    public var runners: [Runner]
    /// Last part of each runner's route, by session.
    public var trails: [String: [LatLon]]
    public init(serverTime: Timestamp, runners: [Runner], trails: [String: [LatLon]]) {
        self.serverTime = serverTime
        self.runners = runners
        self.trails = trails
    }
}

/// Publication on `zone/<id>/positions`.
public struct ZoneUpdate: Sendable, Codable {
    /// A runner that the subscriber removes from the area.
    public struct Left: Sendable, Codable, Equatable {
        /// Reason for the removal: the runner moved to another zone, the session ended, or it is no longer visible to the subscriber.
        public enum Reason: String, WireChoice { case zone, finished, hidden }
        /// Number of the session.
        public var session: Int64
        public var reason: Reason
        /// Zone to which the runner moved.
        public var to: Int64?
        public init(session: Int64, reason: Reason, to: Int64? = nil) {
            self.session = session
            self.reason = reason
            self.to = to
        }
    }
    /// Always `positions`.
    public var type = "positions"
    /// Clock of the server.
    public var serverTime: Timestamp
    /// Runners that entered or changed.
    public var runners: [Runner]
    /// Runners that left. A client applies these before `runners`.
    public var left: [Left]
    /// True after skipped updates: `runners` is the complete set, and the client forgets all others.
    public var full: Bool?
    public init(serverTime: Timestamp, runners: [Runner], left: [Left]) {
        self.serverTime = serverTime
        self.runners = runners
        self.left = left
    }
}

/// Publication on a topic that no longer exists. The subscription has ended, and the client removes the topic's content.
public struct TopicClosed: Sendable, Codable, Equatable {
    /// Always `closed`.
    public var type = "closed"
    public var reason: String
    public init(_ reason: TopicCloseReason) { self.reason = reason.rawValue }
}

/// Snapshot of the topic `session/<id>`.
public struct SessionSnapshot: Sendable, Codable {
    /// Clock of the server.
    public var serverTime: Timestamp
    public var session: Session
    /// Nil before the first fix.
    public var runner: Runner?
    /// Route in pieces. A pause, a gap or a jump starts a new piece.
    public var route: [[LatLon]]
    /// Present watchers including the subscriber; nil for a finished session.
    public var presence: Presence?
    /// True while the owner's location is hidden. Only the owner then gets a runner.
    public var hidden: Bool?
    public init(
        serverTime: Timestamp, session: Session, runner: Runner?, route: [[LatLon]], presence: Presence? = nil,
        hidden: Bool? = nil
    ) {
        self.presence = presence
        self.hidden = hidden
        self.serverTime = serverTime
        self.session = session
        self.runner = runner
        self.route = route
    }
}

/// Publication on `session/<id>`.
public struct SessionUpdate: Sendable, Codable {
    public enum Kind: String, WireChoice { case session, route, ended, closed, presence }
    public var type: Kind
    /// Clock of the server.
    public var serverTime: Timestamp
    /// The session; nil with `closed` and `presence`.
    public var session: Session?
    /// The runner; nil before the first fix.
    public var runner: Runner?
    /// With `session`: added points.
    public var append: [LatLon]?
    /// With `session`: true if the added points start a new piece.
    public var startsPiece: Bool?
    /// With `route`: the complete route.
    public var route: [[LatLon]]?
    /// With `closed`: the reason.
    public var reason: String?
    /// With `presence`: the present watchers.
    public var presence: Presence?
    /// With `session` and `route`: true while the owner's location is hidden. Only the owner then gets a runner.
    public var hidden: Bool?
    public init(
        type: Kind, serverTime: Timestamp, session: Session? = nil, runner: Runner? = nil, append: [LatLon]? = nil,
        startsPiece: Bool? = nil, route: [[LatLon]]? = nil, reason: String? = nil, presence: Presence? = nil,
        hidden: Bool? = nil
    ) {
        self.hidden = hidden
        self.type = type
        self.serverTime = serverTime
        self.session = session
        self.runner = runner
        self.append = append
        self.startsPiece = startsPiece
        self.route = route
        self.reason = reason
        self.presence = presence
    }
}

/// Parameters of `subscribe`. The topic determines the type of the snapshot.
public struct SubscribeParams: Codable, Sendable {
    /// Name of the topic, such as `zone/7/positions`, `session/42` or `campus/notices`.
    public var topic: String
    /// Token of a link, for a session that is not shared with the caller otherwise.
    public var share: String?
    /// Position of the caller in a reliable topic. The reply contains the publications after it.
    public var since: TopicPosition?
    public init(topic: String, share: String? = nil, since: TopicPosition? = nil) {
        self.topic = topic
        self.share = share
        self.since = since
    }
}

/// Reply to `subscribe`.
public struct Subscribed<Snapshot: Codable & Sendable>: Codable, Sendable {
    public var topic: String
    /// Present state. Publications with changes follow.
    public var snapshot: Snapshot
    public init(topic: String, snapshot: Snapshot) {
        self.topic = topic
        self.snapshot = snapshot
    }
}

/// Topic that was subscribed to, or whose subscription has ended: the reply to `subscribe` for a topic without state, and to `unsubscribe`.
public struct SubscribedTopic: Codable, Sendable {
    public var topic: String
    public init(topic: String) { self.topic = topic }
}

/// `subscribe`, for topics of every kind. ``TopicDeclaration/access`` has the callers that may subscribe to a kind, and
/// ``TopicDeclaration/reply`` the type of its reply.
public enum Subscribe: RPCMethod {
    public static let name = "subscribe"
    public static let summary = "Subscribes to a topic. The topic determines the type of the reply."
    public static let access = MethodAccess.everybody
    /// To the signals of its account alone.
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public typealias Params = SubscribeParams
    /// The member that the replies of all kinds have.
    public typealias Result = SubscribedTopic
}

public enum Unsubscribe: RPCMethod {
    public static let name = "unsubscribe"
    public static let summary = "Ends a subscription."
    public static let access = MethodAccess.everybody
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.conflict]
    public struct Params: Codable, Sendable {
        public var topic: String
        public init(topic: String) { self.topic = topic }
    }
    public typealias Result = SubscribedTopic
}

extension APIRegistry {
    static let subscriptions: [any RPCMethod.Type] = [Subscribe.self, Unsubscribe.self]
}
