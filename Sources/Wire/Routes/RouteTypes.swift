// Routes through the campus and its buildings (N-1, N-3, B-9).

/// Start or destination of a route: exactly one of `destination`, `lat` with `lon`, `event` and `person`.
public struct RouteEndParams: Codable, Sendable, Equatable {
    /// `building/<id>`, `room/<id>`, `place/<id>` or `zone/<id>`.
    public var destination: String?
    /// Degrees, -90 to 90.
    @Latitude public var lat: Double?
    /// Degrees, -180 to 180.
    @Longitude public var lon: Double?
    /// With a position: the level, as in `0`, `-1`, `0.5`; nil outdoors.
    public var level: String?
    /// An event that the caller may see, at its position.
    @ObjectID public var event: Int64?
    /// An account that shares its exact location with the caller at the moment.
    @ObjectID public var person: Int64?
    public init(
        destination: String? = nil, lat: Double? = nil, lon: Double? = nil, level: String? = nil, event: Int64? = nil,
        person: Int64? = nil
    ) {
        self.destination = destination
        self.lat = lat
        self.lon = lon
        self.level = level
        self.event = event
        self.person = person
    }
}

/// A person's preferences for a route.
public struct RoutePreferences: Codable, Sendable, Equatable {
    /// True uses no steps, escalators or known barriers.
    public var stepFree: Bool?
    /// True uses no steps, but lifts and escalators.
    public var noStairs: Bool?
    /// True makes detours around crowds.
    public var avoidCrowds: Bool?
    /// Walking speed on a plane in m/s, 0.3 to 3, in steps of 0.1; default 1.34.
    @Quantity public var speed: Double?
    public init(stepFree: Bool? = nil, noStairs: Bool? = nil, avoidCrowds: Bool? = nil, speed: Double? = nil) {
        self.stepFree = stepFree
        self.noStairs = noStairs
        self.avoidCrowds = avoidCrowds
        self.speed = speed
    }
}

/// Why a route is among the results.
public enum RouteReason: String, WireChoice {
    /// It takes the least time.
    case fastest
    /// It has no steps, escalators or known barriers, and another route has.
    case stepFree
    /// It has no steps, and another route has.
    case noStairs
    /// It passes fewer people.
    case lessCrowded
    /// It is the shortest.
    case shorter
    /// It enters the destination elsewhere.
    case otherEntrance
}

/// How exactly a route ends at its destination.
public enum RouteEntry: String, WireChoice {
    /// At a door, or at the object itself.
    case door
    /// At an entrance; the inside is not mapped.
    case entrance
    /// At the edge; no entrance is mapped.
    case edge
    /// At a position.
    case point
}

/// A position on the line of a route.
public struct RoutePoint: Codable, Sendable, Equatable {
    /// Degrees.
    public var lat: Double
    /// Degrees.
    public var lon: Double
    /// Level; nil outdoors.
    public var level: String?
    public init(lat: Double, lon: Double, level: String? = nil) {
        self.lat = lat
        self.lon = lon
        self.level = level
    }
}

/// A part of a route that one direction describes.
public struct RouteLegInfo: Codable, Sendable, Equatable {
    public enum Kind: String, WireChoice { case path, steps, lift, escalator }
    /// The movement at the start of the leg.
    public enum Turn: String, WireChoice {
        case start, straight, slightLeft, left, sharpLeft, slightRight, right, sharpRight
        /// Enters a building.
        case enter
        /// Leaves a building.
        case leave
    }
    public var kind: Kind
    public var turn: Turn
    /// Name of the way, the room or the lift.
    public var name: String?
    /// Named building beside the leg.
    public var past: String?
    /// With `enter`: name of the building.
    public var building: String?
    /// With `enter`: name of the entrance, or the side on which it is, such as `north`.
    public var entrance: String?
    public var indoors: Bool
    public var fromLevel: String?
    public var toLevel: String?
    public var metres: Double
    public var seconds: Double
    /// Index of the leg's first point.
    public var first: Int
    /// Index of the leg's last point.
    public var last: Int
    /// Direction in English.
    public var text: String
    public init(
        kind: Kind, turn: Turn, name: String? = nil, past: String? = nil, building: String? = nil,
        entrance: String? = nil, indoors: Bool, fromLevel: String? = nil, toLevel: String? = nil, metres: Double,
        seconds: Double, first: Int, last: Int, text: String
    ) {
        self.kind = kind
        self.turn = turn
        self.name = name
        self.past = past
        self.building = building
        self.entrance = entrance
        self.indoors = indoors
        self.fromLevel = fromLevel
        self.toLevel = toLevel
        self.metres = metres
        self.seconds = seconds
        self.first = first
        self.last = last
        self.text = text
    }
}

/// A crowded part of a route, by the published heatmap.
public struct RouteCrowdPart: Codable, Sendable, Equatable {
    /// Index of the part's first point.
    public var first: Int
    /// Index of the part's last point.
    public var last: Int
    /// Highest approximate number of people in a cell.
    public var people: Int
    public init(first: Int, last: Int, people: Int) {
        self.first = first
        self.last = last
        self.people = people
    }
}

/// A route.
public struct RouteInfo: Codable, Sendable, Equatable {
    /// Expected duration.
    public var seconds: Double
    public var metres: Double
    /// Server time of arrival of somebody who started when the route was found.
    public var arrival: Timestamp
    public var reasons: [RouteReason]
    /// Seconds of the duration that are due to the crowd.
    public var crowdSeconds: Double?
    public var entry: RouteEntry
    /// The line.
    public var points: [RoutePoint]
    /// With `stepFree`: parts that may be impassable without steps, as first and last index of `points`.
    public var uncertain: [[Int]]
    public var legs: [RouteLegInfo]
    public var crowd: [RouteCrowdPart]
    public init(
        seconds: Double, metres: Double, arrival: Timestamp, reasons: [RouteReason], crowdSeconds: Double? = nil,
        entry: RouteEntry, points: [RoutePoint], uncertain: [[Int]], legs: [RouteLegInfo], crowd: [RouteCrowdPart]
    ) {
        self.seconds = seconds
        self.metres = metres
        self.arrival = arrival
        self.reasons = reasons
        self.crowdSeconds = crowdSeconds
        self.entry = entry
        self.points = points
        self.uncertain = uncertain
        self.legs = legs
        self.crowd = crowd
    }
}
