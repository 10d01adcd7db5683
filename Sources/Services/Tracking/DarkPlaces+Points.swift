import Campus
import Wire

/// Which points of a session others are shown. One judgement for what is shown live, what is drawn of what is stored, and what is added up.
extension DarkPlaces {
    /// Metres: a point that says to be less exact is taken as so exact. It is on no route, and a receiver that finds nothing for a while must
    /// not make a session vanish far from all that is dark.
    static let pointAccuracyMax = 300.0

    /// Whether a point of a session may be in the dark.
    func mayHold(_ point: TrackPoint) -> Bool {
        let accuracy = min(point.accuracy ?? Tracking.accuracyDefault, Self.pointAccuracyMax)
        return hidden(at: LatLon(point.lat, point.lon), within: accuracy) != nil
    }
}
