import Campus
import Hub

/// State of a session reconstructed from its stored points. Takes O(points): create it on a worker.
struct StoredPoints: Sendable {
    /// Filter state after the last point.
    let filter: GPSFilter
    /// Whether this version's filter reproduces the stored verdicts; another version's verdicts may differ.
    let agrees: Bool
    let drawn: (pieces: [RoutePiece], builder: RouteBuilder, lastShown: SessionRecord.ShownPoint?)
    /// The session as others may see it.
    let shown: PublicPart.Drawn

    /// - Parameters:
    ///   - record: Provides activity and pauses.
    ///   - stored: All stored points, ordered by sequence number.
    ///   - places: Suppression areas of the owner; nil for everywhere.
    /// - Throws: `GeoError` for a position out of range.
    init(of record: SessionRecord, _ stored: [FilteredPoint], _ places: SuppressionAreas?) throws {
        let result = GPSFilter.recompute(
            activity: GPSFilter.Activity(record.session.activity),
            fixes: try stored.map { try GPSFilter.Fix($0.point) }, pauses: record.pauses)
        filter = result.filter
        agrees = zip(stored, result.verdicts).allSatisfy { point, verdict in
            point.hasSameVerdict(as: FilteredPoint(point: point.point, verdict: verdict))
        }
        drawn = Tracking.draw(stored)
        shown = try PublicPart.draw(record, stored, places)
    }
}
