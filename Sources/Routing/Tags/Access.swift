/// Permission to use a way or to pass a node on foot, by `foot` and `access`.
enum Access {
    private static let closed: Set = ["no", "private", "use_sidepath"]

    static func isOpen(_ tags: [String: String]) -> Bool {
        if let foot = tags["foot"] { return !closed.contains(foot) }
        return !closed.contains(tags["access"] ?? "yes")
    }

    /// Ways that are for motor traffic only.
    private static let motorWays: Set = ["motorway", "motorway_link", "trunk", "trunk_link"]
    private static let walkable: Set = [
        "footway", "path", "bridleway", "cycleway", "pedestrian", "service", "track", "living_street", "steps",
        "corridor",
        "primary", "secondary", "tertiary", "unclassified", "residential", "road", "busway", "primary_link",
        "secondary_link", "tertiary_link",
    ]

    /// Whether people can walk along a way. `foot=yes` opens a trunk road.
    static func isWalkable(_ tags: [String: String]) -> Bool {
        guard let highway = tags["highway"] else { return false }
        if motorWays.contains(highway) { return tags["foot"] != nil && isOpen(tags) }
        return walkable.contains(highway) && isOpen(tags)
    }

    private static let walls: Set = ["wall", "fence", "hedge", "retaining_wall", "city_wall", "guard_rail", "handrail"]

    /// Whether a node stops everybody: a locked door, an emergency exit, a wall.
    static func isBlocked(node tags: [String: String]) -> Bool {
        guard tags["barrier"] != nil || tags["door"] != nil || tags["entrance"] != nil || tags["highway"] == "elevator"
        else {
            return false
        }
        return !isOpen(tags) || tags["locked"] == "yes" || tags["entrance"] == "emergency"
            || (walls.contains(tags["barrier"] ?? "") && tags["foot"] == nil)
    }

    /// Whether a node on the outline of an area leads through it: a door, or an opening without one (`door=no`).
    static func isOpening(node tags: [String: String]) -> Bool {
        tags["door"] != nil || (tags["entrance"] ?? "no") != "no"
    }
}
