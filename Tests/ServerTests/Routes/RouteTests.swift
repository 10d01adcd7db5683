import Campus
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Services

/// One server for the tests that close nothing.
private enum Quiet {
    private static let task = Task { try await RouteStage.start() }
    static var stage: RouteStage { get async throws { try await task.value } }
}

@Suite("Routes, over the wire (N-1, N-3)")
struct RouteTests {
    @Test("A guest finds the way to a room by its door, with directions whose points lie on the line")
    func room() async throws {
        let stage = try await Quiet.stage
        let guest = try await ChatClient(stage.server)
        let before = Timestamp.now
        let route = try #require(
            try await guest.call(
                RoutesFind.self, .init(from: try RouteStage.gate(), to: try stage.room(RouteStage.upperRoom))
            ).routes.first)
        #expect(route.entry == .door && route.reasons == [.fastest])
        #expect(route.points.first?.level == nil && route.points.last?.level == "3")
        #expect(route.legs.map(\.first).first == 0 && route.legs.allSatisfy { $0.first <= $0.last })
        #expect(route.legs.allSatisfy { route.points.indices.contains($0.last) && !$0.text.isEmpty })
        #expect(route.legs.contains { $0.turn == .enter && $0.building == "Weaver Library" })
        #expect(route.seconds > 60 && route.metres > 100)
        #expect(abs(route.arrival.seconds(since: before) - route.seconds) < 60)
        #expect(abs(route.legs.reduce(0) { $0 + $1.metres } - route.metres) < 2)
    }

    @Test("Preferences hold: a step-free route has no steps, and a slow walker takes longer")
    func preferences() async throws {
        let stage = try await Quiet.stage
        let guest = try await ChatClient(stage.server)
        func route(_ preferences: RoutePreferences?) async throws -> RouteInfo {
            try #require(
                try await guest.call(
                    RoutesFind.self,
                    .init(
                        from: try RouteStage.gate(), to: try stage.room(RouteStage.upperRoom), preferences: preferences)
                ).routes.first)
        }
        let (usual, stepFree) = (try await route(nil), try await route(.init(stepFree: true)))
        #expect(!stepFree.hasSteps && !stepFree.lifts.isEmpty)
        #expect(stepFree.seconds >= usual.seconds)
        #expect(try await route(.init(speed: 0.7)).seconds > usual.seconds * 1.4)
        #expect(try await route(.init(speed: 1.34)).seconds == usual.seconds)
        #expect(!(try await route(.init(noStairs: true))).hasSteps)
    }

    @Test("Alternatives differ, the first is the best, and each says why it is there")
    func alternatives() async throws {
        let stage = try await Quiet.stage
        let guest = try await ChatClient(stage.server)
        let routes = try await guest.call(
            RoutesFind.self,
            .init(from: try RouteStage.gate(), to: try stage.room(RouteStage.upperRoom), alternatives: true)
        ).routes
        #expect((2...3).contains(routes.count))
        #expect(Set(routes.map { "\($0.points)" }).count == routes.count)
        #expect(routes.first?.reasons.contains(.fastest) == true)
        #expect(routes.allSatisfy { !$0.reasons.isEmpty || $0.seconds > routes[0].seconds })
        #expect(routes.contains { $0.reasons.contains(.stepFree) && !$0.hasSteps })
    }

    @Test("Buildings, places, zones and positions are destinations, and a building with floors is entered")
    func destinations() async throws {
        let stage = try await Quiet.stage
        let guest = try await ChatClient(stage.server)
        let database = try await stage.server.database()
        defer { database.close() }
        for (kind, sql) in [
            ("building", "SELECT min(id) AS id FROM buildings"),
            ("place", "SELECT min(id) AS id FROM places WHERE name IS NOT NULL"),
            ("zone", "SELECT min(id) AS id FROM zones"),
        ] {
            let id = try await database.query(sql)[0].int("id")
            let result = try await guest.call(
                RoutesFind.self, .init(from: try RouteStage.gate(), to: .init(destination: "\(kind)/\(id)")))
            #expect(result.routes.count == 1, "\(kind)")
            #expect((result.routes.first?.entry == .point) == (kind == "zone"), "\(kind)")
        }
    }

    @Test("What is wrong has a clear message with the field, and the next request works")
    func badInput() async throws {
        let stage = try await Quiet.stage
        let guest = try await ChatClient(stage.server)
        let gate = try RouteStage.gate()
        let room = try stage.room(RouteStage.upperRoom)
        func refusal(_ from: RouteEndParams, _ to: RouteEndParams, _ preferences: RoutePreferences? = nil) async throws
            -> RPCError?
        {
            try await guest.refusal(RoutesFind.self, .init(from: from, to: to, preferences: preferences))
        }
        // Start outside the campus; unknown room; start equals destination; nonexistent level.
        var error = try #require(try await refusal(.init(lat: 10, lon: 10), room))
        #expect(error.code == -32602 && error.data?.field == "from" && error.message.contains("outside the campus"))
        error = try #require(try await refusal(gate, .init(destination: "room/999999")))
        #expect(error.code == 1003 && error.data?.field == "to" && error.message.contains("search for it again"))
        error = try #require(try await refusal(room, room))
        #expect(error.code == -32602 && error.data?.field == "to" && error.message.contains("is the destination"))
        error = try #require(try await refusal(.init(lat: gate.lat, lon: gate.lon, level: "77"), room))
        #expect(error.data?.field == "from" && error.message.contains("level 77"))
        // The gate is no building.
        error = try #require(try await refusal(.init(lat: gate.lat, lon: gate.lon, level: "1"), room))
        #expect(error.code == -32602 && error.message.contains("level 1 is not here"), "\(error)")
        for end in [
            RouteEndParams(), .init(destination: "room/1", lat: 51, lon: 8), .init(lat: 51), .init(lon: 8),
            .init(destination: "room"), .init(destination: "room/-1"), .init(destination: "room/1/2"),
            .init(destination: "cellar/1"), .init(destination: "room/9999999999999999999"),
            .init(destination: String(repeating: "9", count: 10_000)), .init(lat: gate.lat, lon: gate.lon, level: "up"),
            .init(lat: gate.lat, lon: gate.lon, level: "9999"),
        ] {
            error = try #require(try await refusal(gate, end), "\(end)")
            #expect(error.code == -32602 && error.data?.field == "to", "\(end): \(error)")
        }
        for speed in [0, 0.29, 3.1, -1, 1e300] {
            error = try #require(try await refusal(gate, room, .init(speed: speed)))
            #expect(error.data?.field == "preferences.speed" || error.message.contains("speed"), "\(error)")
        }
        #expect(try await guest.refusal(RoutesFind.self, .init(from: gate, to: room)) == nil)
    }

    @Test("Places nearby are not listed from where no way begins, and the refusal says why")
    func nearby() async throws {
        let stage = try await Quiet.stage
        let guest = try await ChatClient(stage.server)
        let origin = SampleCampus.origin
        func refusal(_ lat: Double, _ lon: Double, _ level: String?) async throws -> RPCError? {
            try await guest.refusal(PlacesNearby.self, .init(lat: lat, lon: lon, level: level))
        }
        var error = try #require(try await refusal(10, 10, nil))
        #expect(error.code == -32602 && error.data?.field == "lat" && error.message.contains("outside the campus"))
        error = try #require(try await refusal(origin.latitude, origin.longitude, "-1"))
        #expect(error.code == -32602 && error.data?.field == "level" && error.message.contains("level -1 is not here"))
        for level in ["", "up", "9999", "-1; 2"] {
            error = try #require(try await refusal(origin.latitude, origin.longitude, level), "\(level)")
            #expect(error.code == -32602 && error.data?.field == "level", "\(level): \(error)")
        }
        #expect(try await refusal(origin.latitude, origin.longitude, "0") == nil)
    }

    @Test("An event leads to its position for those who may see it, and is no event for others")
    func event() async throws {
        let stage = try await Quiet.stage
        let owner = try await ChatPerson(stage.server)
        let gate = try RouteStage.gate()
        let created = try await owner.client.call(
            EventsCreate.self,
            .init(
                id: UUID().uuidString, audience: .private,
                details: .init(
                    title: "Picnic", startsAt: Timestamp.now.advanced(bySeconds: 86_400), duration: 3_600,
                    place: .init(name: "Gate", lat: gate.lat, lon: gate.lon)), publish: true))
        let from = try stage.room(RouteStage.upperRoom)
        let to = RouteEndParams(event: created.id)
        #expect(try await owner.client.call(RoutesFind.self, .init(from: from, to: to)).routes.first?.entry == .point)
        let stranger = try await ChatPerson(stage.server)
        let guest = try await ChatClient(stage.server)
        for client in [stranger.client, guest] {
            let refusal = try #require(try await client.refusal(RoutesFind.self, .init(from: from, to: to)))
            let unknown = try #require(
                try await client.refusal(RoutesFind.self, .init(from: from, to: .init(event: 9_000_000))))
            #expect(refusal == unknown && refusal.code == 1003)
        }
    }

    @Test("Without paths, and with a network that cannot be read, requests say so and the server goes on")
    func noNetwork() async throws {
        let server = try await TestServer.start()
        let guest = try await ChatClient(server)
        let gate = try RouteStage.gate()
        let request = RoutesFind.Params(from: gate, to: .init(lat: 51.5, lon: 8))
        var error = try #require(try await guest.refusal(RoutesFind.self, request))
        #expect(error.code == 1004 && error.message.contains("no paths yet"), "\(error)")
        let database = try await server.database()
        _ = try await database.query("INSERT INTO campus_networks VALUES (0, 7, '\\x0102')")
        database.close()
        try await server.server?.reloadCampus()
        error = try #require(try await guest.refusal(RoutesFind.self, request))
        #expect(error.code == 1004 && error.message.contains("cannot be used"), "\(error)")
        _ = try await server.server?.campusStore.store(SampleCampus.document, name: nil)
        try await server.server?.reloadCampus()
        #expect(try await guest.refusal(RoutesFind.self, .init(from: gate, to: .init(lat: 51.5, lon: 8.001))) == nil)
        await server.stop()
    }

    @Test("The floor plans of a building have its rooms, lifts and doors, the lowest level first")
    func floors() async throws {
        let stage = try await Quiet.stage
        let guest = try await ChatClient(stage.server)
        let database = try await stage.server.database()
        defer { database.close() }
        let library = try await database.query("SELECT id FROM buildings WHERE name = 'Weaver Library'")[0].int("id")
        let floors = try await guest.call(PlacesFloors.self, .init(building: library)).floors
        #expect(floors.map { Double($0.level) ?? 0 } == floors.map { Double($0.level) ?? 0 }.sorted())
        #expect(floors.contains { $0.level == "-1" } && floors.contains { $0.level == "3" })
        let third = try #require(floors.first { $0.level == "3" })
        let room = try #require(third.rooms.first { $0.code == RouteStage.upperRoom })
        #expect(room.id == stage.rooms[RouteStage.upperRoom] && room.kind == .room)
        #expect(room.lines.allSatisfy { $0.count >= 4 && $0.first == $0.last })
        #expect(third.rooms.contains { $0.kind == .lift } && !third.doors.isEmpty)
        let refusal = try #require(try await guest.refusal(PlacesFloors.self, .init(building: 999_999)))
        #expect(refusal.code == 1003 && refusal.data?.field == "building")
    }
}
