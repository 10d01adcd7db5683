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
        #expect(
            unknown.description == "level 7 is not here: levels 0, 1 are, so choose one of them for the destination")
        for error in [
            RouteError.outside(.start), .unknownObject(.start), .startIsDestination, .island(.start),
            .unknownLevel(.start, seven, known: []), .unknownLevel(.start, seven, known: [.ground]),
            .noRoute(.preferences(isStepFree: true, hasSteps: true)),
            .noRoute(.preferences(isStepFree: false, hasSteps: false)),
            .noRoute(.closure(isStepFree: true, hasSteps: false)), .noRoute(.unmapped(.start)),
        ] {
            #expect(error.description.contains(": "), "\(error)")
        }
    }

    @Test("An end on an island is told apart from a route that the preferences exclude")
    func island() throws {
        var sketch = Sketch.street(4)
        // Too far from the street to be led there.
        sketch.node(20, 0, 200)
        sketch.node(21, 50, 200)
        sketch.way(2, [20, 21])
        #expect(try Self.error(Self.at(0, 0), Self.at(20, 200), sketch) == .island(.destination))
        #expect(try Self.error(Self.at(20, 200), Self.at(0, 0), sketch) == .island(.start))
        var steps = Sketch.street(2)
        steps.node(10, 200, 0)
        steps.node(11, 300, 0)
        steps.way(2, [2, 10], ["highway": "steps"])
        steps.way(3, [10, 11])
        #expect(
            try Self.error(Self.at(0, 0), Self.at(290, 0), steps, .init(isStepFree: true))
                == .noRoute(.preferences(isStepFree: true, hasSteps: true)))
        #expect(try Self.error(Self.at(0, 0), Self.at(290, 0), steps) == nil)
    }

    @Test("A position beside an island leads to the rest of the network, and to another one on the island along it")
    func besideAnIsland() throws {
        var sketch = Sketch.street(4)
        sketch.node(20, 0, 120)
        sketch.node(21, 50, 120)
        sketch.way(2, [20, 21])
        let weights = RouteWeights(try sketch.graph())
        var finder = RouteFinder()
        let out = try finder.route(from: Self.at(20, 121), to: Self.at(300, 0), weights)
        #expect(abs(out.metres - (121 + 280)) < 1)
        #expect(try RouteTree(to: Self.at(300, 0), weights).route(from: Self.at(20, 121)).cost == out.cost)
        let along = try finder.route(from: Self.at(5, 120), to: Self.at(45, 120), weights)
        #expect(abs(along.metres - 40) < 1)
        #expect(try RouteTree(to: Self.at(45, 120), weights).route(from: Self.at(5, 120)).metres == along.metres)
    }

    @Test("A place that no connected path leads to gets a sentence of its own, and not the advice to choose a point")
    func unmapped() throws {
        var sketch = Sketch.street(4)
        sketch.node(20, 0, 120)
        sketch.node(21, 50, 120)
        sketch.way(2, [20, 21])
        sketch.node(30, 25, 125, ["amenity": "cafe", "name": "Island Café"])
        sketch.node(31, 0, 900, ["amenity": "cafe", "name": "Far Café"])
        for place in ["node/30", "node/31"] {
            let error = try #require(try Self.error(Self.at(0, 0), .object(place), sketch), "\(place)")
            #expect(error == .noRoute(.unmapped(.destination)), "\(place)")
            #expect(
                error.description
                    == "no path on the map leads to the destination: ask for directions to something next to it")
            #expect(try Self.error(.object(place), Self.at(0, 0), sketch) == .noRoute(.unmapped(.start)), "\(place)")
        }
    }

    @Test("A position with a level does not lead through walls to that level, and the ground is outdoors, too")
    func levels() throws {
        let weights = RouteWeights(try TwoLevels.sketch().graph())
        let room = RouteEnd.object("way/110")
        var finder = RouteFinder()
        // On the street, 50 m from the corridors.
        let outdoors = try finder.route(from: Self.at(-50, -20), to: room, weights)
        #expect(try finder.route(from: Self.at(-50, -20, 0), to: room, weights) == outdoors)
        for level in [-1, 1] {
            let start = Self.at(-50, -20, level)
            let wanted = try #require(Level(thousandths: level * 1000))
            #expect(throws: RouteError.unknownLevel(.start, wanted, known: [])) {
                try finder.route(from: start, to: room, weights)
            }
        }
        // A wrong fix of 10 m, and the street in front of the entrance.
        let upstairs = try #require(Level(thousandths: 1000))
        #expect(try finder.route(from: Self.at(5, -8, 1), to: room, weights).points.first?.level == upstairs)
        let street = try weights.locate(Self.at(5, -20, 0), .start).hits
        #expect(street.count == 1 && weights.graph.isOn(nil, street[0].edge))
        let corridor = try weights.locate(Self.at(15, 2, 0), .start).hits
        #expect(corridor.count == 1 && weights.graph.isOn(.ground, corridor[0].edge))
    }

    @Test("In a large building a level is that of the building, also where a path of the neighbour is nearer")
    func largeBuilding() throws {
        var sketch = Sketch.street(2)
        for (first, x) in [(Int64(10), 0.0), (20, 120)] {
            for (id, east, north, tags) in [
                (first, x, 0, [:]), (first + 1, x + 5, 0, ["door": "yes"]), (first + 2, x + 10, 0, [:]),
                (first + 3, x + 10, 100, [:]), (first + 4, x + 5, 100, ["door": "yes"]), (first + 5, x, 100, [:]),
            ] as [(Int64, Double, Double, [String: String])] {
                sketch.node(id, east, north + 10, tags)
            }
            sketch.area(
                Int(first), Array(first...first + 5), ["indoor": "corridor", "level": first == 10 ? "1" : "1;2"])
        }
        sketch.node(30, 100, 10)
        sketch.node(31, 100, 110)
        sketch.area(3, [10, 11, 12, 30, 31, 13, 14, 15], ["building": "yes"])
        let weights = RouteWeights(try sketch.graph())
        // 75 m from the building's corridor, 45 m from the neighbour's.
        let hits = try weights.locate(Self.at(80, 60, 1), .start).hits
        #expect(hits.count == 1 && hits[0].point.distance(to: Sketch.point(5, 60)) < 1)
        let (one, two) = (try #require(Level(thousandths: 1000)), try #require(Level(thousandths: 2000)))
        #expect(throws: RouteError.unknownLevel(.start, two, known: [one])) {
            try weights.locate(Self.at(80, 60, 2), .start)
        }
    }

    @Test("A place on a floor without a plan is reached from outdoors, and the route ends beside it")
    func floorWithoutPlan() throws {
        var sketch = Sketch.street(3)
        sketch.node(10, 100, 30, ["amenity": "cafe", "name": "Café", "level": "2"])
        var finder = RouteFinder()
        let route = try finder.route(from: Self.at(0, 0), to: .object("node/10"), RouteWeights(try sketch.graph()))
        #expect(route.entry == .edge && abs(route.metres - 130) < 1)
    }

    @Test("A start at which everything is closed is no start outside the campus")
    func closedStart() throws {
        let weights = RouteWeights(try Sketch.street(3).graph(), closures: ["way/1"])
        #expect(throws: RouteError.noRoute(.closure(isStepFree: false, hasSteps: false))) {
            try weights.check(start: Self.at(50, 0))
        }
        #expect(throws: RouteError.outside(.start)) { try weights.check(start: Self.at(50, 900)) }
        #expect(throws: Never.self) { try weights.closing([]).check(start: Self.at(50, 0)) }
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
