import Campus
import Routing
import Wire

/// Computes walking times from one position to many.
public protocol WalkingTimes: Sendable {
    /// Walking times and lengths of the ways to destinations, in their order; nil for one that cannot be reached. Nil as a
    /// whole if there is no network of paths.
    /// - Parameters:
    ///   - level: Level of the person, if known.
    ///   - isStepFree: Whether the ways have no steps.
    /// - Throws: ``Wire/RPCError`` `invalidParams` with the field `lat` or `level` if no way begins at the position.
    func times(
        from position: GeoPoint, level: Level?, to destinations: [WalkingTarget], isStepFree: Bool
    ) async throws -> [WalkingTime?]?
}

/// A destination of ``WalkingTimes``.
public struct WalkingTarget: Sendable {
    /// Id of the object in the campus's source.
    public let sourceID: String
    public let position: LatLon
    public let level: String?
}

/// Duration and length of a way.
public struct WalkingTime: Sendable, Equatable {
    public let seconds: Double
    public let metres: Double
    public init(seconds: Double, metres: Double) {
        self.seconds = seconds
        self.metres = metres
    }
}
