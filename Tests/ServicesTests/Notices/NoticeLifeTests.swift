import Foundation
import Hub
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("A notice's life")
struct NoticeLifeTests {
    private struct Page: Decodable {
        let publications: [Publication<NoticeEvent>]
    }

    private func history(_ world: NoticeWorld, _ topic: String) async throws -> [NoticeEvent] {
        try WireJSON.decode(
            Page.self, from: try await world.world.publications.history(topic: topic, before: nil, limit: nil)
        ).publications.map(\.data).reversed()
    }

    @Test("Sent again it is the same notice, and its number, text, times and sender are what the list and the feed say")
    func sentAgain() async throws {
        let world = try await NoticeWorld()
        let (admin, student) = (try await world.member(.admin), try await world.member())
        var listener = try await world.listen(student)
        let id = World.newID()
        let first = try await world.publish(" Water ", level: .important, id: id, body: "Line\n\tmore", by: admin)
        let again = try await world.publish("Another", id: id, by: admin)
        #expect(first == again)
        #expect(first.recipients == 0 && first.received == nil && first.state == .published)
        try await listener.read(upTo: 1)
        let notice = Notice(
            number: first.notice.number, id: id.lowercased(), at: world.clock.now, title: "Water", body: "Line\n\tmore",
            level: .important, from: .init(username: admin.account.username, role: .admin), to: .campus,
            expiresAt: world.clock.now.advanced(bySeconds: 7 * 86_400))
        #expect(listener.taken == [.notice(notice)])
        #expect(try await world.notices.list(.init(), for: student).notices == [notice])
        #expect(first.notice == notice)
        await world.close()
    }

    @Test("A scheduled one is told when it is due and not before, as it was corrected, by whatever server looks first")
    func scheduled() async throws {
        let world = try await NoticeWorld()
        let (admin, student) = (try await world.member(.admin), try await world.member())
        var listener = try await world.listen(student)
        let hour = world.clock.now.advanced(bySeconds: 3_600)
        let sent = try await world.publish("soon", at: hour, by: admin)
        let other = try await world.publish("never", at: hour, by: admin)
        #expect(sent.state == .scheduled && sent.publishAt == hour)
        try await world.correct(sent, "later", by: admin)
        #expect(try await world.withdraw(other, by: admin).state == .withdrawn)
        world.clock.advance(bySeconds: 3_599)
        try await world.notices.publishDue()
        try await listener.read()
        #expect(listener.taken.isEmpty)
        #expect(try await world.listed(student) == [])
        world.clock.advance(bySeconds: 1)
        let second = try await world.restarted()
        async let one: Void = world.notices.publishDue()
        async let two: Void = second.notices.publishDue()
        _ = try await (one, two)
        try await listener.read(upTo: 1)
        #expect(listener.titles == ["later"])
        #expect(try await history(world, "campus/notices").count == 1)
        #expect(try await world.notices.status(of: .init(notice: sent.notice.number), for: admin).state == .published)
        await second.receipts.close()
        await world.close()
    }

    @Test("A scheduled one whose sender may not send it any more is withdrawn instead")
    func demoted() async throws {
        let world = try await NoticeWorld()
        let (admin, lecturer) = (try await world.member(.admin), try await world.member(.lecturer))
        let soon = world.clock.now.advanced(bySeconds: 60)
        let sent = try await world.publish("soon", at: soon, by: lecturer)
        _ = try await world.become(.student, lecturer)
        world.clock.advance(bySeconds: 60)
        try await world.notices.publishDue()
        #expect(try await world.notices.status(of: .init(notice: sent.notice.number), for: admin).state == .withdrawn)
        #expect(try await world.listed(lecturer) == [])
        await world.close()
    }

    @Test(
        "Corrected and withdrawn it is told to those who have it; who comes back is told once what holds; guests as well"
    )
    func corrected() async throws {
        let world = try await NoticeWorld()
        let (admin, student) = (try await world.member(.admin), try await world.member())
        var listener = try await world.listen(student)
        let away = listener.position
        let sent = try await world.publish("at nine", by: admin)
        try await listener.read(upTo: 1)
        let corrected = try await world.correct(sent, "at ten", by: admin)
        #expect(try await world.correct(sent, "at ten", by: admin) == corrected, "sent again")
        _ = await refusal(.conflict) { try await world.correct(sent, "at noon", by: admin) }
        try await listener.read(upTo: 2)
        try await world.publish("other", by: admin)
        let withdrawn = try await world.withdraw(corrected, by: admin)
        #expect(try await world.withdraw(corrected, by: admin) == withdrawn)
        _ = await refusal(.conflict) { try await world.correct(withdrawn, "x", by: admin) }
        try await listener.read(upTo: 4)
        #expect(listener.titles == ["at nine", "at ten", "other", "-"])
        #expect(listener.taken.map(\.revision) == [1, 2, 1, 3])
        var back = try await world.listen(student, at: away)
        #expect(back.titles == ["other", "-"], "what was said before does not come any more")
        #expect(back.reply?.recovered == true)
        #expect(try await world.listen(student).titles == ["other"])
        #expect(try await world.listed(student) == ["other"])
        let publicly = try await history(world, "campus/notices")
        #expect(publicly.map(\.revision) == [3, 3, 1, 3], "earlier wordings are gone")
        guard case .notice(let other) = publicly[2] else { return #expect(Bool(false)) }
        #expect(other.from == .init(username: nil, role: .admin), "guests are not told who it was")
        try await back.read()
        #expect(back.faults == [] && listener.faults == [])
        await world.close()
    }

    @Test(
        "Others can neither correct, withdraw nor look at one, a lecturer makes no emergency of it, and an admin puts no words into its mouth"
    )
    func others() async throws {
        let world = try await NoticeWorld()
        let (admin, lecturer) = (try await world.member(.admin), try await world.member(.lecturer))
        let sent = try await world.publish(by: lecturer)
        for other in [try await world.member(.lecturer), try await world.member()] {
            _ = await refusal(.notFound) { try await world.correct(sent, "x", by: other) }
            _ = await refusal(.notFound) { try await world.withdraw(sent, by: other) }
            _ = await refusal(.notFound) {
                try await world.notices.status(of: .init(notice: sent.notice.number), for: other)
            }
            #expect(try await world.notices.sent(.init(), for: other).notices.isEmpty)
        }
        _ = await refusal(.forbidden) { try await world.correct(sent, "x", level: .emergency, by: lecturer) }
        _ = await refusal(.forbidden) { try await world.correct(sent, "x", by: admin) }
        for who in [admin, lecturer] {
            #expect(try await world.notices.sent(.init(), for: who).notices.map(\.notice) == [sent.notice])
        }
        let student = try await world.become(.student, lecturer)
        #expect(try await world.withdraw(sent, by: student).state == .withdrawn, "one's own can be taken back")
        let other = try await world.publish(by: admin)
        let admin2 = try await world.member(.admin)
        #expect(try await world.withdraw(other, by: admin2).state == .withdrawn, "admins take back anybody's")
        let actions = try await world.pool.query(
            "SELECT action FROM audit_log WHERE subject_kind = 'notice' AND subject_id = $1 ORDER BY id",
            [.int(other.notice.number)]
        ).map { try $0.text("action") }
        #expect(actions == ["notice.publish", "notice.withdraw"])
        await world.close()
    }

    @Test(
        "Whoever is disabled before a scheduled one is due sends it no more, and is counted among nobody's recipients")
    func disabled() async throws {
        let world = try await NoticeWorld()
        let (lecturer, student) = (try await world.member(.lecturer), try await world.member())
        let sent = try await world.publish(at: world.clock.now.advanced(bySeconds: 60), by: lecturer)
        let admin = try await world.member(.admin)
        _ = try await world.pool.query(
            "UPDATE accounts SET disabled_at = now() WHERE id = $1", [.int(lecturer.account.id)])
        world.clock.advance(bySeconds: 61)
        try await world.notices.publishDue()
        #expect(try await world.notices.status(of: .init(notice: sent.notice.number), for: admin).state == .withdrawn)
        #expect(try await world.listed(student).isEmpty)
        await world.close()
    }

    @Test("What is read on one device is told to the account's others, and to nobody else")
    func readElsewhere() async throws {
        let world = try await NoticeWorld()
        let (admin, student, other) = (
            try await world.member(.admin), try await world.member(), try await world.member()
        )
        let sent = try await world.publish(by: admin)
        var delivered: [RecordingViewer] = []
        for who in [student, other] {
            let viewer = RecordingViewer(loop: TestDatabase.shared.loop)
            try await world.hub.signals.subscribe(viewer, account: who.account.id) { [] }
            delivered.append(viewer)
        }
        _ = try await world.notices.read(.init(notices: [sent.notice.number]), by: student)
        let counts = try await [signals(delivered[0]), signals(delivered[1])].map { $0.filter { $0 == .notices }.count }
        #expect(counts == [1, 0])
        await world.close()
    }

    private func signals(_ viewer: RecordingViewer) async throws -> [UserSignal.Kind] {
        try await viewer.take().flatMap(\.messages).compactMap { message in
            let json = RecordingViewer.payload(of: message.frame)
            return json.isEmpty ? nil : try WireJSON.decode(Push<UserSignal>.self, from: json).params.data.type
        }
    }

    @Test("One that has expired is told to nobody who comes late, is in no list, and cannot be corrected")
    func expired() async throws {
        let world = try await NoticeWorld()
        let (admin, student) = (try await world.member(.admin), try await world.member())
        let away = try await world.listen(student).position
        let sent = try await world.publish(
            "now", until: world.clock.now.advanced(bySeconds: 60), by: admin)
        let soon = world.clock.now.advanced(bySeconds: 100)
        try await world.publish("slept", at: soon, until: soon.advanced(bySeconds: 10), by: admin)
        world.clock.advance(bySeconds: 120)
        // Nobody served meanwhile.
        try await world.notices.publishDue()
        #expect(try await world.listen(student, at: away).taken.isEmpty)
        #expect(try await world.listen(student).taken.isEmpty)
        #expect(try await world.listed(student) == [])
        #expect(try await world.notices.status(of: .init(notice: sent.notice.number), for: admin).state == .expired)
        _ = await refusal(.conflict) { try await world.correct(sent, "x", by: admin) }
        #expect(try await history(world, "campus/notices").count == 1)
        await world.close()
    }

    @Test("What is long gone is removed; who missed some of it is told, and given what holds")
    func pruned() async throws {
        let world = try await NoticeWorld()
        let (admin, student) = (try await world.member(.admin), try await world.member())
        let away = try await world.listen(student).position
        try await world.publish("old", until: world.clock.now.advanced(bySeconds: 60), by: admin)
        try await world.publish("long", until: world.clock.now.advanced(bySeconds: 300 * 86_400), by: admin)
        let between = try await world.listen(student).position
        world.clock.advance(bySeconds: 90 * 86_400)
        try await world.notices.prune()
        #expect(try await world.listen(student, at: away).reply?.recovered == true)
        world.clock.advance(bySeconds: 61)
        try await world.notices.prune()
        let late = try await world.listen(student, at: away)
        #expect(late.reply?.reason == .tooOld)
        #expect(late.titles == ["long"])
        #expect(try await world.listen(student, at: between).reply?.recovered == true)
        await world.close()
    }

    @Test("Who missed thousands of entries, nearly all of them others', is given their own by pages, each once")
    func farBehind() async throws {
        let world = try await NoticeWorld()
        let (admin, student) = (try await world.member(.admin), try await world.member())
        let other = try await world.member()
        let away = try await world.listen(student).position
        try await world.publish("first", to: .user(student.account.id), by: admin)
        let now = PostgresValue.timestamp(world.clock.now.milliseconds)
        _ = try await world.pool.query(
            """
            INSERT INTO notices (author_id, client_id, kind, account_id, title, level, state, created_at, publish_at, published_offset,
                expires_at)
            SELECT $1, gen_random_uuid(), 'user', $2, 'other', 'info', 'published', $3, $3, n + 1, $3::timestamptz + interval '1 day'
            FROM generate_series(1, 12000) n
            """, [.int(admin.account.id), .int(other.account.id), now])
        _ = try await world.pool.query(
            "INSERT INTO notice_log SELECT published_offset, id, 'published', 1, $1 FROM notices WHERE title = 'other'",
            [now])
        _ = try await world.pool.query("UPDATE topics SET head_offset = 12001 WHERE name = 'notices'")
        for number in 1...150 { try await world.publish("\(number)", to: .user(student.account.id), by: admin) }
        var back = try await world.listen(student, at: away)
        #expect(back.titles == ["first"] + (1...150).map { "\($0)" })
        #expect(back.position?.offset == 12_151 && back.reply?.recovered == true)
        try await world.publish("last", by: admin)
        try await back.read(upTo: 152)
        #expect(back.faults == [] && back.repeated.isEmpty)
        await world.close()
    }

    @Test("Receipts count once each, of those only whom it is for, and reading says how many are left")
    func receipts() async throws {
        let world = try await NoticeWorld()
        let (admin, student, stranger) = (
            try await world.member(.admin), try await world.member(), try await world.member()
        )
        let sent = try await world.publish("one", to: .user(student.account.id), by: admin)
        let campus = try await world.publish("all", by: admin)
        let scheduled = try await world.publish(
            "later", to: .user(student.account.id), at: world.clock.now.advanced(bySeconds: 60), by: admin)
        let numbers = [sent, campus, scheduled].map(\.notice.number)
        for who in [student, stranger, student] {
            try await world.notices.received(.init(notices: numbers + numbers + [999_999]), by: who)
        }
        func counts(_ sent: SentNotice) async throws -> [Int64] {
            let rows = try await world.pool.query(
                "SELECT received, read FROM notice_counts WHERE notice_id = $1", [.int(sent.notice.number)])
            return try rows.first.map { [try $0.int("received"), try $0.int("read")] } ?? []
        }
        #expect(try await counts(sent) == [1, 0], "what is for others cannot be acknowledged")
        #expect(try await counts(campus) == [2, 0])
        #expect(try await counts(scheduled) == [])
        #expect(try await world.notices.read(.init(notices: [numbers[0]]), by: stranger).unread == 1)
        #expect(try await world.notices.read(.init(notices: [numbers[0]]), by: student).unread == 1)
        #expect(try await world.notices.read(.init(notices: [numbers[0]]), by: student).unread == 1)
        #expect(try await counts(sent) == [1, 1])
        #expect(try await world.listed(student, unread: true) == ["all"])
        #expect(try await world.notices.list(.init(), for: student).notices.map { $0.readAt != nil } == [false, true])
        for wrong in [[], Array(repeating: 1, count: 101)] as [[Int64]] {
            _ = await refusal(.invalidParams) {
                try await world.notices.received(.init(notices: wrong), by: student)
                return 0
            }
        }
        await world.close()
    }

    @Test("A thousand receipts at once are some groups, and all count")
    func manyReceipts() async throws {
        let world = try await NoticeWorld()
        let admin = try await world.member(.admin)
        _ = try await world.pool.query(
            """
            INSERT INTO accounts (username, username_key, email, email_key, password_hash)
            SELECT 'many' || n, 'many' || n, n || '@many', n || '@many', '' FROM generate_series(1, 1000) n
            """)
        let rows = try await world.pool.query("SELECT id FROM accounts WHERE username LIKE 'many%'")
        let sent = try await world.publish("all", by: admin)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for row in rows {
                let who = Identity(
                    account: Account(
                        id: try row.int("id"), username: "", role: .student, email: "", simulated: false), tokenID: 0)
                group.addTask { try await world.notices.received(.init(notices: [sent.notice.number]), by: who) }
            }
            try await group.waitForAll()
        }
        let status = try await world.notices.status(of: .init(notice: sent.notice.number), for: admin)
        #expect(status.received == 1_000 && status.recipients == 1_000)
        #expect(await world.notices.metrics.groups.count < 20)
        await world.close()
    }

    @Test("Pages of a list go on where the last ended, and each notice is on one")
    func pages() async throws {
        let world = try await NoticeWorld()
        let (admin, student) = (try await world.member(.admin), try await world.member())
        for number in 1...7 { try await world.publish("\(number)", by: admin) }
        var titles: [String] = []
        var before: Int64?
        repeat {
            let page = try await world.notices.list(.init(before: before, limit: 3), for: student)
            titles += page.notices.map(\.title)
            #expect(page.unread == 7)
            before = page.next
        } while before != nil
        #expect(titles == (1...7).reversed().map { "\($0)" })
        let sent = try await world.notices.sent(.init(limit: 5), for: admin)
        let rest = try await world.notices.sent(.init(before: sent.next, limit: 5), for: admin)
        #expect((sent.notices + rest.notices).map(\.notice.title) == titles)
        await world.close()
    }
}
