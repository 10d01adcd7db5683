import Campus
import Wire

/// Decides which points of a session others may see: one rule for live points, drawn routes and totals.
extension SuppressionAreas {
    /// Largest accuracy in metres that is taken at face value. A less accurate point is not part of a route, and a receiver without a fix
    /// must not hide a session far away from every suppression zone.
    static let pointAccuracyMax = 300.0

    /// Whether a point may lie in a suppression zone, given its accuracy.
    func mayContain(_ point: TrackPoint) -> Bool {
        let accuracy = min(point.accuracy ?? Tracking.accuracyDefault, Self.pointAccuracyMax)
        return hidden(at: LatLon(point.lat, point.lon), within: accuracy) != nil
    }
}
