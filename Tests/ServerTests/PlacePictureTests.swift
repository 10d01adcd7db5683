import Foundation
import Services
import TestSupport
import Testing
import Wire

@Suite("Pictures on the pages of places, over HTTP and sockets")
struct PlacePictureTests {
    private func status(_ server: TestServer, _ picture: String, _ token: String? = nil) async throws -> Int {
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try await socket.send("GET /pictures/\(picture)/thumb HTTP/1.1\r\nHost: x\r\n\(authorization)\r\n")
        return try await socket.response().status
    }

    private func refusal(_ who: ChatClient, _ params: PlacesEdit.Params) async throws -> Int? {
        try await who.refusal(PlacesEdit.self, params)?.code
    }

    @Test(
        "Only who edits a place uploads pictures for it, a guest sees one from when the page has it until it has it no more, and order is kept"
    )
    func pictures() async throws {
        let server = try await TestServer.start()
        let bytes = try TestPicture.make("jpg", width: 40, height: 30)
        let admin = try await Official(server, .admin)
        let (manager, stranger) = (try await ChatPerson(server), try await ChatPerson(server))
        let guest = try await ChatClient(server)
        let listed = try await guest.call(PlacesList.self, .init(limit: 2)).places
        let (place, other) = (try #require(listed.first).id, try #require(listed.last).id)
        await #expect(throws: (any Error).self) { try await stranger.upload(bytes, to: server, purpose: "place") }
        _ = try await admin.client.call(AdminDelegatePlace.self, .init(place: place, account: manager.id))
        var ids: [String] = []
        for _ in 0..<3 { ids.append(try await manager.upload(bytes, to: server, purpose: "place")) }
        // Not on the page yet.
        #expect(try await status(server, ids[0]) == 401)
        #expect(try await status(server, ids[0], stranger.token) == 404)
        #expect(try await status(server, ids[0], manager.token) == 200)
        let order = [ids[2], ids[0]]
        #expect(
            try await manager.client.call(PlacesEdit.self, .init(place: place, pictures: order)).pictures == order)
        for id in order {
            #expect(try await status(server, id) == 200)
            #expect(try await status(server, id, stranger.token) == 200)
        }
        let page = try await guest.call(PlacesPage.self, .init(destination: "place/\(place)"))
        #expect(page.pictures == order)
        // A change of something else keeps them.
        _ = try await manager.client.call(PlacesEdit.self, .init(place: place, menu: "Soup"))
        #expect(
            try await guest.call(PlacesPage.self, .init(destination: "place/\(place)")).pictures == order)

        // Pictures of another page, of another account, of another purpose, twice the same, too many, or nonsense are refused.
        let chat = try await manager.upload(bytes, to: server)
        let ofAdmin = try await server.upload(bytes, token: admin.token, purpose: "place")
        #expect(try await refusal(admin.client, .init(place: other, pictures: [ids[0]])) == 1003)
        for bad in [[chat], [ofAdmin], [UUID().uuidString]] {
            #expect(try await refusal(manager.client, .init(place: place, pictures: bad)) == 1003)
        }
        for bad in [
            [ids[0], ids[0]], ["x"], Array(repeating: UUID().uuidString, count: 7), ["' OR 1=1"],
            (0..<7).map { _ in UUID().uuidString },
        ] {
            #expect(try await refusal(manager.client, .init(place: place, pictures: bad)) == -32602)
        }
        #expect(
            try await guest.call(PlacesPage.self, .init(destination: "place/\(place)")).pictures == order)

        #expect(
            try await manager.client.call(PlacesEdit.self, .init(place: place, pictures: [ids[1]])).pictures == [ids[1]]
        )
        #expect(try await status(server, ids[0]) == 401)
        #expect(try await status(server, ids[0], manager.token) == 404)
        #expect(try await status(server, ids[1]) == 200)
        await server.stop()
    }
}
