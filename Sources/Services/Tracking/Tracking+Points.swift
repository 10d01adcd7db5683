import Campus
import Hub
import Postgres
import Wire

/// Points: refuse, tell duplicates, judge, commit, publish (U-4.2, U-4.3, B-8).
extension Tracking {
    /// Takes points of a session. When it returns, all of them are committed, but for the refused.
    /// - Throws: ``Wire/RPCError``; `unavailable` leaves it open whether they are stored: sending again is harmless.
    public func points(_ identity: Identity, _ params: TrackingPoints.Params) async throws -> TrackingPoints.Result {
        try Self.validate(params)
        return try await withLock(params.session, for: identity) {
            let record = try await self.record(params.session, ownedBy: identity)
            do {
                return try await self.take(params.points, record)
            } catch {
                // What the database holds now is not known: the next request looks.
                self.records[params.session] = nil
                throw error
            }
        }
    }

    func withLock<T>(_ session: Int64, for identity: Identity, _ body: () async throws -> T) async throws -> T {
        // Strangers must not fill the owner's queue.
        if let owner = records[session]?.session.owner.id, owner != identity.account.id { throw Self.notYours }
        guard await locks.acquire(session) else {
            throw RPCError(.rateLimited, "too many requests of this session wait: send one at a time", retryAfter: 1)
        }
        defer { locks.release(session) }
        return try await body()
    }

    private static func validate(_ params: TrackingPoints.Params) throws {
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
        var judged: [JudgedPoint] = []
        if let first = accepted.first {
            let streams =
                first.seq > record.lastSeq
                && accepted.allSatisfy { $0.time.milliseconds >= record.streamsFromMilliseconds }
            judged =
                streams
                ? try await append(accepted, to: &updated) : try await fill(accepted, into: &updated)
        }
        return TrackingPoints.Result(
            stored: accepted.count, duplicates: duplicates, refused: refused,
            notCounted: judged.compactMap { point in
                point.reason.map { .init(seq: point.point.seq, reason: $0.rawValue) }
            }, session: updated.session)
    }

    /// Which of `sequences` are stored already. No query while all are new.
    private func storedSequences(of record: SessionRecord, among sequences: [Int64]) async throws -> Set<Int64> {
        let old = sequences.filter { $0 <= record.lastSeq }
        guard !old.isEmpty else { return [] }
        let rows = try await database.query(
            "SELECT seq FROM points WHERE session_id = $1 AND seq = ANY($2::bigint[])",
            [.int(record.session.id), .intArray(old)])
        return Set(try rows.map { try $0.int("seq") })
    }

    // MARK: In order

    /// The usual case: the points follow on what is stored.
    private func append(_ points: [TrackPoint], to record: inout SessionRecord) async throws -> [JudgedPoint] {
        let judged = try points.map { point in
            let fix = try GPSFilter.Fix(point)
            return JudgedPoint(point: point, verdict: record.filter.accept(fix))
        }
        record.session.points += points.count
        record.lastSeq = points.last?.seq ?? record.lastSeq
        summarise(&record, newest: points.map(\.time).max())
        _ = try await writer.write([insertion(of: judged, into: record), try sums(of: record)])
        var pieces: [RoutePiece] = []
        for point in judged { record.route.add(point.position, reason: point.reason, to: &pieces) }
        let fix = advance(&record, by: judged)
        records[record.session.id] = record.session.state == .finished ? nil : record
        if let fix {
            await hub.move(record.session, fix: fix, append: pieces)
        } else {
            await hub.update(record.session)
        }
        return judged
    }

    private func summarise(_ record: inout SessionRecord, newest: Timestamp?) {
        record.session.distance = record.filter.distanceMetres
        record.session.moving = record.filter.movingSeconds
        if let newest { record.session.lastFixAt = max(record.session.lastFixAt ?? newest, newest) }
        record.refreshTimes()
    }

    /// The fix to show after these points; nil when none of them may be shown.
    private func advance(_ record: inout SessionRecord, by judged: [JudgedPoint]) -> LiveFix? {
        let shown = judged.filter { RouteBuilder.isShown($0.reason) }
        guard !shown.isEmpty else { return nil }
        for point in shown { record.lastShown = .init(point, after: record.lastShown) }
        return liveFix(of: record)
    }

    // MARK: Late

    /// Points that belong before what is stored: the whole session is judged anew, and verdicts that changed are updated.
    private func fill(_ points: [TrackPoint], into record: inout SessionRecord) async throws -> [JudgedPoint] {
        let stored = try await storedPoints(of: record.session.id)
        let merged = (stored.map(\.point) + points).sorted { $0.seq < $1.seq }
        let rejudged = try Self.rejudge(merged, record: &record)
        record.session.points = merged.count
        record.lastSeq = merged.last?.seq ?? record.lastSeq
        summarise(&record, newest: points.map(\.time).max())
        let fresh = Set(points.map(\.seq))
        let inserted = rejudged.filter { fresh.contains($0.point.seq) }
        try await commitRejudged(rejudged, before: stored, inserting: inserted, record)
        await show(rejudged, &record)
        return inserted
    }

    /// Judges everything anew after a pause, resume or stop that lies in the past.
    func rejudgeAll(_ record: inout SessionRecord, with statements: [PostgresStatement]) async throws {
        let stored = try await storedPoints(of: record.session.id)
        let rejudged = try Self.rejudge(stored.map(\.point), record: &record)
        summarise(&record, newest: nil)
        try await commitRejudged(rejudged, before: stored, inserting: [], record, statements)
        await show(rejudged, &record)
    }

    private static func rejudge(_ points: [TrackPoint], record: inout SessionRecord) throws -> [JudgedPoint] {
        let result = GPSFilter.recompute(
            activity: GPSFilter.Activity(record.session.activity), fixes: try points.map { try GPSFilter.Fix($0) },
            pauses: record.pauses)
        record.filter = result.filter
        return zip(points, result.verdicts).map { JudgedPoint(point: $0, verdict: $1) }
    }

    private func commitRejudged(
        _ rejudged: [JudgedPoint], before stored: [JudgedPoint], inserting inserted: [JudgedPoint],
        _ record: SessionRecord, _ statements: [PostgresStatement] = []
    ) async throws {
        let old = Dictionary(uniqueKeysWithValues: stored.map { ($0.point.seq, $0) })
        let changed = rejudged.filter { point in old[point.point.seq].map { !$0.hasSameVerdict(as: point) } ?? false }
        var all = statements
        if !inserted.isEmpty { all.append(insertion(of: inserted, into: record)) }
        if !changed.isEmpty {
            all.append(
                PostgresStatement(
                    """
                    UPDATE points p SET distance = v.distance, moving = v.moving, reason = v.reason
                    FROM unnest($2::bigint[], $3::float8[], $4::float8[], $5::text[]) AS v (seq, distance, moving, reason)
                    WHERE p.session_id = $1 AND p.seq = v.seq
                    """,
                    [
                        .int(record.session.id), .intArray(changed.map(\.point.seq)),
                        .doubleArray(changed.map(\.distance)), .doubleArray(changed.map(\.moving)),
                        .optionalTextArray(changed.map { $0.reason?.rawValue }),
                    ]))
        }
        all.append(try sums(of: record))
        _ = try await writer.write(all)
    }

    /// Draws the whole route anew.
    private func show(_ judged: [JudgedPoint], _ record: inout SessionRecord) async {
        let drawn = Self.draw(judged)
        record.route = drawn.builder
        record.lastShown = drawn.lastShown
        records[record.session.id] = record.session.state == .finished ? nil : record
        await hub.rewrite(record.session, route: drawn.pieces.map(\.points), fix: liveFix(of: record))
    }

    static func draw(
        _ points: [JudgedPoint]
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
