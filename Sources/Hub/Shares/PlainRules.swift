import Campus
import Wire

/// Rules of a campus of which nothing is known: nothing is dark, and but for `exact` only that one is somewhere.
public struct PlainRules: LocationRules {
    /// No rules but the ladder's names.
    public init() {}

    /// Nil.
    public func hidden(_ account: Int64, at position: LatLon, within metres: Double) -> MyLocation.Hidden? { nil }

    /// Everything, or nothing but the time.
    public func shown(_ fix: LocatedFix, as precision: Precision) -> SharedLocation {
        precision == .exact ? .init(exact: fix) : SharedLocation(onCampus: true, at: fix.at)
    }
}

extension SharedLocation {
    /// All there is of a position.
    init(exact fix: LocatedFix, onCampus: Bool = true) {
        self.init(
            lat: fix.position.latitude, lon: fix.position.longitude, accuracy: fix.accuracy, heading: fix.heading,
            speed: fix.speed, source: fix.source, onCampus: onCampus, at: fix.at)
    }
}
