/// Kind of activity of a session (U-4.1).
public enum Activity: String, WireChoice {
    case run, cycle
}

/// Viewers of a session. The default is `private`. Links give access independently of the audience.
public enum Audience: String, WireChoice {
    /// Only the owner.
    case `private`
    /// Everybody who is signed in.
    case campus
    /// Everybody including guests.
    case `public`
}

public enum SessionState: String, WireChoice {
    case running, paused, finished
}

/// Clock of a session.
public struct SessionClock: Sendable, Codable, Equatable {
    /// `live` is the server's clock. `recorded` is the clock of a recording, for simulated accounts only.
    public enum Kind: String, WireChoice { case live, recorded }
    /// Clock to which the points' times refer.
    public var kind: Kind
    /// Recorded seconds per second, 0.1 to 1,000.
    @Quantity public var speed: Double
    public init(kind: Kind, speed: Double) {
        self.kind = kind
        self.speed = speed
    }
}

public struct Session: Sendable, Codable, Equatable {
    public struct Owner: Sendable, Codable, Equatable {
        /// Number of the account.
        public var id: Int64
        public var username: String
        public init(id: Int64, username: String) {
            self.id = id
            self.username = username
        }
    }
    public var id: Int64
    /// UUID that the client chose.
    public var clientId: String
    public var owner: Owner
    public var activity: Activity
    /// 1 to 80 characters.
    public var title: String
    public var state: SessionState
    public var audience: Audience
    /// True for a sample runner or a recording.
    public var simulated: Bool
    public var startedAt: Timestamp
    /// Time at which the session was stopped.
    public var endedAt: Timestamp?
    /// Counted metres.
    public var distance: Double
    /// Seconds from the start to the end or the last fix, without pauses.
    public var elapsed: Double
    /// Seconds in which distance was counted.
    public var moving: Double
    /// `distance / elapsed` in m/s; 0 while `elapsed` is 0.
    public var averageSpeed: Double
    /// Number of stored points.
    public var points: Int
    public var lastFixAt: Timestamp?
    /// Highest stored sequence number. A device that takes over the session starts its numbers well beyond it. Nil without points.
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

/// A position fix as the client sends it.
public struct TrackPoint: Sendable, Codable, Equatable {
    /// Sequence number chosen by the client, from 1, unique in the session.
    public var seq: Int64
    /// Degrees, -90 to 90.
    public var lat: Double
    /// Degrees, -180 to 180.
    public var lon: Double
    /// Time of the fix by the session's clock.
    public var time: Timestamp
    /// Radius in metres that contains the true position with a probability of 68 %, 0 to 100,000.
    public var accuracy: Double?
    /// Metres above the ellipsoid, -1,000 to 20,000.
    public var altitude: Double?
    /// m/s, 0 to 1,000.
    public var speed: Double?
    /// Degrees clockwise from north, 0 to 360.
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

/// Reply with one session.
public struct SessionReply: Codable, Sendable {
    public var session: Session
    /// Message to show to the person verbatim.
    public var message: String?
    public init(session: Session, message: String? = nil) {
        self.session = session
        self.message = message
    }
}

public enum TrackingStart: RPCMethod {
    public static let name = "tracking.start"
    public static let summary = "Starts a session."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let texts: [String: TextLimit] = ["title": .sessionTitle]
    public static let errors: [ErrorCode] = [.forbidden, .conflict]
    public struct Params: Codable, Sendable {
        public var activity: Activity
        /// UUID. A repeated request with the same UUID returns the same session.
        public var clientId: String
        /// At most 80 characters; default `Urban Adventure`, also for a blank title.
        public var title: String?
        /// Default `private`.
        public var audience: Audience?
        /// Start time of a session started offline: at most 24 h ago, not in the future.
        public var startedAt: Timestamp?
        /// For simulated accounts only.
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

public enum TrackingPoints: RPCMethod {
    public static let name = "tracking.points"
    public static let summary = "Stores points of a session."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    /// Highest number of points in a request.
    public static let pointsPerRequestMax = 500
    public struct Params: Codable, Sendable {
        @ObjectID public var session: Int64
        /// 1 to 500.
        public var points: [TrackPoint]
        public init(session: Int64, points: [TrackPoint]) {
            self.session = session
            self.points = points
        }
    }
    /// A point that was refused or adds no distance, with the reason.
    public struct Remark: Codable, Sendable, Equatable {
        /// Sequence number of the point.
        public var seq: Int64
        /// Reason as listed in the Protocol article (refused) or in the GPS filter article (not counted).
        public var reason: String
        public init(seq: Int64, reason: String) {
            self.seq = seq
            self.reason = reason
        }
    }
    /// The server has committed all points of the request except the refused ones.
    public struct Result: Codable, Sendable {
        /// Number of points that this request stored.
        public var stored: Int
        /// Number of points that were stored before.
        public var duplicates: Int
        /// Points that the server will never store.
        public var refused: [Remark]
        /// Stored points of this request that add no distance.
        public var notCounted: [Remark]
        /// State of the session after the request.
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

/// A session and the time at which it is paused, resumed or stopped.
public struct SessionTimeParams: Codable, Sendable {
    @ObjectID public var session: Int64
    /// Time by the session's clock; default now.
    public var at: Timestamp?
    public init(session: Int64, at: Timestamp? = nil) {
        self.session = session
        self.at = at
    }
}

public enum TrackingPause: RPCMethod {
    public static let name = "tracking.pause"
    public static let summary = "Pauses a session."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public typealias Params = SessionTimeParams
    public typealias Result = SessionReply
}

public enum TrackingResume: RPCMethod {
    public static let name = "tracking.resume"
    public static let summary = "Resumes a session."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public typealias Params = SessionTimeParams
    public typealias Result = SessionReply
}

public enum TrackingStop: RPCMethod {
    public static let name = "tracking.stop"
    public static let summary = "Finishes a session."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    public typealias Params = SessionTimeParams
    public typealias Result = SessionReply
}

public enum TrackingCurrent: RPCMethod {
    public static let name = "tracking.current"
    public static let summary = "Lists the caller's sessions that are not finished."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Latest first.
        public var sessions: [Session]
        public init(sessions: [Session]) { self.sessions = sessions }
    }
}

public enum TrackingHistory: RPCMethod {
    public static let name = "tracking.history"
    public static let summary = "Lists the caller's finished sessions."
    public static let access = MethodAccess.accounts
    public struct Params: Codable, Sendable {
        /// 1 to 100; default 20.
        @Count public var limit: Int?
        /// `next` of the previous reply.
        public var before: String?
        public init(limit: Int? = nil, before: String? = nil) {
            self.limit = limit
            self.before = before
        }
    }
    public struct Result: Codable, Sendable {
        /// Newest first.
        public var sessions: [Session]
        /// Value of `before` for the next page; nil on the last page.
        public var next: String?
        public init(sessions: [Session], next: String?) {
            self.sessions = sessions
            self.next = next
        }
    }
}

public enum TrackingSession: RPCMethod {
    public static let name = "tracking.session"
    public static let summary = "Returns a session with its route."
    public static let access = MethodAccess.everybody
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var session: Int64
        /// Token of a link.
        public var share: String?
        public init(session: Int64, share: String? = nil) {
            self.session = session
            self.share = share
        }
    }
    public struct Result: Codable, Sendable {
        public var session: Session
        /// Route in pieces. A pause, a gap or a jump starts a new piece.
        public var route: [[LatLon]]
        /// Number of points that add no distance, by reason.
        public var notCounted: [String: Int]
        /// For the owner: parts of the route that are hidden from others; nil if no part is hidden.
        public var hidden: [[LatLon]]?
        /// Times of each kilometre of the visible route; at most 1,000.
        public var splits: [Split]?
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

extension APIRegistry {
    static let tracking: [any RPCMethod.Type] = [
        TrackingStart.self, TrackingPoints.self, TrackingPause.self, TrackingResume.self, TrackingStop.self,
        TrackingCurrent.self, TrackingHistory.self, TrackingSession.self,
    ]
}
