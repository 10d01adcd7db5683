import Campus
import Hub
import Postgres
import Wire

/// A complete session after a new run of the GPS filter, with the resulting changes. Takes O(points): create it on a worker.
struct RefilteredSession: Sendable {
    /// Largest number of verdicts in one statement, which must stay within its time limit.
    static let verdictsPerStatementMax = 10_000

    /// Filter state after the last point.
    let filter: GPSFilter
    /// Number of all points.
    let count: Int
    /// Sequence number of the newest point; nil without points.
    let lastSeq: Int64?
    /// Points that are not stored yet.
    let added: [FilteredPoint]
    /// Number of stored points whose verdict changed.
    let changedCount: Int
    /// Statements that store the changed verdicts.
    let verdictUpdates: [PostgresStatement]
    let drawn: (pieces: [RoutePiece], builder: RouteBuilder, lastShown: SessionRecord.ShownPoint?)
    /// The session as others may see it.
    let shown: PublicPart.Drawn

    /// - Parameters:
    ///   - record: Provides activity and pauses.
    ///   - stored: All stored points, ordered by sequence number.
    ///   - points: Additional points, with other sequence numbers.
    ///   - places: Suppression areas of the owner; nil for everywhere.
    /// - Throws: `GeoError` for a position out of range.
    init(of record: SessionRecord, stored: [FilteredPoint], adding points: [TrackPoint], _ places: SuppressionAreas?)
        throws
    {
        let merged = (stored.map(\.point) + points).sorted { $0.seq < $1.seq }
        let result = GPSFilter.recompute(
            activity: GPSFilter.Activity(record.session.activity), fixes: try merged.map { try GPSFilter.Fix($0) },
            pauses: record.pauses)
        let judged = zip(merged, result.verdicts).map { FilteredPoint(point: $0, verdict: $1) }
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
        shown = try PublicPart.draw(record, judged, places)
    }

    private static func update(of changed: ArraySlice<FilteredPoint>, session: Int64) -> PostgresStatement {
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
