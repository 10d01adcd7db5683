import Campus
import Hub
import Wire

/// The part of a partly hidden session that others may see (see <doc:Sharing>); it depends on the visible points only.
///
/// A filter and a route of its own process each stretch of visible points. The totals contain nothing that was measured in a suppression
/// zone or on the way into or out of it, so that a comparison with the route reveals nothing. Totals of the whole session beside a
/// truncated route would reveal the home address (Hassan et al., USENIX Security 2018; Dhondt et al., CCS 2022).
struct PublicPart: Sendable {
    private let activity: GPSFilter.Activity
    /// Filter of the newest visible stretch.
    private(set) var filter: GPSFilter
    /// Whether the newest point is hidden.
    private(set) var isHidden: Bool
    /// State that others see while the newest point is hidden.
    private(set) var stateWhileHidden: SessionState
    /// Newest point that others may see.
    private(set) var lastShown: SessionRecord.ShownPoint?
    private var builder: RouteBuilder
    private var points: Int
    /// Totals of the stretches before the newest.
    private var before = (distance: 0.0, moving: 0.0, milliseconds: Int64(0))
    /// Start and end of the newest stretch in milliseconds; nil before its first point.
    private var stretch: (from: Int64, to: Int64)?
    /// Time of the first visible point, if hidden points precede it.
    private var startedAt: Int64?
    private var beganHidden: Bool
    private var lastFixAt: Int64?

    /// Starts from a session that was completely visible so far.
    init(of record: SessionRecord) {
        let session = record.session
        activity = GPSFilter.Activity(session.activity)
        filter = record.filter
        isHidden = false
        stateWhileHidden = session.state
        lastShown = record.lastShown
        builder = record.route
        points = session.points
        beganHidden = session.points == 0
        lastFixAt = session.lastFixAt?.milliseconds
        if let last = lastFixAt, points > 0 {
            let from = session.startedAt.milliseconds
            stretch = (from, max(last, from))
        }
    }

    /// Part of a session without points, whose owner may be in a suppression zone.
    static func unseen(_ record: SessionRecord) -> PublicPart {
        var part = PublicPart(of: record)
        part.beginHidden(record)
        return part
    }

    /// Part of a session without points.
    private init(empty record: SessionRecord) {
        activity = GPSFilter.Activity(record.session.activity)
        filter = GPSFilter(activity: activity)
        (isHidden, stateWhileHidden, beganHidden, points) = (false, .running, false, 0)
        builder = RouteBuilder()
    }

    // MARK: Single points

    /// Ends the visible stretch because the next point is hidden.
    /// - Parameter at: Time of the hidden point if it is in the past; pauses after it must not become visible.
    mutating func beginHidden(_ record: SessionRecord, at: Timestamp? = nil) {
        guard !isHidden else { return }
        isHidden = true
        let wasPaused = at.map { time in
            record.pauses.contains {
                $0.fromMilliseconds <= time.milliseconds && time.milliseconds < $0.toMilliseconds ?? .max
            }
        }
        stateWhileHidden = wasPaused ?? (record.session.state == .paused) ? .paused : .running
        close(record.pauses)
    }

    /// Adds the next visible point; it follows the previous point in time.
    mutating func add(_ point: TrackPoint, of record: SessionRecord, to pieces: inout [RoutePiece]) throws {
        if isHidden {
            filter = GPSFilter(activity: activity)
            if record.filter.isPaused { filter.pause() }
            builder = RouteBuilder()
            isHidden = false
        }
        let verdict = filter.accept(try GPSFilter.Fix(point))
        note(FilteredPoint(point: point, verdict: verdict), startedAt: record.session.startedAt, &pieces)
    }

    mutating func pause() { if !isHidden { filter.pause() } }

    mutating func resume() { if !isHidden { filter.resume() } }

    private mutating func note(_ judged: FilteredPoint, startedAt start: Timestamp, _ pieces: inout [RoutePiece]) {
        let at = judged.point.time.milliseconds
        if points == 0, beganHidden { startedAt = at }
        let from = points == 0 && !beganHidden ? min(start.milliseconds, at) : at
        points += 1
        lastFixAt = max(lastFixAt ?? at, at)
        stretch = stretch.map { ($0.from, max($0.to, at)) } ?? (from, at)
        builder.add(judged.position, reason: judged.reason, to: &pieces)
        if RouteBuilder.isShown(judged.reason) { lastShown = .init(judged, after: lastShown) }
    }

    private mutating func close(_ pauses: [GPSFilter.Pause]) {
        before.distance += filter.distanceMetres
        before.moving += filter.movingSeconds
        before.milliseconds += stretch.map { SessionRecord.unpaused($0.from, $0.to, pauses) } ?? 0
        stretch = nil
        filter = GPSFilter(activity: activity)
        // Speed and direction before the hidden stretch must not predict movement after it.
        lastShown = nil
    }

    // MARK: Whole sessions

    /// A whole session as others may see it, with the visible and the hidden parts of its route.
    struct Drawn: Sendable {
        /// Nil if nothing is hidden.
        var part: PublicPart?
        /// Visible route.
        var route: [[LatLon]] = []
        /// Parts of the route that others may not see.
        var hidden: [[LatLon]] = []
        /// Number of visible points that added no distance, by reason.
        var notCounted: [String: Int] = [:]
        /// Split times of the visible stretches.
        var splits: [Split] = []

        /// Route that others may see, where `whole` is the complete route.
        func routeShown(_ whole: [RoutePiece]) -> [[LatLon]] { part == nil ? whole.map(\.points) : route }
    }

    /// Computes the visible part of a session in O(points): call it on a worker.
    /// - Parameters:
    ///   - stored: All points, ordered by sequence number.
    ///   - places: Suppression areas of the owner; nil for everywhere.
    /// - Throws: `GeoError` for a position out of range.
    static func draw(_ record: SessionRecord, _ stored: [FilteredPoint], _ places: SuppressionAreas?) throws -> Drawn {
        var drawn = Drawn()
        // The start's location is unknown, and the time of leaving home must stay private.
        if stored.isEmpty, places?.isEmpty != true { drawn.part = unseen(record) }
        let hidden = stored.map { places?.mayContain($0.point) ?? true }
        guard hidden.contains(true) else { return drawn }
        var part = PublicPart(empty: record)
        part.beganHidden = hidden.first == true
        var times = SplitTimes(pauses: record.pauses)
        var index = 0
        while index < stored.count {
            let end = hidden[index...].firstIndex { $0 != hidden[index] } ?? stored.count
            let points = stored[index..<end]
            if hidden[index] {
                part.beginHidden(record, at: stored[index].point.time)
                drawn.hidden += Tracking.draw(Array(points)).pieces.map(\.points)
            } else {
                let judged = try part.judge(points, record)
                times.beginStretch(from: index == 0 ? record.session.startedAt : nil)
                for point in judged { times.add(point) }
                var pieces: [RoutePiece] = []
                for point in judged { part.note(point, startedAt: record.session.startedAt, &pieces) }
                drawn.route += pieces.map(\.points)
                for reason in judged.compactMap(\.reason) { drawn.notCounted[reason.rawValue, default: 0] += 1 }
            }
            index = end
        }
        drawn.part = part
        drawn.splits = times.splits
        return drawn
    }

    private mutating func judge(_ points: ArraySlice<FilteredPoint>, _ record: SessionRecord) throws -> [FilteredPoint]
    {
        let result = GPSFilter.recompute(
            activity: activity, fixes: try points.map { try GPSFilter.Fix($0.point) }, pauses: record.pauses)
        filter = result.filter
        builder = RouteBuilder()
        isHidden = false
        return zip(points, result.verdicts).map { FilteredPoint(point: $0.point, verdict: $1) }
    }

    // MARK: Public view

    /// The session as others may see it. If it began hidden and still is, no point of it is visible.
    func session(of record: SessionRecord, at now: Timestamp) -> Session {
        var session = record.session.forOthers
        session.points = points
        session.distance = before.distance + filter.distanceMetres
        session.moving = before.moving + filter.movingSeconds
        let milliseconds =
            before.milliseconds + (stretch.map { SessionRecord.unpaused($0.from, $0.to, record.pauses) } ?? 0)
        session.elapsed = Double(max(0, milliseconds)) / 1_000
        session.averageSpeed = session.elapsed > 0 ? session.distance / session.elapsed : 0
        session.lastFixAt = lastFixAt.map(Timestamp.init(milliseconds:))
        session.startedAt = shownStart(of: session)
        if isHidden { session.state = stateWhileHidden }
        session.endedAt = nil
        if record.session.state == .finished, record.endPublishedAt.map({ $0 <= now }) ?? true {
            session.state = .finished
            session.endedAt = session.lastFixAt ?? session.startedAt
        }
        return session
    }

    private func shownStart(of session: Session) -> Timestamp {
        guard beganHidden else { return session.startedAt }
        let start = session.startedAt.milliseconds
        return Timestamp(milliseconds: startedAt ?? start - start % HiddenEndClock.stepMilliseconds)
    }

    /// Time at which others may learn of the session's end; nil for immediately, if the session's newest point is visible.
    func endPublishedAt(of record: SessionRecord, endedAt: Timestamp) -> Timestamp? {
        // A recording's times are not on the server's clock.
        guard isHidden, record.clock.kind == .live else { return nil }
        let seen = lastFixAt.map(Timestamp.init(milliseconds:)) ?? shownStart(of: record.session)
        return HiddenEndClock(lastSeen: seen).publication(of: endedAt)
    }
}
