import EventLoop
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server

/// Tried over real connections, by those who are to get nothing.
@Suite("Shares of a location, over the wire (B-4, B-5)")
struct SharingTests {
    /// Everything that somebody without a right may ask, to get at a share.
    private func attack(_ client: ChatClient, _ share: Int64, tokens: [String?]) async throws -> [String] {
        var answers: [String] = []
        for token in tokens { answers.append(try await client.watch(share: share, token: token)) }
        for method in ["sharing.receipt", "sharing.stop"] {
            answers.append(try await client.ask(method, "{\"share\":\(share)}"))
        }
        answers.append(try await client.ask("sharing.change", "{\"share\":\(share),\"precision\":\"exact\"}"))
        answers.append(try await client.ask("sharing.withMe", "{\"campus\":true}"))
        answers.append(try await client.ask("sharing.mine"))
        answers.append(try await client.ask("sharing.past"))
        answers.append(try await client.ask("location.mine"))
        answers.append(try await client.ask("subscribe", "{\"topic\":\"share/\(share)\",\"share\":\"\"}"))
        return answers
    }

    @Test("Who is not meant gets nothing by any method or topic: guest, stranger, former member, blocked, wrong token")
    func outsiders() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let (friend, stranger, blocked) = (
            try await ChatPerson(server), try await ChatPerson(server), try await ChatPerson(server)
        )
        try await stage.report()
        let person = try await stage.start(.person, with: friend).share.id
        let link = try await stage.start(.link)
        let other = try await stage.start(.link)
        let toBlocked = try await stage.start(.person, with: blocked).share.id
        try await blocked.client.watch(share: toBlocked)
        try await blocked.client.waitUntilLive(toBlocked)
        let database = try await server.database()
        _ = try await database.query(
            "INSERT INTO blocks (blocker_id, blocked_id) VALUES ($1, $2)", [.int(blocked.id), .int(stage.owner.id)])
        database.close()
        try await blocked.client.waitUntilClosed(toBlocked)
        let before = blocked.client.frames.count
        let guest = try await ChatClient(server)
        let wrong = [nil, "x", other.token, link.token.map { $0 + "A" }, "\(person)"] as [String?]
        for (client, share) in [
            (guest, person), (guest, link.share.id), (stranger.client, person), (stranger.client, link.share.id),
        ] {
            _ = try await attack(client, share, tokens: wrong)
        }
        _ = try await attack(blocked.client, toBlocked, tokens: [nil])
        _ = try await blocked.client.watch(share: link.share.id, token: link.token)
        // With everybody on campus, but not with who is blocked.
        let campus = try await stage.start(.campus)
        _ = try await blocked.client.watch(share: campus.share.id)
        let (x, y) = (34_998, 24_392)
        for cell in [(x, y), (x - 1, y), (x, y - 1), (x + 1, y), (x, y + 1)] {
            _ = try await blocked.client.ask("subscribe", "{\"topic\":\"people/\(cell.0)/\(cell.1)\"}")
        }
        for step in 1...3 {
            try await stage.report(step)
            try await Task.sleep(for: .milliseconds(1_100))
        }
        #expect(!guest.hasLocation)
        #expect(!stranger.client.hasLocation)
        #expect(!blocked.client.frames.dropFirst(before).contains { $0.contains(ShareStage.secret) })
        // The one who is meant gets it; and the owner's list does not tell of the block.
        try await friend.client.watch(share: person)
        try await friend.client.waitUntilLive(person)
        let mine = try await stage.owner.client.call(SharingMine.self, .init()).shares
        #expect(mine.first { $0.id == toBlocked }?.endedAt == nil)
        await server.stop()
    }

    @Test(
        "Who blocks the caller is answered like somebody who never looks: shares and questions go out, and nothing comes of them"
    )
    func blocking() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let (blocker, quiet) = (try await ChatPerson(server), try await ChatPerson(server))
        let database = try await server.database()
        _ = try await database.query(
            "INSERT INTO blocks (blocker_id, blocked_id) VALUES ($1, $2)", [.int(blocker.id), .int(stage.owner.id)])
        database.close()
        _ = try await blocker.client.ask("subscribe", "{\"topic\":\"user/\(blocker.id)\"}")
        _ = try await eventually("the hub knows") {
            await server.server?.environment.services.hub.blocks.isBlocked(blocker.id, stage.owner.id) == true
                ? true : nil
        }
        func shape(_ person: ChatPerson) async throws -> [String] {
            let start = try await stage.start(.person, with: person).share
            let ask = try await stage.owner.client.call(
                SharingAsk.self, .init(clientId: UUID().uuidString, username: person.username)
            ).request
            return ["\(start.audience)", "\(start.end as Any)", "\(start.watching)", "\(ask.state)"]
        }
        #expect(try await shape(blocker) == shape(quiet))
        #expect(try await blocker.client.call(SharingRequests.self, .init()).toMe.isEmpty)
        #expect(try await blocker.client.call(SharingWithMe.self, .init(campus: true)).shares.isEmpty)
        #expect(!blocker.client.signals.contains { [.share, .where].contains($0.type) })
        // Whom oneself blocks, and who is not there, are the same.
        let missing = try await stage.owner.client.ask(
            "sharing.ask", "{\"clientId\":\"\(UUID().uuidString)\",\"username\":\"nobody-at-all\"}")
        let own = try await blocker.client.ask(
            "sharing.ask", "{\"clientId\":\"\(UUID().uuidString)\",\"username\":\"\(stage.owner.username)\"}")
        #expect(missing == own)
        await server.stop()
    }

    @Test(
        "Each way a share ends takes it off open maps with `closed`, and nothing follows; the receipt has who watched")
    func ends() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let friend = try await ChatPerson(server)
        try await stage.report()
        var shares: [Int64] = []
        func open(_ share: Share, as client: ChatClient, token: String? = nil) async throws {
            shares.append(share.id)
            try await client.watch(share: share.id, token: token)
            try await client.waitUntilLive(share.id)
        }
        func isOver(_ client: ChatClient, _ share: Int64) async throws {
            try await client.waitUntilClosed(share)
            let count = client.updates(of: share).count
            try await stage.report(Int.random(in: 1...1_000))
            try await Task.sleep(for: .milliseconds(1_200))
            #expect(client.updates(of: share).count == count)
        }
        // Stopped, with a guest by link.
        let guest = try await ChatClient(server)
        let link = try await stage.start(.link)
        try await open(link.share, as: guest, token: link.token)
        let receipt = try await stage.stop(link.share.id)
        #expect(receipt.watches.count == 1 && receipt.watches[0].person == nil && receipt.watches[0].to != nil)
        #expect(receipt.watchers == 1 && receipt.share.end == .stopped)
        try await isOver(guest, link.share.id)
        #expect(try await guest.watch(share: link.share.id, token: link.token).contains("1003"))
        // With its session.
        let session = try await stage.owner.client.call(
            TrackingStart.self, .init(activity: .run, clientId: UUID().uuidString)
        ).session
        let tied = try await stage.start(.person, with: friend, session: session.id).share
        try await open(tied, as: friend.client)
        _ = try await stage.owner.client.ask("tracking.stop", "{\"session\":\(session.id)}")
        try await isOver(friend.client, tied.id)
        // Blocked by its owner.
        let known = try await stage.start(.person, with: friend).share
        try await open(known, as: friend.client)
        let database = try await server.database()
        _ = try await database.query(
            "INSERT INTO blocks (blocker_id, blocked_id) VALUES ($1, $2)", [.int(stage.owner.id), .int(friend.id)])
        try await isOver(friend.client, known.id)
        _ = try await database.query("UPDATE blocks SET is_on = false, version = nextval('block_versions')")
        // By the clock.
        let short = try await ChatPerson(server)
        let expiring = try await stage.start(.person, with: short, seconds: 60).share
        try await open(expiring, as: short.client)
        _ = try await database.query(
            "UPDATE shares SET started_at = started_at - interval '1 hour', expires_at = now() + interval '1 second' WHERE id = $1",
            [.int(expiring.id)])
        try await isOver(short.client, expiring.id)
        // With its owner's account.
        let last = try await stage.start(.campus).share
        try await open(last, as: short.client)
        _ = try await database.query(
            "UPDATE accounts SET disabled_at = now(), disabled_reason = 'test' WHERE id = $1", [.int(stage.owner.id)])
        try await short.client.waitUntilClosed(last.id)
        let rows = try await database.query(
            "SELECT end_reason FROM shares WHERE id = ANY ($1::bigint[]) ORDER BY id", [.intArray(shares)])
        #expect(try rows.map { try $0.text("end_reason") } == ["stopped", "session", "blocked", "expired", "disabled"])
        let opened = try await database.query("SELECT count(*) AS n FROM share_watches WHERE to_at IS NULL")
        #expect(try opened.first?.int("n") == 0)
        database.close()
        await server.stop()
    }

    @Test("A share with a group follows its membership: who leaves is cut at once, and one of who leaves ends")
    func groups() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let (one, two) = (try await ChatPerson(server), try await ChatPerson(server))
        let group = try await stage.owner.makeGroup("Runners", with: [])
        let database = try await server.database()
        for person in [one, two] {
            _ = try await database.query(
                """
                INSERT INTO members (conversation_id, account_id, role, state, since) VALUES ($1, $2, 'member', 'joined', now())
                """, [.int(group), .int(person.id)])
        }
        database.close()
        try await stage.report()
        let share = try await stage.start(.group, group: group).share
        for person in [one, two] {
            try await person.client.watch(share: share.id)
            try await person.client.waitUntilLive(share.id)
        }
        _ = try await one.client.call(GroupLeave.self, .init(conversation: group))
        try await one.client.waitUntilClosed(share.id)
        #expect(!two.client.isClosed(share.id))
        #expect(try await one.client.watch(share: share.id).contains("1003"))
        _ = try await stage.owner.client.call(GroupLeave.self, .init(conversation: group))
        try await two.client.waitUntilClosed(share.id)
        let past = try await stage.owner.client.call(SharingPast.self, .init()).shares
        #expect(past.first { $0.id == share.id }?.end == .group)
        await server.stop()
    }

    @Test(
        "A change of precision is told before anything else, and begins another line of the receipt; nothing exact follows it"
    )
    func precision() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let friend = try await ChatPerson(server)
        try await stage.report()
        let share = try await stage.start(.person, with: friend).share
        try await friend.client.watch(share: share.id)
        try await friend.client.waitUntilLive(share.id)
        _ = try await stage.owner.client.call(SharingChange.self, .init(share: share.id, precision: .campus))
        for step in 1...3 {
            try await stage.report(step)
            try await Task.sleep(for: .milliseconds(1_050))
        }
        let change = try await eventually("it is told") {
            friend.client.updates(of: share.id).firstIndex { $0.precision == .campus }
        }
        #expect(friend.client.updates(of: share.id).dropFirst(change).allSatisfy { $0.location?.lat == nil })
        let receipt = try await stage.stop(share.id)
        #expect(receipt.watches.map(\.precision) == [.campus, .exact])
        #expect(receipt.watches.allSatisfy { $0.person?.account == friend.id && $0.to != nil })
        await server.stop()
    }

    @Test(
        "On the map of everybody those who share with the campus are seen, and noted in the receipt before the stop is answered"
    )
    func people() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let viewer = try await ChatPerson(server)
        try await stage.acquaint(viewer)
        try await stage.report()
        let share = try await stage.start(.campus).share
        let hub = try #require(await server.server).environment.services.hub
        let cell = try await eventually("it is on the map") { await hub.shares.cellsOnMap.first }
        _ = try await viewer.client.ask("subscribe", "{\"topic\":\"people/\(cell.x)/\(cell.y)\"}")
        _ = try await eventually("it is seen") { viewer.client.hasLocation ? true : nil }
        let receipt = try await stage.stop(share.id)
        #expect(receipt.watches.map(\.person?.account) == [viewer.id])
        func updates() -> [PeopleUpdate] {
            viewer.client.frames.compactMap {
                try? WireJSON.decode(Push<PeopleUpdate>.self, from: Array($0.utf8)).params.data
            }
        }
        _ = try await eventually("it is taken off") { updates().contains { $0.left == [share.id] } ? true : nil }
        await server.stop()
    }

    @Test(
        "An answer to where one is can be read once, whoever asks at the same time, and is not in the database after that"
    )
    func answers() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let asker = try await ChatPerson(server)
        let stranger = try await ChatPerson(server)
        try await stage.report()
        let request = try await asker.client.call(
            SharingAsk.self, .init(clientId: UUID().uuidString, username: stage.owner.username)
        ).request
        let asked = try await stage.owner.client.call(SharingRequests.self, .init()).toMe
        #expect(asked.map(\.id) == [request.id])
        #expect(try await stranger.client.ask("sharing.answered", "{\"request\":\(request.id)}").contains("1003"))
        #expect(
            try await stranger.client.ask("sharing.answer", "{\"request\":\(request.id)}").contains("1003"))
        _ = try await stage.owner.client.call(SharingAnswer.self, .init(request: request.id, precision: .exact))
        let clients = try await withThrowingTaskGroup(of: ChatClient.self) { group in
            for _ in 0..<8 { group.addTask { try await ChatClient(server, token: asker.token) } }
            return try await group.reduce(into: [ChatClient]()) { $0.append($1) }
        }
        let read = try await withThrowingTaskGroup(of: LocationRequestReply.self) { group in
            for client in clients {
                group.addTask { try await client.call(SharingAnswered.self, .init(request: request.id)) }
            }
            return try await group.reduce(into: [LocationRequestReply]()) { $0.append($1) }
        }
        #expect(read.count { $0.location != nil } == 1)
        #expect(read.allSatisfy { $0.request.state == .read })
        let database = try await server.database()
        let rows = try await database.query("SELECT count(*) AS n FROM where_requests WHERE answer IS NOT NULL")
        #expect(try rows.first?.int("n") == 0)
        database.close()
        // Three to the same one in an hour.
        for _ in 0..<2 {
            _ = try await asker.client.call(
                SharingAsk.self, .init(clientId: UUID().uuidString, username: stage.owner.username))
        }
        let fourth = try await asker.client.ask(
            "sharing.ask", "{\"clientId\":\"\(UUID().uuidString)\",\"username\":\"\(stage.owner.username)\"}")
        #expect(fourth.contains("1005"))
        await server.stop()
    }

    @Test("Standing still does not drift, a pin holds against everything else, and what is not a position is refused")
    func locations() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        func report(_ lat: Double, _ accuracy: Double, _ source: LocationSource) async throws -> Double? {
            try await stage.owner.client.call(
                LocationReport.self, .init(lat: lat, lon: 12, accuracy: accuracy, source: source)
            ).location?.lat
        }
        #expect(try await report(41, 20, .gps) == 41)
        #expect(try await report(41.0003, 20, .gps) == 41)
        #expect(try await report(41.0006, 1_000, .wifi) == 41.0006)
        #expect(try await report(42, 5, .manual) == 42)
        #expect(try await report(41, 5, .gps) == 42)
        _ = try await stage.owner.client.call(LocationClear.self, .init())
        #expect(try await stage.owner.client.call(LocationMine.self, .init()).location == nil)
        #expect(try await report(41, 5, .gps) == 41)
        for bad in [
            #"{"lat":91,"lon":0,"accuracy":5,"source":"gps"}"#, #"{"lat":0,"lon":0,"accuracy":0,"source":"gps"}"#,
            #"{"lat":0,"lon":0,"accuracy":5,"source":"gps","at":"2020-01-01T00:00:00Z"}"#,
            #"{"lat":0,"lon":0,"accuracy":5,"source":"guess"}"#,
        ] {
            #expect(try await stage.owner.client.ask("location.report", bad).contains("-32602"), "\(bad)")
        }
        // Nobody has agreed with the server's clock yet.
        let future = #"{"lat":0,"lon":0,"accuracy":5,"source":"gps","at":"2099-01-01T00:00:00Z"}"#
        let reply = try await stage.owner.client.ask("location.report", future)
        #expect(reply.contains("retryAfter") || KernelClock.isSynchronised && reply.contains("-32602"), "\(reply)")
        await server.stop()
    }
}
