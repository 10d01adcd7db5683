import Campus

/// A way from a start to a destination.
public struct Route: Sendable, Equatable {
    public struct Point: Sendable, Equatable {
        public var point: GeoPoint
        /// Nil outdoors.
        public var level: Level?
    }

    /// The cost that the search minimised, in milliseconds; more than the duration if the route avoids crowds.
    public var cost: Int64
    /// Expected duration, in milliseconds.
    public var milliseconds: Int64
    public var metres: Double
    /// The line.
    public var points: [Point]
    public var legs: [RouteLeg]
    /// The parts of the line, as ranges of ``points``, that may be impassable without steps. Only for step-free profiles.
    public var uncertain: [ClosedRange<Int>]
    /// How exactly the route ends at the destination.
    public var entry: RouteDestination.Entry
    /// The edges, with the partly used ones at the ends.
    var edges: [Int32]
    /// Where each edge begins: indexes of ``points``.
    var starts: [Int32] = []
    /// The used part of the first edge, from 0 to 1.
    var firstShare = 1.0
    /// The used part of the last edge, from 0 to 1.
    var lastShare = 1.0

    /// Whether everything on the route is usable with other weights of the same graph, such as after a lift broke.
    public func isOpen(in weights: RouteWeights) -> Bool {
        edges.allSatisfy { weights.costs.indices.contains(Int($0)) && weights.costs[Int($0)] != RouteWeights.closed }
    }

    /// The cost of the rest of the route with other weights of the same graph, such as in a new crowd.
    /// - Parameter point: The index in ``points`` where the rest begins.
    /// - Returns: Nil if a part of the rest is closed.
    public func cost(in weights: RouteWeights, after point: Int = 0) -> Int64? {
        var sum = 0.0
        for (index, (edge, start)) in zip(edges, starts).enumerated() where Int(start) >= point {
            guard weights.costs.indices.contains(Int(edge)), weights.costs[Int(edge)] != RouteWeights.closed else {
                return nil
            }
            let share = index == 0 ? firstShare : index == edges.count - 1 ? lastShare : 1
            sum += Double(weights.costs[Int(edge)]) * share
        }
        return Int64(sum.rounded(.up))
    }
}

/// A part of a route that one direction describes.
public struct RouteLeg: Sendable, Equatable {
    /// The movement at the start of a leg.
    public enum Turn: Sendable, Equatable {
        case start, straight, slightLeft, left, sharpLeft, slightRight, right, sharpRight
        /// Enters a building. The entrance's name, or the side on which it is (`north`).
        case enter(building: String?, entrance: String?)
        /// Leaves a building.
        case leave
    }

    public var kind: PassageKind
    public var turn: Turn
    /// The name of the way, the room or the lift.
    public var name: String?
    /// A named building beside the leg.
    public var past: String?
    public var isIndoors: Bool
    public var from: Level?
    public var to: Level?
    public var metres: Double
    public var milliseconds: Int64
    /// The part of ``Route/points``.
    public var points: ClosedRange<Int>
}

extension RouteLeg {
    /// The direction as an English sentence part: `turn left, past Weaver Library (80 m)`.
    public var text: String {
        switch kind {
        case .lift: return to.map { "take the lift to level \($0)" } ?? "take the lift"
        case .escalator: return to.map { "take the escalator to level \($0)" } ?? "take the escalator"
        case .steps:
            guard let from, let to, from != to else { return "take the steps" }
            return "take the stairs \(from < to ? "up" : "down") to level \(to)"
        case .path:
            var text = turnText
            if let name { text += turn == .straight || turn == .start ? " along \(name)" : " into \(name)" }
            if let past, past != name { text += text == "go" ? " past \(past)" : ", past \(past)" }
            return text + " (\(Int(metres.rounded())) m)"
        }
    }

    private var turnText: String {
        switch turn {
        case .start, .straight: "go"
        case .slightLeft: "keep left"
        case .left: "turn left"
        case .sharpLeft: "turn sharp left"
        case .slightRight: "keep right"
        case .right: "turn right"
        case .sharpRight: "turn sharp right"
        case .enter(let building, let entrance):
            "in at " + (entrance.map { "the \($0) entrance" } ?? "the entrance") + (building.map { " of \($0)" } ?? "")
        case .leave: "leave the building"
        }
    }
}
