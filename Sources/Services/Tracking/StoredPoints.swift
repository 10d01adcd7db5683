import Campus
import Hub

/// What a session's stored points come to, when it is taken up. Takes as long as the session: make it on a worker.
struct StoredPoints: Sendable {
    /// The filter behind the last of them.
    let filter: GPSFilter
    /// It judges them as they are stored. Another version's may not.
    let agrees: Bool
    let drawn: (pieces: [RoutePiece], builder: RouteBuilder, lastShown: SessionRecord.ShownPoint?)
    /// What others see of them.
    let shown: ShownPart.Drawn

    /// - Parameters:
    ///   - record: Gives the activity and pauses.
    ///   - stored: All stored points, by number.
    ///   - places: Where its owner is shown to nobody; nil for everywhere.
    /// - Throws: `GeoError` for a position out of range.
    init(of record: SessionRecord, _ stored: [JudgedPoint], _ places: DarkPlaces?) throws {
        let result = GPSFilter.recompute(
            activity: GPSFilter.Activity(record.session.activity),
            fixes: try stored.map { try GPSFilter.Fix($0.point) }, pauses: record.pauses)
        filter = result.filter
        agrees = zip(stored, result.verdicts).allSatisfy { point, verdict in
            point.hasSameVerdict(as: JudgedPoint(point: point.point, verdict: verdict))
        }
        drawn = Tracking.draw(stored)
        shown = try ShownPart.draw(record, stored, places)
    }
}
