import CampanileClient
import Campus
import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Server

@Suite("Places and zones, marked by admins")
struct PlaceTests {
    private func middle(_ server: TestServer) async throws -> (lat: Double, lon: Double) {
        let client = try await ChatClient(server)
        let box = try #require(try await client.call(CampusInfoGet.self, Empty()).bounds)
        return ((box.south + box.north) / 2, (box.west + box.east) / 2)
    }

    /// A box of so many degrees around a position, as a ring.
    private func ring(_ lat: Double, _ lon: Double, _ half: Double) -> [[Double]] {
        [(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)].map { [lon + $0.0 * half, lat + $0.1 * half] }
    }

    @Test(
        "A place that an admin marks is found by guests, twice sent is one, and an import neither changes nor removes it, nor brings back what was removed"
    )
    func places() async throws {
        let server = try await TestServer.start()
        let admin = try await Official(server, .admin)
        let (guest, at) = (try await ChatClient(server), try await middle(server))
        let imported = try #require(try await guest.call(PlacesList.self, .init(limit: 1)).places.first)
        let version = try await guest.call(CampusInfoGet.self, Empty()).version
        let params = AdminSavePlace.Params(
            id: UUID().uuidString, name: "Tea <b>100%</b>", class: "cafe", lat: at.lat, lon: at.lon, details: "9-17")
        let place = try await admin.client.call(AdminSavePlace.self, params)
        let again = try await admin.client.call(AdminSavePlace.self, params)
        #expect(place.edited && place == again)
        #expect(try await guest.call(PlacesList.self, .init(text: "100% TEA")).places == [place])
        #expect(try await guest.call(PlacesList.self, .init(text: "100_ tea")).places.isEmpty)
        #expect(try await guest.call(CampusInfoGet.self, Empty()).version != version)
        _ = try await admin.client.call(AdminDeletePlace.self, .init(place: imported.id))
        #expect(try await admin.client.refusal(AdminDeletePlace.self, .init(place: imported.id))?.code == 1003)

        _ = try await server.server?.campusStore.store(SampleCampus.document, name: nil)
        try await server.server?.reloadCampus()
        #expect(try await guest.call(PlacesList.self, .init(text: "tea")).places == [place])
        let left = try await guest.call(PlacesList.self, .init(limit: 200)).places
        #expect(!left.contains { $0.id == imported.id || $0.name == imported.name })
        let outside = try await admin.client.refusal(
            AdminSavePlace.self, .init(id: UUID().uuidString, name: "Far", class: "cafe", lat: 0, lon: 0))
        #expect(outside?.code == -32602 && outside?.message.contains("outside the campus") == true)
        await server.stop()
    }

    @Test(
        "A zone must be closed, simple, within the campus, neither tiny nor of too many corners, and every refusal says so"
    )
    func shapes() async throws {
        let server = try await Shared.server
        let admin = try await Official(server, .admin)
        let at = try await middle(server)
        func refusal(_ rings: [[[Double]]], type: String = "Polygon") async throws -> String {
            let params = AdminSaveZone.Params(
                ref: "T-1", name: "Test", polygon: .init(type: type, coordinates: rings))
            let error = try await admin.client.refusal(AdminSaveZone.self, params)
            #expect(error?.code == -32602)
            return error?.message ?? ""
        }
        let box = ring(at.lat, at.lon, 0.001)
        #expect(try await refusal([Array(box.dropLast())]).contains("polygon.coordinates"))
        #expect(try await refusal([[box[0], box[2], box[1], [at.lon - 0.001, at.lat], box[0]]]).contains("cross"))
        #expect(try await refusal([ring(10, 10, 0.001)]).contains("outside the campus"))
        #expect(try await refusal([ring(at.lat, at.lon, 0.00001)]).contains("m² large"))
        #expect(try await refusal([Array(repeating: box[0], count: 1_001)]).contains("simplify"))
        #expect(try await refusal([box], type: "Point").contains("must be Polygon"))
        #expect(try await refusal([]).contains("polygon.coordinates"))
        #expect(try await refusal([[[at.lon]]]).contains("polygon.coordinates"))
        let missing = try await admin.client.refusal(AdminSaveZone.self, .init(ref: "T-1", name: "Test"))
        #expect(missing?.message.contains("draw it") == true)
    }

    /// A rectangle whose south-west corner is in the middle of the campus, as a ring.
    private func rectangle(eastMetres: Double, northMetres: Double) -> [[Double]] {
        [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)].map { (east: Double, north: Double) in
            let corner = SampleCampus.origin.offset(eastMetres: east * eastMetres, northMetres: north * northMetres)
            return [corner.longitude, corner.latitude]
        }
    }

    @Test(
        "A zone that would locate one person is refused: a small one, and a strip however long",
        arguments: [(9.0, 13.0, "m² large"), (60, 60, "m² large"), (20, 300, "too narrow"), (300, 35, "too narrow")])
    func small(eastMetres: Double, northMetres: Double, says: String) async throws {
        let server = try await Shared.server
        let admin = try await Official(server, .admin)
        let ring = rectangle(eastMetres: eastMetres, northMetres: northMetres)
        let params = AdminSaveZone.Params(
            ref: TestServer.newName("Z"), name: "Small", polygon: ZoneShape(type: "Polygon", coordinates: [ring]))
        let error = try await admin.client.refusal(AdminSaveZone.self, params)
        #expect(error?.code == -32602 && error?.message.contains(says) == true, "\(error?.message ?? "it was drawn")")
    }

    @Test(
        "A zone that is removed lets its runners go and closes its topics, on both nodes; an import does not bring it back"
    )
    func removed() async throws {
        let nodes = try await TwoNodes.start(pollInterval: .seconds(3_600))
        let admin = try await Official(nodes.first, .admin)
        let run = try await TestRun(on: nodes.first)
        let point = try #require(await run.next(1).first)
        let located = try await admin.client.call(CampusLocate.self, .init(lat: point.lat, lon: point.lon))
        let zone = try #require(located.zone)
        var sights: [(Sight, ChatClient)] = []
        for server in [nodes.first, nodes.second] {
            let (sight, client) = (try await Sight(server), try await ChatClient(server))
            try await sight.watch(zone: zone.id)
            _ = try await client.ask("subscribe", #"{"topic":"zone/\#(zone.id)/notices"}"#)
            _ = try await client.ask("subscribe", #"{"topic":"zone/\#(zone.id)/positions"}"#)
            sights.append((sight, client))
        }
        try await run.run(3)
        let id = await run.id
        for (sight, _) in sights { _ = try await eventually("it enters") { sight.runners[id] } }
        _ = try await admin.client.call(AdminDeleteZone.self, .init(zone: zone.id))
        for (sight, client) in sights {
            _ = try await eventually("it has left") { sight.left.contains { $0.session == id } ? true : nil }
            for topic in ["positions", "notices"] {
                _ = try await eventually("\(topic) close") {
                    client.frames.contains { $0.contains("zone/\(zone.id)/\(topic)\"") && $0.contains("\"closed\"") }
                        ? true : nil
                }
            }
            let again = try await client.ask("subscribe", #"{"topic":"zone/\#(zone.id)/positions"}"#)
            #expect(again.contains("1003"))
        }
        _ = try await nodes.first.server?.campusStore.store(SampleCampus.document, name: nil)
        try await nodes.first.server?.reloadCampus()
        let zones = try await admin.client.call(CampusInfoGet.self, Empty()).zones
        #expect(!zones.isEmpty && !zones.contains { $0.id == zone.id })

        // Drawn again, who runs there is in it, under the same number.
        let shape = ZoneShape(type: "Polygon", coordinates: [ring(point.lat, point.lon, 0.002)])
        let drawn = try await admin.client.call(
            AdminSaveZone.self, .init(ref: zone.ref, name: "Drawn", polygon: shape))
        #expect(drawn == ZoneInfo(id: zone.id, ref: zone.ref, name: "Drawn"))
        let sight = try await eventually("the other node shows it") { () -> Sight? in
            let sight = try await Sight(nodes.second)
            let reply = try await sight.ask("subscribe", #"{"topic":"zone/\#(zone.id)/positions"}"#)
            return reply.errorCode == nil && reply.text.contains("\"session\":\(id)") ? sight : nil
        }
        sight.close()
        await nodes.stop()
    }

    @Test(
        "The figures are of the node that answers, name the others, and are computed once for all who look within a second"
    )
    func figures() async throws {
        let nodes = try await TwoNodes.start()
        let admin = try await Official(nodes.first, .admin)
        let there = try await Official(nodes.first, .admin, at: nodes.second)
        let (one, two) = (
            try await admin.client.call(AdminFiguresGet.self, Empty()),
            try await there.client.call(AdminFiguresGet.self, Empty())
        )
        #expect(one.node == "first" && two.node == "second" && one.nodes == ["first", "second"])
        #expect(one.accounts == 1 && one.connections == 1 && one.database.connections > 0 && one.memory > 0)
        #expect(one.database.p99 >= one.database.p50 && one.lag.p99 >= one.lag.p50)
        let figures = try #require(await nodes.first.server).environment.figures
        let many = try await withThrowingTaskGroup(of: Timestamp.self) { group in
            for _ in 0..<50 { group.addTask { try await figures.figures().at } }
            return try await group.reduce(into: Set<Timestamp>()) { $0.insert($1) }
        }
        #expect(many.count <= 2)
        await nodes.stop()
    }
}
