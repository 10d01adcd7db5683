import Campus
import Postgres
import Wire

/// A session as the service works with it: the row, its pauses, and what only a running server needs.
struct SessionRecord: Sendable {
    var session: Session
    var clock: SessionClock
    var pauses: [GPSFilter.Pause]
    var filter: GPSFilter
    /// The filter does not stand for the stored points: the next ones judge the session anew, all of it.
    var isFilterLost: Bool
    /// The number under which this server writes the session; 0 when it has not taken it. See ``Tracking/take(_:of:)``.
    var home: Int64 = 0
    /// The highest stored sequence number, 0 without points; the session itself holds it, so that the two cannot differ.
    var lastSeq: Int64 {
        get { session.lastSeq ?? 0 }
        set { session.lastSeq = newValue > 0 ? newValue : nil }
    }
    /// Draws on from here; see ``RouteBuilder``.
    var route = RouteBuilder()
    /// The newest point that may be shown.
    var lastShown: ShownPoint?
    /// What others see of it; nil while they see all.
    var shown: ShownPart?
    /// When others hear that it has ended; nil for when it did.
    var endToldAt: Timestamp?

    struct ShownPoint: Sendable {
        var position: LatLon
        var milliseconds: Int64
        /// m/s: as reported, or measured from the point before.
        var speed = 0.0
        /// Degrees clockwise from north: as reported, or the last direction moved in.
        var heading: Double?

        init(_ judged: JudgedPoint, after last: ShownPoint?) {
            position = judged.position
            milliseconds = judged.point.time.milliseconds
            if let last, let from = try? GeoPoint(last.position), let to = try? GeoPoint(position) {
                let seconds = Double(milliseconds - last.milliseconds) / 1_000
                let metres = from.distance(to: to)
                speed = seconds > 0 ? min(metres / seconds, GPSFilter.vehicleMetresPerSecondMax) : last.speed
                heading = metres > 1 ? from.bearing(to: to) : last.heading
            }
            speed = judged.point.speed ?? speed
            heading = judged.point.heading ?? heading
        }
    }

    static let columns = """
        s.id, s.client_id, s.account_id, a.username, s.activity, s.title, s.state, s.audience, s.simulated, s.clock_kind,
        s.clock_speed, s.started_at, s.ended_at, s.distance, s.moving, s.points, s.last_seq, s.last_fix_at, s.end_told_at
        """

    init(_ row: PostgresRow, pauses: [GPSFilter.Pause]) throws {
        guard let activity = Activity(rawValue: try row.text("activity")),
            let state = SessionState(rawValue: try row.text("state")),
            let audience = Audience(rawValue: try row.text("audience")),
            let kind = SessionClock.Kind(rawValue: try row.text("clock_kind"))
        else { throw RPCError(.internalError, "the session cannot be read") }
        session = Session(
            id: try row.int("id"), clientId: try row.uuid("client_id"),
            owner: .init(id: try row.int("account_id"), username: try row.text("username")), activity: activity,
            title: try row.text("title"), state: state, audience: audience, simulated: try row.bool("simulated"),
            startedAt: Timestamp(milliseconds: try row.timestamp("started_at")),
            endedAt: try row.optionalTimestamp("ended_at").map(Timestamp.init(milliseconds:)),
            distance: try row.double("distance"), elapsed: 0, moving: try row.double("moving"), averageSpeed: 0,
            points: Int(try row.int("points")),
            lastFixAt: try row.optionalTimestamp("last_fix_at").map(Timestamp.init(milliseconds:)))
        clock = SessionClock(kind: kind, speed: try row.double("clock_speed"))
        self.pauses = pauses
        filter = GPSFilter(activity: GPSFilter.Activity(activity))
        isFilterLost = session.points > 0
        lastSeq = try row.int("last_seq")
        endToldAt = try row.optionalTimestamp("end_told_at").map(Timestamp.init(milliseconds:))
        refreshTimes()
    }

    /// Works out the elapsed time and average speed anew after the session's times or sums changed.
    mutating func refreshTimes() {
        let end: Timestamp
        switch session.state {
        case .finished: end = session.endedAt ?? session.startedAt
        case .paused: end = Timestamp(milliseconds: pauses.last?.fromMilliseconds ?? session.startedAt.milliseconds)
        case .running: end = max(session.lastFixAt ?? session.startedAt, session.startedAt)
        }
        let milliseconds = Self.unpaused(session.startedAt.milliseconds, end.milliseconds, pauses)
        session.elapsed = Double(max(0, milliseconds)) / 1_000
        session.averageSpeed = session.elapsed > 0 ? session.distance / session.elapsed : 0
    }

    /// Milliseconds between two times, pauses left out.
    static func unpaused(_ start: Int64, _ end: Int64, _ pauses: [GPSFilter.Pause]) -> Int64 {
        pauses.reduce(end - start) { milliseconds, pause in
            let from = min(max(pause.fromMilliseconds, start), end)
            return milliseconds - max(0, min(pause.toMilliseconds ?? end, end) - from)
        }
    }

    /// The newest time from which on points may be judged one by one: earlier ones need a look at the whole session.
    var streamsFromMilliseconds: Int64 {
        if isFilterLost { return .max }
        guard let last = pauses.last else { return .min }
        return last.toMilliseconds ?? last.fromMilliseconds
    }

    /// Goes on from what is stored.
    mutating func resume(from taken: StoredPoints) {
        filter = taken.filter
        isFilterLost = !taken.agrees
        route = taken.drawn.builder
        lastShown = taken.drawn.lastShown
        shown = taken.shown.part
    }

    /// Nothing was written since the other was read.
    func isAsStored(_ other: SessionRecord) -> Bool {
        session.state == other.session.state && session.points == other.session.points && lastSeq == other.lastSeq
            && session.distance == other.session.distance && session.moving == other.session.moving
            && pauses == other.pauses
    }
}

extension GPSFilter.Activity {
    /// The filter's activity for the wire's.
    init(_ activity: Activity) {
        switch activity {
        case .run: self = .run
        case .cycle: self = .cycle
        }
    }
}
