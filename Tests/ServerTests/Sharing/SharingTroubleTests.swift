import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Server

/// A lone server: no other node looks again and again whether what is shown still holds.
@Suite("Shares, when PostgreSQL fails at the wrong moment")
struct SharingTroubleTests {
    private let server: TestServer
    private let stage: ShareStage
    private let viewer: ChatPerson

    init() async throws {
        server = try await TestServer.start { $0.rateLimits = .off }
        stage = try await ShareStage(server)
        viewer = try await ChatPerson(server)
        try await stage.report()
    }

    private func watched(_ audience: ShareAudience) async throws -> Int64 {
        let share = try await stage.start(audience, with: audience == .person ? viewer : nil).share.id
        try await viewer.client.watch(share: share)
        try await viewer.client.waitUntilLive(share)
        return share
    }

    /// What hubs and lists read of shares cannot be read, while they can be written.
    private func setReadable(_ isReadable: Bool) async throws {
        let database = try await server.database()
        _ = try await database.query(
            isReadable
                ? "ALTER TABLE shares RENAME end_published_at_away TO end_published_at"
                : "ALTER TABLE shares RENAME end_published_at TO end_published_at_away"
        )
        database.close()
    }

    private func isGone(_ share: Int64) async throws {
        _ = try await eventually("it is shown no more") {
            let last = viewer.client.updates(of: share).last
            return last?.state == ShareState.none && last?.location == nil ? true : nil
        }
    }

    @Test(
        "A stop that cannot be committed shows nothing more, and what was not stopped is shown again when PostgreSQL is back"
    )
    func stop() async throws {
        let share = try await watched(.person)
        try await server.setDatabase(away: true)
        #expect(try await stage.owner.client.ask("sharing.stop", "{\"share\":\(share)}").contains("error"))
        try await isGone(share)
        try await server.setDatabase(away: false)
        _ = try await eventually("it is shown again") {
            viewer.client.updates(of: share).last?.state == .live ? true : nil
        }
        await server.stop()
    }

    @Test("A stop of all that is sent again after its commit was not heard of closes what is watched")
    func stopAll() async throws {
        let share = try await watched(.campus)
        let database = try await server.database()
        _ = try await database.query(
            "UPDATE shares SET ended_at = now(), end_reason = 'stopped', is_end_published = true WHERE id = $1",
            [.int(share)])
        database.close()
        #expect(try await stage.owner.client.call(SharingStopAll.self, .init()).stopped.isEmpty)
        try await viewer.client.waitUntilClosed(share)
        await server.stop()
    }

    @Test(
        "A coarser precision that was committed and could not be read again shows nothing exact meanwhile, and holds after"
    )
    func change() async throws {
        let share = try await watched(.person)
        try await setReadable(false)
        let answer = try await stage.owner.client.ask(
            "sharing.change", "{\"share\":\(share),\"precision\":\"campus\"}")
        #expect(answer.contains("error"))
        try await isGone(share)
        let count = viewer.client.frames.count
        try await stage.report(1)
        try await setReadable(true)
        _ = try await eventually("the precision is told") {
            viewer.client.updates(of: share).contains { $0.precision == .campus } ? true : nil
        }
        #expect(!viewer.client.frames.dropFirst(count).contains { $0.contains(ShareStage.secret) })
        await server.stop()
    }

    @Test("A start that is sent again after its answer was lost is on the map of everybody")
    func start() async throws {
        // Its owner's shares have been read.
        _ = try await watched(.person)
        let hub = try #require(await server.server).environment.services.hub
        let params = SharingStart.Params(
            clientId: UUID().uuidString, audience: .campus, precision: .exact, expiresIn: 600)
        try await setReadable(false)
        await #expect(throws: (any Error).self) { try await stage.owner.client.call(SharingStart.self, params) }
        try await setReadable(true)
        #expect(await hub.shares.cellsOnMap.isEmpty)
        _ = try await stage.owner.client.call(SharingStart.self, params)
        _ = try await eventually("it is on the map") { await hub.shares.cellsOnMap.isEmpty ? nil : true }
        await server.stop()
    }
}
