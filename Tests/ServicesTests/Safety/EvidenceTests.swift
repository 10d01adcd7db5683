import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Evidence")
struct EvidenceTests {
    private func report(
        _ world: ChatWorld, _ reporter: Identity, _ account: Identity, in conversation: Int64,
        _ messages: [Int64]? = nil
    ) async throws -> (number: Int64, evidence: [Report.Evidence]) {
        let number = try await world.safety.report(
            reporter,
            .init(
                id: World.newID(), account: account.account.id, reason: .harassment, conversation: conversation,
                messages: messages)
        ).report
        let rows = try await world.pool.query("SELECT evidence FROM reports WHERE id = $1", [.int(number)])
        let json = try #require(rows.first).text("evidence")
        return (number, try WireJSON.decode([Report.Evidence].self, from: Array(json.utf8)))
    }

    private func edit(_ world: ChatWorld, _ conversation: Int64, _ message: Int64, _ text: String, by who: Identity)
        async throws
    {
        _ = try await world.chat.edit(.init(conversation: conversation, message: message, text: text), by: who)
    }

    private func admin(_ world: ChatWorld) async throws -> Identity {
        let email = try await world.world.register().0.account.email
        _ = try await world.world.accounts.setRole(.admin, ofEmail: email)
        return try await world.world.login(email, "Passw0rd").1
    }

    private func bytes(_ evidence: [Report.Evidence]) -> Int {
        evidence.reduce(0) { sum, message in
            sum + ([message.text].compactMap(\.self) + message.before).reduce(0) { $0 + $1.utf8.count }
        }
    }

    // MARK: Bounds

    @Test(
        "Of a message edited as often as it can be every wording is copied; long ones are cut, short ones cannot be pushed out"
    )
    func longWordings() async throws {
        let world = try await ChatWorld()
        let (ana, ben, conversation) = try await world.pair()
        let long = String(repeating: "🔥", count: Chat.textCharactersMax - 2)
        let message = try await world.send("first", in: conversation, by: ben)
        for number in 10..<(10 + Chat.editsMax) {
            try await edit(world, conversation, message, number == 30 ? "Idiot" : "\(number)\(long)", by: ben)
        }
        let other = try await world.send("short", in: conversation, by: ben)
        try await edit(world, conversation, other, "shorter", by: ben)
        let evidence = try await report(world, ana, ben, in: conversation).evidence
        #expect(evidence.map(\.offset) == [message, other])
        let (cut, whole) = (evidence[0], evidence[1])
        #expect(cut.before.count == Chat.editsMax && cut.cut == true)
        #expect(cut.before.first == "first" && cut.before.contains("Idiot"))
        #expect(cut.before.dropFirst().first?.hasPrefix("10🔥") == true && cut.text?.hasPrefix("59🔥") == true)
        let size = bytes([cut])
        #expect(size <= Safety.messageEvidenceBytesMax)
        // The room is used, but for what is left of a character at each of the cuts and what short ones do not need.
        #expect(size > Safety.messageEvidenceBytesMax - 500)
        #expect(whole.text == "shorter" && whole.before == ["short"] && whole.cut == nil)
    }

    @Test(
        "A report copies a bounded number of bytes, and of what was edited without a bound once the first and the newest wordings"
    )
    func longReport() async throws {
        let world = try await ChatWorld()
        let (ana, ben, conversation) = try await world.pair()
        var messages: [Int64] = []
        for number in 0..<Safety.evidenceMax {
            messages.append(try await world.send("message \(number)", in: conversation, by: ben))
        }
        // As it was possible before edits were counted.
        _ = try await world.pool.query(
            """
            INSERT INTO retracted (conversation_id, at_offset, body, at)
            SELECT $1, m, e || ' ' || repeat('🔥', 3990), now() FROM unnest($2::bigint[]) m, generate_series(1, 60) e
            """, [.int(conversation), .intArray(messages)])
        let evidence = try await report(world, ana, ben, in: conversation, messages).evidence
        #expect(evidence.map(\.text) == (0..<Safety.evidenceMax).map { "message \($0)" })
        #expect((Safety.evidenceBytesMax * 9 / 10...Safety.evidenceBytesMax).contains(bytes(evidence)))
        let numbers = [1] + Array(60 - Safety.newestWordingsMax + 1...60)
        for message in evidence {
            #expect(message.before.map { $0.prefix { $0 != " " } } == numbers.map { "\($0)" })
            #expect(message.cut == true)
        }
    }

    @Test("Fewer wordings than there were are said to be fewer, also when all that are copied are whole")
    func manyWordings() async throws {
        let world = try await ChatWorld()
        let (ana, ben, conversation) = try await world.pair()
        let message = try await world.send("now", in: conversation, by: ben)
        for (count, isCut) in [(Safety.newestWordingsMax + 1, nil), (1, true)] as [(Int, Bool?)] {
            _ = try await world.pool.query(
                """
                INSERT INTO retracted (conversation_id, at_offset, body, at)
                SELECT $1, $2, 'then', now() FROM generate_series(1, $3::bigint)
                """, [.int(conversation), .int(message), .int(Int64(count))])
            let evidence = try await report(world, ana, ben, in: conversation).evidence
            #expect(evidence.map(\.before.count) == [Safety.newestWordingsMax + 1] && evidence.map(\.cut) == [isCut])
        }
    }

    @Test("A page of reports has bounded bytes: fewer reports, and where to go on, until all were there")
    func pages() async throws {
        let world = try await BuddyWorld()
        let evidence = Report.Evidence(
            offset: 1, by: 1, at: world.world.clock.now, text: String(repeating: "x", count: 400_000), picture: nil,
            deleted: false, before: [])
        let json = String(decoding: try WireJSON.encode([evidence]), as: UTF8.self)
        try await world.sql(
            """
            INSERT INTO reports (client_id, reason, evidence)
            SELECT gen_random_uuid(), 'other', CASE n WHEN 3 THEN ('[' || repeat(' ', 2000000) || ']')::json ELSE $1::json END
            FROM generate_series(1, 7) n
            """, [.text(json)])
        let admin = try await world.admin()
        var pages: [[Int64]] = []
        var before: Int64?
        repeat {
            let page = try await world.safety.reports(admin, .init(before: before))
            #expect(page.open == 7)
            pages.append(page.reports.map(\.id))
            before = page.next
        } while before != nil
        let all = try await world.sql("SELECT id FROM reports ORDER BY id DESC").map { try $0.int("id") }
        #expect(pages.flatMap(\.self) == all)
        // The third was stored when there was no bound: it has a page of its own.
        #expect(pages.map(\.count) == [2, 2, 1, 2])
        #expect(try await world.safety.reports(admin, .init(limit: 1)).reports.map(\.id) == [all[0]])
        #expect(try await world.safety.reports(admin, .init(before: all[6], limit: 1)).next == nil)
        await world.close()
    }

    // MARK: Pictures

    @Test(
        "A picture that was deleted before the report, or after it, is shown to admins and kept until the report is closed"
    )
    func pictures() async throws {
        // One of its own: everybody's is pruned.
        let world = ChatWorld(
            over: World(access: try await MigratedDatabase.shared.own(), patience: .seconds(120)))
        let (ana, ben, conversation) = try await world.pair()
        let (admin, day) = (try await admin(world), 86_400.0)
        var (pictures, messages) = ([String](), [Int64]())
        for _ in 0..<3 {
            pictures.append(try await world.picture(of: ben))
            messages.append(try await world.send("look", in: conversation, by: ben, picture: pictures.last))
        }
        func delete(_ index: Int) async throws {
            _ = try await world.chat.delete(.init(conversation: conversation, message: messages[index]), by: ben)
        }
        func may(_ viewer: Identity, _ index: Int, needsFactor: Bool = false) async throws -> Bool {
            try await world.chat.mayView(
                picture: pictures[index], conversation: conversation, offset: messages[index], by: viewer.account.id,
                adminsNeedFactor: needsFactor)
        }
        func kept() async throws -> [Bool] {
            let rows = try await world.pool.query("SELECT id FROM pictures WHERE owner_id = $1", [.int(ben.account.id)])
            let ids = Set(try rows.map { try $0.uuid("id") })
            return pictures.map(ids.contains)
        }
        // The third is deleted, and not reported.
        for index in [0, 2] { try await delete(index) }
        let (number, evidence) = try await report(world, ana, ben, in: conversation, [messages[0], messages[1]])
        #expect(evidence.map(\.picture) == [pictures[0], pictures[1]] && evidence.map(\.deleted) == [true, false])
        #expect(evidence[0].before == ["look"])
        try await delete(1)
        #expect(try await [may(admin, 0), may(admin, 1), may(admin, 2)] == [true, true, false])
        #expect(try await may(admin, 0, needsFactor: true) == false, "an admin without the second factor")
        #expect(try await [may(ana, 0), may(ana, 1)] == [false, false], "of no member any more")
        world.clock.advance(bySeconds: Chat.retractedDaysMax * day + 1)
        try await world.chat.prune()
        #expect(try await kept() == [true, true, false])
        #expect(try await [may(admin, 0), may(admin, 1)] == [true, true])
        _ = try await world.safety.close(admin, .init(report: number, resolution: "Talked to him"))
        #expect(try await [may(admin, 0), may(admin, 1)] == [false, false])
        try await world.chat.prune()
        #expect(try await kept() == [false, false, false])
        await world.world.close()
    }

    // MARK: Who was there

    /// What others do, or oneself, to somebody who has left a group.
    enum After: CaseIterable, Sendable {
        case nothing, invitation, withdrawal, declining, blockOfInvited, blockOfInviter, rejoining, leavingAgain
    }

    @Test(
        "What somebody could read in a group can be reported, whatever invitations and blocks follow",
        arguments: After.allCases)
    func invitedAgain(after: After) async throws {
        let world = try await ChatWorld()
        let people = try await world.members(3)
        let (ben, ana, eva) = (people[0], people[1], people[2])
        let group = try await world.group([ben], invited: [ana])
        let before = try await world.send("before her time", in: group, by: ben)
        try await world.join(group, ana)
        let insult = try await world.send("Idiot", in: group, by: ben)
        // In the same moment: times do not tell what was before the end.
        try await world.chat.leave(.init(conversation: group), by: ana)
        let behind = try await world.send("behind her back", in: group, by: ben)
        try await world.match(ben, eva)
        _ = try await world.chat.invite(.init(conversation: group, accounts: [eva.account.id]), by: ben)
        try await world.join(group, eva)
        world.clock.advance(bySeconds: 60)
        func invite() async throws {
            _ = try await world.chat.invite(.init(conversation: group, accounts: [ana.account.id]), by: ben)
        }
        if after != .nothing { try await invite() }
        switch after {
        case .nothing, .invitation: break
        case .withdrawal: _ = try await world.chat.remove(.init(conversation: group, account: ana.account.id), by: ben)
        case .declining: try await world.chat.answer(.init(conversation: group, accept: false), by: ana)
        case .blockOfInvited: try await world.block(ana, ben)
        case .blockOfInviter: try await world.block(ben, ana)
        case .rejoining: try await world.join(group, ana)
        case .leavingAgain:
            try await world.join(group, ana)
            try await world.chat.leave(.init(conversation: group), by: ana)
            try await invite()
        }
        let last = try await world.send("now", in: group, by: ben)
        for offset in [before, behind] + (after == .rejoining ? [] : [last]) {
            let error = await refusal(.invalidParams) { try await report(world, ana, ben, in: group, [offset]) }
            #expect(error?.message == "messages[0]: is no message of theirs that you could read there")
        }
        #expect(try await report(world, ana, ben, in: group, [insult]).evidence.map(\.text) == ["Idiot"])
        #expect(
            try await report(world, ana, ben, in: group).evidence.map(\.offset)
                == (after == .rejoining ? [insult, last] : [insult]))
        // Of who came when she had left she does not learn by an invitation.
        if after != .rejoining && after != .leavingAgain {
            let unknown = await refusal(.notFound) { try await report(world, ana, eva, in: group) }
            #expect(unknown == Safety.notReportable)
        }
        // What she may read is what it was.
        if after == .rejoining {
            #expect(try await world.texts(group, of: ana) == ["now"])
        } else {
            _ = await refusal(.notFound) { try await world.texts(group, of: ana) }
            _ = await refusal(.notFound) {
                var reader = ChatReader(group, ana)
                try await reader.open(world)
            }
            #expect(try await world.found("Idiot", by: ana).isEmpty)
        }
    }

    @Test("What was written in a conversation of two before it ended can be reported when they have met again")
    func metAgain() async throws {
        let world = try await ChatWorld()
        let (ana, ben, conversation) = try await world.pair()
        let insult = try await world.send("Idiot", in: conversation, by: ben)
        try await world.block(ana, ben)
        _ = try await world.safety.unblock(ana, AccountParams(account: ben.account.id))
        #expect(try await world.match(ana, ben) == conversation)
        #expect(try await world.texts(conversation, of: ana).isEmpty)
        let again = try await world.send("Idiot again", in: conversation, by: ben)
        #expect(try await report(world, ana, ben, in: conversation).evidence.map(\.offset) == [insult, again])
    }
}
