import Campus
import Wire

/// Rules for a campus without a map: no position is hidden, and each precision but `exact` shows only that the person is on campus.
public struct DefaultLocationRules: LocationRules {
    /// Creates the rules.
    public init() {}

    /// Always nil.
    public func hidden(_ account: Int64, at position: LatLon, within metres: Double) -> MyLocation.Hidden? { nil }

    /// The full fix for `exact`; otherwise only that the person is on campus, and the time.
    public func shown(_ fix: LocatedFix, as precision: Precision) -> SharedLocation {
        precision == .exact ? .init(exact: fix) : SharedLocation(onCampus: true, at: fix.at)
    }
}

extension SharedLocation {
    /// The full fix.
    init(exact fix: LocatedFix, onCampus: Bool = true) {
        self.init(
            lat: fix.position.latitude, lon: fix.position.longitude, accuracy: fix.accuracy, heading: fix.heading,
            speed: fix.speed, source: fix.source, onCampus: onCampus, at: fix.at)
    }
}
