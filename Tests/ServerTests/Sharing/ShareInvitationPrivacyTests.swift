import Campus
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server

/// Findings E2 and E10: what sharing tells strangers of each other.
@Suite("Shares with strangers, attacked over the wire")
struct ShareInvitationPrivacyTests {
    /// All that an owner learns of a share, without what differs from share to share.
    private func learned(_ owner: ChatPerson, _ share: Int64) async throws -> [String] {
        let mine = try await owner.client.call(SharingMine.self, .init()).shares.filter { $0.id == share }
        let receipt = try await owner.client.call(SharingReceiptGet.self, ShareParams(share: share))
        let pushes = owner.client.updates(of: share).map { "\($0.type) \($0.watching as Any)" }
        return mine.map { "\($0.watching) \($0.end as Any)" } + ["\(receipt.watchers) \(receipt.watches)"] + pushes
    }

    @Test(
        "A stranger's share opens only when it was accepted; its owner cannot tell seen, accepted and declined apart, at either node"
    )
    func invitations() async throws {
        let nodes = try await TwoNodes.start()
        let stage = try await ShareStage(nodes.first)
        try await stage.report()
        _ = try await stage.owner.client.ask("subscribe", "{\"topic\":\"user/\(stage.owner.id)\"}")
        let people = [
            try await ChatPerson(nodes.first), try await ChatPerson(nodes.second), try await ChatPerson(nodes.second),
        ]
        let (seeing, declining, accepting) = (people[0], people[1], people[2])
        var shares: [Int64] = []
        for person in people {
            let share = try await stage.start(.person, with: person, isAccepted: false).share.id
            try await stage.owner.client.watch(share: share)
            // As the web map does by itself.
            let listed = try await person.client.call(SharingWithMe.self, .init(campus: true))
            #expect(listed.shares.isEmpty && listed.invitations?.map(\.id) == [share])
            #expect(try await person.client.watch(share: share).contains("1003"))
            shares.append(share)
        }
        let signals = stage.owner.client.signals.count
        let nobody = #"{"share":\#(shares[2]),"accept":true}"#
        #expect(try await declining.client.ask("sharing.respond", nobody).contains("1003"))
        #expect(try await stage.owner.client.ask("sharing.respond", nobody).contains("1003"))
        _ = try await declining.client.call(SharingRespond.self, .init(share: shares[1], accept: false))
        #expect(try await declining.client.watch(share: shares[1]).contains("1003"))
        let accepted = try await accepting.client.call(SharingRespond.self, .init(share: shares[2], accept: true))
        #expect(accepted.share?.id == shares[2])
        for person in [declining, accepting] {
            #expect(try await person.client.call(SharingWithMe.self, .init()).invitations?.isEmpty == true)
        }
        try await accepting.client.watch(share: shares[2])
        try await stage.report(1)
        try await accepting.client.waitUntilLive(shares[2])
        #expect(!seeing.client.hasLocation && !declining.client.hasLocation)
        // Who watches is told with the hub's next turn, which also brings the owner its own position.
        try await stage.report(2)
        _ = try await eventually("the owner gets it") {
            shares.allSatisfy { stage.owner.client.updates(of: $0).contains { $0.location?.lon == 12.252 } }
                ? true : nil
        }
        var all: [[String]] = []
        for share in shares { all.append(try await learned(stage.owner, share).filter { !$0.hasPrefix("location") }) }
        #expect(Set(all).count == 1, "\(all)")
        #expect(stage.owner.client.signals.count == signals)
        // When it is over its owner learns who watched, and no time but the share's own.
        let receipt = try await stage.stop(shares[2])
        let line = try #require(receipt.watches.first)
        #expect(receipt.watches.count == 1 && line.person?.account == accepting.id)
        #expect(line.from == receipt.share.startedAt && line.last == line.from && line.to == receipt.share.endedAt)
        #expect(line.times == 1 && line.atLatest)
        for share in shares.prefix(2) { #expect(try await stage.stop(share).watchers == 0) }
        await nodes.stop()
    }

    @Test(
        "Strangers who open a campus-wide share are in no receipt, also when it is over, and cannot be found by blocking; buddies are"
    )
    func campus() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let (stranger, member) = (try await ChatPerson(server), try await ChatPerson(server))
        try await stage.acquaint(member)
        try await stage.report()
        let share = try await stage.start(.campus).share.id
        for person in [stranger, member] {
            try await person.client.watch(share: share)
            try await person.client.waitUntilLive(share)
        }
        let working = try await stage.owner.client.call(SharingReceiptGet.self, ShareParams(share: share))
        #expect(working.watches.map(\.person?.account) == [member.id] && working.watchers == 1)
        #expect(working.share.watching == 1)
        func block(_ account: Int64) async throws -> String {
            try await stage.owner.client.ask("safety.block", #"{"account":\#(account)}"#)
        }
        let nobody = try await block(999_999)
        #expect(try await block(stranger.id) == nobody && nobody.contains("1003"))
        let over = try await stage.stop(share)
        #expect(over.watches.map(\.person?.account) == [member.id] && over.watchers == 1)
        let export = try await ChatClient.export("watchedBy", of: stage.owner.token, from: server)
        #expect(export.contains(member.username) && !export.contains(stranger.username))
        #expect(try await block(stranger.id) == nobody)
        await server.stop()
    }

    @Test("Strangers are counted by fives when a campus-wide share of an hour is over, and not at all of a shorter one")
    func strangers() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let friend = try await ChatPerson(server)
        try await stage.acquaint(friend)
        let database = try await server.database()
        for (hours, strangers, watchers) in [(0, 9, 1), (1, 4, 1), (1, 5, 6), (2, 9, 6)] {
            let share = try await stage.start(.campus).share.id
            try await friend.client.watch(share: share)
            _ = try await database.query(
                """
                WITH strangers AS (
                    INSERT INTO accounts (username, username_key, email, email_key, password_hash)
                    SELECT s, s, s, s, '' FROM (SELECT 's' || $1::bigint || 'x' || n FROM generate_series(1, $2::int) n) t (s)
                    RETURNING id)
                INSERT INTO share_watches (share_id, account_id, precision, from_at) SELECT $1, id, 'exact', now() FROM strangers
                """, [.int(share), .int(Int64(strangers))])
            _ = try await database.query(
                "UPDATE shares SET started_at = started_at - make_interval(hours => $2::int) WHERE id = $1",
                [.int(share), .int(Int64(hours))])
            let working = try await stage.owner.client.call(SharingReceiptGet.self, ShareParams(share: share))
            #expect(working.watchers == 1 && working.watches.count == 1)
            let over = try await stage.stop(share)
            #expect(over.watchers == watchers && over.watches.count == 1, "\(strangers) in \(hours) hours")
        }
        database.close()
        await server.stop()
    }

    @Test("A member of one's group is invited like a stranger, and what is shared with the group tells nobody's times")
    func groupmates() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let member = try await ChatPerson(server)
        let group = try await stage.owner.group(with: [member.id], server)
        try await stage.report()
        let alone = try await stage.start(.person, with: member, precision: .campus, isAccepted: false).share
        #expect(alone.invited == true)
        #expect(try await member.client.watch(share: alone.id).contains("1003"))
        #expect(try await member.client.call(SharingWithMe.self, .init()).invitations?.map(\.id) == [alone.id])
        _ = try await member.client.ask("sharing.respond", #"{"share":\#(alone.id),"accept":true}"#)
        try await member.client.watch(share: alone.id)
        let mine = try await stage.owner.client.call(SharingReceiptGet.self, ShareParams(share: alone.id))
        #expect(mine.watchers == 0 && mine.share.watching == 0)
        let share = try await stage.start(.group, group: group).share
        try await member.client.watch(share: share.id)
        try await member.client.waitUntilLive(share.id)
        func line() async throws -> ShareWatch? {
            try await stage.owner.client.call(SharingReceiptGet.self, ShareParams(share: share.id)).watches.first
        }
        let working = try #require(try await line())
        #expect(working.person?.account == member.id && working.atLatest && working.to == nil)
        #expect(working.from == share.startedAt && working.last == share.startedAt && working.times == 1)
        let over = try await stage.stop(share.id)
        #expect(over.watches.first?.from == share.startedAt && over.watches.first?.to == over.share.endedAt)
        await server.stop()
    }

    @Test("Former buddies see nothing of each other: their shares end in both directions, and an unread answer is void")
    func formerBuddies() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let (anna, ben) = (stage.owner, try await ChatPerson(server, lastName: "Castro"))
        try await anna.introduce("Berger")
        try await anna.match(ben)
        try await stage.report()
        let share = try await stage.start(.person, with: ben, isAccepted: false).share.id
        try await ben.client.watch(share: share)
        try await ben.client.waitUntilLive(share)
        let back = try await ben.client.call(
            SharingStart.self,
            .init(
                clientId: UUID().uuidString, audience: .person, username: anna.username, precision: .exact,
                expiresIn: 600)
        ).share.id
        try await anna.client.watch(share: back)
        let request = try await ben.client.call(
            SharingAsk.self, .init(clientId: UUID().uuidString, account: anna.id)
        ).request.id
        _ = try await anna.client.call(SharingAnswer.self, .init(request: request, precision: .exact))
        _ = try await anna.client.call(BuddiesRemove.self, .init(account: ben.id))
        try await ben.client.waitUntilClosed(share)
        try await anna.client.waitUntilClosed(back)
        #expect(try await ben.client.watch(share: share).contains("1003"))
        #expect(try await ben.client.call(SharingAnswered.self, .init(request: request)).location == nil)
        #expect(try await anna.client.call(SharingPast.self, .init()).shares.map(\.end) == [.buddies])
        // From now on they are strangers.
        let again = try await stage.start(.person, with: ben, isAccepted: false).share.id
        #expect(try await ben.client.watch(share: again).contains("1003"))
        await server.stop()
    }

    @Test("A member who left reads the name that the group had then, in past shares, receipts and the export")
    func formerGroup() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let head = try await ChatPerson(server)
        let group = try await head.group(with: [stage.owner.id], server)
        let database = try await server.database()
        let over = try await stage.start(.group, group: group).share.id
        _ = try await stage.stop(over)
        let working = try await stage.start(.group, group: group).share.id
        func rename(_ name: String) async throws {
            _ = try await database.query(
                "UPDATE conversations SET name = $2 WHERE id = $1", [.int(group), .text(name)])
        }
        func names() async throws -> Set<String?> {
            let past = try await stage.owner.client.call(SharingPast.self, .init()).shares.map(\.groupName)
            let receipt = try await stage.owner.client.call(SharingReceiptGet.self, ShareParams(share: over))
            return Set(past + [receipt.share.groupName])
        }
        try await rename("Night runners")
        #expect(try await names() == ["Night runners"])
        _ = try await database.query(
            "UPDATE members SET state = 'left' WHERE account_id = $1", [.int(stage.owner.id)])
        try await rename("Secret route")
        _ = try await eventually("it ended") {
            try await stage.owner.client.call(SharingPast.self, .init()).shares.contains { $0.id == working }
                ? true : nil
        }
        #expect(try await names() == ["Night runners"])
        let export = try await server.personalData("/account/data.json", of: stage.owner.token).text
        #expect(export.contains("Night runners") && !export.contains("Secret route"))
        database.close()
        await server.stop()
    }
}

/// Findings E7.
@Suite("Answers that were given once, and a wish to be seen less")
struct WhereAnswerPrivacyTests {
    @Test(
        "An unread answer is void after a private zone there, after stopAll and after clear; its own time is not told")
    func void() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let asker = try await ChatPerson(server)
        let owner = stage.owner.client
        let wishes: [(String, String)] = [
            ("location.clear", "{}"), ("sharing.stopAll", "{}"),
            (
                "privacy.saveZone",
                #"{"clientId":"\#(UUID())","name":"Home","lat":41.7365,"lon":12.25,"size":"small"}"#
            ),
        ]
        for (method, params) in wishes {
            try await stage.report()
            let answered = try await stage.answer(asker)
            let request = answered.request.id
            #expect(answered.location?.lat == 41.7365)
            #expect(try await owner.ask(method, params).contains("result"), "\(method)")
            // Until it is read nothing tells that, or when, it became void.
            let listed = try await asker.client.call(SharingRequests.self, .init()).mine.first { $0.id == request }
            #expect(listed?.state == .answered && listed?.expiresAt == answered.request.expiresAt, "\(method)")
            let reply = try await asker.client.call(SharingAnswered.self, .init(request: request))
            #expect(reply.location == nil && reply.request.state == .read, "\(method)")
            #expect(reply.request.expiresAt == answered.request.expiresAt, "\(method)")
        }
        #expect(!asker.client.hasLocation)
        await server.stop()
    }

    @Test("An exact answer is not read any more when an admin has marked a residence there since")
    func residence() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (stage, admin) = (try await ShareStage(server), try await Official(server, .admin))
        let place = SampleCampus.origin
        _ = try await stage.owner.client.call(
            LocationReport.self, .init(lat: place.latitude, lon: place.longitude, accuracy: 5, source: .gps))
        func answered(_ asker: ChatPerson) async throws -> Int64 {
            let answer = try await stage.answer(asker)
            #expect(answer.location?.lat == place.latitude)
            return answer.request.id
        }
        // Until then it is read.
        let early = try await ChatPerson(server)
        let before = try await early.client.call(SharingAnswered.self, .init(request: try await answered(early)))
        #expect(before.location?.lat == place.latitude)

        let asker = try await ChatPerson(server)
        let request = try await answered(asker)
        let corners = [(-100.0, -100.0), (100, -100), (100, 100), (-100, 100), (-100, -100)].map { east, north in
            let corner = place.offset(eastMetres: east, northMetres: north)
            return [corner.longitude, corner.latitude]
        }
        _ = try await admin.client.call(
            AdminSaveZone.self,
            .init(
                ref: "HALL", name: "New hall", polygon: ZoneShape(type: "Polygon", coordinates: [corners]),
                residence: true))
        let reply = try await asker.client.call(SharingAnswered.self, .init(request: request))
        #expect(reply.location == nil)
        #expect(!asker.client.frames.contains { $0.contains("\"lat\"") })
        await server.stop()
    }

    @Test("An unread answer is void when its author signs out everywhere")
    func signedOut() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let asker = try await ChatPerson(server)
        try await stage.report()
        let request = try await stage.answer(asker).request.id
        #expect(try await stage.owner.client.ask("account.logoutEverywhere").contains("result"))
        let reply = try await asker.client.call(SharingAnswered.self, .init(request: request))
        #expect(reply.location == nil && reply.request.state == .read)
        #expect(!asker.client.hasLocation)
        await server.stop()
    }

    @Test("A block changes neither the state of an unread answer nor until when it can be read")
    func blocked() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let asker = try await ChatPerson(server)
        try await stage.report()
        let request = try await stage.answer(asker).request.id
        let before = try await asker.client.call(SharingRequests.self, .init()).mine
        _ = try await stage.owner.client.call(SafetyBlock.self, .init(account: asker.id))
        #expect(try await asker.client.call(SharingRequests.self, .init()).mine == before)
        #expect(before.map(\.state) == [.answered])
        #expect(try await asker.client.call(SharingAnswered.self, .init(request: request)).location == nil)
        #expect(!asker.client.hasLocation)
        await server.stop()
    }

    @Test("A coarse answer is read wherever the middle of its building or zone is")
    func coarse() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let asker = try await ChatPerson(server)
        // In a building of a zone that has residences, too.
        let place = SampleCampus.origin.offset(eastMetres: 77, northMetres: 20)
        _ = try await stage.owner.client.call(
            LocationReport.self, .init(lat: place.latitude, lon: place.longitude, accuracy: 5, source: .gps))
        for precision in [Wire.Precision.building, .zone, .campus] {
            let request = try await asker.client.call(
                SharingAsk.self, .init(clientId: UUID().uuidString, username: stage.owner.username)
            ).request.id
            let answer = try await stage.owner.client.call(
                SharingAnswer.self, .init(request: request, precision: precision))
            let reply = try await asker.client.call(SharingAnswered.self, .init(request: request))
            #expect(reply.location?.place == answer.location?.place && reply.location != nil, "\(precision)")
        }
        await server.stop()
    }
}
