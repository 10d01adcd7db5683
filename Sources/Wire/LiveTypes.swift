/// A position as pairs go over the wire: latitude, longitude, in degrees.
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

    /// Reads the wire form.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        latitude = try container.decode(Latitude<Double>.self).wrappedValue
        longitude = try container.decode(Longitude<Double>.self).wrappedValue
    }

    /// Writes the wire form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(latitude)
        try container.encode(longitude)
    }
}

/// Why a dot moves or stands still (B-8).
public enum RunnerState: String, WireChoice {
    case moving, stationary, paused, offline, finished
}

/// A runner on the live map.
public struct Runner: Sendable, Codable, Equatable {
    /// The session's number.
    public var session: Int64
    /// The owner's username.
    public var name: String
    /// Run or cycle.
    public var activity: Activity
    /// The session's title.
    public var title: String
    /// Why the dot moves or stands still.
    public var state: RunnerState
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    /// Degrees clockwise from north, while moving.
    public var heading: Double?
    /// Now, m/s.
    public var speed: Double
    /// Server time of the last fix; the age of the dot is the server's now minus this.
    public var at: Timestamp
    /// Counted distance, metres.
    public var distance: Double
    /// Seconds without pauses, at `at`.
    public var elapsed: Double
    /// `distance / elapsed`, m/s.
    public var averageSpeed: Double
    /// The zone it is in, or nil outside all.
    public var zone: Int64?
    /// A sample or a recording.
    public var simulated: Bool
    /// Seconds that `elapsed` grows by in a second.
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

/// The snapshot of `zone/<id>/positions`.
public struct ZoneSnapshot: Sendable, Codable {
    /// The server's clock.
    public var serverTime: Timestamp
    /// Everyone in the zone whom the subscriber may see.
    public var runners: [Runner]
    /// The last part of each runner's route, by session.
    public var trails: [String: [LatLon]]
    public init(serverTime: Timestamp, runners: [Runner], trails: [String: [LatLon]]) {
        self.serverTime = serverTime
        self.runners = runners
        self.trails = trails
    }
}

/// A push on `zone/<id>/positions`.
public struct ZoneUpdate: Sendable, Codable {
    /// Who is not in the zone's picture any more.
    public struct Left: Sendable, Codable, Equatable {
        /// Why a runner left the picture.
        public enum Reason: String, Sendable, Codable { case zone, finished, hidden }
        /// The session's number.
        public var session: Int64
        /// Why.
        public var reason: Reason
        /// The zone it went to.
        public var to: Int64?
        public init(session: Int64, reason: Reason, to: Int64? = nil) {
            self.session = session
            self.reason = reason
            self.to = to
        }
    }
    /// Always `positions`.
    public var type = "positions"
    /// The server's clock.
    public var serverTime: Timestamp
    /// Entered or changed.
    public var runners: [Runner]
    /// Gone. Apply them before `runners`.
    public var left: [Left]
    /// True after updates were skipped: `runners` is everyone, forget the others.
    public var full: Bool?
    public init(serverTime: Timestamp, runners: [Runner], left: [Left]) {
        self.serverTime = serverTime
        self.runners = runners
        self.left = left
    }
}

/// A push on a topic that is no more: the subscription has ended, and what is shown of it goes.
public struct TopicClosed: Sendable, Codable, Equatable {
    /// Always `closed`.
    public var type = "closed"
    /// Why.
    public var reason: String
    /// - Parameter reason: Why.
    public init(reason: String) { self.reason = reason }
}

/// The snapshot of `session/<id>`.
public struct SessionSnapshot: Sendable, Codable {
    /// The server's clock.
    public var serverTime: Timestamp
    /// The session.
    public var session: Session
    /// Nil before the first fix.
    public var runner: Runner?
    /// The route in pieces: a pause, a gap or a jump starts a new one.
    public var route: [[LatLon]]
    /// Who watches, the subscriber among them; nil when the session is finished.
    public var presence: Presence?
    /// True while its owner is where nothing is shown: others see no runner then, and its owner alone does.
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

/// A push on `session/<id>`.
public struct SessionUpdate: Sendable, Codable {
    /// What happened.
    public enum Kind: String, Sendable, Codable { case session, route, ended, closed, presence }
    /// What happened.
    public var type: Kind
    /// The server's clock.
    public var serverTime: Timestamp
    /// The session; nil with `closed` and `presence`.
    public var session: Session?
    /// The runner; nil before the first fix.
    public var runner: Runner?
    /// With `session`: points that were added.
    public var append: [LatLon]?
    /// With `session`: the points begin a new piece.
    public var startsPiece: Bool?
    /// With `route`: the whole route.
    public var route: [[LatLon]]?
    /// With `closed`: why.
    public var reason: String?
    /// With `presence`: who watches now.
    public var presence: Presence?
    /// With `session` and `route`: true while the owner is where nothing is shown; others see no runner then, and its owner alone does.
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

/// `subscribe`. The snapshot's type follows the topic.
public struct SubscribeParams: Codable, Sendable {
    /// Such as `zone/7/positions`, `session/42` or `campus/notices`.
    public var topic: String
    /// A link's token, for a session that is not otherwise shared with the caller.
    public var share: String?
    /// Where the caller stands in a reliable topic; what came since is given.
    public var since: TopicPosition?
    public init(topic: String, share: String? = nil, since: TopicPosition? = nil) {
        self.topic = topic
        self.share = share
        self.since = since
    }
}

/// The reply to `subscribe`.
public struct Subscribed<Snapshot: Codable & Sendable>: Codable, Sendable {
    /// The topic.
    public var topic: String
    /// How things stand; what changes follows as pushes.
    public var snapshot: Snapshot
    public init(topic: String, snapshot: Snapshot) {
        self.topic = topic
        self.snapshot = snapshot
    }
}

/// `subscribe` to `zone/<id>/positions`.
public enum SubscribeZone: RPCMethod {
    public static let name = "subscribe"
    public static let access = MethodAccess.everybody
    public typealias Params = SubscribeParams
    public typealias Result = Subscribed<ZoneSnapshot>
}

/// `subscribe` to `session/<id>`.
public enum SubscribeSession: RPCMethod {
    public static let name = "subscribe"
    public static let access = MethodAccess.everybody
    public typealias Params = SubscribeParams
    public typealias Result = Subscribed<SessionSnapshot>
}

/// `unsubscribe`.
public enum Unsubscribe: RPCMethod {
    public static let name = "unsubscribe"
    public static let access = MethodAccess.everybody
    /// The topic.
    public struct Params: Codable, Sendable {
        /// The topic.
        public var topic: String
        public init(topic: String) { self.topic = topic }
    }
    public typealias Result = Params
}
