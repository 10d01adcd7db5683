import EventLoop
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Receipts of shares through kill -9")
struct SharingCrashTests {
    /// A `campanile serve` at a test server's port and over its database, while that one is stopped.
    private static func program(inPlaceOf server: TestServer) async throws -> RunningProgram {
        try await Spawner.shared.start(
            [
                TestServer.root.appendingPathComponent(".build/debug/campanile").path, "serve", "--data",
                try TestDirectory.make("program"), "--port", "\(server.port)", "--host", "127.0.0.1",
            ],
            environment: [
                "DATABASE_URL": server.databaseURL, "CAMPANILE_OWNER_DATABASE_URL": server.ownerDatabaseURL,
            ])
    }

    @Test(
        "Whoever was sent a position is in the receipt though the server was killed; what was open ends with the share")
    func killed() async throws {
        let server = try await TestServer.start()
        let (owner, friend) = (try await ChatPerson(server), try await ChatPerson(server))
        try await owner.acquaint(with: [friend.id], server)
        await server.stop()
        let process = try await Self.program(inPlaceOf: server)
        let client = try await eventually("it serves") { try? await ChatClient(server, token: owner.token) }
        let viewer = try await ChatClient(server, token: friend.token)
        _ = try await client.call(
            LocationReport.self, .init(lat: 41.7365, lon: 12.25, accuracy: 5, source: .gps))
        var shares: [Int64] = []
        for _ in 0..<2 {
            let share = try await client.call(
                SharingStart.self,
                .init(
                    clientId: UUID().uuidString, audience: .person, username: friend.username, precision: .exact,
                    expiresIn: 600)
            ).share.id
            try await viewer.watch(share: share)
            shares.append(share)
        }
        try await viewer.waitUntilLive(shares[0])
        process.signal(SIGKILL)
        _ = try await eventually("it is gone") { process.isRunning ? nil : true }
        let database = try await server.database()
        _ = try await database.query(
            """
            UPDATE shares SET started_at = started_at - interval '1 hour', expires_at = now() - interval '1 second' WHERE id = $1
            """, [.int(shares[0])])
        database.close()
        try await server.startAgain()
        let again = try await ChatClient(server, token: owner.token)
        let expired = try await eventually("it has ended by the clock") {
            let receipt = try await again.call(SharingReceiptGet.self, ShareParams(share: shares[0]))
            return receipt.share.end == .expired ? receipt : nil
        }
        #expect(expired.watches.map(\.person?.account) == [friend.id])
        #expect(expired.watches.allSatisfy { ($0.to ?? .now) >= $0.from })
        #expect(expired.watches.allSatisfy { $0.to != nil })
        let open = try await again.call(SharingReceiptGet.self, ShareParams(share: shares[1]))
        #expect(open.watches.map(\.to) == [nil])
        let stopped = try await again.call(SharingStop.self, ShareParams(share: shares[1]))
        #expect(stopped.watches.count == 1 && stopped.watches[0].to == stopped.share.endedAt)
        await server.stop()
    }
}
