import Campus
import Foundation
import Testing
import Wire

@testable import Routing

/// Ways, squares, rooms, staircases, lifts.
@Suite("Rules of routes")
struct RouteRuleTests {
    private static let square = ["highway": "pedestrian", "area": "yes"]

    @Test("A square is crossed in a straight line, and around what stands in it")
    func square() throws {
        func sketch(holes: [[Int64]]) -> Sketch {
            var sketch = Sketch()
            for (id, x, y) in [(1, 0, 0), (2, 100, 0), (3, 100, 100), (4, 0, 100), (5, -50, 0), (6, 150, 100)] {
                sketch.node(Int64(id), Double(x), Double(y))
            }
            for (id, x, y) in [(11, 30, 30), (12, 70, 30), (13, 70, 70), (14, 30, 70)] {
                sketch.node(Int64(id), Double(x), Double(y))
            }
            sketch.way(1, [5, 1])
            sketch.way(2, [3, 6])
            sketch.area(3, [1, 2, 3, 4], holes: holes, Self.square)
            return sketch
        }
        #expect(abs(try sketch(holes: []).route(5, 6).metres - (100 + 141.4)) < 1)
        #expect(abs(try sketch(holes: [[11, 12, 13, 14]]).route(5, 6).metres - (100 + 2 * hypot(70, 30))) < 1)
    }

    @Test("A square with too many corners is followed along its edge")
    func largeSquare() throws {
        var sketch = Sketch()
        let count = Int64(RouteLimits.areaCornersMax + 2)
        for id in 0..<count {
            // A star: every second point juts inwards.
            let (angle, radius) = (Double(id) / Double(count) * 2 * .pi, id % 2 == 0 ? 100.0 : 95)
            sketch.node(id + 1, radius * cos(angle), radius * sin(angle))
            sketch.node(id + 1001, 120 * cos(angle), 120 * sin(angle))
            sketch.way(Int(id), [id + 1, id + 1001])
        }
        sketch.area(5_000, Array(1...count), Self.square)
        #expect(try sketch.route(1001, 1001 + count / 2).metres > 100 * .pi)
    }

    @Test("Rooms are entered by doors, and walls are not passed")
    func doors() throws {
        let sketch = TwoLevels.sketch()
        let graph = try sketch.graph()
        var finder = RouteFinder()
        let weights = RouteWeights(graph)
        let route = try finder.route(from: .point(Sketch.point(-50, -20)), to: .object("way/110"), weights)
        #expect(route.points.last?.point == sketch.network.nodes[22]?.point.point)
        #expect(route.points.last?.level == Level(thousandths: 1000))
        #expect(route.entry == .door)
        let closed = weights.closing(["node/22"])
        #expect(throws: RouteError.noRoute(.closure(isStepFree: false, hasSteps: false))) {
            try finder.route(from: .point(Sketch.point(-50, -20)), to: .object("way/110"), closed)
        }
        #expect(!route.isOpen(in: closed) && route.isOpen(in: weights))
    }

    @Test("A step-free route takes the lift, and there is none when it is out of order")
    func lift() throws {
        let graph = try TwoLevels.sketch().graph()
        var finder = RouteFinder()
        func route(_ profile: RouteProfile, _ closures: Set<String> = []) throws -> Route {
            try finder.route(
                from: .point(Sketch.point(-50, -20)), to: .object("way/110"),
                RouteWeights(graph, profile: profile, closures: closures))
        }
        func kinds(_ route: Route) -> [PassageKind] { route.legs.map(\.kind) }
        let stepFree = try route(.init(isStepFree: true))
        #expect(kinds(stepFree).contains(.lift) && !kinds(stepFree).contains(.steps))
        // 30 s of waiting and 4.5 s of riding.
        let ride = stepFree.legs.filter { $0.kind == .lift }.reduce(0) { $0 + $1.milliseconds }
        #expect((34_500...41_000).contains(ride))
        #expect(kinds(try route(.init(avoidsStairs: true))).contains(.lift))
        #expect(kinds(try route(.init(), ["way/130"])).contains(.steps))
        #expect(throws: RouteError.noRoute(.closure(isStepFree: true, hasSteps: true))) {
            try route(.init(isStepFree: true), ["way/130"])
        }
        #expect(kinds(try route(.init(), ["way/120"])).contains(.lift))
    }

    @Test("Without a step-free route people learn whether a closure is the reason, and whether steps would help")
    func reasons() throws {
        func error(_ closures: Set<String>, lift: String = "yes") throws -> RouteError? {
            var sketch = TwoLevels.sketch(lift: ["highway": "elevator", "level": "0-1", "wheelchair": lift])
            sketch.node(40, -90, -20)
            sketch.way(2, [1, 40])
            let weights = RouteWeights(
                try sketch.graph(), profile: RouteProfile(isStepFree: true), closures: closures)
            let (start, room) = (RouteEnd.point(Sketch.point(-50, -20)), RouteEnd.object("way/110"))
            var finder = RouteFinder()
            let found = Result { () throws(RouteError) in try finder.route(from: start, to: room, weights) }
            let tree = Result { () throws(RouteError) in try RouteTree(to: room, weights).route(from: start) }
            guard case .failure(let error) = found, case .failure(let other) = tree else { return nil }
            #expect(error == other)
            return error
        }
        #expect(try error(["way/2"]) == nil)
        let closed = try #require(try error(["way/130"]))
        #expect(closed == .noRoute(.closure(isStepFree: true, hasSteps: true)))
        #expect(closed.description.hasPrefix("a lift, door or path on the step-free way is closed: try again later"))
        #expect(closed.description.hasSuffix("or allow steps"))
        let allClosed = try #require(try error(["way/120", "way/130"]))
        #expect(allClosed == .noRoute(.closure(isStepFree: true, hasSteps: false)))
        #expect(
            allClosed.description
                == "a lift, door or path on the step-free way is closed: try again later, or ask for help at the destination"
        )
        // A closure elsewhere is not the reason.
        #expect(try error(["way/2"], lift: "no") == .noRoute(.preferences(isStepFree: true, hasSteps: true)))
        let none = try #require(try error(["way/120", "way/130"], lift: "no"))
        #expect(none == .noRoute(.preferences(isStepFree: true, hasSteps: false)))
        #expect(none.description == "no step-free route is known: ask for help at the destination")
    }

    @Test("Directions name the entrance, the lift and its level")
    func directions() throws {
        let graph = try TwoLevels.sketch(stairs: false).graph()
        var finder = RouteFinder()
        let texts = try finder.route(from: .point(Sketch.point(-50, -20)), to: .object("way/110"), RouteWeights(graph))
            .legs.map(\.text)
        #expect(texts.first == "go past Hall (80 m)")
        #expect(texts.contains { $0.hasPrefix("in at the south entrance of Hall into Corridor 0") }, "\(texts)")
        #expect(texts.contains("take the lift to level 1"), "\(texts)")
    }

    @Test("An escalator is used only in its direction, and never without steps")
    func escalator() throws {
        func route(_ conveying: String, _ from: Int64, _ to: Int64, _ profile: RouteProfile = .init()) throws -> Route {
            var sketch = Sketch.street(2)
            sketch.node(3, 200, 0)
            sketch.node(4, 300, 0)
            sketch.way(2, [2, 3], ["highway": "steps", "conveying": conveying])
            sketch.way(3, [3, 4])
            return try sketch.route(from, to, profile)
        }
        #expect(throws: RouteError.noRoute(.preferences(isStepFree: false, hasSteps: false))) {
            try route("backward", 1, 4)
        }
        let ride = try route("backward", 4, 1).legs.filter { $0.kind == .escalator }
        #expect(ride.count == 1 && abs(Double(ride[0].milliseconds) - 200_000) < 300)
        #expect(try route("yes", 1, 4).legs.count == 3)
        #expect(throws: RouteError.noRoute(.preferences(isStepFree: true, hasSteps: true))) {
            try route("yes", 1, 4, .init(isStepFree: true))
        }
        #expect(try route("yes", 1, 4, .init(avoidsStairs: true)).legs.count == 3)
    }

    @Test("Steps cost more up than down, and a step-free route goes around them")
    func steps() throws {
        var sketch = Sketch.street(2, ["highway": "steps", "incline": "up"])
        sketch.node(10, 50, 100)
        sketch.way(2, [1, 10, 2])
        let (up, down) = (try sketch.route(1, 2), try sketch.route(2, 1))
        func milliseconds(at metresPerSecond: Double) -> Double { 100_000 / metresPerSecond }
        #expect(abs(Double(up.milliseconds) - milliseconds(at: 0.610)) < 300)
        #expect(abs(Double(down.milliseconds) - milliseconds(at: 0.694)) < 300)
        let around = try sketch.route(1, 2, .init(isStepFree: true))
        #expect(around.metres > 200 && around.legs.allSatisfy { $0.kind == .path })
    }

    @Test("A step-free route marks what is uncertain, and only there")
    func uncertain() throws {
        var sketch = Sketch.street(2)
        sketch.node(10, 200, 0)
        sketch.node(11, 300, 0)
        sketch.way(2, [2, 10], ["highway": "footway", "surface": "gravel"])
        sketch.way(3, [10, 11])
        let route = try sketch.route(1, 11, .init(isStepFree: true))
        let marked = route.uncertain.map {
            route.points[$0.lowerBound].point.distance(to: route.points[$0.upperBound].point)
        }
        #expect(marked.count == 1 && abs(marked[0] - 100) < 1)
        #expect(try sketch.route(1, 11).uncertain.isEmpty)
    }

    @Test("A walker at another speed takes another time, and the search stays right")
    func speed() throws {
        let sketch = Sketch.street(3)
        #expect(abs(Double(try sketch.route(1, 3).milliseconds) - 200 / 1.34 * 1000) < 300)
        #expect(abs(Double(try sketch.route(1, 3, .init(speed: 2_680)).milliseconds) - 100 / 1.34 * 1000) < 300)
        #expect(RouteProfile(speed: 0).speed == 300 && RouteProfile(speed: .max).speed == 3_000)
    }

    @Test("Two points of one path are joined along it")
    func oneEdge() throws {
        let graph = try Sketch.street(2).graph()
        var finder = RouteFinder()
        let weights = RouteWeights(graph)
        for (from, to) in [(20.0, 70.0), (70, 20)] {
            let ends = (RouteEnd.point(Sketch.point(from, 0)), RouteEnd.point(Sketch.point(to, 0)))
            #expect(abs(try finder.route(from: ends.0, to: ends.1, weights).metres - 50) < 1)
            #expect(abs(try RouteTree(to: ends.1, weights).route(from: ends.0).metres - 50) < 1)
        }
    }

    @Test("A crowd is avoided only on request and where that pays, and slows everybody down")
    func crowd() throws {
        var sketch = Sketch.street(3)
        sketch.node(10, 100, 120)
        sketch.way(2, [1, 10, 3])
        let cells = Set([20.0, 60, 100, 140, 180].map { HeatmapPlace(containing: Sketch.point($0, 0)) })
        func crowd(_ people: Int) -> RouteCrowd { RouteCrowd(cells.map { HeatCell(x: $0.x, y: $0.y, people: people) }) }
        let free = try sketch.route(1, 3)
        let packed = try sketch.route(1, 3, crowd: crowd(120))
        #expect(packed.metres == free.metres && packed.milliseconds > free.milliseconds)
        let avoiding = try sketch.route(1, 3, .init(avoidsCrowds: true), crowd: crowd(120))
        #expect(avoiding.metres > free.metres + 50)
        #expect(try sketch.route(1, 3, .init(avoidsCrowds: true), crowd: crowd(10)).metres == free.metres)
    }

    @Test("The factor of a crowd is Weidmann's")
    func weidmann() {
        let place = HeatmapPlace(containing: Sketch.point(0, 0))
        let side = 40_075_016.686 * cos(51.5 * .pi / 180) / 524_288
        // One person on a square metre walks at 1.06 m/s, two at 0.61 and three at 0.33.
        for (density, speed) in [(1.0, 1.06), (2, 0.61), (3, 0.33)] {
            let people = Int((density * side * side * 0.05).rounded())
            let factor = RouteCrowd([HeatCell(x: place.x, y: place.y, people: people)]).factor(place, aversion: 1)
            #expect(abs(1340 / Double(factor) - speed) < 0.015, "\(density)")
        }
        #expect(RouteCrowd([HeatCell(x: place.x, y: place.y, people: .max)]).factor(place, aversion: 4) == 10_000)
        #expect(RouteCrowd.none.factor(place, aversion: 4) == 1000)
    }

    @Test("A closure holds for its time")
    func closures() {
        let closures = RouteClosures([
            RouteClosure("way/1", from: Timestamp(milliseconds: 10), until: Timestamp(milliseconds: 20)),
            RouteClosure("node/2"),
        ])
        #expect(closures.closed(at: Timestamp(milliseconds: 9)) == ["node/2"])
        #expect(closures.closed(at: Timestamp(milliseconds: 10)) == ["node/2", "way/1"])
        #expect(closures.closed(at: Timestamp(milliseconds: 20)) == ["node/2"])
        #expect(closures.nextChange(after: Timestamp(milliseconds: 10)) == Timestamp(milliseconds: 20))
        #expect(closures.nextChange(after: Timestamp(milliseconds: 20)) == nil)
    }
}
