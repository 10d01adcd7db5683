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
        // The running track is a part of its own.
        #expect(graph.partSizes.sorted().dropLast().allSatisfy { $0 < 40 }, "\(graph.partSizes)")
        #expect(graph.partSizes.count == 2)
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
        // What each lift alone leads to: the library's stacks, the upper floors of two buildings, the tower's top.
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
