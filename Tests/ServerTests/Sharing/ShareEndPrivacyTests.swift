import Campus
import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

/// Finding E5, over sockets: shares of somebody who walks into a private zone and ends them there.
@Suite("Shares that end in a private zone, attacked over the wire")
struct ShareEndPrivacyTests {
    /// Where the private zone is, and where the owner leaves it again.
    private static let (home, away) = (41.9, 41.7365)

    private func report(_ person: ChatPerson, _ lat: Double) async throws {
        _ = try await person.client.call(
            LocationReport.self, .init(lat: lat, lon: 12.25, accuracy: 5, source: .gps))
    }

    /// How a share ends.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case session, stopped, deletedSession, loggedOutEverywhere

        var testDescription: String { rawValue }
        /// It ends with its session.
        var isTied: Bool { self == .session || self == .deletedSession }
        var end: ShareEnd { isTied ? .session : .stopped }

        func run(_ stage: ShareStage, _ share: Int64, _ session: Int64) async throws {
            let owner = stage.owner.client
            switch self {
            case .session: _ = try await owner.call(TrackingStop.self, .init(session: session))
            case .stopped: #expect(try await stage.stop(share).share.end == .stopped)
            case .deletedSession: _ = try await owner.call(TrackingDelete.self, .init(session: session))
            case .loggedOutEverywhere: #expect(try await owner.ask("account.logoutEverywhere").contains("result"))
            }
        }
    }

    private func signIn(_ person: ChatPerson, _ server: TestServer) async throws -> ChatClient {
        let connection = try await server.connect()
        let signedIn = try await connection.call(
            AccountLogin.self, .init(email: "\(person.username)@example.org", password: TestServer.password))
        await connection.close()
        return try await ChatClient(server, token: signedIn.token)
    }

    /// Viewers learn of the end of a session without visible points at a full quarter of an hour of the clock: not while a test looks.
    private func waitBehindQuarter() async throws {
        let step = HiddenEndClock.stepMilliseconds
        let left = step - Timestamp.now.milliseconds % step
        if left < 60_000 { try await Task.sleep(for: .milliseconds(left + 1_000)) }
    }

    /// Has viewers learn of the end now.
    private func publish(_ share: Int64, _ server: TestServer) async throws -> (endedAt: Int64, publishedAt: Int64) {
        let database = try await server.database()
        defer { database.close() }
        let rows = try await database.query(
            """
            UPDATE shares SET ended_at = ended_at - interval '5 minutes', started_at = started_at - interval '6 minutes',
                end_published_at = date_trunc('milliseconds', now()) WHERE id = $1 RETURNING ended_at, end_published_at
            """, [.int(share)])
        let row = try #require(rows.first)
        return (try row.timestamp("ended_at"), try row.timestamp("end_published_at"))
    }

    @Test(
        "A share that ends in a private zone, whatever ends it, tells viewers of neither node that it did: no push, list, subscription or export",
        arguments: Way.allCases.map { ($0, false) } + [(.session, true)])
    func ends(way: Way, hasVisiblePoints: Bool) async throws {
        let nodes = try await TwoNodes.start()
        let stage = try await ShareStage(nodes.first)
        let control = try await ShareStage(nodes.first)
        let friend = try await ChatPerson(nodes.first)
        let other = try await ChatClient(nodes.second, token: friend.token)
        try await stage.acquaint(friend)
        let owner = stage.owner.client
        let zone = #"{"clientId":"\#(UUID())","name":"Home","lat":\#(Self.home),"lon":12.25,"size":"small"}"#
        #expect(try await owner.ask("privacy.saveZone", zone).contains("result"))
        func session(_ person: ChatPerson) async throws -> Int64 {
            try await person.client.call(
                TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString, audience: .private)
            ).session.id
        }
        let run = try await session(stage.owner)
        try await report(stage.owner, Self.away)
        if hasVisiblePoints {
            // Viewers of the session itself may learn of its end at once.
            let point = TrackPoint(seq: 1, lat: Self.away, lon: 12.25, time: .now, accuracy: 5)
            _ = try await owner.call(TrackingPoints.self, .init(session: run, points: [point]))
        }
        let share = try await stage.start(.person, with: friend, session: way.isTied ? run : nil).share.id
        for client in [friend.client, other] {
            try await client.watch(share: share)
            try await client.waitUntilLive(share)
        }
        try await waitBehindQuarter()
        try await report(stage.owner, Self.home)
        for client in [friend.client, other] {
            _ = try await eventually("it is hidden") { client.updates(of: share).last?.state == .hidden ? true : nil }
        }
        let before = [friend.client, other].map { $0.updates(of: share).count }
        _ = try await friend.client.ask("subscribe", "{\"topic\":\"user/\(friend.id)\"}")
        let signals = friend.client.signals.count
        func export() async throws -> String {
            try await ChatClient.export("watched", of: friend.token, from: nodes.first)
        }
        let watched = try await export()
        try await way.run(stage, share, run)
        #expect(try await export() == watched)
        let again = try await signIn(stage.owner, nodes.first)
        #expect(try await again.call(SharingMine.self, .init()).shares.isEmpty)
        #expect(try await again.call(SharingPast.self, .init()).shares.map(\.end) == [way.end])
        // Outside again: nothing of it is shown any more.
        _ = try await again.call(LocationReport.self, .init(lat: Self.away, lon: 12.25, accuracy: 5, source: .gps))
        // One that ends later and outside is told by then, by the same server.
        try await control.report()
        let theirs = try await session(control.owner)
        let later = try await control.start(.person, with: friend, session: theirs).share.id
        for client in [friend.client, other] {
            try await client.watch(share: later)
        }
        _ = try await control.owner.client.call(TrackingStop.self, .init(session: theirs))
        for client in [friend.client, other] { try await client.waitUntilClosed(later) }
        #expect(before == [friend.client, other].map { $0.updates(of: share).count })
        let listed = try await friend.client.call(SharingWithMe.self, .init()).shares
        #expect(listed.map(\.id).contains(share))
        for client in [friend.client, other] {
            let answer = try await client.watch(share: share)
            #expect(answer.contains("\"state\":\"hidden\""), "\(answer)")
        }
        // What the viewer opens now is in the viewer's own lines like what was opened before.
        let lines = try await export()
        #expect(lines.matches(of: /"from_at"/).count == 6, "\(lines)")
        #expect(try await again.watch(share: share).contains("1003"))
        #expect(friend.client.signals.dropFirst(signals).allSatisfy { $0.share != share })
        let receipt = try await again.call(SharingReceiptGet.self, ShareParams(share: share))
        #expect(receipt.watchers == 1 && receipt.watches.map(\.times) == [2])
        #expect(receipt.watches.first?.to == receipt.share.endedAt)
        let times = try await publish(share, nodes.first)
        for client in [friend.client, other] { try await client.waitUntilClosed(share) }
        _ = try await eventually("the viewer's lines are closed") {
            try await self.openLines(share, nodes.first) == 0 ? true : nil
        }
        let database = try await nodes.first.database()
        let early = try await database.query(
            "SELECT count(*) AS n FROM share_watches WHERE share_id = $1 AND to_at BETWEEN $2 AND $3",
            [
                .int(share), .timestamp(times.endedAt - 1_000), .timestamp(times.endedAt + 1_000),
            ])
        database.close()
        #expect(try early.first?.int("n") == 0, "no line of a viewer ends with the share")
        await nodes.stop()
    }

    private func openLines(_ share: Int64, _ server: TestServer) async throws -> Int64? {
        let database = try await server.database()
        defer { database.close() }
        return try await database.query(
            "SELECT count(*) AS n FROM share_watches WHERE share_id = $1 AND to_at IS NULL", [.int(share)]
        ).first?.int("n")
    }

    @Test("While the node with the owner's location does not answer, a share that hides its owner is not ended at once")
    func silentNode() async throws {
        let nodes = try await TwoNodes.start()
        let stage = try await ShareStage(nodes.first)
        let friend = try await ChatPerson(nodes.first)
        let device = try await ChatClient(nodes.second, token: stage.owner.token)
        let zone = #"{"clientId":"\#(UUID())","name":"Home","lat":\#(Self.home),"lon":12.25,"size":"small"}"#
        #expect(try await stage.owner.client.ask("privacy.saveZone", zone).contains("result"))
        func report(_ lat: Double) async throws {
            _ = try await device.call(LocationReport.self, .init(lat: lat, lon: 12.25, accuracy: 5, source: .gps))
        }
        try await report(Self.away)
        let share = try await stage.start(.person, with: friend).share.id
        try await friend.client.watch(share: share)
        try await friend.client.waitUntilLive(share)
        try await report(Self.home)
        _ = try await eventually("it is hidden") {
            friend.client.updates(of: share).last?.state == .hidden ? true : nil
        }
        let loop = try #require(await nodes.second.server).environment.services.hub.loop
        loop.execute { Thread.sleep(forTimeInterval: 1.8) }
        #expect(try await stage.stop(share).share.end == .stopped)
        _ = try await friend.client.ask("ping")
        #expect(!friend.client.isClosed(share))
        #expect(try await friend.client.call(SharingWithMe.self, .init()).shares.map(\.id) == [share])
        await nodes.stop()
    }
}
