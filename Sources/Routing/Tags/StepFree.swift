/// Whether people who cannot climb steps can use a passage, as far as the map says.
public enum StepFree: UInt8, Sendable, Comparable, CaseIterable {
    /// Known to be impassable. A step-free route never uses it.
    case impassable
    /// Something speaks against it, such as an incline without a number. A step-free route marks it.
    case uncertain
    /// Nothing speaks against it.
    case likely
    /// Tagged as passable.
    case known

    public static func < (one: StepFree, other: StepFree) -> Bool { one.rawValue < other.rawValue }

    /// Minimum width of a way, in metres (DIN 18040-1, doors).
    static let widthMin = 0.9
    /// Maximum incline of a ramp, as a fraction (ADA 405.2: 1 to 12).
    static let inclineMax = 1.0 / 12
    /// Incline above which a ramp is uncertain (DIN 18040-1: 6 %).
    static let inclineCertain = 0.06

    private static let roughSurfaces: Set = [
        "unpaved", "ground", "dirt", "earth", "grass", "gravel", "fine_gravel", "pebblestone", "mud", "sand",
        "woodchips",
        "cobblestone", "unhewn_cobblestone", "sett", "rock", "stepping_stones", "grass_paver",
    ]

    /// A way or an area.
    init(way tags: [String: String], kind: PassageKind) {
        let wheelchair = tags["wheelchair"]
        switch kind {
        case .escalator: self = .impassable
        case .steps:
            let hasRamp = wheelchair == "yes" || wheelchair == "designated" || tags["ramp:wheelchair"] == "yes"
            self = hasRamp && wheelchair != "no" ? .known : .impassable
        case .path, .lift: self = Self.path(tags, wheelchair)
        }
    }

    private static func path(_ tags: [String: String], _ wheelchair: String?) -> StepFree {
        if wheelchair == "yes" || wheelchair == "designated" { return .known }
        let incline = Incline(tags["incline"])
        if wheelchair == "no" { return .impassable }
        if ["very_bad", "horrible", "very_horrible", "impassable"].contains(tags["smoothness"]) { return .impassable }
        if let width = Metres.parse(tags["width"]), width < widthMin { return .impassable }
        if let slope = incline?.slope, abs(slope) > inclineMax { return .impassable }
        if wheelchair == "limited" || tags["smoothness"] == "bad" { return .uncertain }
        if let incline, incline.slope.map({ abs($0) > inclineCertain }) ?? true { return .uncertain }
        if let surface = tags["surface"] { return roughSurfaces.contains(surface) ? .uncertain : .likely }
        return ["path", "track", "bridleway"].contains(tags["highway"]) ? .uncertain : .likely
    }

    /// A node on a way: a door, a kerb, a barrier.
    init(node tags: [String: String]) {
        switch tags["wheelchair"] {
        case "yes", "designated":
            self = .known
            return
        case "no":
            self = .impassable
            return
        default: break
        }
        let isNarrow = (Metres.parse(tags["door:width"] ?? tags["width"]) ?? Self.widthMin) < Self.widthMin
        if tags["kerb"] == "raised" || tags["door"] == "revolving" || isNarrow
            || ["stile", "turnstile", "full-height_turnstile", "kissing_gate", "step", "cattle_grid"].contains(
                tags["barrier"])
        {
            self = .impassable
        } else if tags["wheelchair"] == "limited" || tags["barrier"] == "cycle_barrier"
            || tags["kerb"].map({ !["no", "flush", "lowered"].contains($0) }) ?? false
        {
            self = .uncertain
        } else {
            self = .likely
        }
    }
}

/// The kind of a passage between two points.
public enum PassageKind: UInt8, Sendable, CaseIterable {
    case path, steps, escalator, lift
}
