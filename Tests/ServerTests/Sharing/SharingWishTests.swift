import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Server

@Suite("A wish to see less, told to all of one's devices and honoured on all nodes")
struct SharingWishTests {
    private func place(_ person: ChatPerson, at client: ChatClient, _ source: LocationSource) async throws {
        _ = try await client.call(
            LocationReport.self, .init(lat: 41.7365, lon: 12.25, accuracy: 5, source: source))
    }

    private func isPlaced(_ client: ChatClient) async throws -> Bool {
        try await client.call(LocationMine.self, .init()).location != nil
    }

    @Test(
        "Settings and zones that one device changes are told to the account's others, at the other node too, and to nobody else"
    )
    func settings() async throws {
        let nodes = try await TwoNodes.start(pollInterval: .seconds(600))
        let (person, stranger) = (try await ChatPerson(nodes.first), try await ChatPerson(nodes.second))
        let other = try await ChatClient(nodes.second, token: person.token)
        for (client, account) in [(person.client, person.id), (other, person.id), (stranger.client, stranger.id)] {
            _ = try await client.ask("subscribe", "{\"topic\":\"user/\(account)\"}")
        }
        func count(_ client: ChatClient) -> Int { client.signals.count { $0.type == .privacy } }
        func wait(_ expected: Int) async throws {
            for client in [person.client, other] {
                _ = try await eventually("told \(expected) times") { count(client) >= expected ? true : nil }
            }
        }
        _ = try await person.client.call(PrivacySettingsSave.self, .init(heatmap: true, visits: true))
        try await wait(1)
        #expect(try await other.call(PrivacySettingsGet.self, .init()).heatmap)
        let zone = try await other.call(
            PrivacySaveZone.self,
            .init(clientId: UUID().uuidString, name: "Home", lat: 41.7365, lon: 12.25, size: .small))
        try await wait(2)
        _ = try await person.client.call(PrivacyDeleteZone.self, .init(zone: zone.id))
        try await wait(3)
        _ = try await stranger.client.ask("ping")
        #expect(count(stranger.client) == 0)
        await nodes.stop()
    }

    @Test(
        "Stopping all forgets what devices reported and keeps a pin, whatever node it was set at; clearing forgets the pin"
    )
    func pin() async throws {
        let nodes = try await TwoNodes.start()
        let person = try await ChatPerson(nodes.first)
        let other = try await ChatClient(nodes.second, token: person.token)
        try await place(person, at: person.client, .gps)
        _ = try await other.call(SharingStopAll.self, .init())
        #expect(try await !isPlaced(person.client))
        try await place(person, at: person.client, .manual)
        for client in [person.client, other] {
            _ = try await client.call(SharingStopAll.self, .init())
            #expect(try await isPlaced(person.client))
            // It holds against what a device says, wherever that is heard.
            _ = try await client.call(
                LocationReport.self, .init(lat: 10, lon: 12.25, accuracy: 5, source: .gps))
            #expect(try await person.client.call(LocationMine.self, .init()).location?.lat == 41.7365)
            #expect(try await other.call(LocationMine.self, .init()).location == nil)
        }
        _ = try await other.call(LocationClear.self, .init())
        #expect(try await !isPlaced(person.client))
        await nodes.stop()
    }

    @Test("Who signs out everywhere is forgotten where they are, on all nodes, a pin too")
    func everywhere() async throws {
        let nodes = try await TwoNodes.start()
        let person = try await ChatPerson(nodes.first)
        try await place(person, at: person.client, .manual)
        let other = try await ChatClient(nodes.second, token: person.token)
        _ = try await other.ask("account.logoutEverywhere")
        let hub = try #require(await nodes.first.server).environment.services.hub
        #expect(await hub.shares.location(of: person.id) == nil)
        await nodes.stop()
    }
}
