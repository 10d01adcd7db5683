import Campus
import Hub
import Wire

/// What others see of a session some of which is dark (see <doc:Sharing>): a function of the visible points alone.
///
/// Each stretch of visible points is judged by a filter of its own and drawn as a route of its own. Nothing that was measured in the dark,
/// nor on the way into it or out of it, is in the sums, and whoever compares them with the route learns nothing: distance that is told
/// beside a route that is cut off gives the home away (Hassan et al., USENIX Security 2018; Dhondt et al., CCS 2022).
struct ShownPart: Sendable {
    private let activity: GPSFilter.Activity
    /// Of the newest stretch.
    private(set) var filter: GPSFilter
    /// Where the newest point is.
    private(set) var isDark: Bool
    /// What others see the session as, while it is dark.
    private(set) var stateInDark: SessionState
    /// The newest point that others may be shown.
    private(set) var lastShown: SessionRecord.ShownPoint?
    private var builder: RouteBuilder
    private var points: Int
    /// Of the stretches before the newest.
    private var before = (distance: 0.0, moving: 0.0, milliseconds: Int64(0))
    /// When the newest stretch began and how far it goes; nil before its first point.
    private var stretch: (from: Int64, to: Int64)?
    /// When the first visible point was, when there are dark ones before it.
    private var startedAt: Int64?
    private var beganDark: Bool
    private var lastFixAt: Int64?

    /// A session all of which was visible until now.
    init(of record: SessionRecord) {
        let session = record.session
        activity = GPSFilter.Activity(session.activity)
        filter = record.filter
        isDark = false
        stateInDark = session.state
        lastShown = record.lastShown
        builder = record.route
        points = session.points
        beganDark = session.points == 0
        lastFixAt = session.lastFixAt?.milliseconds
        if let last = lastFixAt, points > 0 {
            let from = session.startedAt.milliseconds
            stretch = (from, max(last, from))
        }
    }

    /// A session without points, whose owner may be in the dark.
    static func unseen(_ record: SessionRecord) -> ShownPart {
        var part = ShownPart(of: record)
        part.enterDark(record)
        return part
    }

    /// A session without points yet.
    private init(empty record: SessionRecord) {
        activity = GPSFilter.Activity(record.session.activity)
        filter = GPSFilter(activity: activity)
        (isDark, stateInDark, beganDark, points) = (false, .running, false, 0)
        builder = RouteBuilder()
    }

    // MARK: One by one

    /// The next point is dark.
    /// - Parameter at: When, where that is long ago; what happened since is nobody's business.
    mutating func enterDark(_ record: SessionRecord, at: Timestamp? = nil) {
        guard !isDark else { return }
        isDark = true
        let wasPaused = at.map { time in
            record.pauses.contains {
                $0.fromMilliseconds <= time.milliseconds && time.milliseconds < $0.toMilliseconds ?? .max
            }
        }
        stateInDark = wasPaused ?? (record.session.state == .paused) ? .paused : .running
        close(record.pauses)
    }

    /// The next point is visible, and follows on the one before.
    mutating func add(_ point: TrackPoint, of record: SessionRecord, to pieces: inout [RoutePiece]) throws {
        if isDark {
            filter = GPSFilter(activity: activity)
            if record.filter.isPaused { filter.pause() }
            builder = RouteBuilder()
            isDark = false
        }
        let verdict = filter.accept(try GPSFilter.Fix(point))
        note(JudgedPoint(point: point, verdict: verdict), startedAt: record.session.startedAt, &pieces)
    }

    mutating func pause() { if !isDark { filter.pause() } }

    mutating func resume() { if !isDark { filter.resume() } }

    private mutating func note(_ judged: JudgedPoint, startedAt start: Timestamp, _ pieces: inout [RoutePiece]) {
        let at = judged.point.time.milliseconds
        if points == 0, beganDark { startedAt = at }
        let from = points == 0 && !beganDark ? min(start.milliseconds, at) : at
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
        // What was seen before the dark says nothing of how fast somebody is behind it.
        lastShown = nil
    }

    // MARK: All of it

    /// A whole session as it is shown, with its route, and the parts of the route that are not.
    struct Drawn: Sendable {
        /// Nil when nothing is dark.
        var part: ShownPart?
        /// Of what is shown.
        var route: [[LatLon]] = []
        /// The parts that others do not see.
        var hidden: [[LatLon]] = []
        /// Visible points that added no distance, by reason.
        var notCounted: [String: Int] = [:]
        /// Times per kilometre of the visible stretches.
        var splits: [Split] = []

        /// The route that others see, of which `whole` is all.
        func routeShown(_ whole: [RoutePiece]) -> [[LatLon]] { part == nil ? whole.map(\.points) : route }
    }

    /// Takes as long as the session: make it on a worker.
    /// - Parameters:
    ///   - stored: All points, by number.
    ///   - places: Where its owner is shown to nobody; nil for everywhere.
    /// - Throws: `GeoError` for a position out of range.
    static func draw(_ record: SessionRecord, _ stored: [JudgedPoint], _ places: DarkPlaces?) throws -> Drawn {
        var drawn = Drawn()
        // Where it begins is not known yet, and when somebody left home is nobody's business.
        if stored.isEmpty, places?.isEmpty != true { drawn.part = unseen(record) }
        let dark = stored.map { places?.mayHold($0.point) ?? true }
        guard dark.contains(true) else { return drawn }
        var part = ShownPart(empty: record)
        part.beganDark = dark.first == true
        var times = SplitTimes(pauses: record.pauses)
        var index = 0
        while index < stored.count {
            let end = dark[index...].firstIndex { $0 != dark[index] } ?? stored.count
            let points = stored[index..<end]
            if dark[index] {
                part.enterDark(record, at: stored[index].point.time)
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

    private mutating func judge(_ points: ArraySlice<JudgedPoint>, _ record: SessionRecord) throws -> [JudgedPoint] {
        let result = GPSFilter.recompute(
            activity: activity, fixes: try points.map { try GPSFilter.Fix($0.point) }, pauses: record.pauses)
        filter = result.filter
        builder = RouteBuilder()
        isDark = false
        return zip(points, result.verdicts).map { JudgedPoint(point: $0.point, verdict: $1) }
    }

    // MARK: What others are told

    /// The session as others see it. Nothing has been seen of one that began in the dark and is still there.
    func session(of record: SessionRecord, at now: Timestamp) -> Session {
        var session = record.session
        session.lastSeq = nil
        session.points = points
        session.distance = before.distance + filter.distanceMetres
        session.moving = before.moving + filter.movingSeconds
        let milliseconds =
            before.milliseconds + (stretch.map { SessionRecord.unpaused($0.from, $0.to, record.pauses) } ?? 0)
        session.elapsed = Double(max(0, milliseconds)) / 1_000
        session.averageSpeed = session.elapsed > 0 ? session.distance / session.elapsed : 0
        session.lastFixAt = lastFixAt.map(Timestamp.init(milliseconds:))
        session.startedAt = shownStart(of: session)
        if isDark { session.state = stateInDark }
        session.endedAt = nil
        if record.session.state == .finished, record.endToldAt.map({ $0 <= now }) ?? true {
            session.state = .finished
            session.endedAt = session.lastFixAt ?? session.startedAt
        }
        return session
    }

    private func shownStart(of session: Session) -> Timestamp {
        guard beganDark else { return session.startedAt }
        let start = session.startedAt.milliseconds
        return Timestamp(milliseconds: startedAt ?? start - start % HiddenEndClock.stepMilliseconds)
    }

    /// When others are told that the session has ended; nil for at once, as where everything is seen.
    func endToldAt(of record: SessionRecord, endedAt: Timestamp) -> Timestamp? {
        // A recording's times are not the server's.
        guard isDark, record.clock.kind == .live else { return nil }
        let seen = lastFixAt.map(Timestamp.init(milliseconds:)) ?? shownStart(of: record.session)
        return HiddenEndClock(lastSeen: seen).publication(of: endedAt)
    }
}
