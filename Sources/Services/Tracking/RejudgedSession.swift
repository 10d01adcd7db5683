import Campus
import Hub
import Postgres
import Wire

/// A whole session judged anew, and what changes thereby. Takes as long as the session: make it on a worker.
struct RejudgedSession: Sendable {
    /// Verdicts in one statement: one statement must not outlast its time limit.
    static let verdictsPerStatementMax = 10_000

    /// The filter to go on with.
    let filter: GPSFilter
    /// Points, all of them.
    let count: Int
    /// The newest point's number; nil without points.
    let lastSeq: Int64?
    /// The points that were not stored yet.
    let added: [JudgedPoint]
    /// Stored points whose verdict changed.
    let changedCount: Int
    /// Stores the changed verdicts.
    let verdictUpdates: [PostgresStatement]
    let drawn: (pieces: [RoutePiece], builder: RouteBuilder, lastShown: SessionRecord.ShownPoint?)
    /// What others see of it.
    let shown: ShownPart.Drawn

    /// - Parameters:
    ///   - record: Gives the activity and pauses.
    ///   - stored: All stored points, by number.
    ///   - points: More points, with other numbers.
    ///   - places: Where its owner is shown to nobody; nil for everywhere.
    /// - Throws: `GeoError` for a position out of range.
    init(of record: SessionRecord, stored: [JudgedPoint], adding points: [TrackPoint], _ places: DarkPlaces?) throws {
        let merged = (stored.map(\.point) + points).sorted { $0.seq < $1.seq }
        let result = GPSFilter.recompute(
            activity: GPSFilter.Activity(record.session.activity), fixes: try merged.map { try GPSFilter.Fix($0) },
            pauses: record.pauses)
        let judged = zip(merged, result.verdicts).map { JudgedPoint(point: $0, verdict: $1) }
        let fresh = Set(points.map(\.seq))
        let old = Dictionary(uniqueKeysWithValues: stored.map { ($0.point.seq, $0) })
        let changed = judged.filter { point in old[point.point.seq].map { !$0.hasSameVerdict(as: point) } ?? false }
        filter = result.filter
        count = merged.count
        lastSeq = merged.last?.seq
        added = judged.filter { fresh.contains($0.point.seq) }
        changedCount = changed.count
        verdictUpdates = stride(from: 0, to: changed.count, by: Self.verdictsPerStatementMax).map { start in
            Self.update(
                of: changed[start..<min(start + Self.verdictsPerStatementMax, changed.count)],
                session: record.session.id)
        }
        drawn = Tracking.draw(judged)
        shown = try ShownPart.draw(record, judged, places)
    }

    private static func update(of changed: ArraySlice<JudgedPoint>, session: Int64) -> PostgresStatement {
        PostgresStatement(
            """
            UPDATE points p SET distance = v.distance, moving = v.moving, reason = v.reason
            FROM unnest($2::bigint[], $3::float8[], $4::float8[], $5::text[]) AS v (seq, distance, moving, reason)
            WHERE p.session_id = $1 AND p.seq = v.seq
            """,
            [
                .int(session), .intArray(changed.map(\.point.seq)), .doubleArray(changed.map(\.distance)),
                .doubleArray(changed.map(\.moving)), .optionalTextArray(changed.map { $0.reason?.rawValue }),
            ])
    }
}
