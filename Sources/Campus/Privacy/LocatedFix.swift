import Wire

/// A position that was told, as it is held: the newest of an account, in memory only.
public struct LocatedFix: Sendable, Equatable {
    /// Where.
    public var point: GeoPoint
    /// Metres around it.
    public var accuracy: Double
    /// Degrees clockwise from north.
    public var heading: Double?
    /// m/s.
    public var speed: Double?
    /// What it was found by.
    public var source: LocationSource
    /// When, by the server's clock.
    public var at: Timestamp

    /// Memberwise.
    public init(
        point: GeoPoint, accuracy: Double, heading: Double? = nil, speed: Double? = nil, source: LocationSource,
        at: Timestamp
    ) {
        self.point = point
        self.accuracy = accuracy
        self.heading = heading
        self.speed = speed
        self.source = source
        self.at = at
    }

    /// Where, as it goes over the wire.
    public var position: LatLon { LatLon(point.latitude, point.longitude) }
}

extension LocatedFix {
    /// Within this of the one that is held it may be noise, however inexact the two are.
    public static let stillMetresMax = 50.0
    /// From this speed on, which receivers measure apart from the position, somebody does not stand.
    static let movingSpeedMin = 1.0

    /// What is held after a newer fix: standing still does not drift.
    ///
    /// A fix nearer than both accuracies allow, and than ``stillMetresMax``, leaves the position where it is and only makes it new, so that
    /// the noise of a phone on a table is seen by nobody, nor their average. One at least twice as exact is believed: that happens a
    /// few times, not for ever. Somebody who sets a pin means it.
    public func followed(by next: LocatedFix) -> LocatedFix {
        let near = min(accuracy + next.accuracy, Self.stillMetresMax)
        guard next.source != .manual, (next.speed ?? 0) < Self.movingSpeedMin, next.accuracy > accuracy / 2,
            point.distance(to: next.point) <= near
        else { return next }
        var held = self
        held.at = next.at
        held.heading = nil
        held.speed = next.speed.map { _ in 0 }
        return held
    }
}
