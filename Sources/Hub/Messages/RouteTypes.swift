import Wire

/// A fix as the map shows it.
public struct LiveFix: Sendable, Equatable {
    public var position: LatLon
    /// Server time of the fix.
    public var at: Timestamp
    /// Metres per second.
    public var speed: Double
    /// Degrees clockwise from north; nil when not moving.
    public var heading: Double?
    /// The filter says that the runner rests.
    public var isStationary: Bool
    /// The zone that the position is in.
    public var zone: Int64?

    public init(
        position: LatLon, at: Timestamp, speed: Double, heading: Double?, isStationary: Bool, zone: Int64?
    ) {
        self.position = position
        self.at = at
        self.speed = speed
        self.heading = heading
        self.isStationary = isStationary
        self.zone = zone
    }
}

/// Points by which a route grows.
public struct RoutePiece: Sendable, Equatable {
    /// In order.
    public var points: [LatLon]
    /// The points begin a new piece instead of continuing the last.
    public var startsPiece: Bool

    public init(points: [LatLon], startsPiece: Bool) {
        self.points = points
        self.startsPiece = startsPiece
    }
}

/// Limits of routes.
enum RouteLimits {
    /// Largest number of points of the trail, the newest part of the route, that a zone's snapshot shows.
    static let trailPointsMax = 60
    /// Largest number of route points in a snapshot; a longer route is thinned.
    static let pointsMax = 4_000
}

/// Rounding of route and trail points, to about a centimetre, as in frames of points. Newest positions are not rounded.
enum RouteGrid {
    static let perDegree = 1e7

    static func index(_ degrees: Double) -> Int64 { Int64((degrees * perDegree).rounded()) }
    static func degrees(_ index: Int64) -> Double { Double(index) / perDegree }
}
