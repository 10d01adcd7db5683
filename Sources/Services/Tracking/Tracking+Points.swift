import Campus
import Hub
import Postgres
import Wire

/// Points: rejection, deduplication, filtering, commit and publication (U-4.2, U-4.3, B-8).
extension Tracking {
    /// Largest number of changed verdicts that are committed through the shared group writer.
    static let groupedVerdictsMax = 500

    /// Takes points of a session. When it returns, all points except the rejected ones are committed.
    /// - Throws: ``Wire/RPCError``. After `unavailable` the outcome is in doubt; repeating the request is harmless.
    public func points(_ identity: Identity, _ params: TrackingPoints.Params) async throws -> TrackingPoints.Result {
        try Self.validate(params)
        return try await withLock(params.session, for: identity) {
            let record = try await self.record(params.session, ownedBy: identity)
            if record.clock.kind == .live {
                try self.clock.check(params.points.map(\.time), of: identity.account.id, now: self.now())
            }
            do {
                return try await self.take(params.points, record)
            } catch {
                // The commit may be in doubt: the next request reads the session from the database.
                self.records[params.session] = nil
                throw error
            }
        }
    }

    func withLock<T>(_ session: Int64, for identity: Identity, _ body: () async throws -> T) async throws -> T {
        // Other accounts must not fill the owner's queue.
        if let owner = records[session]?.session.owner.id, owner != identity.account.id { throw Self.notYours }
        guard await locks.acquire(session) else {
            throw RPCError(.rateLimited, "too many requests of this session wait: send one at a time", retryAfter: 1)
        }
        defer { locks.release(session) }
        return try await body()
    }

    static func validate(_ params: TrackingPoints.Params) throws {
        guard (1...TrackingPoints.pointsPerRequestMax).contains(params.points.count) else {
            throw RPCError.invalid("points", "must hold 1 to \(TrackingPoints.pointsPerRequestMax) points")
        }
        for (index, point) in params.points.enumerated() {
            func check(_ name: String, _ value: Double?, _ range: ClosedRange<Double>) throws {
                guard let value, !(value.isFinite && range.contains(value)) else { return }
                throw RPCError.invalid(
                    "points[\(index)].\(name)",
                    "must be \(range.lowerBound.formatted()) to \(range.upperBound.formatted())")
            }
            guard (1...seqMax).contains(point.seq) else {
                throw RPCError.invalid("points[\(index)].seq", "must be 1 to \(seqMax)")
            }
            try check("lat", point.lat, -90...90)
            try check("lon", point.lon, -180...180)
            try check("accuracy", point.accuracy, 0...100_000)
            try check("altitude", point.altitude, -1_000...20_000)
            try check("speed", point.speed, 0...1_000)
            try check("heading", point.heading, 0...360)
        }
    }

    private func take(_ points: [TrackPoint], _ record: SessionRecord) async throws -> TrackingPoints.Result {
        var refused: [TrackingPoints.Remark] = []
        var fresh: [Int64: TrackPoint] = [:]
        let time = now()
        // If the suppression zones cannot be read, the session is hidden everywhere.
        _ = await suppressionAreas(of: record.session.owner.id)
        let known = try await storedSequences(of: record, among: points.map(\.seq))
        var duplicates = 0
        for point in points {
            if known.contains(point.seq) || fresh[point.seq] != nil {
                duplicates += 1
            } else if let refusal = TimeRules.refusal(of: point.time, in: record, now: time) {
                refused.append(.init(seq: point.seq, reason: refusal.rawValue))
            } else if record.session.points + fresh.count >= Self.sessionPointsMax {
                refused.append(.init(seq: point.seq, reason: TimeRules.Refusal.tooManyPoints.rawValue))
            } else {
                fresh[point.seq] = point
            }
        }
        let accepted = fresh.values.sorted { $0.seq < $1.seq }
        var updated = record
        var judged: [FilteredPoint] = []
        if let first = accepted.first {
            let streams =
                first.seq > record.lastSeq
                && accepted.allSatisfy { $0.time.milliseconds >= record.streamsFromMilliseconds }
            judged =
                streams
                ? try await append(accepted, to: &updated) : try await fill(accepted, into: &updated)
        }
        return Self.result(stored: judged, of: updated, duplicates: duplicates, refused: refused)
    }

    static func result(
        stored judged: [FilteredPoint], of record: SessionRecord, duplicates: Int = 0,
        refused: [TrackingPoints.Remark] = []
    ) -> TrackingPoints.Result {
        TrackingPoints.Result(
            stored: judged.count, duplicates: duplicates, refused: refused,
            notCounted: judged.compactMap { point in
                point.reason.map { .init(seq: point.point.seq, reason: $0.rawValue) }
            }, session: record.session)
    }

    /// Returns those of `sequences` that are stored. Makes no query if all are new.
    private func storedSequences(of record: SessionRecord, among sequences: [Int64]) async throws -> Set<Int64> {
        let old = sequences.filter { $0 <= record.lastSeq }
        guard !old.isEmpty else { return [] }
        let rows = try await database.query(
            "SELECT seq FROM points WHERE session_id = $1 AND seq = ANY($2::bigint[])",
            [.int(record.session.id), .intArray(old)])
        return Set(try rows.map { try $0.int("seq") })
    }

    // MARK: Points in order

    /// Adds points that follow the stored ones, the usual case.
    private func append(_ points: [TrackPoint], to record: inout SessionRecord) async throws -> [FilteredPoint] {
        let move = try judge(points, appendedTo: &record)
        if isAlone { show(move, of: record) }
        try await store(PointWrite(record: record, judged: move.judged))
        if !isAlone { show(move, of: record) }
        records[record.session.id] = record.session.state == .finished ? nil : record
        return move.judged
    }

    /// Changes on the map by points that follow the stored ones.
    struct Move {
        var judged: [FilteredPoint] = []
        /// The owner's new position; nil if none of the points may be shown.
        var fix: LiveFix?
        var pieces: [RoutePiece] = []
        /// The position that others see.
        var shownFix: LiveFix?
        var shownPieces: [RoutePiece] = []
    }

    func judge(_ points: [TrackPoint], appendedTo record: inout SessionRecord) throws -> Move {
        let places = knownLiveAreas(of: record.session.owner.id)
        var move = Move()
        var (hasMoved, isSeen) = (false, false)
        for point in points {
            let isHidden = places?.mayContain(point) ?? true
            var shown = record.shown
            if isHidden {
                if shown == nil { (shown, move.shownPieces) = (PublicPart(of: record), move.pieces) }
                shown?.beginHidden(record)
            } else if record.session.points == 0 {
                // The session began in a visible place.
                shown = nil
            } else {
                try shown?.add(point, of: record, to: &move.shownPieces)
            }
            record.shown = shown
            let judged = FilteredPoint(point: point, verdict: record.filter.accept(try GPSFilter.Fix(point)))
            move.judged.append(judged)
            record.session.points += 1
            record.lastSeq = point.seq
            record.session.lastFixAt = max(record.session.lastFixAt ?? point.time, point.time)
            record.route.add(judged.position, reason: judged.reason, to: &move.pieces)
            isSeen = isSeen || !isHidden
            guard RouteBuilder.isShown(judged.reason) else { continue }
            record.lastShown = .init(judged, after: record.lastShown)
            hasMoved = true
        }
        summarise(&record, newest: nil)
        move.fix = hasMoved ? liveFix(of: record) : nil
        if record.shown == nil {
            (move.shownFix, move.shownPieces) = (move.fix, move.pieces)
        } else if isSeen {
            move.shownFix = shownFix(of: record)
        }
        return move
    }

    /// Passes a move to the hub.
    ///
    /// While this server is the only node, it publishes positions before their commit, because a position is outdated when the next
    /// arrives. If the commit fails, the session is read again and the hub gets the stored state. With several nodes, another node may
    /// have taken over the session and changed its audience, so positions are published after the commit.
    func show(_ move: Move, of record: SessionRecord) {
        let (session, own) = views(of: record, fix: move.fix, route: move.pieces)
        hub.sessions.post(session, fix: move.shownFix, append: move.shownPieces, own: own)
        locate(move.judged, of: record)
    }

    /// Accuracy in metres of a position that was reported without one.
    static let accuracyDefault = 20.0

    /// Passes the owner's position to the `located` handler, unless it is late or the location is off.
    private func locate(_ judged: [FilteredPoint], of record: SessionRecord) {
        guard let located, record.clock.kind == .live, rules.isLocationOn(record.session.owner.id),
            let point = judged.last(where: { RouteBuilder.isShown($0.reason) })?.point,
            now().seconds(since: point.time) < ShareLimits.oldSeconds,
            let place = try? GeoPoint(latitude: point.lat, longitude: point.lon)
        else { return }
        located(
            record.session.owner.id,
            LocatedFix(
                point: place, accuracy: max(1, point.accuracy ?? Self.accuracyDefault), heading: point.heading,
                speed: point.speed, source: .gps, at: min(point.time, now())))
    }

    private func summarise(_ record: inout SessionRecord, newest: Timestamp?) {
        record.session.distance = record.filter.distanceMetres
        record.session.moving = record.filter.movingSeconds
        if let newest { record.session.lastFixAt = max(record.session.lastFixAt ?? newest, newest) }
        record.refreshTimes()
    }

    // MARK: Late points

    /// Adds points that precede stored ones: the filter runs over the whole session, and changed verdicts are updated.
    private func fill(_ points: [TrackPoint], into record: inout SessionRecord) async throws -> [FilteredPoint] {
        let rejudged = try await rejudge(record, adding: points)
        record.filter = rejudged.filter
        record.isFilterLost = false
        record.session.points = rejudged.count
        record.lastSeq = rejudged.lastSeq ?? record.lastSeq
        summarise(&record, newest: points.map(\.time).max())
        try await commit(rejudged, record)
        await show(rejudged, &record)
        return rejudged.added
    }

    /// Runs the filter over the whole session after a pause, resume or stop in the past.
    func refilterAll(_ record: inout SessionRecord, with statements: [PostgresStatement]) async throws {
        let rejudged = try await rejudge(record, adding: [])
        record.filter = rejudged.filter
        record.isFilterLost = false
        summarise(&record, newest: nil)
        try await commit(rejudged, record, statements)
        await show(rejudged, &record)
    }

    private func rejudge(_ record: SessionRecord, adding points: [TrackPoint]) async throws -> RefilteredSession {
        let places = await liveSuppressionAreas(of: record.session.owner.id)
        return try await withStoredPoints(of: record.session.id) { stored in
            try RefilteredSession(of: record, stored: stored, adding: points, places)
        }
    }

    /// Commits the added points, the changed verdicts and the totals atomically.
    private func commit(
        _ rejudged: RefilteredSession, _ record: SessionRecord, _ statements: [PostgresStatement] = []
    ) async throws {
        var all = statements
        if !rejudged.added.isEmpty { all.append(insertion(of: rejudged.added, into: record)) }
        all += rejudged.verdictUpdates
        all.append(sums(of: record))
        guard rejudged.changedCount > Self.groupedVerdictsMax else { return try await writeGuarded(record, all) }
        // In a shared group, the points of other sessions would wait for this commit. The session's lock keeps the order.
        let alone = [Self.guardFencingToken(of: record)] + all
        try await Self.refusing {
            try await database.transaction { transaction in
                for statement in alone { _ = try await transaction.batch([statement]) }
            }
        }
    }

    /// Redraws the whole route.
    private func show(_ rejudged: RefilteredSession, _ record: inout SessionRecord) async {
        record.route = rejudged.drawn.builder
        record.lastShown = rejudged.drawn.lastShown
        record.shown = rejudged.shown.part
        records[record.session.id] = record.session.state == .finished ? nil : record
        let (session, own) = views(of: record, fix: liveFix(of: record), route: rejudged.drawn.pieces)
        await hub.sessions.rewrite(
            session, route: rejudged.shown.routeShown(rejudged.drawn.pieces), fix: shownFix(of: record), own: own)
    }

    static func draw(
        _ points: [FilteredPoint]
    ) -> (pieces: [RoutePiece], builder: RouteBuilder, lastShown: SessionRecord.ShownPoint?) {
        var builder = RouteBuilder()
        var pieces: [RoutePiece] = []
        var lastShown: SessionRecord.ShownPoint?
        for point in points {
            builder.add(point.position, reason: point.reason, to: &pieces)
            if RouteBuilder.isShown(point.reason) {
                lastShown = .init(point, after: lastShown)
            }
        }
        return (pieces, builder, lastShown)
    }
}
