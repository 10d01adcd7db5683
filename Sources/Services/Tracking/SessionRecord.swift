import Campus
import Postgres
import Wire

/// A session's row with its pauses and its runtime state.
struct SessionRecord: Sendable {
    var session: Session
    var clock: SessionClock
    var pauses: [GPSFilter.Pause]
    var filter: GPSFilter
    /// Whether the filter's state does not match the stored points; the next points then require a new run over the whole session.
    var isFilterLost: Bool
    /// Fencing token under which this server writes the session; 0 if the server has not taken it over. See ``Tracking/take(_:of:)``.
    var fencingToken: Int64 = 0
    /// Highest stored sequence number, 0 without points. It is stored in `session`, so that the two cannot differ.
    var lastSeq: Int64 {
        get { session.lastSeq ?? 0 }
        set { session.lastSeq = newValue > 0 ? newValue : nil }
    }
    /// State from which the route continues; see ``RouteBuilder``.
    var route = RouteBuilder()
    /// Newest point that may be shown.
    var lastShown: ShownPoint?
    /// The part of the session that others may see; nil if they may see all of it.
    var shown: PublicPart?
    /// Time at which others may learn of the session's end; nil for the end itself.
    var endPublishedAt: Timestamp?

    struct ShownPoint: Sendable {
        var position: LatLon
        var milliseconds: Int64
        /// Speed in m/s, as reported or measured from the previous point.
        var speed = 0.0
        /// Direction in degrees clockwise from north, as reported or from the last movement.
        var heading: Double?

        init(_ judged: FilteredPoint, after last: ShownPoint?) {
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
        s.clock_speed, s.started_at, s.ended_at, s.distance, s.moving, s.points, s.last_seq, s.last_fix_at, s.end_published_at
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
        endPublishedAt = try row.optionalTimestamp("end_published_at").map(Timestamp.init(milliseconds:))
        refreshTimes()
    }

    /// Updates the elapsed time and the average speed after a change of the session's times or totals.
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

    /// Milliseconds between two times, without pauses.
    static func unpaused(_ start: Int64, _ end: Int64, _ pauses: [GPSFilter.Pause]) -> Int64 {
        pauses.reduce(end - start) { milliseconds, pause in
            let from = min(max(pause.fromMilliseconds, start), end)
            return milliseconds - max(0, min(pause.toMilliseconds ?? end, end) - from)
        }
    }

    /// Earliest time in milliseconds from which points can be judged one by one; earlier points require a run over the whole session.
    var streamsFromMilliseconds: Int64 {
        if isFilterLost { return .max }
        guard let last = pauses.last else { return .min }
        return last.toMilliseconds ?? last.fromMilliseconds
    }

    /// Continues from the stored points.
    mutating func resume(from taken: StoredPoints) {
        filter = taken.filter
        isFilterLost = !taken.agrees
        route = taken.drawn.builder
        lastShown = taken.drawn.lastShown
        shown = taken.shown.part
    }

    /// Whether nothing was written since the other record was read.
    func isAsStored(_ other: SessionRecord) -> Bool {
        session.state == other.session.state && session.points == other.session.points && lastSeq == other.lastSeq
            && session.distance == other.session.distance && session.moving == other.session.moving
            && pauses == other.pauses
    }
}

extension GPSFilter.Activity {
    /// Converts the protocol's activity.
    init(_ activity: Activity) {
        switch activity {
        case .run: self = .run
        case .cycle: self = .cycle
        }
    }
}
