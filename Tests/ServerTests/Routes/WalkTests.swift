import Foundation
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Services

@Suite("Live routes and closures, over the wire (B-9)")
struct WalkTests {
    private func walk(
        _ client: ChatClient, _ stage: RouteStage, to code: String = RouteStage.upperRoom, stepFree: Bool = true
    ) async throws -> Walk {
        try await client.call(
            RoutesWalk.self,
            .init(
                from: try RouteStage.gate(), to: try stage.room(code),
                preferences: stepFree ? .init(stepFree: true) : nil))
    }

    /// Objects that can be closed, by the name of a lift.
    private func lift(_ name: String, _ admin: ChatClient) async throws -> ClosableObject {
        let objects = try await admin.call(AdminClosable.self, .init(text: "\(name) weaver")).objects
        return try #require(objects.first { $0.kind == .lift })
    }

    @Test(
        "A broken lift gives each affected walk a valid route at once, with the reason, and its repair the better one; others receive nothing"
    )
    func breakAndRepair() async throws {
        let stage = try await RouteStage.start()
        let admin = try await Official(stage.server, .admin)
        let (stepFree, cutOff, byStairs) = (
            try await ChatClient(stage.server), try await ChatClient(stage.server), try await ChatClient(stage.server)
        )
        let first = try await walk(stepFree, stage)
        let used = try #require(first.route?.lifts.first)
        let other = used == "Lift A" ? "Lift B" : "Lift A"
        let basement = try await walk(cutOff, stage, to: RouteStage.basement)
        let stairs = try await walk(byStairs, stage, stepFree: false)
        #expect(stairs.route?.lifts.isEmpty == true)
        let until = Timestamp.now.advanced(bySeconds: 86_400)
        let object = try await lift(used, admin.client)
        let closure = try await admin.client.call(
            AdminSaveClosure.self,
            .init(id: UUID().uuidString, object: object.object, reason: "Repair", until: until))
        #expect(closure.name == object.name && closure.by == admin.username)
        let closed = try await stepFree.update(of: first.walk, version: 2)
        #expect(closed.reason == .init(kind: .closed, object: object.name, until: closure.until, note: "Repair"))
        #expect(closed.route?.lifts == [other] && closed.route?.hasSteps == false && closed.message == nil)
        // The basement has Lift A alone.
        if used == "Lift A" {
            let end = try await cutOff.update(of: basement.walk, version: 2)
            #expect(end.route == nil && end.message?.contains("step-free") == true)
        }
        // Guests see what is closed, but not by whom.
        let shown = try await byStairs.call(RoutesClosures.self, Empty()).closures
        #expect(shown.map(\.object) == [object.object] && shown.first?.by == nil && shown.first?.reason == "Repair")
        #expect(try await admin.client.call(AdminClosures.self, Empty()).closures.first?.by == admin.username)
        // A walk that begins now has the detour, and gets the better route, too.
        let late = try await ChatClient(stage.server)
        let second = try await walk(late, stage)
        #expect(second.route?.lifts == [other])

        _ = try await admin.client.call(AdminEndClosure.self, .init(closure: closure.id))
        let opened = try await stepFree.update(of: first.walk, version: 3)
        #expect(opened.reason == .init(kind: .opened, object: object.name))
        #expect(opened.route?.lifts == [used] && opened.route?.points == first.route?.points)
        #expect(try await late.update(of: second.walk, version: 2).route?.lifts == [used])
        if used == "Lift A" {
            #expect(try await cutOff.update(of: basement.walk, version: 3).route?.lifts == ["Lift A"])
        }
        // A reply after all publications: what is not here was not sent.
        _ = try await byStairs.call(RoutesClosures.self, Empty())
        #expect(byStairs.updates(of: stairs.walk).isEmpty)
        #expect(stepFree.updates(of: first.walk).count == 2)
        await stage.stop()
    }

    @Test("A connection has one walk, also after it has unsubscribed from it")
    func oneWalk() async throws {
        let stage = try await RouteStage.start()
        let client = try await ChatClient(stage.server)
        var walks: [String] = []
        for _ in 0..<3 {
            let walk = try await walk(client, stage)
            walks.append(walk.walk)
            _ = try await client.call(Unsubscribe.self, .init(topic: walk.topic))
        }
        for former in walks.dropLast() {
            #expect(try await client.refusal(RoutesResume.self, .init(walk: former))?.code == 1003)
        }
        #expect(try await client.call(RoutesResume.self, .init(walk: walks[2])).route != nil)
        await stage.stop()
    }

    @Test("A place stays a door after somebody has edited its page, and is a point once an admin has moved it")
    func editedPlace() async throws {
        let stage = try await RouteStage.start()
        let admin = try await Official(stage.server, .admin)
        let guest = try await ChatClient(stage.server)
        let place = try #require(try await guest.call(PlacesList.self, .init(text: "Refectory")).places.first)
        func entry() async throws -> RouteEntry? {
            try await guest.call(
                RoutesFind.self, .init(from: try RouteStage.gate(), to: .init(destination: "place/\(place.id)"))
            ).routes.first?.entry
        }
        let before = try await entry()
        #expect(before != .point)
        _ = try await admin.client.call(PlacesEdit.self, .init(place: place.id, menu: "Soup"))
        #expect(try await entry() == before)
        _ = try await admin.client.call(
            AdminSavePlace.self,
            .init(place: place.id, name: "Refectory", class: place.class, lat: place.lat + 0.0002, lon: place.lon))
        #expect(try await entry() == .point)
        await stage.stop()
    }

    @Test("Saving a closure twice is one, it is in the audit log, and each wrong request says what to do")
    func administration() async throws {
        let stage = try await RouteStage.start()
        let admin = try await Official(stage.server, .admin)
        let object = try await lift("Lift B", admin.client)
        let params = AdminSaveClosure.Params(id: UUID().uuidString, object: object.object, reason: "Out of order")
        let closure = try await admin.client.call(AdminSaveClosure.self, params)
        #expect(try await admin.client.call(AdminSaveClosure.self, params) == closure)
        #expect(try await admin.client.call(AdminClosures.self, Empty()).closures == [closure])
        for _ in 0..<2 { _ = try await admin.client.call(AdminEndClosure.self, .init(closure: closure.id)) }
        // An ended one is listed with its end.
        let ended = try await admin.client.call(AdminClosures.self, Empty()).closures
        #expect(ended.map(\.id) == [closure.id] && ended.allSatisfy { $0.until.map { $0 <= .now } ?? false })
        #expect(try await admin.client.call(RoutesClosures.self, Empty()).closures.isEmpty)
        let entries = try await admin.client.call(AdminAudit.self, .init()).entries
            .filter { $0.action.hasPrefix("closure.") }
        #expect(entries.map(\.action) == ["closure.end", "closure.add"])
        #expect(entries.allSatisfy { $0.subject?.name == object.name })
        let now = Timestamp.now
        for (params, field, code) in [
            (AdminSaveClosure.Params(id: "x", object: object.object), "id", -32602),
            (.init(id: UUID().uuidString, object: "way/1"), "object", 1003),
            (.init(id: UUID().uuidString, object: String(repeating: "x", count: 5_000)), "object", 1003),
            (
                .init(id: UUID().uuidString, object: object.object, reason: String(repeating: "x", count: 121)),
                "reason",
                -32602
            ),
            (.init(id: UUID().uuidString, object: object.object, until: now.advanced(bySeconds: -10)), "until", -32602),
            (
                .init(
                    id: UUID().uuidString, object: object.object, from: now.advanced(bySeconds: 20),
                    until: now.advanced(bySeconds: 10)), "until", -32602
            ),
            (
                .init(id: UUID().uuidString, object: object.object, until: now.advanced(bySeconds: 1e9)), "until",
                -32602
            ),
            (.init(id: closure.id, object: object.object), "id", 1004),
        ] {
            let refusal = try #require(try await admin.client.refusal(AdminSaveClosure.self, params), "\(params)")
            #expect(refusal.code == code && refusal.data?.field == field, "\(refusal)")
        }
        let unknown = try await admin.client.refusal(AdminEndClosure.self, .init(closure: UUID().uuidString))
        #expect(unknown?.code == 1003)
        let student = try await ChatPerson(stage.server)
        #expect(try await student.client.refusal(AdminSaveClosure.self, params)?.code == 1002)
        #expect(try await student.client.refusal(AdminClosures.self, Empty())?.code == 1002)
        await stage.stop()
    }

    @Test("A walk goes on at another connection of its owner after the first was lost, with the route of meanwhile")
    func resumption() async throws {
        let stage = try await RouteStage.start()
        let (admin, owner) = (try await Official(stage.server, .admin), try await ChatPerson(stage.server))
        let first = try await walk(owner.client, stage)
        let used = try #require(first.route?.lifts.first)
        owner.client.close()
        let object = try await lift(used, admin.client)
        _ = try await admin.client.call(AdminSaveClosure.self, .init(id: UUID().uuidString, object: object.object))
        let again = try await ChatClient(stage.server, token: owner.token)
        let resumed = try await eventually("the detour") {
            let walk = try await again.call(RoutesResume.self, .init(walk: first.walk))
            return walk.version == 2 ? walk : nil
        }
        #expect(resumed.walk == first.walk && resumed.route?.lifts != [used])
        // A new walk of the connection ends this one.
        let second = try await walk(again, stage)
        #expect(try await again.refusal(RoutesResume.self, .init(walk: first.walk))?.code == 1003)
        _ = try await again.call(RoutesEnd.self, .init(walk: second.walk))
        _ = try await again.call(RoutesEnd.self, .init(walk: second.walk))
        #expect(try await again.refusal(RoutesMove.self, .init(walk: second.walk, lat: 51.5, lon: 8))?.code == 1003)
        await stage.stop()
    }

    @Test("Off the route a walk gets another one from there; a position that cannot be used changes nothing")
    func move() async throws {
        let stage = try await RouteStage.start()
        let guest = try await ChatClient(stage.server)
        let first = try await walk(guest, stage)
        let middle = try #require(first.route.map { $0.points[$0.points.count / 3] })
        let moved = try await guest.call(
            RoutesMove.self, .init(walk: first.walk, lat: middle.lat, lon: middle.lon, level: middle.level, accuracy: 8)
        )
        #expect(moved.version == 2 && (moved.route?.seconds ?? .infinity) < (first.route?.seconds ?? 0))
        for (params, field) in [
            (RoutesMove.Params(walk: first.walk, lat: 1, lon: 1), "lat"),
            (.init(walk: first.walk, lat: middle.lat, lon: middle.lon, level: "upstairs"), "level"),
            (.init(walk: first.walk, lat: middle.lat, lon: middle.lon, accuracy: 5_000), "accuracy"),
            (.init(walk: "nonsense", lat: middle.lat, lon: middle.lon), "walk"),
        ] {
            let refusal = try #require(try await guest.refusal(RoutesMove.self, params))
            #expect(refusal.data?.field == field, "\(refusal)")
        }
        #expect(try await guest.call(RoutesResume.self, .init(walk: first.walk)).version == 2)
        await stage.stop()
    }

    @Test("A closure at one node gives walks at another node new routes")
    func nodes() async throws {
        let nodes = try await TwoNodes.start(pollInterval: .seconds(600))
        _ = try await nodes.first.server?.campusStore.store(RouteStage.campus, name: nil)
        for node in [nodes.first, nodes.second] { try await node.server?.reloadCampus() }
        let (first, second) = (try await RouteStage(nodes.first), try await RouteStage(nodes.second))
        let admin = try await Official(first.server, .admin)
        let guest = try await ChatClient(second.server)
        let walk = try await walk(guest, second)
        let object = try await lift(try #require(walk.route?.lifts.first), admin.client)
        let closure = try await admin.client.call(
            AdminSaveClosure.self, .init(id: UUID().uuidString, object: object.object))
        #expect(try await guest.update(of: walk.walk, version: 2).reason.object == object.name)
        _ = try await admin.client.call(AdminEndClosure.self, .init(closure: closure.id))
        #expect(try await guest.update(of: walk.walk, version: 3).reason.kind == .opened)
        await nodes.stop()
    }
}
