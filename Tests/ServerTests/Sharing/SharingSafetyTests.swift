import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Services

/// Blocking and reporting by sharing alone: nobody here is a buddy, in a chat or on a run.
@Suite("Blocking strangers whom sharing shows")
struct SharingSafetyTests {
    /// How two came to see each other's names.
    enum Way: CaseIterable {
        case sharesWith, isSharedWith, isWatched, watches, asks, isAsked
    }

    private func ask(_ asker: ChatPerson, _ asked: ChatPerson) async throws -> WhereRequest {
        try await asker.client.call(
            SharingAsk.self, .init(clientId: UUID().uuidString, username: asked.username)
        ).request
    }

    @discardableResult
    private func share(_ owner: ChatPerson, _ audience: ShareAudience, with person: ChatPerson? = nil) async throws
        -> Int64
    {
        try await owner.client.call(
            SharingStart.self,
            .init(
                clientId: UUID().uuidString, audience: audience, username: person?.username, precision: .zone,
                expiresIn: 600)
        ).share.id
    }

    private func come(_ anna: ChatPerson, _ ben: ChatPerson, by way: Way) async throws {
        switch way {
        case .sharesWith: try await share(anna, .person, with: ben)
        case .isSharedWith: try await share(ben, .person, with: anna)
        case .isWatched:
            let link = try await anna.client.call(
                SharingStart.self,
                .init(clientId: UUID().uuidString, audience: .link, precision: .zone, expiresIn: 600))
            try await ben.client.watch(share: link.share.id, token: link.token)
        case .watches: try await anna.client.watch(share: try await share(ben, .campus))
        case .asks: _ = try await ask(anna, ben)
        case .isAsked: _ = try await ask(ben, anna)
        }
    }

    /// The whole answers of a block and of a report.
    private func tries(_ one: ChatPerson, _ other: Int64) async throws -> (block: String, report: String) {
        let report = #"{"id":"\#(UUID().uuidString)","account":\#(other),"reason":"unsafe"}"#
        return (
            try await one.client.ask("safety.block", #"{"account":\#(other)}"#),
            try await one.client.ask("safety.report", report)
        )
    }

    private func expectUnknown(_ one: ChatPerson, _ other: Int64, _ comment: Comment) async throws {
        let (answer, nobody) = (try await tries(one, other), try await tries(one, 999_999))
        #expect(answer.block == nobody.block && answer.report == nobody.report, comment)
        #expect(answer.block.contains("1003") && answer.report.contains("1003"), comment)
    }

    @Test(
        "Whom sharing shows can be reported and blocked, by username, whichever of the two shares, looks or asks, also when that is over; the admins get the report",
        arguments: Way.allCases)
    func known(way: Way) async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let (anna, ben) = (try await ChatPerson(server), try await ChatPerson(server))
        try await expectUnknown(anna, ben.id, "before")
        try await come(anna, ben, by: way)
        _ = try await anna.client.call(SharingStopAll.self, .init())
        _ = try await ben.client.call(SharingStopAll.self, .init())
        _ = try await anna.client.call(
            SafetyReport.self, .init(id: UUID().uuidString, account: ben.id, reason: .unsafe, note: "He asks and asks"))
        _ = try await anna.client.call(SafetyBlock.self, .init(account: ben.id))
        let blocked = try await anna.client.call(SafetyBlocked.self, Empty()).blocked
        #expect(blocked.map(\.person.name) == [ben.username] && blocked.map(\.person.account) == [ben.id])
        let admin = try await Official(server, .admin)
        let report = try await admin.client.call(ReportsList.self, .init()).reports.first
        #expect(report?.reporter?.name == anna.username && report?.reported?.name == ben.username)
        #expect(report?.note == "He asks and asks" && report?.evidence.isEmpty == true)
        await server.stop()
    }

    @Test(
        "Behind the block the stranger's question is void and their share is shown no more, what they look at is closed, and they ask on as if nobody read it"
    )
    func blocked() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let stage = try await ShareStage(server)
        let (anna, ben) = (stage.owner, try await ChatPerson(server))
        try await stage.report()
        let shown = try await stage.start(.person, with: ben).share.id
        try await ben.client.watch(share: shown)
        try await share(ben, .person, with: anna)
        let question = try await ask(ben, anna)
        _ = try await anna.client.call(SafetyBlock.self, .init(account: ben.id))
        try await ben.client.waitUntilClosed(shown)
        #expect(try await anna.client.call(SharingRequests.self, .init()).toMe.isEmpty)
        #expect(try await anna.client.call(SharingWithMe.self, .init()).shares.isEmpty)
        #expect(try await anna.client.ask("sharing.answer", #"{"request":\#(question.id)}"#).contains("1003"))
        #expect(try await ask(ben, anna).state == .open)
        #expect(try await anna.client.call(SharingRequests.self, .init()).toMe.isEmpty)
        #expect(try await ben.client.call(SharingMine.self, .init()).shares.count == 1)
        await server.stop()
    }

    @Test(
        "Who shares with others, with everybody unseen, or whom one's own block hid, is answered like nobody, and so is whoever was there long ago"
    )
    func strangers() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let database = try await server.database()
        defer { database.close() }
        let (anna, ben, eva) = (
            try await ChatPerson(server), try await ChatPerson(server), try await ChatPerson(server)
        )
        try await share(ben, .campus)
        try await share(ben, .link)
        try await share(ben, .person, with: eva)
        _ = try await ask(ben, eva)
        try await expectUnknown(anna, ben.id, "it was not shown to her")
        // Found while she blocks him, and over when she does not any more.
        _ = try await ask(anna, ben)
        _ = try await anna.client.call(SafetyBlock.self, .init(account: ben.id))
        _ = try await database.query("DELETE FROM where_requests WHERE from_id = $1", [.int(anna.id)])
        try await share(ben, .person, with: anna)
        _ = try await ask(ben, anna)
        _ = try await ben.client.call(SharingStopAll.self, .init())
        _ = try await database.query("UPDATE where_requests SET expires_at = now() WHERE to_id = $1", [.int(anna.id)])
        _ = try await anna.client.call(SafetyUnblock.self, .init(account: ben.id))
        #expect(try await tries(anna, ben.id).block == tries(anna, 999_999).block)
        // What was seen is known for a day.
        for way in [Way.isSharedWith, .watches, .asks, .isAsked] {
            let other = try await ChatPerson(server)
            try await come(anna, other, by: way)
            _ = try await other.client.call(SharingStopAll.self, .init())
            for (table, column) in [
                ("shares", "started_at"), ("shares", "ended_at"), ("share_watches", "from_at"),
                ("share_watches", "to_at"), ("where_requests", "at"),
            ] {
                _ = try await database.query(
                    "UPDATE \(table) SET \(column) = \(column) - interval '25 hours'")
            }
            try await expectUnknown(anna, other.id, "\(way), long ago")
        }
        await server.stop()
    }

    @Test(
        "Who was shared with hears the same whether the owner stopped or blocked them, and nothing of a campus-wide share that a block hides from them"
    )
    func blockers() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let database = try await server.database()
        defer { database.close() }
        let mallory = try await ChatPerson(server)
        for way in [Way.isSharedWith, .watches, .isAsked] {
            for blocks in [false, true] {
                let owner = try await ChatPerson(server)
                try await come(mallory, owner, by: way)
                if blocks {
                    _ = try await database.query(
                        "INSERT INTO blocks (blocker_id, blocked_id, changed_at) VALUES ($1, $2, now())",
                        [.int(owner.id), .int(mallory.id)])
                } else {
                    _ = try await owner.client.call(SharingStopAll.self, .init())
                }
                let answer = try await tries(mallory, owner.id)
                #expect(answer.block.contains("result") && answer.report.contains("result"), "\(way), \(blocks)")
                let name = try await mallory.client.call(SafetyBlocked.self, Empty()).blocked.first?.person.name
                #expect(name == owner.username)
            }
        }
        let hidden = try await ChatPerson(server)
        _ = try await database.query(
            "INSERT INTO blocks (blocker_id, blocked_id, changed_at) VALUES ($1, $2, now())",
            [.int(hidden.id), .int(mallory.id)])
        let share = try await share(hidden, .campus)
        #expect(try await mallory.client.watch(share: share).contains("1003"))
        try await expectUnknown(mallory, hidden.id, "a share that a block hides")
        await server.stop()
    }

    @Test(
        "Whoever asked, or was asked by, somebody whose account is disabled or deleted is told, and finds no question")
    func gone() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let admin = try await Official(server, .admin)
        for isDeleted in [false, true] {
            let (anna, ben, eva) = (
                try await ChatPerson(server), try await ChatPerson(server), try await ChatPerson(server)
            )
            for person in [anna, eva] {
                _ = try await person.client.ask("subscribe", #"{"topic":"user/\#(person.id)"}"#)
            }
            let asked = [try await ask(ben, anna).id, try await ask(eva, ben).id]
            func received(_ person: ChatPerson, _ request: Int64) -> Int {
                person.client.signals.count { $0.type == .where && $0.request == request }
            }
            _ = try await eventually("Anna is asked") { received(anna, asked[0]) == 1 ? true : nil }
            if isDeleted {
                _ = try await ben.client.call(
                    AccountDelete.self, .init(password: TestServer.password, username: ben.username))
            } else {
                _ = try await admin.client.call(AdminDisableUser.self, .init(account: ben.id, reason: "Spam"))
            }
            _ = try await eventually("Anna is told") { received(anna, asked[0]) == 2 ? true : nil }
            _ = try await eventually("Eva is told") { received(eva, asked[1]) == 1 ? true : nil }
            #expect(try await anna.client.call(SharingRequests.self, .init()).toMe.isEmpty)
            #expect(try await eva.client.call(SharingRequests.self, .init()).mine.isEmpty)
        }
        await server.stop()
    }
}
