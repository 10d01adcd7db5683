import Wire

/// The newest reported position of an account, held in memory only.
public struct LocatedFix: Sendable, Equatable {
    public var point: GeoPoint
    /// Accuracy radius in metres.
    public var accuracy: Double
    /// Degrees clockwise from north.
    public var heading: Double?
    /// m/s.
    public var speed: Double?
    /// The positioning method.
    public var source: LocationSource
    /// Time by the server's clock.
    public var at: Timestamp

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

    /// The position in the protocol's type.
    public var position: LatLon { LatLon(point.latitude, point.longitude) }
}

extension LocatedFix {
    /// Maximum distance from the held position, in metres, at which a new fix may be noise, regardless of both
    /// accuracies.
    public static let stillMetresMax = 50.0
    /// Two fixes of one location may be this many times their accuracies apart. Accuracies hold for two of three fixes; with this factor,
    /// none in an hour of fixes is farther away and reveals a second estimate of the location.
    static let stillAccuracies = 2.0
    /// Speed from which a person does not stand, in m/s; receivers measure it independently of the position.
    static let movingSpeedMin = 1.0

    /// The position to hold after a newer fix; it does not drift while the person stands still.
    ///
    /// A fix within twice the sum of both accuracies, and within ``stillMetresMax``, keeps the position and only
    /// refreshes its time. Viewers therefore see neither the noise of a phone at rest nor its average. A fix at least
    /// twice as accurate replaces the position, which happens only a few times. A manually set pin always replaces it.
    public func followed(by next: LocatedFix) -> LocatedFix {
        let near = min(Self.stillAccuracies * (accuracy + next.accuracy), Self.stillMetresMax)
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
