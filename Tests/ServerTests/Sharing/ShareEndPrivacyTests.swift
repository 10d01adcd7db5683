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

    @Test(
        "A share that ends with its session, or is stopped, in a private zone tells viewers of neither node that it did",
        arguments: [(ShareEnd.session, false), (.session, true), (.stopped, false)])
    func ends(end: ShareEnd, hasVisiblePoints: Bool) async throws {
        let nodes = try await TwoNodes.start()
        let stage = try await ShareStage(nodes.first)
        let control = try await ShareStage(nodes.first)
        let friend = try await ChatPerson(nodes.first)
        let other = try await ChatClient(nodes.second, token: friend.token)
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
        let share = try await stage.start(.person, with: friend, session: end == .session ? run : nil).share.id
        for client in [friend.client, other] {
            try await client.watch(share: share)
            try await client.waitUntilLive(share)
        }
        try await report(stage.owner, Self.home)
        for client in [friend.client, other] {
            _ = try await eventually("it is hidden") { client.updates(of: share).last?.state == .hidden ? true : nil }
        }
        let before = [friend.client, other].map { $0.updates(of: share).count }
        _ = try await friend.client.ask("subscribe", "{\"topic\":\"user/\(friend.id)\"}")
        let signals = friend.client.signals.count
        if end == .session {
            _ = try await owner.call(TrackingStop.self, .init(session: run))
        } else {
            #expect(try await stage.stop(share).share.end == .stopped)
        }
        #expect(try await owner.call(SharingMine.self, .init()).shares.isEmpty)
        #expect(try await owner.call(SharingPast.self, .init()).shares.map(\.end) == [end])
        // Outside again: nothing of it is shown any more.
        try await report(stage.owner, Self.away)
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
            let again = try await client.watch(share: share)
            #expect(again.contains("\"state\":\"hidden\""), "\(again)")
        }
        // The owner's is over, and the receipt has who watched while it worked.
        #expect(try await stage.owner.client.watch(share: share).contains("1003"))
        #expect(try await owner.call(SharingReceiptGet.self, ShareParams(share: share)).watchers == 1)
        #expect(friend.client.signals.dropFirst(signals).allSatisfy { $0.share != share })
        await nodes.stop()
    }
}
