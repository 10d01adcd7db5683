import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Reports")
struct ReportTests {
    /// Messages, as chat leaves them in the tables.
    private struct Talk {
        let world: BuddyWorld
        let conversation: Int64

        @discardableResult
        func say(_ text: String, _ author: Identity) async throws -> Int64 {
            try await world.number(
                """
                SELECT at_offset AS n FROM chat_post(ARRAY[$1::bigint], ARRAY[$2::bigint], ARRAY[gen_random_uuid()],
                    ARRAY[$3::timestamptz], ARRAY[$4::text], ARRAY[NULL::uuid], ARRAY[NULL::bigint])
                """,
                [
                    .int(conversation), .int(author.account.id), .timestamp(world.world.clock.now.milliseconds),
                    .text(text),
                ])
        }

        /// Edits, or deletes when there is no new text.
        func change(_ offset: Int64, to text: String?) async throws {
            let parameters: [PostgresValue] = [
                .int(conversation), .int(offset), .timestamp(world.world.clock.now.milliseconds),
            ]
            try await world.sql(
                """
                INSERT INTO retracted (conversation_id, at_offset, body, at)
                SELECT conversation_id, at_offset, body, $3 FROM chat_log WHERE conversation_id = $1 AND at_offset = $2
                """, parameters)
            try await world.sql(
                """
                UPDATE chat_log SET body = $4::text, edited_at = CASE WHEN $4::text IS NOT NULL THEN $3::timestamptz END,
                    deleted_at = CASE WHEN $4::text IS NULL THEN $3::timestamptz END
                WHERE conversation_id = $1 AND at_offset = $2
                """, parameters + [.optional(text)])
        }

        func report(
            _ reporter: Identity, _ account: Identity, _ messages: [Int64]? = nil, id: String = UUID().uuidString
        ) async throws -> Int64 {
            try await world.safety.report(
                reporter,
                .init(
                    id: id, account: account.account.id, reason: .harassment, note: "Look", conversation: conversation,
                    messages: messages)
            ).report
        }
    }

    private func group(_ world: BuddyWorld, _ members: [Identity]) async throws -> Talk {
        let conversation = try await world.number(
            """
            WITH made AS (INSERT INTO conversations (kind, name, created_at) VALUES ('group', 'Runners', now()) RETURNING id),
                joined AS (INSERT INTO members (conversation_id, account_id, role, state, since)
                    SELECT id, a, 'member', 'joined', $2 FROM made, unnest($1::bigint[]) a)
            SELECT id AS n FROM made
            """,
            [.intArray(members.map(\.account.id)), .timestamp(world.world.clock.now.milliseconds)])
        for member in members {
            try await world.sql(
                "SELECT chat_append($1, 'joined', $2, $3, of_member => $2)",
                [
                    .int(conversation), .int(member.account.id), .timestamp(world.world.clock.now.milliseconds),
                ])
        }
        return Talk(world: world, conversation: conversation)
    }

    private func latest(_ world: BuddyWorld) async throws -> Report {
        try #require(try await world.safety.reports(try await world.admin(), .init()).reports.first)
    }

    @Test("A report copies the named messages as they are and were; what is deleted afterwards stays evidence")
    func evidence() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben", "Okafor"))
        let talk = Talk(world: world, conversation: try await world.match(ana, ben))
        let first = try await talk.say("You again", ben)
        let second = try await talk.say("Idiot", ben)
        let third = try await talk.say("Bye", ben)
        try await talk.change(second, to: "I mean hello")
        try await talk.change(second, to: nil)
        _ = world.notified.take()
        let number = try await talk.report(ana, ben, [second, first])
        #expect(world.notified.take() == [.reported])
        try await talk.change(first, to: nil)
        let report = try await latest(world)
        #expect(report.id == number && report.reason == .harassment && report.note == "Look")
        #expect(report.conversation == talk.conversation && report.reportsOfAccount == 1 && report.closedAt == nil)
        #expect(report.reporter?.account == ana.account.id && report.reported?.name == "Ben O.")
        #expect(report.evidence.map(\.offset) == [first, second])
        #expect(
            report.evidence[0].text == "You again" && !report.evidence[0].deleted && report.evidence[0].before.isEmpty)
        #expect(report.evidence[1].text == nil && report.evidence[1].deleted)
        #expect(report.evidence[1].before == ["Idiot", "I mean hello"])
        #expect(report.evidence.allSatisfy { $0.by == ben.account.id && $0.at == world.world.clock.now })
        #expect(third > second)
        await world.close()
    }

    @Test("Without messages the newest 20 of who is reported are copied, and nobody else's")
    func newest() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        let talk = Talk(world: world, conversation: try await world.match(ana, ben))
        for number in 1...23 {
            try await talk.say("his \(number)", ben)
            try await talk.say("hers \(number)", ana)
        }
        _ = try await talk.report(ana, ben)
        #expect(try await latest(world).evidence.map(\.text) == (4...23).map { "his \($0)" })
        await world.close()
    }

    @Test("Only what the reporter could read counts: from joining until leaving")
    func window() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        let talk = try await group(world, [ana, ben])
        let before = try await talk.say("before", ben)
        try await world.sql(
            "UPDATE members SET from_offset = $3 WHERE conversation_id = $1 AND account_id = $2",
            [.int(talk.conversation), .int(ana.account.id), .int(before)])
        world.world.clock.advance(bySeconds: 60)
        let during = try await talk.say("during", ben)
        let own = try await talk.say("own", ana)
        world.world.clock.advance(bySeconds: 60)
        try await world.sql(
            "UPDATE members SET state = 'left', since = $3 WHERE conversation_id = $1 AND account_id = $2",
            [.int(talk.conversation), .int(ana.account.id), .timestamp(world.world.clock.now.milliseconds)])
        world.world.clock.advance(bySeconds: 60)
        let after = try await talk.say("after", ben)
        for offset in [before, after, own, 99] {
            let error = await refusal(.invalidParams) { try await talk.report(ana, ben, [during, offset]) }
            #expect(error?.message == "messages[1]: is no message of theirs that you could read there")
        }
        _ = try await talk.report(ana, ben)
        #expect(try await latest(world).evidence.map(\.text) == ["during"])
        await world.close()
    }

    @Test("Who was invited cannot find out by reporting who is in a group, nor who left who came later")
    func oracle() async throws {
        let world = try await BuddyWorld()
        let (ana, ben, eva) = (
            try await world.world.member(), try await world.world.member(), try await world.world.member()
        )
        let talk = try await group(world, [ben, eva])
        try await world.sql(
            """
            INSERT INTO members (conversation_id, account_id, role, state, since, invited_by)
            VALUES ($1, $2, 'member', 'invited', $3, $4)
            """,
            [
                .int(talk.conversation), .int(ana.account.id), .timestamp(world.world.clock.now.milliseconds),
                .int(ben.account.id),
            ])
        func received(_ account: Identity, in conversation: Int64?) async -> RPCError? {
            await refusal(.notFound) {
                try await world.safety.report(
                    ana,
                    .init(
                        id: UUID().uuidString, account: account.account.id, reason: .spam, conversation: conversation))
            }
        }
        for conversation in [nil, talk.conversation] {
            #expect(await received(eva, in: conversation) == Safety.notReportable)
        }
        // The invitation itself can be reported.
        _ = try await talk.report(ana, ben)
        // Who declined knows no more than before.
        try await world.sql(
            "UPDATE members SET state = 'left' WHERE conversation_id = $1 AND account_id = $2",
            [.int(talk.conversation), .int(ana.account.id)])
        for conversation in [nil, talk.conversation] {
            #expect(await received(eva, in: conversation) == Safety.notReportable)
        }
        await world.close()
    }

    @Test("Who has nothing to do with the other is told the same as if there were nobody")
    func strangers() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.person()
        let (stranger, other) = (try await world.world.member(), try await world.world.member())
        let talk = try await group(world, [stranger, other])
        for account in [stranger.account.id, Int64.max] {
            for conversation in [nil, talk.conversation, Int64.max] {
                let error = await refusal(.notFound) {
                    try await world.safety.report(
                        ana,
                        .init(
                            id: UUID().uuidString, account: account, reason: .spam, conversation: conversation))
                }
                #expect(error == Safety.notReportable)
            }
        }
        // Somebody of the conversation reports somebody who is not.
        #expect(await refusal(.notFound) { try await talk.report(stranger, ana) } == Safety.notReportable)
        #expect(try await world.number("SELECT count(*) AS n FROM reports") == 0)
        #expect(world.notified.take().isEmpty)
        await world.close()
    }

    @Test("A card on the deck can be reported, also after passing, blocking, or sharing a conversation")
    func withoutConversation() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.person()
        func report(_ account: Identity) async throws -> Int64 {
            try await world.safety.report(
                ana, .init(id: UUID().uuidString, account: account.account.id, reason: .fake)
            ).report
        }
        let (card, passed, blocked) = (
            try await world.person("Eva"), try await world.person("Kim"), try await world.world.member()
        )
        let member = try await world.world.member()
        _ = try await report(card)
        try await world.decide(ana, passed, accept: false)
        _ = try await world.buddies.save(passed, BuddyProfile(active: false))
        _ = try await report(passed)
        #expect(await refusal(.notFound) { try await report(blocked) } == Safety.notReportable)
        _ = try await world.world.start(blocked, audience: .campus)
        #expect(await refusal(.notFound) { try await report(blocked) } == Safety.notReportable)
        try await world.block(ana, blocked)
        _ = try await report(blocked)
        #expect(await refusal(.notFound) { try await report(member) } == Safety.notReportable)
        _ = try await group(world, [ana, member])
        _ = try await report(member)
        await world.close()
    }

    @Test("Sent again it is the same report; a day has 20 of them")
    func again() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        let talk = Talk(world: world, conversation: try await world.match(ana, ben))
        let id = UUID().uuidString
        _ = world.notified.take()
        let numbers = try await withThrowingTaskGroup(of: Int64.self) { group in
            for id in [id, id.lowercased(), id] { group.addTask { try await talk.report(ana, ben, id: id) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(numbers.count == 1)
        #expect(world.notified.take() == [.reported])
        for _ in 1..<Safety.reportsPerDayMax { _ = try await talk.report(ana, ben) }
        world.world.clock.advance(bySeconds: 3_600)
        let error = await refusal(.rateLimited) { try await talk.report(ana, ben) }
        #expect(error?.data?.retryAfter == 82_800)
        #expect(try await Set([talk.report(ana, ben, id: id)]) == numbers)
        // ErasureHandlers are not slowed down by it.
        _ = try await talk.report(ben, ana)
        #expect(try await latest(world).reportsOfAccount == 1)
        await world.close()
    }

    @Test("What is wrong with a report is said of the member at fault")
    func invalid() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        let valid = SafetyReport.Params(id: UUID().uuidString, account: ben.account.id, reason: .other)
        let cases: [(message: String, change: (inout SafetyReport.Params) -> Void)] = [
            ("id: must be a UUID, such as one of crypto.randomUUID()", { $0.id = "1" }),
            ("account: is your own: report another account", { $0.account = ana.account.id }),
            ("note: has at most 1000 characters", { $0.note = String(repeating: "n", count: 1_001) }),
            ("messages: a report holds at most 20", { $0.messages = Array(1...21) }),
            ("conversation: is needed to find the messages", { $0.messages = [1] }),
        ]
        for one in cases {
            var params = valid
            one.change(&params)
            let error = await refusal(.invalidParams) { try await world.safety.report(ana, params) }
            #expect(error?.message == one.message)
        }
        await world.close()
    }

    @Test("Admins read and close reports page by page; nobody else does")
    func admins() async throws {
        let world = try await BuddyWorld()
        let (ana, ben, eva) = (
            try await world.person(), try await world.person("Ben"), try await world.person("Eva")
        )
        let picture = try await world.picture(of: ana)
        _ = try await world.buddies.save(ana, BuddyProfile(picture: picture))
        let talk = try await group(world, [ana, ben, eva])
        var numbers: [Int64] = []
        for reporter in [ana, eva, ana] { numbers.append(try await talk.report(reporter, ben)) }
        numbers.append(try await talk.report(ben, ana))
        let close = ReportsClose.Params(report: numbers[1], resolution: "Talked to them")
        for role in Role.allCases where role != .admin {
            var account = ana.account
            account.role = role
            let identity = Identity(account: account, tokenID: 0)
            #expect(await refusal(.forbidden) { try await world.safety.reports(identity, .init()) } != nil)
            #expect(await refusal(.forbidden) { try await world.safety.close(identity, close) } != nil)
        }
        let admin = try await world.admin()
        let first = try await world.safety.reports(admin, .init(limit: 3))
        #expect(first.reports.map(\.id) == [numbers[3], numbers[2], numbers[1]] && first.open == 4)
        #expect(first.reports[0].reported?.picture == picture, "to judge")
        #expect(first.reports[1].reporter?.account == ana.account.id && first.reports[1].reporter?.picture == nil)
        #expect(first.reports[1].reportsOfAccount == 3)
        let second = try await world.safety.reports(admin, .init(before: first.next, limit: 3))
        #expect(second.reports.map(\.id) == [numbers[0]] && second.next == nil)

        #expect(try await world.safety.close(admin, close).report == numbers[1])
        #expect(try await world.safety.close(admin, close).report == numbers[1])
        let otherwise = ReportsClose.Params(report: numbers[1], resolution: "Nothing")
        #expect(await refusal(.conflict) { try await world.safety.close(admin, otherwise) } != nil)
        #expect(
            await refusal(.notFound) { try await world.safety.close(admin, .init(report: .max, resolution: "x")) }
                != nil)
        #expect(
            await refusal(.invalidParams) {
                try await world.safety.close(admin, .init(report: numbers[0], resolution: " "))
            } != nil)
        let closed = try await world.safety.reports(admin, .init(closed: true))
        #expect(closed.reports.map(\.id) == [numbers[1]] && closed.open == 3)
        #expect(closed.reports[0].resolution == "Talked to them" && closed.reports[0].closedAt == world.world.clock.now)
        #expect(
            try await world.safety.reports(admin, .init()).reports.map(\.id) == [numbers[3], numbers[2], numbers[0]])
        // Accounts may go: what they did stays.
        try await world.sql("DELETE FROM accounts WHERE id = $1", [.int(ben.account.id)])
        let left = try await world.safety.reports(admin, .init())
        #expect(
            left.reports[0].reporter == nil && left.reports[1].reported == nil && left.reports[1].reportsOfAccount == 1)
        await world.close()
    }
}
