import EventLoop
import Foundation
import Hub
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("What other services have people reminded of", .timeLimit(.minutes(3)))
struct ReminderSourceTests {
    /// Notices over the reminders' database.
    private func notices(_ world: ReminderWorld) async -> (Notices, TransactionWriter) {
        let clock = world.clock
        let receipts = TransactionWriter(
            configuration: world.chats.world.access.application, loop: world.chats.world.loop,
            logger: TestDatabase.logger)
        let table = NoticeTable(database: world.pool, now: { clock.now })
        return (
            Notices(
                loop: world.chats.world.loop, database: world.pool, writer: receipts, hub: world.chats.hub,
                table: table, now: { clock.now }, logger: TestDatabase.logger), receipts
        )
    }

    private func admin(_ world: ReminderWorld) async throws -> Identity {
        let identity = try await world.chats.member()
        _ = try await world.pool.query(
            "UPDATE accounts SET role = 'admin' WHERE id = $1", [.int(identity.account.id)])
        var account = identity.account
        account.role = .admin
        return Identity(account: account, tokenID: identity.tokenID)
    }

    private func mailed(_ world: ReminderWorld) throws -> [String] {
        try required(world.mail).said("mail").map { $0.object("headers").text("subject") }
    }

    @Test(
        "A notice is sent once to those for whom it is, whichever server plans; an emergency at once, others a moment later"
    )
    func notice() async throws {
        let world = try await ReminderWorld(.mail)
        let (notices, receipts) = await notices(world)
        let sender = try await admin(world)
        let student = try await world.member(email: "student@example.org")
        let lecturer = try await world.member(email: "lecturer@example.org")
        _ = try await world.pool.query(
            "UPDATE accounts SET role = 'lecturer' WHERE id = $1", [.int(lecturer.account.id)])
        for who in [student, lecturer] { try await world.choose([.notice: [.email]], of: who) }
        let other = try await world.another()
        _ = try await notices.publish(
            .init(id: World.newID(), audience: .role(.lecturer), title: "Exams are marked"), by: sender)
        _ = try await notices.publish(
            .init(id: World.newID(), audience: .campus, title: "Leave the library", level: .emergency), by: sender)
        for _ in 1...2 {
            try await world.reminders.planNotices(at: world.clock.now)
            try await other.reminders.planNotices(at: world.clock.now)
        }
        for who in [student, lecturer] { try await world.settle(who) }
        #expect(try mailed(world) == ["Emergency: Leave the library", "Emergency: Leave the library"])
        world.clock.advance(bySeconds: Reminders.noticeDelaySeconds + 1)
        for who in [student, lecturer] { try await world.settle(who) }
        #expect(try mailed(world).filter { $0 == "Exams are marked" }.count == 1)
        #expect(try await world.states(student) == ["sent"])
        #expect(try await world.states(lecturer) == ["sent", "sent"])
        await receipts.close()
        await world.close()
    }

    @Test("A notice that was read, withdrawn or corrected meanwhile is not sent as it was")
    func meanwhile() async throws {
        let world = try await ReminderWorld(.mail)
        let (notices, receipts) = await notices(world)
        let sender = try await admin(world)
        let who = try await world.member(email: "student@example.org")
        try await world.choose([.notice: [.email]], of: who)
        func publish(_ title: String) async throws -> SentNotice {
            try await notices.publish(.init(id: World.newID(), audience: .campus, title: title), by: sender)
        }
        let read = try await publish("Read")
        let withdrawn = try await publish("Withdrawn")
        let corrected = try await publish("Room 12")
        try await world.reminders.planNotices(at: world.clock.now)
        _ = try await notices.read(.init(notices: [read.notice.number]), by: who)
        _ = try await notices.withdraw(.init(notice: withdrawn.notice.number), by: sender)
        _ = try await notices.correct(
            .init(notice: corrected.notice.number, revision: corrected.notice.revision, title: "Room 14"), by: sender)
        world.clock.advance(bySeconds: Reminders.noticeDelaySeconds + 1)
        try await world.settle(who)
        #expect(try mailed(world) == ["Room 14"])
        #expect(try await world.states(who).sorted() == ["dropped", "dropped", "sent"])
        await receipts.close()
        await world.close()
    }

    @Test(
        "A notice to many is planned in pieces, that of an emergency is sent before what waited, and old ones not at all"
    )
    func many() async throws {
        let world = try await ReminderWorld(.mail)
        let (notices, receipts) = await notices(world)
        let sender = try await admin(world)
        _ = try await world.pool.query(
            """
            WITH made AS (INSERT INTO accounts (username, username_key, email, email_key, password_hash)
                SELECT 'm' || n, 'm' || n, n || '@m.example', n || '@m.example', 'x' FROM generate_series(1, 4100) n RETURNING id)
            INSERT INTO reminder_addresses (account_id, channel, address, address_key, state, created_at)
            SELECT id, 'email', id || '@m.example', id || '@m.example', 'on', now() FROM made
            """)
        _ = try await world.pool.query(
            "INSERT INTO reminder_settings SELECT id, ARRAY['notice/email'], ARRAY[60], 10, false FROM accounts")
        _ = try await notices.publish(.init(id: World.newID(), audience: .campus, title: "Old"), by: sender)
        world.clock.advance(bySeconds: Reminders.eventChangeSeconds + 1)
        _ = try await notices.publish(.init(id: World.newID(), audience: .campus, title: "New"), by: sender)
        func planned() async throws -> Int64 {
            try await world.pool.query("SELECT count(*) AS count FROM reminders").first?.int("count") ?? 0
        }
        #expect(try await world.reminders.planNotices(at: world.clock.now))
        #expect(try await planned() == 4_100, "of the new one alone, whoever is on which look")
        _ = try await notices.publish(
            .init(id: World.newID(), audience: .campus, title: "Fire", level: .emergency), by: sender)
        try await world.reminders.planNotices(at: world.clock.now)
        world.clock.advance(bySeconds: Reminders.noticeDelaySeconds + 1)
        let newcomer = try await world.chats.member()
        _ = try await world.reminders.setAddress(
            .init(channel: .email, address: "new@example.org"), of: newcomer)
        let first = try await world.pool.query(
            "SELECT bool_and(is_urgent OR kind = 'code') AS urgent, bool_or(kind = 'code') AS has_code, count(*) AS count FROM reminder_claim('email', 50, $1::timestamptz, $1::timestamptz + interval '1 minute', 'x')",
            [.timestamp(world.clock.now.milliseconds)])
        #expect(try first.first?.bool("urgent") == true && first.first?.int("count") == 50)
        #expect(try first.first?.bool("has_code") == true, "somebody waits for it")
        await receipts.close()
        await world.close()
    }

    @Test("Whoever is disabled is sent nothing of what waits for them")
    func disabled() async throws {
        let world = try await ReminderWorld(.mail)
        let who = try await world.member(email: "student@example.org")
        try await world.choose([.notice: [.email]], of: who)
        try await world.notice("n1", to: who)
        _ = try await world.pool.query(
            "UPDATE accounts SET disabled_at = now() WHERE id = $1", [.int(who.account.id)])
        try await world.settle(who)
        #expect(try await world.states(who) == ["dropped"])
        #expect(try mailed(world).isEmpty)
        await world.close()
    }

    @Test("Who tracks a session is not to be disturbed by reminders until it is stopped")
    func held() async throws {
        let world = try await ReminderWorld(.mail)
        let clock = world.clock
        let table = NoticeTable(database: world.pool, now: { clock.now })
        let who = try await world.chats.member()
        let session = try await world.chats.world.start(who)
        #expect(try await table.heldUntil([who.account.id]).keys.sorted() == [who.account.id])
        try await world.chats.world.stop(session, as: who)
        #expect(try await table.heldUntil([who.account.id]).isEmpty)
        await world.close()
    }

    @Test(
        "What is new about an event is mailed to those whom it concerns, once, and a goal that is reached to who reached it"
    )
    func eventsAndGoals() async throws {
        let world = try await ReminderWorld(.mail)
        let who = try await world.member(email: "student@example.org")
        try await world.choose([.event: [.email], .goal: [.email]], of: who)
        let reminders = world.reminders
        await world.events.setChangePublished { try await reminders.eventChanged($0) }
        let event = try await world.event(in: 200_000, going: [who])
        let owner = try await world.pool.query("SELECT owner_id FROM events WHERE id = $1", [.int(event.id)])
        var account = who.account
        account.id = try #require(try owner.first?.int("owner_id"))
        _ = try await world.events.cancel(
            .init(event: event.id, reason: "Storm"), by: Identity(account: account, tokenID: 0))
        try await world.settle(who)
        #expect(try mailed(world) == ["Cancelled: Morning run"])
        let goal = Goal(
            kilometres: 50, month: "2026-11", endsAt: world.clock.now, distance: 51_234, percent: 102.468,
            completedAt: world.clock.now, resetAt: nil, totals: .init(sessions: 1, distance: 51_234, elapsed: 1))
        for _ in 1...2 { try await reminders.goalReached(goal, by: who.account.id) }
        try await world.settle(who)
        #expect(try mailed(world) == ["Cancelled: Morning run", "You reached your goal of 50 km"])
        await world.close()
    }

    // MARK: What becomes an emergency

    /// A notice for a student who is mailed of notices, and what corrects it.
    private func raised(
        _ body: (ReminderWorld, Identity, SentNotice, (SentNotice, NoticeLevel) async throws -> SentNotice) async throws
            -> Void
    ) async throws {
        let world = try await ReminderWorld(.mail)
        let (notices, receipts) = await notices(world)
        let sender = try await admin(world)
        let who = try await world.member(email: "student@example.org")
        try await world.choose([.notice: [.email]], of: who)
        let sent = try await notices.publish(
            .init(id: World.newID(), audience: .campus, title: "Smoke in the library"), by: sender)
        try await body(world, who, sent) { sent, level in
            try await notices.correct(
                .init(
                    notice: sent.notice.number, revision: sent.notice.revision, title: "Leave the library", level: level
                ), by: sender)
        }
        await receipts.close()
        await world.close()
    }

    @Test(
        "A correction that makes an emergency of a notice whose reminder still waits has that go at once, and no other")
    func raisedWhileWaiting() async throws {
        try await raised { world, who, sent, correct in
            try await world.reminders.planNotices(at: world.clock.now)
            var sent = try await correct(sent, .emergency)
            for _ in 1...2 { try await world.reminders.planNotices(at: world.clock.now) }
            try await world.settle(who)
            #expect(try mailed(world) == ["Emergency: Leave the library"], "before what was to wait is due")
            // Up and down again is no other emergency.
            sent = try await correct(sent, .info)
            sent = try await correct(sent, .emergency)
            try await world.reminders.planNotices(at: world.clock.now)
            world.clock.advance(bySeconds: Reminders.noticeDelaySeconds + 1)
            try await world.settle(who)
            #expect(try mailed(world).count == 1)
        }
    }

    @Test("Whom the milder notice has reached is reminded of the emergency, once")
    func raisedWhenSent() async throws {
        try await raised { world, who, sent, correct in
            try await world.reminders.planNotices(at: world.clock.now)
            world.clock.advance(bySeconds: Reminders.noticeDelaySeconds + 1)
            try await world.settle(who)
            _ = try await correct(sent, .emergency)
            for _ in 1...2 {
                try await world.reminders.planNotices(at: world.clock.now)
                try await world.settle(who)
            }
            #expect(try mailed(world) == ["Smoke in the library", "Emergency: Leave the library"])
        }
    }

    @Test("Before anybody planned, what became an emergency is reminded of once, at once")
    func raisedBeforePlanned() async throws {
        try await raised { world, who, sent, correct in
            _ = try await correct(sent, .emergency)
            for _ in 1...2 { try await world.reminders.planNotices(at: world.clock.now) }
            try await world.settle(who)
            #expect(try mailed(world) == ["Emergency: Leave the library"])
            #expect(try await world.states(who) == ["sent"])
        }
    }
}
