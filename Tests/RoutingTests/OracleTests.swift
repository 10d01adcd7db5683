import Campus
import Foundation
import Testing
import Wire

@testable import Routing

/// Routes against a program that reads the same file and shares no code with the product. With `CAMPANILE_ROUTE_PAIRS=2000`
/// the comparison is complete.
@Suite("Routes and the oracle", .enabled(if: RoutingData.isPresent), .serialized)
struct OracleTests {
    private static let profiles: [Oracle.Profile] = [
        .init(), .init(stepFree: true), .init(noStairs: true), .init(avoidsCrowds: true), .init(speed: 800),
        .init(stepFree: true, avoidsCrowds: true, speed: 2_000),
    ]

    @Test(
        "Each route costs what the oracle finds, there is none only where it finds none, and none uses what it must not",
        arguments: RoutingData.Extract.allCases)
    func equalCosts(_ extract: RoutingData.Extract) throws {
        let (network, graph) = try extract.read()
        let rules = StepFreeRules(network)
        var random = Seeded(state: 7)
        let cells = Self.crowd(graph, &random)
        let pairs = Self.pairs(graph, &random)
        let closures = Self.closures(graph, &random)
        var question = Oracle.Question(file: extract.file.path, profiles: Self.profiles)
        question.cells = cells.map { [Int($0.x), Int($0.y), $0.people] }
        question.closures = closures
        question.pairs = pairs.map { [$0.0, $0.1].flatMap { Self.name($0, graph) } }
        let answer = try Oracle.ask(question)
        #expect(graph.vertexCount == answer.vertices)
        #expect(graph.edgeCount == answer.edges)
        var (found, none) = (0, 0)
        var wrong: [String] = []
        for (profile, expected) in zip(Self.profiles, answer.costs) {
            let weights = RouteWeights(
                graph, profile: profile.product, crowd: RouteCrowd(cells), closures: Set(closures))
            var finder = RouteFinder()
            for (pair, cost) in zip(pairs, expected) {
                let path = finder.path([Self.seed(pair.0)], [Self.seed(pair.1)], weights)
                if path?.cost ?? -1 != cost {
                    wrong.append("\(profile) \(pair): \(path?.cost ?? -1), oracle \(cost ?? -2)")
                }
                if path == nil { none += 1 } else { found += 1 }
                if let path { wrong += Self.violations(path, weights, rules) }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5))")
        #expect(found > none, "\(found) found, \(none) not")
        #expect(none > 0, "no pair without a route")
    }

    @Test("A search tree has the costs of single searches", arguments: RoutingData.Extract.allCases)
    func tree(_ extract: RoutingData.Extract) throws {
        let graph = try extract.read().graph
        var random = Seeded(state: 9)
        let weights = RouteWeights(graph, profile: RouteProfile(isStepFree: true, speed: 1_700))
        let places = graph.destinations.values.filter { $0.name != nil }.sorted { $0.sourceID < $1.sourceID }
        let goal = try #require(places.randomElement(using: &random))
        let tree = try RouteTree(to: .object(goal.sourceID), weights)
        var finder = RouteFinder()
        for place in places.prefix(40) where place.sourceID != goal.sourceID {
            let one = Result { () throws(RouteError) in
                try finder.route(from: .object(place.sourceID), to: .object(goal.sourceID), weights).cost
            }
            let other = Result { () throws(RouteError) in try tree.route(from: .object(place.sourceID)).cost }
            #expect(one == other, "\(place.sourceID)")
        }
    }

    // MARK: Input

    /// Vertices that the oracle has under the same name.
    private static func pairs(_ graph: RouteGraph, _ random: inout Seeded) -> [(Int32, Int32)] {
        let shared = graph.vertices.indices.filter { graph.vertices[$0].owner == nil }.map { Int32($0) }
        // The oracle searches from each start once.
        let targetsEach = RoutingData.pairs > 1_000 ? 5 : 20
        return (0..<max(1, RoutingData.pairs / targetsEach)).flatMap { _ in
            let start = shared.randomElement(using: &random) ?? 0
            return (0..<targetsEach).map { _ in (start, shared.randomElement(using: &random) ?? 0) }
        }
    }

    /// A node and its level.
    private static func name(_ vertex: Int32, _ graph: RouteGraph) -> [Int64?] {
        [graph.vertices[Int(vertex)].node, graph.vertices[Int(vertex)].level.map { Int64($0.thousandths) }]
    }

    private static func seed(_ vertex: Int32) -> Seed {
        Seed(vertex: vertex, cost: 0, time: 0, metres: 0, line: [], edge: nil)
    }

    /// People in a third of the cells.
    private static func crowd(_ graph: RouteGraph, _ random: inout Seeded) -> [HeatCell] {
        let places = Set(graph.vertices.compactMap { $0.point.point.map(HeatmapPlace.init(containing:)) }).sorted()
        return places.compactMap { place in
            let people = [10, 40, 120, 480, 960].randomElement(using: &random) ?? 0
            return Int.random(in: 0..<3, using: &random) == 0 ? HeatCell(x: place.x, y: place.y, people: people) : nil
        }
    }

    /// A lift, a door and a few ways.
    private static func closures(_ graph: RouteGraph, _ random: inout Seeded) -> [String] {
        let lifts = graph.features.filter { $0.kind == .lift }.prefix(1).map(\.sourceID)
        let ways = (0..<3).compactMap { _ in graph.features.randomElement(using: &random)?.sourceID }
        let doors = graph.doors.keys.sorted().prefix(2).map { "node/\($0)" }
        return lifts + ways + doors
    }

    // MARK: Rules

    /// The ids of what a path uses and must not.
    private static func violations(
        _ path: RouteFinder.Path, _ weights: RouteWeights, _ rules: StepFreeRules
    ) -> [String] {
        let graph = weights.graph
        var nodes: Set<Int64> = []
        var features: Set<Int32> = []
        for edge in path.edges {
            features.insert(graph.edgeFeatures[Int(edge)])
            for vertex in [graph.sources[Int(edge)], graph.targets[Int(edge)]] {
                if let node = graph.vertices[Int(vertex)].node { nodes.insert(node) }
            }
        }
        let used = features.map { graph.features[Int($0)].sourceID } + nodes.map { "node/\($0)" }
        let closed = used.filter(weights.closures.contains)
        guard weights.profile.isStepFree else { return closed }
        return closed + used.filter(rules.steps.contains)
            + nodes.filter(rules.barriers.contains).map { "barrier \($0)" }
    }
}

/// What a step-free route must not use, from the tags by themselves.
private struct StepFreeRules {
    /// Steps without a ramp, staircases, and ways that are tagged as impassable.
    let steps: Set<String>
    let barriers: Set<Int64>

    init(_ network: RouteNetwork) {
        let tagged = network.lines.map { ($0.sourceID, $0.tags) } + network.areas.map { ($0.sourceID, $0.tags) }
        steps = Set(
            tagged.filter { _, tags in
                let hasRamp = tags["ramp:wheelchair"] == "yes" || tags["wheelchair"] == "yes"
                return (tags["highway"] == "steps" || tags["conveying"] != nil) && !hasRamp
                    || tags["wheelchair"] == "no"
            }.map(\.0))
        barriers = Set(
            network.nodes.values.filter {
                $0.tags["wheelchair"] == "no"
                    || ($0.tags["kerb"] == "raised" || $0.tags["door"] == "revolving") && $0.tags["wheelchair"] != "yes"
            }.map(\.id))
    }
}
