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
    /// No path of this level is near. The levels that people at this point can be on are known.
    case unknownLevel(Side, Level, known: [Level])
    /// The position is on a part of the paths that is not connected to the other end's.
    case island(Side)
    /// There are paths, but none that leads there.
    case noRoute(Obstacle)

    /// The obstacle that prevents a route.
    public enum Obstacle: Equatable, Sendable {
        /// A closure. Without it the preferences leave a route. `hasSteps`: a route over steps is open.
        case closure(isStepFree: Bool, hasSteps: Bool)
        /// The preferences. `hasSteps`: a route over steps is open.
        case preferences(isStepFree: Bool, hasSteps: Bool)
        /// No path of the map leads to this building, room or place, or to none that is connected to the other end.
        case unmapped(Side)
    }

    /// The error and its remedy.
    public var description: String {
        switch self {
        case .outside(let side):
            "the \(side.rawValue) is outside the campus: choose a point within "
                + "\(Int(RouteLimits.approachMetresMax)) m of a path"
        case .unknownObject(let side): "the map has no such \(side.rawValue): search for it again"
        case .startIsDestination: "the start is the destination: choose another place"
        case .unknownLevel(let side, let level, let known): Self.levelText(side, level, known)
        case .island(let side):
            "no path on the map connects the \(side.rawValue) with the rest: choose a point nearby, on another path"
        case .noRoute(let obstacle): obstacle.description
        }
    }

    private static func levelText(_ side: Side, _ level: Level, _ known: [Level]) -> String {
        let list = known.map(\.description).joined(separator: ", ")
        return switch known.count {
        case 0:
            "level \(level) is not here: choose a point in a building with this level for the \(side.rawValue), "
                + "or one without a level"
        case 1: "level \(level) is not here: level \(list) is, so choose it for the \(side.rawValue)"
        default: "level \(level) is not here: levels \(list) are, so choose one of them for the \(side.rawValue)"
        }
    }
}

extension RouteError.Obstacle: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closure(isStepFree: true, hasSteps: false):
            "a lift, door or path on the step-free way is closed: try again later, or ask for help at the destination"
        case .closure(isStepFree: true, hasSteps: true):
            "a lift, door or path on the step-free way is closed: try again later, ask for help at the destination, "
                + "or allow steps"
        case .closure: "no route is open now: try again later, or choose another destination"
        case .preferences(isStepFree: true, hasSteps: false):
            "no step-free route is known: ask for help at the destination"
        case .preferences(isStepFree: true, hasSteps: true):
            "no step-free route is known: ask for help at the destination, or allow steps"
        case .preferences: "no route leads there with these preferences: change them, or choose another destination"
        case .unmapped(.start):
            "no path on the map leads away from the start: ask for directions from something next to it"
        case .unmapped(.destination):
            "no path on the map leads to the destination: ask for directions to something next to it"
        }
    }
}
