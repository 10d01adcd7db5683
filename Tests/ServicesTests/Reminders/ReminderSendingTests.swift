import Delivery
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Reminders are sent: by mail, push and text message, to real servers that are not ours")
struct ReminderSendingTests {
    @Test(
        "A mail says the same in two forms, with a link that stops such mails, and goes by TLS where it is to",
        arguments: ["plain", "starttls", "tls"])
    func mail(_ mode: String) async throws {
        let world = try await ReminderWorld(.mail, mailMode: mode)
        let who = try await world.member(email: "anna@example.org")
        try await world.choose([.notice: [.email]], of: who)
        try await world.notice("n1", to: who, title: "Läufe <b>heute</b>\r\nBcc: evil@example.org")
        try await world.settle(who)
        #expect(try await world.states(who) == ["sent"])
        let mails = try required(world.mail).said("mail")
        let mail = try #require(mails.first)
        #expect(mails.count == 1 && mail.count("defects") == 0 && mail.number("longest") <= 78)
        #expect(mail.isTrue("tls") == (mode != "plain"))
        let headers = mail.object("headers")
        #expect(headers.text("subject").hasPrefix("Läufe <b>heute</b>") && headers.text("bcc").isEmpty)
        #expect(mail.text("to") == "anna@example.org" && mail.text("sender") == "campus@example.org")
        #expect(mail.text("plain").contains("Until noon.") && mail.text("html").contains("Until noon."))
        #expect(mail.text("html").contains("&lt;b&gt;heute") && !mail.text("html").contains("<b>heute"))
        #expect(!mail.text("html").contains("<img") && !mail.text("html").contains("src="))
        let link = headers.text("list-unsubscribe").trimmingCharacters(in: CharacterSet(charactersIn: "<> "))
        #expect(link.hasPrefix("\(ReminderWorld.site)/unsubscribe/") && mail.text("plain").contains(link))
        #expect(headers.text("list-unsubscribe-post") == "List-Unsubscribe=One-Click")
        #expect(
            headers.text("auto-submitted") == "auto-generated" && headers.text("message-id").hasSuffix("@example.org>"))

        // Its link stops such mails, and no others; the second time nothing more.
        let token = try #require(link.split(separator: "/").last.map { String($0) })
        for _ in 1...2 { #expect(try await world.reminders.unsubscribe(token, all: false) == .notice) }
        #expect(try await world.reminders.unsubscribe("x" + token.dropFirst(), all: true) == nil)
        let kinds = try await world.reminders.settings(of: who).kinds
        #expect(kinds.first { $0.kind == .notice }?.channels == [])
        #expect(kinds.first { $0.kind == .event }?.channels == [.push, .email])
        try await world.notice("n2", to: who)
        try await world.settle(who)
        #expect(try required(world.mail).said("mail").count == 1)
        await world.close()
    }

    @Test("A server without STARTTLS, and one whose certificate nobody signed, get no mail")
    func noTLS() async throws {
        let plain = try await ReminderWorld(.mail) { configuration in
            let address = try required(configuration.mail).server.name
            configuration.mail?.server = try MailServer(url: "smtp://\(address)")
        }
        let strange = try await ReminderWorld(.mail, mailMode: "tls") { configuration in
            let address = try required(configuration.mail).server.name
            configuration.mail?.server = try MailServer(url: "smtps://\(address)")
        }
        for world in [plain, strange] {
            let who = try await world.member(email: "anna@example.org")
            try await world.choose([.notice: [.email]], of: who)
            try await world.notice("n1", to: who)
            try await world.settle(who)
            #expect(try await world.rows(who).first?.state == "waiting")
            #expect(try required(world.mail).said("rcpt").isEmpty)
            await world.close()
        }
    }

    @Test(
        "A mail that is put off with 451 is tried again, once; one to nobody (550) switches the address off, and its person is told"
    )
    func refusals() async throws {
        let world = try await ReminderWorld(.mail)
        let later = try await world.member(email: "later-a@example.org")
        let gone = try await world.member(email: "gone-a@example.org")
        let bad = try await world.member(email: "bad-a@example.org")
        for who in [later, gone, bad] {
            try await world.choose([.notice: [.email]], of: who)
            try await world.notice("n1", to: who)
            try await world.settle(who)
        }
        #expect(try await world.states(later) == ["waiting"])
        world.clock.advance(bySeconds: 60)
        try await world.settle(later)
        #expect(try await world.states(later) == ["sent"])
        world.clock.advance(bySeconds: 4_000)
        try await world.settle(later)
        let mail = try required(world.mail)
        #expect(mail.said("mail").count { $0.text("to") == "later-a@example.org" } == 1)

        #expect(try await world.states(gone) == ["failed"])
        let channel = try #require(try await world.reminders.settings(of: gone).channels.first { $0.channel == .email })
        #expect(channel.state == .dead && channel.reason?.contains("550") == true)
        try await world.notice("n2", to: gone)
        try await world.settle(gone)
        #expect(mail.said("rcpt").count { $0.text("to") == "gone-a@example.org" } == 1)

        // What is refused of one mail says nothing of its address.
        #expect(try await world.states(bad) == ["failed"])
        #expect(try await world.reminders.settings(of: bad).channels.first { $0.channel == .email }?.state == .on)
        await world.close()
    }

    @Test("A push is read by the browser alone, says who sends it, and a browser that is gone is switched off")
    func push() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        try await world.subscribe(who, "/gone")
        try await world.subscribe(who, "/busy")
        try await world.subscribe(who, "/redirect")
        try await world.notice("n1", to: who, isEmergency: true)
        try await world.settle(who)
        let service = try required(world.push)
        #expect(service.said("bad").isEmpty)
        let push = try #require(service.said("push").first { $0.text("path") == "/one" })
        #expect(push.object("payload").text("title") == "Pool closed" && push.object("payload").isTrue("urgent"))
        #expect(push.text("contact") == "mailto:campus@example.org")
        #expect(push.text("key") == (try await world.reminders.pushKey().key))
        let headers = push.object("headers")
        #expect(
            headers.text("ttl") == "86400" && headers.text("urgency") == "high" && headers.text("topic").count == 32)
        #expect(headers.text("content-encoding") == "aes128gcm" && push.number("bytes") > 1_024)
        // Redirects lead nowhere.
        #expect(!service.said("push").contains { $0.text("path") == "/led-away" })
        let browsers = try #require(try await world.reminders.settings(of: who).channels.first?.browsers)
        #expect(browsers.map(\.state) == [.on, .dead, .on, .on])

        // Retry-After is kept to.
        #expect(try await world.states(who).count { $0 == "waiting" } == 1)
        world.clock.advance(bySeconds: 60)
        try await world.settle(who)
        #expect(service.said("push").count { $0.text("path") == "/busy" } == 2)
        await world.close()
    }

    @Test("That a browser is gone is written down together with its reminder, or neither is")
    func goneAtOnce() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/gone")
        let owner = PostgresPool(
            configuration: world.chats.world.access.owner, loop: world.chats.world.loop, logger: TestDatabase.logger)
        _ = try await owner.query(
            "ALTER TABLE reminder_addresses ADD CONSTRAINT none_dead CHECK (state <> 'dead') NOT VALID")
        try await world.notice("n1", to: who)
        try await world.reminders.runOnce()
        let service = try required(world.push)
        _ = try await eventually("it was refused") { service.said("push").isEmpty ? nil : true }
        // PostgreSQL refuses what is written down next, again and again.
        try await Task.sleep(for: Reminders.settleInterval)
        #expect(try await world.states(who) == ["sending"])
        _ = try await owner.query("ALTER TABLE reminder_addresses DROP CONSTRAINT none_dead")
        try await world.settle(who)
        #expect(try await world.states(who) == ["failed"])
        let browsers = try #require(try await world.reminders.settings(of: who).channels.first?.browsers)
        #expect(browsers.map(\.state) == [.dead])
        await owner.close()
        await world.close()
    }

    @Test("A text message is one message, with the gateway's secret; a number that it does not take is switched off")
    func text() async throws {
        let world = try await ReminderWorld(.gateway)
        let who = try await world.member(text: "+6591234567")
        let wrong = try await world.member(text: "+6591234500")
        let busy = try await world.member(text: "+6591234529")
        for one in [who, wrong, busy] {
            try await world.choose([.notice: [.text]], of: one)
            try await world.notice("n1", to: one, title: "Say \"hello\" {to} \\")
            try await world.settle(one)
        }
        let gateway = try required(world.gateway)
        let text = try #require(gateway.said("text").first { $0.object("body").text("to") == "+6591234567" })
        #expect(text.text("authorization") == "Bearer secret")
        #expect(text.object("body").text("text") == "Say \"hello\" {to} \\. Until noon. \(ReminderWorld.site)/map")
        #expect(try await world.reminders.settings(of: wrong).channels.last?.state == .dead)
        #expect(try await world.states(busy) == ["waiting"])
        world.clock.advance(bySeconds: 60)
        try await world.settle(busy)
        #expect(try await world.states(busy) == ["sent"])
        await world.close()
    }

    @Test("Two servers over one outbox send each reminder once")
    func twoServers() async throws {
        let world = try await ReminderWorld(.mail)
        let other = try await world.another()
        var people: [Identity] = []
        for number in 1...12 { people.append(try await world.member(email: "p\(number)@example.org")) }
        for who in people { try await world.choose([.notice: [.email]], of: who) }
        for _ in 1...2 {
            try await world.remind("n1", title: "A", body: "B", of: people)
        }
        for _ in 1...3 {
            async let one: Void = world.reminders.runOnce()
            async let two: Void = other.reminders.runOnce()
            _ = try await (one, two)
        }
        for who in people {
            try await world.settle(who)
            #expect(try await world.states(who) == ["sent"])
        }
        let sent = try required(world.mail).said("mail").map { $0.text("to") }
        #expect(sent.count == 12 && Set(sent).count == 12)
        await world.close()
    }

    @Test("A mail server that never answers does not hold up pushes, and a mail that got no answer is not sent again")
    func stuck() async throws {
        let world = try await ReminderWorld([.mail, .push])
        var stuck: [Identity] = []
        for number in 1...4 { stuck.append(try await world.member(email: "hang-\(number)@example.org")) }
        for who in stuck {
            try await world.choose([.notice: [.email]], of: who)
            try await world.notice("n1", to: who)
        }
        let who = try await world.member(push: "/one")
        try await world.notice("n1", to: who)
        try await world.reminders.runOnce()
        let mail = try required(world.mail)
        _ = try await eventually("all ways to the mail server are taken") { mail.said("mail").count == 4 ? true : nil }
        try await world.settle(who)
        #expect(try await world.states(who) == ["sent"])
        #expect(try await world.states(stuck[0]) == ["sending"])

        // The server died meanwhile: another finds them, and leaves them.
        let other = try await world.another()
        world.clock.advance(bySeconds: 121)
        try await other.reminders.runOnce()
        for one in stuck { #expect(try await world.states(one) == ["doubtful"]) }
        world.clock.advance(bySeconds: 4_000)
        try await other.reminders.runOnce()
        #expect(mail.said("mail").count == 4)
        await world.close()
    }

    @Test("A push that was under way when its server died is sent again, with the topic that has the browser show one")
    func pushAgain() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/hang")
        try await world.notice("n1", to: who)
        try await world.reminders.runOnce()
        let service = try required(world.push)
        _ = try await eventually("it is under way") { service.said("push").count == 1 ? true : nil }
        let other = try await world.another()
        world.clock.advance(bySeconds: 121)
        try await other.reminders.runOnce()
        _ = try await eventually("it is sent again") { service.said("push").count == 2 ? true : nil }
        let pushes = service.said("push")
        #expect(pushes[0].object("headers").text("topic") == pushes[1].object("headers").text("topic"))
        #expect(pushes[0].object("payload").text("tag") == pushes[1].object("payload").text("tag"))
        await world.close()
    }

    @Test("Who must not be disturbed is reminded afterwards, but of an emergency at once")
    func held() async throws {
        let clock = TestClock(start: .now)
        let until = clock.now.advanced(bySeconds: 3_600)
        let world = try await ReminderWorld(
            .push, heldUntil: { accounts in Dictionary(uniqueKeysWithValues: accounts.map { ($0, until) }) })
        let who = try await world.member(push: "/one")
        try await world.notice("n1", to: who)
        try await world.notice("n2", to: who, title: "Fire", isEmergency: true)
        try await world.settle(who)
        let service = try required(world.push)
        #expect(service.said("push").map { $0.object("payload").text("title") } == ["Fire"])
        world.clock.advance(bySeconds: 3_700)
        try await world.settle(who)
        #expect(service.said("push").map { $0.object("payload").text("title") } == ["Fire", "Pool closed"])
        // Waiting was no try.
        #expect(try await world.rows(who).allSatisfy { $0.attempts == 1 })
        await world.close()
    }
}
