import Campus
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Search and pages of places, over sockets")
struct SearchMethodTests {
    private static let rooms: [CampusDocument.Room] = [
        .init(
            sourceID: "test/room", name: "Größer Hörsaal", kind: "class", point: SampleCampus.origin,
            wheelchair: .yes, listing: .init(code: "5508.02.801", otherNames: ["Large lecture hall"], level: "2"))
    ]

    /// A server with one further room.
    private func start() async throws -> TestServer {
        let server = try await TestServer.start()
        var document = SampleCampus.document
        document.rooms = Self.rooms
        _ = try await server.server?.campusStore.store(document, name: nil)
        try await server.server?.reloadCampus()
        return server
    }

    private func find(_ client: ChatClient, _ params: SearchFind.Params) async throws -> SearchFind.Result {
        try await client.call(SearchFind.self, params)
    }

    /// The destination that a text finds first, as soon as search knows the campus.
    private func destination(_ text: String, _ client: ChatClient) async throws -> Destination {
        try await eventually("search finds \(text)") {
            let first = try await find(client, .init(text: text)).results.first
            return first?.name == text ? first : nil
        }
    }

    @Test("A guest finds a room by its code, name, other name and with errors, and opens its page")
    func room() async throws {
        let server = try await start()
        let guest = try await ChatClient(server)
        let room = try await destination("Größer Hörsaal", guest)
        #expect(room.kind == .room && room.code == "5508.02.801" && room.level == "2" && room.wheelchair == .yes)
        for text in ["5508.02.801", "550802801", "grosser horsaal", "Größre Hörsaal", "large lecture"] {
            #expect(try await find(guest, .init(text: text)).results.first?.id == room.id, "\(text)")
        }
        #expect(try await find(guest, .init(text: "large lecture")).results.first?.alternative == "Large lecture hall")
        #expect(try await find(guest, .init(text: "hörsaal", kinds: [.place])).results.isEmpty)
        #expect(try await find(guest, .init(text: "hörsaal", stepFree: true)).results.first?.id == room.id)
        #expect(try await find(guest, .init(text: "hörsaal", openNow: true)).results.isEmpty)
        let page = try await guest.call(PlacesPage.self, .init(destination: room.id))
        #expect(page.destination.id == room.id && !page.canEdit && page.manager == nil)
        let near = try await guest.call(
            PlacesNearby.self, .init(lat: SampleCampus.origin.latitude, lon: SampleCampus.origin.longitude))
        let seconds = near.places.compactMap(\.seconds)
        #expect(!seconds.isEmpty && seconds == seconds.sorted())
        await server.stop()
    }

    @Test(
        "What has no name is found by what it is, in several words; a library is found once; asking for step-free access leaves out steps and not the unknown"
    )
    func kinds() async throws {
        let server = try await Shared.server
        let guest = try await ChatClient(server)
        _ = try await destination("Weaver Library", guest)
        for text in ["drinking water", "water fountain", "drinkng water"] {
            #expect(try await find(guest, .init(text: text)).results.first?.class == "drinking_water", "\(text)")
        }
        #expect(try await find(guest, .init(text: "wc")).results.first?.class == "toilets")
        let libraries = try await find(guest, .init(text: "weaver library")).results
        #expect(libraries.filter { $0.name == "Weaver Library" }.count == 1)
        let page = try await guest.call(PlacesPage.self, .init(destination: try #require(libraries.first).id))
        #expect(!page.floors.isEmpty && !page.entrances.isEmpty)
        #expect(try await find(guest, .init(text: "2103.03.201", stepFree: true)).results.first?.code == "2103.03.201")
        let stepFree = try await find(guest, .init(text: "hall", stepFree: true, limit: 50)).results
        #expect(!stepFree.isEmpty && stepFree.allSatisfy { $0.wheelchair != .no })
    }

    @Test("Bad input is refused with a sentence that names the field")
    func refusals() async throws {
        let server = try await Shared.server
        let guest = try await ChatClient(server)
        for (params, field) in [
            (SearchFind.Params(text: ""), "text"), (.init(text: String(repeating: "x", count: 121)), "text"),
            (.init(text: "x", class: ""), "class"), (.init(text: "x", limit: 51), "limit"),
            (.init(text: "x", lat: 1), "lon"),
        ] {
            #expect(try await guest.refusal(SearchFind.self, params)?.message.contains(field) == true, "\(field)")
        }
        for id in ["", "room", "room/", "room/x", "room/-1", "room/0", "lift/1", "room/1/2", "room/9999999999999999"] {
            let error = try await guest.refusal(PlacesPage.self, .init(destination: id))
            #expect(error?.code == -32602, "\(id)")
        }
        #expect(try await guest.refusal(PlacesPage.self, .init(destination: "room/9007199254740991"))?.code == 1003)
    }

    @Test(
        "Only admins and the account that manages a place change its page; a stranger, a former manager and guests do not"
    )
    func editing() async throws {
        let server = try await TestServer.start()
        let admin = try await Official(server, .admin)
        let (manager, stranger) = (try await Official(server, .student), try await Official(server, .lecturer))
        let guest = try await ChatClient(server)
        let listed = try await guest.call(PlacesList.self, .init(limit: 2)).places
        let (place, other) = (try #require(listed.first).id, try #require(listed.last).id)
        let params = PlacesEdit.Params(place: place, menu: "Soup", openingHours: "ask the porter")
        func refused(_ who: ChatClient, _ params: PlacesEdit.Params) async throws -> Int? {
            try await who.refusal(PlacesEdit.self, params)?.code
        }
        let forbidden = try #require(try await refused(stranger.client, params))
        #expect(try await refused(manager.client, params) == forbidden)
        #expect(try await refused(guest, params) != nil)
        #expect(
            try await stranger.client.refusal(AdminDelegatePlace.self, .init(place: place, account: stranger.id)) != nil
        )
        _ = try await admin.client.call(AdminDelegatePlace.self, .init(place: place, account: manager.id))
        let page = try await manager.client.call(PlacesEdit.self, params)
        #expect(page.menu == "Soup" && page.openingHours == "ask the porter" && page.openings == nil)
        #expect(page.canEdit && page.manager == nil)
        #expect(try await refused(manager.client, .init(place: other, menu: "Mine")) == forbidden)
        let seen = try await stranger.client.call(PlacesPage.self, .init(destination: "place/\(place)"))
        #expect(seen.menu == "Soup" && !seen.canEdit && seen.manager == nil)
        let adminSees = try await admin.client.call(PlacesPage.self, .init(destination: "place/\(place)"))
        #expect(adminSees.canEdit && adminSees.manager == manager.username)
        // An import does not undo the edit.
        _ = try await server.server?.campusStore.store(SampleCampus.document, name: nil)
        #expect(
            try await guest.call(PlacesPage.self, .init(destination: "place/\(place)")).menu == "Soup")
        for bad in [
            PlacesEdit.Params(place: place), .init(place: place, menu: String(repeating: "x", count: 5_001)),
            .init(place: place, website: "javascript:alert(1)"), .init(place: place, website: "https://unioncoffee"),
            .init(place: place, openingHours: String(repeating: "x", count: 256)),
        ] {
            #expect(try await refused(manager.client, bad) == -32602)
        }
        _ = try await admin.client.call(AdminDelegatePlace.self, .init(place: place))
        #expect(try await refused(manager.client, params) == forbidden)
        await server.stop()
    }

    @Test(
        "A page shows only events that the caller sees, never private ones, drafts or past ones, and no more people than the heatmap"
    )
    func events() async throws {
        let server = try await TestServer.start()
        let (person, guest) = (try await Official(server, .student), try await ChatClient(server))
        let place = try #require(try await guest.call(PlacesList.self, .init(limit: 1)).places.first)
        let database = try await server.database()
        defer { database.close() }
        for (title, audience, state, start) in [
            ("Open", "campus", "published", "1 hour"), ("Public", "public", "published", "2 hours"),
            ("Private", "private", "published", "1 hour"), ("Draft", "campus", "draft", "1 hour"),
            ("Cancelled", "campus", "cancelled", "1 hour"), ("Past", "campus", "published", "-3 hours"),
        ] {
            _ = try await database.query(
                """
                INSERT INTO events (owner_id, client_id, audience, state, title, starts_at, ends_at, place, position, created_at, changed_at)
                VALUES ($1, gen_random_uuid(), $2, $3, $4, now() + $5::interval, now() + $5::interval + interval '1 hour', 'There',
                    ST_SetSRID(ST_MakePoint($6, $7), 4326), now(), now())
                """,
                [
                    .int(person.id), .text(audience), .text(state), .text(title), .text(start), .double(place.lon),
                    .double(place.lat),
                ])
        }
        let params = PlacesPage.Params(destination: "place/\(place.id)")
        let page = try await guest.call(PlacesPage.self, params)
        #expect(page.events.map(\.title) == ["Open"])
        #expect(page.people == nil)
        let stranger = try await Official(server, .student)
        #expect(
            try await stranger.client.call(PlacesPage.self, params).events.map(\.title).contains("Private") == false)
        #expect(try await stranger.client.call(PlacesPage.self, params).events.first?.title == "Open")
        await server.stop()
    }
}
