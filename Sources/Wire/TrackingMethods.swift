/// What is tracked (U-4.1).
public enum Activity: String, WireChoice {
    case run, cycle
}

/// Who may see a session. Private is the default; a link opens it to its holders besides.
public enum Audience: String, WireChoice {
    /// The owner alone.
    case `private`
    /// Everyone signed in.
    case campus
    /// Guests too.
    case `public`
}

/// Where a session stands.
public enum SessionState: String, WireChoice {
    case running, paused, finished
}

/// A session's clock.
public struct SessionClock: Sendable, Codable, Equatable {
    /// `live` is the server's clock; `recorded` is the recording's own, for simulated accounts only.
    public enum Kind: String, WireChoice { case live, recorded }
    /// Which clock the points' times are on.
    public var kind: Kind
    /// Recorded seconds in a second, 0.1-1,000.
    @Quantity public var speed: Double
    public init(kind: Kind, speed: Double) {
        self.kind = kind
        self.speed = speed
    }
}

/// A tracking session.
public struct Session: Sendable, Codable, Equatable {
    /// Whose it is.
    public struct Owner: Sendable, Codable, Equatable {
        /// The account's number.
        public var id: Int64
        /// Its name.
        public var username: String
        public init(id: Int64, username: String) {
            self.id = id
            self.username = username
        }
    }
    /// Its number.
    public var id: Int64
    /// The client's UUID.
    public var clientId: String
    /// Whose it is.
    public var owner: Owner
    /// Run or cycle.
    public var activity: Activity
    /// For people, 1-80 characters.
    public var title: String
    /// Where it stands.
    public var state: SessionState
    /// Who may see it.
    public var audience: Audience
    /// A sample or a recording.
    public var simulated: Bool
    /// When it began.
    public var startedAt: Timestamp
    /// When it was stopped.
    public var endedAt: Timestamp?
    /// Counted metres.
    public var distance: Double
    /// Seconds from start to the end (or the last fix), pauses left out.
    public var elapsed: Double
    /// Seconds in which distance was counted.
    public var moving: Double
    /// `distance / elapsed`, m/s; 0 before time has passed.
    public var averageSpeed: Double
    /// Stored points.
    public var points: Int
    /// Time of the last fix.
    public var lastFixAt: Timestamp?
    /// The highest stored sequence number; a device that takes the session over numbers from beyond it. Nil without points.
    public var lastSeq: Int64?

    public init(
        id: Int64, clientId: String, owner: Owner, activity: Activity, title: String, state: SessionState,
        audience: Audience, simulated: Bool, startedAt: Timestamp, endedAt: Timestamp?, distance: Double,
        elapsed: Double, moving: Double, averageSpeed: Double, points: Int, lastFixAt: Timestamp?,
        lastSeq: Int64? = nil
    ) {
        self.id = id
        self.clientId = clientId
        self.owner = owner
        self.activity = activity
        self.title = title
        self.state = state
        self.audience = audience
        self.simulated = simulated
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.distance = distance
        self.elapsed = elapsed
        self.moving = moving
        self.averageSpeed = averageSpeed
        self.points = points
        self.lastFixAt = lastFixAt
        self.lastSeq = lastSeq
    }
}

/// A fix as the client sends it.
public struct TrackPoint: Sendable, Codable, Equatable {
    /// The client's own number, from 1, never reused in a session.
    public var seq: Int64
    /// Degrees, -90 to 90.
    public var lat: Double
    /// Degrees, -180 to 180.
    public var lon: Double
    /// When the fix was made, on the session's clock.
    public var time: Timestamp
    /// Radius in metres that holds the true position with 68 %, 0-100,000.
    public var accuracy: Double?
    /// Metres above the ellipsoid, -1,000 to 20,000.
    public var altitude: Double?
    /// m/s, 0-1,000.
    public var speed: Double?
    /// Degrees clockwise from north, 0-360.
    public var heading: Double?
    public init(
        seq: Int64, lat: Double, lon: Double, time: Timestamp, accuracy: Double? = nil, altitude: Double? = nil,
        speed: Double? = nil, heading: Double? = nil
    ) {
        self.seq = seq
        self.lat = lat
        self.lon = lon
        self.time = time
        self.accuracy = accuracy
        self.altitude = altitude
        self.speed = speed
        self.heading = heading
    }
}

/// A reply that holds one session.
public struct SessionReply: Codable, Sendable {
    /// The session as it now stands.
    public var session: Session
    /// For the person, word for word.
    public var message: String?
    public init(session: Session, message: String? = nil) {
        self.session = session
        self.message = message
    }
}

/// `tracking.start` (U-4.1).
public enum TrackingStart: RPCMethod {
    public static let name = "tracking.start"
    public static let access = MethodAccess.accounts
    /// What is started.
    public struct Params: Codable, Sendable {
        /// Run or cycle.
        public var activity: Activity
        /// A UUID; starting again with it gives the same session.
        public var clientId: String
        /// At most 80 characters; `Urban Adventure` when missing or blank.
        public var title: String?
        /// Private when missing.
        public var audience: Audience?
        /// For a start made offline: at most 24 h ago, not in the future.
        public var startedAt: Timestamp?
        /// Simulated accounts only.
        public var clock: SessionClock?
        public init(
            activity: Activity, clientId: String, title: String? = nil, audience: Audience? = nil,
            startedAt: Timestamp? = nil, clock: SessionClock? = nil
        ) {
            self.activity = activity
            self.clientId = clientId
            self.title = title
            self.audience = audience
            self.startedAt = startedAt
            self.clock = clock
        }
    }
    public typealias Result = SessionReply
}

/// `tracking.points` (U-4.3).
public enum TrackingPoints: RPCMethod {
    public static let name = "tracking.points"
    public static let access = MethodAccess.accounts
    /// Points in one request.
    public static let pointsPerRequestMax = 500
    /// The points.
    public struct Params: Codable, Sendable {
        /// The session's number.
        @ObjectID public var session: Int64
        /// 1 to 500.
        public var points: [TrackPoint]
        public init(session: Int64, points: [TrackPoint]) {
            self.session = session
            self.points = points
        }
    }
    /// A point and why it was refused, or adds no distance.
    public struct Remark: Codable, Sendable, Equatable {
        /// The point's number.
        public var seq: Int64
        /// A name of the Protocol article (refused) or of the GPS filter article (not counted).
        public var reason: String
        public init(seq: Int64, reason: String) {
            self.seq = seq
            self.reason = reason
        }
    }
    /// All points of the request are committed, but for the refused.
    public struct Result: Codable, Sendable {
        /// Points stored by this request.
        public var stored: Int
        /// Points that were stored before.
        public var duplicates: Int
        /// Points that will never be stored.
        public var refused: [Remark]
        /// Stored points of this request that add no distance.
        public var notCounted: [Remark]
        /// The session as it now stands.
        public var session: Session
        public init(stored: Int, duplicates: Int, refused: [Remark], notCounted: [Remark], session: Session) {
            self.stored = stored
            self.duplicates = duplicates
            self.refused = refused
            self.notCounted = notCounted
            self.session = session
        }
    }
}

/// A session, and when it was paused, resumed or stopped.
public struct SessionMoment: Codable, Sendable {
    /// The session's number.
    @ObjectID public var session: Int64
    /// On the session's clock; now when missing.
    public var at: Timestamp?
    public init(session: Int64, at: Timestamp? = nil) {
        self.session = session
        self.at = at
    }
}

/// `tracking.pause` (U-4.2).
public enum TrackingPause: RPCMethod {
    public static let name = "tracking.pause"
    public static let access = MethodAccess.accounts
    public typealias Params = SessionMoment
    public typealias Result = SessionReply
}

/// `tracking.resume` (U-4.2).
public enum TrackingResume: RPCMethod {
    public static let name = "tracking.resume"
    public static let access = MethodAccess.accounts
    public typealias Params = SessionMoment
    public typealias Result = SessionReply
}

/// `tracking.stop` (U-4.2).
public enum TrackingStop: RPCMethod {
    public static let name = "tracking.stop"
    public static let access = MethodAccess.accounts
    public typealias Params = SessionMoment
    public typealias Result = SessionReply
}

/// `tracking.current`: the caller's sessions that are not finished.
public enum TrackingCurrent: RPCMethod {
    public static let name = "tracking.current"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// The sessions.
    public struct Result: Codable, Sendable {
        /// Latest first.
        public var sessions: [Session]
        public init(sessions: [Session]) { self.sessions = sessions }
    }
}

/// `tracking.history` (U-5).
public enum TrackingHistory: RPCMethod {
    public static let name = "tracking.history"
    public static let access = MethodAccess.accounts
    /// Which part.
    public struct Params: Codable, Sendable {
        /// 1 to 100; 20 when missing.
        @Count public var limit: Int?
        /// The last reply's `next`.
        public var before: String?
        public init(limit: Int? = nil, before: String? = nil) {
            self.limit = limit
            self.before = before
        }
    }
    /// A part of the history.
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var sessions: [Session]
        /// For the next part; nil at the end.
        public var next: String?
        public init(sessions: [Session], next: String?) {
            self.sessions = sessions
            self.next = next
        }
    }
}

/// `tracking.session` (U-5).
public enum TrackingSession: RPCMethod {
    public static let name = "tracking.session"
    public static let access = MethodAccess.everybody
    /// Which one.
    public struct Params: Codable, Sendable {
        /// The session's number.
        @ObjectID public var session: Int64
        /// A link's token.
        public var share: String?
        public init(session: Int64, share: String? = nil) {
            self.session = session
            self.share = share
        }
    }
    /// The session and its route.
    public struct Result: Codable, Sendable {
        /// The session.
        public var session: Session
        /// The route in pieces: a pause, a gap or a jump starts a new one.
        public var route: [[LatLon]]
        /// Points that added no distance, by reason.
        public var notCounted: [String: Int]
        /// For its owner: the parts of the route that others do not see; nil when they see all of it.
        public var hidden: [[LatLon]]?
        /// Times per kilometre, of what the caller may see; at most 1,000.
        public var splits: [Split]?
        /// Creates the result.
        public init(
            session: Session, route: [[LatLon]], notCounted: [String: Int], hidden: [[LatLon]]? = nil,
            splits: [Split]? = nil
        ) {
            self.session = session
            self.route = route
            self.notCounted = notCounted
            self.hidden = hidden
            self.splits = splits
        }
    }
}
