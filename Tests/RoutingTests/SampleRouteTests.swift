import Campus
import Testing

@testable import Routing

/// The sample campus's floors and paths.
@Suite("Routes of the sample campus")
struct SampleRouteTests {
    private static let westGate = RouteEnd.object("node/-10")
    /// Rooms by their code.
    private static let rooms = Dictionary(
        uniqueKeysWithValues: SampleCampus.network.compactMap { object in
            object.tags["indoor"] == "room" ? object.tags["ref"].map { ($0, object.sourceID) } : nil
        })
    private static let lifts = SampleCampus.document.places.filter { $0.kind == "lift" }.map(\.sourceID)

    /// The room codes that a search tree reaches.
    private static func reached(_ weights: RouteWeights) throws -> Set<String> {
        // The trees lead to the gate; all paths on the sample lead in both directions.
        let tree = try RouteTree(to: westGate, weights)
        return Set(rooms.filter { (try? tree.route(from: .object($0.value))) != nil }.keys)
    }

    @Test(
        "The paths, buildings and floors are one network, and its buildings, ways and lifts are those of the document")
    func connected() throws {
        let graph = try RoutingData.sample.get().graph
        #expect(graph.partSizes.count == 1, "\(graph.partSizes)")
        let ids = SampleCampus.network.map(\.sourceID)
        #expect(Set(ids).count == ids.count)
        let document = SampleCampus.document
        let known = Set(ids)
        for id in document.buildings.map(\.sourceID) + document.ways.map(\.sourceID) + document.places.map(\.sourceID) {
            #expect(known.contains(id), "\(id)")
        }
        for building in document.buildings { #expect(graph.destinations[building.sourceID] != nil, "\(building)") }
        for place in document.places where place.name != nil || place.kind == "lift" {
            #expect(graph.destinations[place.sourceID] != nil, "\(place)")
        }
    }

    @Test("Step-free routes from anywhere on a level have no leg of stairs, even across the landing of a staircase")
    func landings() throws {
        let graph = try RoutingData.sample.get().graph
        let weights = RouteWeights(graph, profile: RouteProfile(isStepFree: true))
        let starts = graph.vertices.filter { $0.level != nil }.compactMap { vertex in
            vertex.point.point.map { RouteEnd.point($0, level: vertex.level) }
        }
        var crossings = 0
        var withStairs: [String] = []
        for id in Self.rooms.values.sorted().prefix(12) {
            let tree = try RouteTree(to: .object(id), weights)
            for start in starts {
                guard let route = try? tree.route(from: start) else { continue }
                if route.legs.contains(where: { $0.kind == .steps }) {
                    withStairs.append("\(start): \(route.legs.map(\.text))")
                }
                crossings +=
                    route.edges.contains { graph.features[Int(graph.edgeFeatures[Int($0)])].kind == .stairs } ? 1 : 0
            }
        }
        #expect(withStairs.isEmpty, "\(withStairs.count), such as \(withStairs.prefix(3))")
        #expect(crossings > 0)
    }

    @Test("Every room is reached at a door on its own level, by stairs or lifts, and without steps")
    func everyRoom() throws {
        let graph = try RoutingData.sample.get().graph
        #expect(Self.rooms.count > 100)
        let levels = Dictionary(
            uniqueKeysWithValues: SampleCampus.network.map { ($0.sourceID, $0.tags["level"] ?? "") })
        var finder = RouteFinder()
        for profile in [RouteProfile(), RouteProfile(isStepFree: true), RouteProfile(avoidsStairs: true)] {
            let weights = RouteWeights(graph, profile: profile)
            for (code, id) in Self.rooms {
                let route = try finder.route(from: Self.westGate, to: .object(id), weights)
                #expect(route.entry == .door, "\(code)")
                #expect(route.points.last?.level?.description == levels[id], "\(code)")
                #expect(route.milliseconds < 30 * 60_000, "\(code)")
                guard profile != RouteProfile() else { continue }
                #expect(!route.legs.contains { $0.kind == .steps }, "\(code): \(route.legs.map(\.text))")
            }
        }
    }

    @Test("Every building and named place is reached from the gate, and so is the running track")
    func everyPlace() throws {
        let graph = try RoutingData.sample.get().graph
        let weights = RouteWeights(graph)
        var finder = RouteFinder()
        let document = SampleCampus.document
        let ids =
            document.buildings.map(\.sourceID)
            + document.places.filter { $0.name != nil && $0.sourceID != "node/-10" }.map(\.sourceID)
        for id in ids {
            #expect(throws: Never.self, "\(id)") {
                try finder.route(from: Self.westGate, to: .object(id), weights)
            }
        }
        let track = try #require(document.ways.first { $0.name == "Running Track" })
        for point in track.line {
            #expect(throws: Never.self) { try finder.route(from: Self.westGate, to: .point(point), weights) }
        }
    }

    @Test("A level is that of the building around: in the open there is only the ground, in the library no level 8")
    func levels() throws {
        let graph = try RoutingData.sample.get().graph
        let weights = RouteWeights(graph)
        var finder = RouteFinder()
        let library = try #require(SampleCampus.document.buildings.first { $0.name == "Weaver Library" })
        let destination = RouteEnd.object(library.sourceID)
        func start(_ east: Double, _ north: Double, _ level: Int?) -> RouteEnd {
            .point(Sketch.point(east, north), level: level.flatMap { Level(thousandths: $0 * 1000) })
        }
        let route = try finder.route(from: start(0, 0, nil), to: destination, weights)
        #expect(try finder.route(from: start(0, 0, 0), to: destination, weights) == route)
        let basement = try #require(Level(thousandths: -1000))
        #expect(throws: RouteError.unknownLevel(.start, basement, known: [])) {
            try finder.route(from: start(0, 0, -1), to: destination, weights)
        }
        // In the library's south wing.
        for level in -1...4 {
            let hits = try weights.locate(start(-20, 130, level), .start).hits
            #expect(!hits.isEmpty && hits.allSatisfy { library.polygons[0].box.contains($0.point) }, "\(level)")
        }
        let error = #expect(throws: RouteError.self) {
            try finder.route(from: start(-20, 130, 8), to: Self.westGate, weights)
        }
        #expect(
            error?.description.hasPrefix("level 8 is not here: levels -1, 0, 1, 2, 3, 4 are") == true, "\(error as Any)"
        )
    }

    @Test("A step-free route leads in at the level entrance and by a lift, the quickest one up the steps and stairs")
    func directions() throws {
        let graph = try RoutingData.sample.get().graph
        var finder = RouteFinder()
        let start = RouteEnd.object("way/-13")
        let room = RouteEnd.object(try #require(Self.rooms["2103.01.106"]))
        let quick = try finder.route(from: start, to: room, RouteWeights(graph))
        let stepFree = try finder.route(
            from: start, to: room, RouteWeights(graph, profile: RouteProfile(isStepFree: true)))
        let (texts, others) = (quick.legs.map(\.text), stepFree.legs.map(\.text))
        #expect(texts.contains { $0.hasPrefix("in at the Bell Walk entrance of Weaver Library") }, "\(texts)")
        #expect(texts.contains("take the stairs up to level 1"), "\(texts)")
        #expect(others.contains { $0.hasPrefix("in at the north entrance of Weaver Library") }, "\(others)")
        #expect(others.contains("take the lift to level 1"), "\(others)")
        #expect(quick.milliseconds < stepFree.milliseconds)
    }

    @Test("A broken lift sends people to another lift, or ends their route where there is none, and stairs stay")
    func brokenLifts() throws {
        let graph = try RoutingData.sample.get().graph
        let (all, stepFree) = (RouteWeights(graph), RouteWeights(graph, profile: RouteProfile(isStepFree: true)))
        // Parts that each lift alone leads to: the library's stacks, the upper floors of two buildings, the tower's top.
        let cutOff: [(name: String, codes: (String) -> Bool)] = [
            ("Lift A", { $0.hasPrefix("2103.B1") }), ("Lift B", { _ in false }),
            ("Founders Hall", { $0.hasPrefix("1101.") && !$0.hasPrefix("1101.00") }),
            ("Chemistry Building", { $0.hasPrefix("5508.") && !$0.hasPrefix("5508.00") }),
            ("Lift 1", { code in ["07", "08", "09", "10"].contains { code.hasPrefix("5301.\($0)") } }),
            ("Lift 2", { _ in false }),
        ]
        #expect(Self.lifts.count == cutOff.count)
        for (lift, expected) in zip(Self.lifts, cutOff) {
            let missing = Set(Self.rooms.keys).subtracting(try Self.reached(stepFree.closing([lift])))
            #expect(missing == Set(Self.rooms.keys.filter(expected.codes)), "\(expected.name): \(missing.sorted())")
            #expect(try Self.reached(all.closing([lift])).count == Self.rooms.count, "\(expected.name)")
        }
        #expect(try Self.reached(stepFree).count == Self.rooms.count)
        // With Lift A, Lift B takes people to the same room, on a longer way.
        var finder = RouteFinder()
        let room = RouteEnd.object(try #require(Self.rooms["2103.03.201"]))
        let open = try finder.route(from: Self.westGate, to: room, stepFree)
        let used = try #require(open.legs.first { $0.kind == .lift }?.name)
        let closed = try #require(
            Self.lifts.first { id in graph.features.contains { $0.sourceID == id && $0.name == used } })
        let detour = try finder.route(from: Self.westGate, to: room, stepFree.closing([closed]))
        #expect(!open.isOpen(in: stepFree.closing([closed])))
        #expect(detour.cost > open.cost)
        let other = try #require(detour.legs.first { $0.kind == .lift }?.name)
        #expect([used, other].sorted() == ["Lift A", "Lift B"])
    }
}
