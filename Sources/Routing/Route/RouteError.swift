import Campus

/// The start or the destination of a route.
public enum RouteEnd: Sendable, Hashable {
    /// A building, room, entrance or place, by its id in the source.
    case object(String)
    /// A position. Without a level it is outdoors, or where the nearest path is.
    case point(GeoPoint, level: Level? = nil)
}

/// The reason why there is no route.
public enum RouteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Which of both ends the error is about.
    public enum Side: String, Sendable {
        case start, destination
    }

    /// No path is within ``RouteLimits/approachMetresMax``.
    case outside(Side)
    /// The map has no such object.
    case unknownObject(Side)
    case startIsDestination
    /// The map has no path on this level.
    case unknownLevel(Side, Level, known: [Level])
    /// The end is on a part of the paths that is not connected to the other end's.
    case island(Side)
    /// There are paths, but none that the preferences and the closures leave.
    case noRoute(isStepFree: Bool, hasClosures: Bool)

    /// The error and its remedy.
    public var description: String {
        switch self {
        case .outside(let side):
            "the \(side.rawValue) is outside the campus: choose a point within "
                + "\(Int(RouteLimits.approachMetresMax)) m of a path"
        case .unknownObject(let side): "the map has no such \(side.rawValue): search for it again"
        case .startIsDestination: "the start is the destination: choose another place"
        case .unknownLevel(let side, let level, let known):
            "the \(side.rawValue) is on level \(level), which the map does not have: choose "
                + (known.isEmpty
                    ? "a point without a level" : "one of \(known.map(\.description).joined(separator: ", "))")
        case .island(let side):
            "no path on the map connects the \(side.rawValue) with the rest: choose a point nearby, on another path"
        case .noRoute(isStepFree: true, _):
            "no step-free route is known: ask for help at the destination, or allow steps"
        case .noRoute(isStepFree: false, hasClosures: true):
            "no route is open now: try again later, or choose another destination"
        case .noRoute: "no route leads there with these preferences: change them, or choose another destination"
        }
    }
}
