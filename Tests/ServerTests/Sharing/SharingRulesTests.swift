import Campus
import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Server
@testable import Services

/// Rules of privacy that change while somebody shares.
@Suite("Shares, when what is dark is something else")
struct SharingRulesTests {
    @Test("A zone made at one node hides at once what is reported to the other, though nothing is reported any more")
    func zoneElsewhere() async throws {
        let nodes = try await TwoNodes.start(pollInterval: .seconds(600))
        let stage = try await ShareStage(nodes.second)
        let viewers = [try await ChatPerson(nodes.first), try await ChatPerson(nodes.second)]
        try await stage.report()
        let share = try await stage.start(.campus).share
        for viewer in viewers {
            try await viewer.client.watch(share: share.id)
            try await viewer.client.waitUntilLive(share.id)
        }
        let device = try await ChatClient(nodes.first, token: stage.owner.token)
        _ = try await device.call(
            PrivacySaveZone.self,
            .init(clientId: UUID().uuidString, name: "Home", lat: 41.7365, lon: 12.25, size: .small))
        for viewer in viewers {
            _ = try await eventually("it is hidden") {
                viewer.client.updates(of: share.id).last?.state == .hidden ? true : nil
            }
        }
        await nodes.stop()
    }

    @Test("What an admin marks as a residence hides who is there and shares, though nothing is reported any more")
    func residence() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let viewer = try await ChatPerson(server)
        try await stage.report()
        let share = try await stage.start(.campus).share
        try await viewer.client.watch(share: share.id)
        try await viewer.client.waitUntilLive(share.id)
        let services = try #require(await server.server).environment.services
        let before = services.campus.snapshot
        let hall = Building(
            id: 1, name: nil,
            polygons: [try GeoBox(south: 41.736, west: 12.249, north: 41.737, east: 12.251).polygon()],
            isResidence: true)
        await services.campusWatch.replace(
            with: .init(
                info: before.info, zones: before.zones, buildings: BuildingIndex(buildings: [hall]),
                geoJSON: before.geoJSON))
        _ = try await eventually("it is hidden") {
            viewer.client.updates(of: share.id).last?.state == .hidden ? true : nil
        }
        await server.stop()
    }

    @Test("When an account is erased, no node keeps its secret or its circles in memory")
    func erased() async throws {
        let nodes = try await TwoNodes.start(pollInterval: .seconds(600))
        let person = try await ChatPerson(nodes.first)
        _ = try await person.client.call(
            PrivacySaveZone.self,
            .init(clientId: UUID().uuidString, name: "Home", lat: 41.7365, lon: 12.25, size: .small))
        var rules: [PrivacyRules] = []
        for node in [nodes.first, nodes.second] {
            rules.append(try #require(await node.server).environment.services.privacy.rules)
        }
        for known in rules {
            try await known.load(person.id)
            #expect(known.isKnown(person.id))
        }
        _ = try await person.client.call(
            AccountDelete.self, .init(password: TestServer.password, username: person.username))
        for (name, known) in zip(["first", "second"], rules) {
            _ = try await eventually("the \(name) forgets") { known.isKnown(person.id) ? nil : true }
        }
        await nodes.stop()
    }
}
