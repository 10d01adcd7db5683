import Foundation
import TestSupport
import Testing
import Wire

@testable import Hub
@testable import Server

@Suite("Receipts of shares, and what bounds them")
struct SharingReceiptTests {
    @Test(
        "Whoever sees it exactly, then coarsely, then exactly again on the map of everybody is written down as seeing it exactly"
    )
    func mapAgain() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let viewer = try await ChatPerson(server)
        try await stage.acquaint(viewer)
        try await stage.report()
        let share = try await stage.start(.campus).share.id
        let hub = try #require(await server.server).environment.services.hub
        let cell = try await eventually("it is on the map") { await hub.shares.cellsOnMap.first }
        _ = try await viewer.client.ask("subscribe", "{\"topic\":\"people/\(cell.x)/\(cell.y)\"}")
        func line(_ what: String, _ isRight: @Sendable (ShareWatch) -> Bool) async throws {
            _ = try await eventually(what) {
                let receipt = try await stage.owner.client.call(SharingReceiptGet.self, ShareParams(share: share))
                return receipt.watches.filter { $0.precision == .exact }.map(isRight) == [true] ? true : nil
            }
        }
        try await line("it is noted, though not until when") { $0.to == nil && $0.times == 1 && $0.atLatest }
        _ = try await stage.owner.client.call(SharingChange.self, .init(share: share, precision: .campus))
        try await line("it has ended by then") { $0.to != nil && $0.atLatest }
        _ = try await stage.owner.client.call(SharingChange.self, .init(share: share, precision: .exact))
        try await line("it is noted again") { $0.to == nil && $0.times == 2 && $0.atLatest }
        try await viewer.client.watch(share: share)
        try await line("who has it open looks now") { $0.to == nil && $0.times == 3 && !$0.atLatest }
        #expect(try await stage.stop(share).watches.allSatisfy { $0.person?.account == viewer.id && $0.to != nil })
        await server.stop()
    }

    @Test(
        "Whoever opens a share without end has a bounded number of lines, hides nobody, and is written down until its end"
    )
    func washing() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let (quiet, loud) = (try await ChatPerson(server), try await ChatPerson(server))
        try await stage.acquaint(quiet, loud)
        try await stage.report()
        let share = try await stage.start(.campus).share.id
        try await quiet.client.watch(share: share)
        _ = try await quiet.client.ask("unsubscribe", "{\"topic\":\"share/\(share)\"}")
        for _ in 0..<60 {
            try await loud.client.watch(share: share)
            _ = try await loud.client.ask("unsubscribe", "{\"topic\":\"share/\(share)\"}")
        }
        let database = try await server.database()
        func lines() async throws -> Int64? {
            try await database.query("SELECT count(*) AS n FROM share_watches").first?.int("n")
        }
        #expect(try await lines() == 51)
        // Leaving is written down a moment after it.
        let receipt = try await eventually("nothing but the last line is open") {
            let receipt = try await stage.owner.client.call(SharingReceiptGet.self, ShareParams(share: share))
            return receipt.watches.first?.atLatest == true ? receipt : nil
        }
        #expect(receipt.watches.map(\.person?.account) == [loud.id, quiet.id])
        #expect(receipt.watches.map(\.times) == [60, 1] && receipt.watches.first?.to == nil)
        #expect(receipt.watches.map(\.atLatest) == [true, false], "the last of so many is not seen to end")
        #expect(receipt.watches[0].last > receipt.watches[0].from)
        #expect(receipt.watchers == 2)
        for precision in [Wire.Precision.zone, .exact, .zone] {
            _ = try await stage.owner.client.call(SharingChange.self, .init(share: share, precision: precision))
        }
        #expect(try await lines() == 52)
        let stopped = try await stage.stop(share)
        let last = stopped.watches.first { $0.person?.account == loud.id && $0.precision == .zone }
        #expect(last?.to == stopped.share.endedAt)
        database.close()
        await server.stop()
    }

    @Test("Whose own share is refused to them closes nobody's line, not even one that goes on to the end of a share")
    func refusedOwner() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (stage, loud) = (try await ShareStage(server), try await ShareStage(server))
        try await stage.acquaint(loud.owner)
        try await stage.report()
        let share = try await stage.start(.campus).share.id
        for _ in 0..<60 {
            try await loud.owner.client.watch(share: share)
            _ = try await loud.owner.client.ask("unsubscribe", "{\"topic\":\"share/\(share)\"}")
        }
        try await loud.owner.client.watch(share: share)
        // One's own, at the moment at which it ends.
        let own = try await loud.start(.link).share.id
        try await #require(server.server).environment.services.hub.shares.end([own])
        #expect(try await loud.owner.client.watch(share: own).contains("1003"))
        func ends(_ precision: Wire.Precision) async throws -> [Timestamp?] {
            try await stage.owner.client.call(SharingReceiptGet.self, ShareParams(share: share))
                .watches.filter { $0.precision == precision }.map(\.to)
        }
        #expect(try await ends(.exact) == [nil])
        // It goes on in another precision as well.
        _ = try await stage.owner.client.call(SharingChange.self, .init(share: share, precision: .zone))
        #expect(try await ends(.exact).allSatisfy { $0 != nil })
        #expect(try await ends(.zone) == [nil])
        await server.stop()
    }

    @Test("Guests with a link are one line, however many, and counted")
    func guests() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let friend = try await ChatPerson(server)
        try await stage.report()
        let link = try await stage.start(.link)
        try await friend.client.watch(share: link.share.id, token: link.token)
        for _ in 0..<3 {
            let guest = try await ChatClient(server)
            try await guest.watch(share: link.share.id, token: link.token)
        }
        let database = try await server.database()
        // As many as there are lines for.
        _ = try await database.query(
            """
            INSERT INTO share_watches (share_id, opening, precision, from_at, to_at)
            SELECT $1, nextval('share_openings'), 'exact', now(), now() FROM generate_series(4, share_lines_max(NULL))
            """, [.int(link.share.id)])
        let last = try await ChatClient(server)
        try await last.watch(share: link.share.id, token: link.token)
        let count = try await database.query("SELECT count(*) AS n FROM share_watches")
        #expect(try count.first?.int("n") == 1_001)
        let receipt = try await stage.stop(link.share.id)
        #expect(Set(receipt.watches.map(\.person?.account)) == [friend.id, nil])
        #expect(receipt.watches.first { $0.person == nil }?.times == 1_001)
        #expect(receipt.watchers == 1_002)
        database.close()
        await server.stop()
    }

    @Test("Nobody begins shares with strangers, or asks them where they are, as fast as they like")
    func rate() async throws {
        let server = try await TestServer.start { try $0.rateLimits.apply("invite=1/min:3") }
        let stage = try await ShareStage(server)
        let stranger = try await ChatPerson(server)
        for _ in 0..<2 { _ = try await stage.start(.person, with: stranger) }
        func ask() async throws -> String {
            try await stage.owner.client.ask(
                "sharing.ask", "{\"clientId\":\"\(UUID().uuidString)\",\"username\":\"\(stranger.username)\"}")
        }
        #expect(try await !ask().contains("error"))
        #expect(try await ask().contains("1005"))
        await #expect(throws: (any Error).self) { try await stage.start(.person, with: stranger) }
        // Less is always possible.
        let mine = try await stage.owner.client.call(SharingMine.self, .init()).shares
        _ = try await stage.owner.client.call(SharingChange.self, .init(share: mine[0].id, precision: .campus))
        #expect(try await stage.owner.client.call(SharingStopAll.self, .init()).stopped.count == 2)
        await server.stop()
    }

    @Test("An answer that was given at the moment of a block says nothing when it is read")
    func blockedAnswer() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let asker = try await ChatPerson(server)
        let request = try await asker.client.call(
            SharingAsk.self, .init(clientId: UUID().uuidString, username: stage.owner.username)
        ).request.id
        let database = try await server.database()
        _ = try await database.query(
            "INSERT INTO blocks (blocker_id, blocked_id) VALUES ($1, $2)", [.int(stage.owner.id), .int(asker.id)])
        // What saw no block when it began, and commits behind it.
        _ = try await database.query(
            """
            UPDATE where_requests SET state = 'answered', expires_at = now() + interval '10 minutes', answer = '{"onCampus":true,"at":"2026-01-01T00:00:00.000Z","lat":41.7365}'
            """)
        database.close()
        let reply = try await asker.client.call(SharingAnswered.self, .init(request: request))
        #expect(reply.location == nil && reply.request.state == .read)
        let again = try await asker.client.call(SharingRequests.self, .init()).mine
        #expect(again.map(\.state) == [.read])
        await server.stop()
    }

    @Test("The example of a proxy logs no path that carries a secret")
    func proxy() throws {
        let file = TestServer.root.appendingPathComponent("deploy/nginx.conf")
        let text = try String(contentsOf: file, encoding: .utf8)
        let silent = try #require(text.firstMatch(of: /location ~ \^\/\(([a-z|]+)\)\/ \{\s+access_log off;/))
        #expect(
            Set(silent.1.split(separator: "|")) == [
                "s", "l", "calendar", "welcome", "reset", "confirm", "unsubscribe", "openid",
            ])
    }
}
