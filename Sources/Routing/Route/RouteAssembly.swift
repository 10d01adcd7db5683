import Campus
import Foundation

/// Makes a route of a path: line, legs, durations.
struct RouteAssembly {
    /// Angles at which a direction is one of turning, in degrees.
    private static let (slightMin, turnMin, sharpMin) = (30.0, 60.0, 120.0)
    /// Neighbours from which a vertex is a junction.
    private static let junctionMin = 3

    private let weights: RouteWeights
    private var graph: RouteGraph { weights.graph }
    /// Numbers of the features with steps that the route climbs or descends.
    private var climbed: Set<Int32> = []

    init(_ weights: RouteWeights) { self.weights = weights }

    func route(_ path: RouteFinder.Path, entry: RouteDestination.Entry) -> Route {
        var assembly = self
        for edge in path.edges where graph.kinds[Int(edge)] == .steps {
            assembly.climbed.insert(graph.edgeFeatures[Int(edge)])
        }
        return assembly.assemble(path, entry: entry)
    }

    private func assemble(_ path: RouteFinder.Path, entry: RouteDestination.Entry) -> Route {
        var route = Route(
            cost: path.cost, milliseconds: path.start.time + path.goal.time,
            metres: path.start.metres + path.goal.metres,
            points: path.start.line, legs: [], uncertain: [], entry: entry, edges: [])
        addPoint(path.start.vertex, to: &route)
        if let edge = path.start.edge {
            route.edges.append(edge)
            route.starts.append(0)
            route.firstShare = path.start.share
            open(edge, .start, metres: path.start.metres, time: path.start.time, in: &route)
        }
        var before = path.start.edge
        for edge in path.edges {
            add(edge, after: before, to: &route)
            before = edge
        }
        let first = route.points.count - 1
        route.points += path.goal.line.reversed()
        if let edge = path.goal.edge {
            route.edges.append(edge)
            route.starts.append(Int32(max(0, first)))
            route.lastShare = path.goal.share
            let turn = before.map { turning(from: $0, to: edge) } ?? .start
            extend(
                edge, turn, metres: path.goal.metres, time: path.goal.time, from: first, isTurn: false,
                in: &route)
        }
        return route
    }

    /// The route between two ends on one edge, along it.
    func direct(_ start: LocatedEnd, _ goal: LocatedEnd) -> Route? {
        var best: Route?
        for from in start.hits {
            for to in goal.hits where to.edge == from.edge {
                // Going on is the way from the start to the target less that from the destination to the target.
                let isForward = to.share >= from.share
                let edge = isForward ? from.edge : opposite(from.edge)
                guard let edge, weights.costs[Int(edge)] != RouteWeights.closed else { continue }
                let share = abs(to.share - from.share)
                let approach = Int64(((from.metres + to.metres) * 1e6 / Double(weights.profile.speed)).rounded(.up))
                let cost = approach + Int64((Double(weights.costs[Int(edge)]) * share).rounded(.up))
                guard cost < best?.cost ?? .max else { continue }
                let level = graph.vertices[Int(graph.sources[Int(edge)])].level
                var route = Route(
                    cost: cost, milliseconds: approach + Int64((Double(weights.times[Int(edge)]) * share).rounded(.up)),
                    metres: from.metres + to.metres + Double(graph.metres[Int(edge)]) * share,
                    points: [.init(point: from.point, level: level), .init(point: to.point, level: level)], legs: [],
                    uncertain: [], entry: goal.entry, edges: [])
                route.edges.append(edge)
                route.starts.append(0)
                route.firstShare = share
                open(edge, .start, metres: route.metres, time: route.milliseconds, in: &route)
                markUncertain(edge, 0...1, &route)
                best = route
            }
        }
        return best
    }

    private func opposite(_ edge: Int32) -> Int32? {
        graph.edges(of: graph.targets[Int(edge)]).first {
            graph.targets[Int($0)] == graph.sources[Int(edge)]
                && graph.edgeFeatures[Int($0)] == graph.edgeFeatures[Int(edge)]
        }
    }

    // MARK: Legs

    private func addPoint(_ number: Int32, to route: inout Route) {
        let vertex = graph.vertices[Int(number)]
        guard let point = vertex.point.point else { return }
        let next = Route.Point(point: point, level: vertex.level)
        if route.points.last != next { route.points.append(next) }
    }

    private func add(_ edge: Int32, after before: Int32?, to route: inout Route) {
        let first = max(0, route.points.count - 1)
        route.edges.append(edge)
        route.starts.append(Int32(first))
        addPoint(graph.targets[Int(edge)], to: &route)
        let metres = Double(graph.metres[Int(edge)])
        route.metres += metres
        route.milliseconds += Int64(weights.times[Int(edge)])
        markUncertain(edge, first...route.points.count - 1, &route)
        let turn = before.map { turning(from: $0, to: edge) } ?? .start
        let vertex = graph.sources[Int(edge)]
        let isJunction = graph.edges(of: vertex).count >= Self.junctionMin
        extend(
            edge, turn, metres: metres, time: Int64(weights.times[Int(edge)]), from: first,
            isTurn: isJunction && turn != .straight, in: &route)
    }

    /// Adds an edge to the last leg, or begins a leg with it.
    private func extend(
        _ edge: Int32, _ turn: RouteLeg.Turn, metres: Double, time: Int64, from first: Int, isTurn: Bool,
        in route: inout Route
    ) {
        let feature = graph.features[Int(graph.edgeFeatures[Int(edge)])]
        let (kind, isIndoors) = (legKind(edge), isIndoors(edge, feature))
        guard let last = route.legs.indices.last else {
            return open(edge, turn, metres: metres, time: time, in: &route)
        }
        let leg = route.legs[last]
        let isSame = leg.kind == kind && (kind != .path || leg.isIndoors == isIndoors && leg.name == feature.name)
        // A connection of levels at one point belongs to the leg before it.
        guard isSame && !(isTurn && !isIndoors && kind == .path) || metres == 0 && time == 0 else {
            var turn = turn
            if kind == .path, isIndoors != leg.isIndoors { turn = doorway(edge, isIndoors: isIndoors) ?? turn }
            open(edge, turn, metres: metres, time: time, from: first, in: &route)
            return
        }
        route.legs[last].metres += metres
        route.legs[last].milliseconds += time
        route.legs[last].to = graph.vertices[Int(graph.targets[Int(edge)])].level ?? leg.to
        route.legs[last].points = leg.points.lowerBound...max(leg.points.upperBound, route.points.count - 1)
        if leg.past == nil, let past = graph.sights.name(beside: edge), !route.legs.contains(where: { $0.past == past })
        {
            route.legs[last].past = past
        }
    }

    private func open(
        _ edge: Int32, _ turn: RouteLeg.Turn, metres: Double, time: Int64, from first: Int = 0, in route: inout Route
    ) {
        let feature = graph.features[Int(graph.edgeFeatures[Int(edge)])]
        // A building is mentioned once.
        let past = graph.sights.name(beside: edge)
        route.legs.append(
            RouteLeg(
                kind: legKind(edge), turn: turn, name: feature.name,
                past: route.legs.contains { $0.past == past } ? nil : past,
                isIndoors: isIndoors(edge, feature), from: graph.vertices[Int(graph.sources[Int(edge)])].level,
                to: graph.vertices[Int(graph.targets[Int(edge)])].level, metres: metres, milliseconds: time,
                points: first...max(first, route.points.count - 1)))
    }

    /// The walk from a door to the middle of a staircase is part of the stairs, unless the route only crosses the landing.
    private func legKind(_ edge: Int32) -> PassageKind {
        climbed.contains(graph.edgeFeatures[Int(edge)]) ? .steps : graph.kinds[Int(edge)]
    }

    private func isIndoors(_ edge: Int32, _ feature: RouteGraph.Feature) -> Bool {
        switch feature.kind {
        case .path, .square: false
        case .stairs: graph.vertices[Int(graph.sources[Int(edge)])].level != nil
        case .indoors, .lift: true
        }
    }

    /// The turn at a door between inside and outside; nil if there is no door.
    private func doorway(_ edge: Int32, isIndoors: Bool) -> RouteLeg.Turn? {
        let node = graph.vertices[Int(graph.sources[Int(edge)])].node
        guard let door = node.flatMap({ graph.doors[$0] }), door.isEntrance else { return nil }
        return isIndoors ? .enter(building: door.building, entrance: door.name ?? door.side) : .leave
    }

    /// The turn from one edge to the next, on the plane.
    private func turning(from before: Int32, to edge: Int32) -> RouteLeg.Turn {
        func way(_ edge: Int32) -> (east: Double, north: Double) {
            let from = graph.vertices[Int(graph.sources[Int(edge)])].point
            let to = graph.vertices[Int(graph.targets[Int(edge)])].point
            let east = Double(Int64(to.longitude) - Int64(from.longitude)) * graph.longitudeShrink
            return (east, Double(Int64(to.latitude) - Int64(from.latitude)))
        }
        let (one, other) = (way(before), way(edge))
        let (cross, dot) = (
            one.east * other.north - one.north * other.east, one.east * other.east + one.north * other.north
        )
        // At one point, as between two levels, there is no direction.
        guard cross != 0 || dot < 0 else { return .straight }
        let degrees = atan2(abs(cross), dot) * 180 / .pi
        switch degrees {
        case ..<Self.slightMin: return .straight
        case ..<Self.turnMin: return cross > 0 ? .slightLeft : .slightRight
        case ..<Self.sharpMin: return cross > 0 ? .left : .right
        default: return cross > 0 ? .sharpLeft : .sharpRight
        }
    }

    private func markUncertain(_ edge: Int32, _ points: ClosedRange<Int>, _ route: inout Route) {
        guard weights.profile.isStepFree, graph.stepFree[Int(edge)] == .uncertain else { return }
        if let last = route.uncertain.last, last.upperBound == points.lowerBound {
            route.uncertain[route.uncertain.count - 1] = last.lowerBound...points.upperBound
        } else {
            route.uncertain.append(points)
        }
    }
}
