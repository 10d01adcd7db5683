import Campus
import Foundation
import Testing

@testable import Routing

/// Starts, destinations, and what is wrong with them.
@Suite("Ends of routes")
struct RouteEndTests {
    private static func error(_ from: RouteEnd, _ to: RouteEnd, _ sketch: Sketch, _ profile: RouteProfile = .init())
        throws -> RouteError?
    {
        let weights = RouteWeights(try sketch.graph(), profile: profile)
        var finder = RouteFinder()
        let found = Result { () throws(RouteError) in try finder.route(from: from, to: to, weights) }
        let tree = Result { () throws(RouteError) in try RouteTree(to: to, weights).route(from: from) }
        guard case .failure(let error) = found, case .failure(let other) = tree else { return nil }
        #expect(error == other)
        return error
    }

    private static func at(_ east: Double, _ north: Double, _ level: Int? = nil) -> RouteEnd {
        .point(Sketch.point(east, north), level: level.flatMap { Level(thousandths: $0 * 1000) })
    }

    @Test("Each mistake has its error, with a message that says what to do")
    func mistakes() throws {
        let street = Sketch.street()
        #expect(try Self.error(Self.at(0, 900), Self.at(0, 0), street) == .outside(.start))
        #expect(try Self.error(Self.at(0, 0), Self.at(0, -900), street) == .outside(.destination))
        #expect(try Self.error(.object("way/9"), Self.at(0, 0), street) == .unknownObject(.start))
        #expect(try Self.error(Self.at(5, 0), Self.at(5, 0), street) == .startIsDestination)
        let levels = [Level.ground, Level(thousandths: 1000)].compactMap { $0 }
        let seven = try #require(Level(thousandths: 7000))
        let unknown = try #require(try Self.error(Self.at(0, 0), Self.at(5, 2, 7), TwoLevels.sketch()))
        #expect(unknown == .unknownLevel(.destination, seven, known: levels))
        #expect(unknown.description == "the destination is on level 7, which the map does not have: choose one of 0, 1")
        for error in [
            RouteError.outside(.start), .unknownObject(.start), .startIsDestination, .island(.start),
            .noRoute(isStepFree: true, hasClosures: false),
        ] {
            #expect(error.description.contains(": "), "\(error)")
        }
    }

    @Test("An end on an island is told apart from a route that the preferences exclude")
    func island() throws {
        var sketch = Sketch.street(4)
        sketch.node(20, 0, 120)
        sketch.node(21, 50, 120)
        sketch.way(2, [20, 21])
        #expect(try Self.error(Self.at(0, 0), Self.at(20, 120), sketch) == .island(.destination))
        #expect(try Self.error(Self.at(20, 120), Self.at(0, 0), sketch) == .island(.start))
        var steps = Sketch.street(2)
        steps.node(10, 200, 0)
        steps.node(11, 300, 0)
        steps.way(2, [2, 10], ["highway": "steps"])
        steps.way(3, [10, 11])
        #expect(
            try Self.error(Self.at(0, 0), Self.at(290, 0), steps, .init(isStepFree: true))
                == .noRoute(isStepFree: true, hasClosures: false))
        #expect(try Self.error(Self.at(0, 0), Self.at(290, 0), steps) == nil)
    }

    @Test("A building without indoor data is reached at its entrance, else at its edge, and the route says so")
    func entries() throws {
        func entry(_ tags: [String: String], on path: Bool) throws -> (RouteDestination.Entry, Double) {
            var sketch = Sketch.street(3)
            for (id, x, y) in [(10, 90, 10), (11, 110, 10), (12, 110, 30), (13, 90, 30)] {
                sketch.node(Int64(id), Double(x), Double(y))
            }
            sketch.node(14, 100, 10, tags)
            if path { sketch.way(2, [2, 14]) }
            sketch.area(3, [10, 14, 11, 12, 13], ["building": "yes", "name": "Hall"])
            let graph = try sketch.graph()
            var finder = RouteFinder()
            let route = try finder.route(from: Self.at(0, 0), to: .object("way/3"), RouteWeights(graph))
            return (route.entry, route.metres)
        }
        let onPath = try entry(["entrance": "main"], on: true)
        #expect(onPath.0 == .entrance && abs(onPath.1 - 110) < 1)
        let beside = try entry(["entrance": "main"], on: false)
        #expect(beside.0 == .entrance && abs(beside.1 - 110) < 1)
        #expect(try entry([:], on: false).0 == .edge)
        // An emergency exit is no entrance.
        #expect(try entry(["entrance": "emergency"], on: false).0 == .edge)
    }

    @Test("A step-free route does not enter at an entrance with steps")
    func entranceWithSteps() throws {
        var sketch = Sketch.street(3)
        sketch.node(10, 100, 20, ["entrance": "yes", "wheelchair": "no"])
        sketch.node(11, 180, 20, ["entrance": "yes", "wheelchair": "yes"])
        sketch.node(12, 140, 60)
        sketch.way(2, [2, 10])
        sketch.way(3, [3, 11])
        sketch.area(4, [10, 11, 12], ["building": "yes"])
        let graph = try sketch.graph()
        var finder = RouteFinder()
        func last(_ profile: RouteProfile) throws -> GeoPoint? {
            try finder.route(from: Self.at(0, 0), to: .object("way/4"), RouteWeights(graph, profile: profile)).points
                .last?.point
        }
        #expect(try last(.init()) == sketch.network.nodes[10]?.point.point)
        #expect(try last(.init(isStepFree: true)) == sketch.network.nodes[11]?.point.point)
    }

    @Test("A map without paths, and one that is too wide, are refused with the remedy")
    func networks() throws {
        #expect(throws: RouteGraphError.noPaths) { try RouteGraph(RouteNetwork()) }
        var wide = Sketch()
        wide.node(1, 0, 0)
        wide.node(2, 400_000, 0)
        wide.way(1, [1, 2])
        #expect(throws: RouteGraphError.tooWide) { try wide.graph() }
        #expect(RouteGraphError.tooWide.description.contains("cut it"))
    }
}
