import Foundation
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Reminders are planned: of events at their times, of messages that are unread")
struct ReminderPlanningTests {
    private func titles(_ world: ReminderWorld) throws -> [String] {
        try required(world.push).said("push").map { $0.object("payload").text("title") }
    }

    /// Minute by minute, as a server does.
    private func pass(_ minutes: Int, _ world: ReminderWorld, _ who: Identity) async throws {
        for _ in 0..<minutes {
            world.clock.advance(bySeconds: 60)
            try await world.settle(who)
        }
    }

    @Test(
        "Who comes is reminded a day and an hour before, once, however many servers plan and however often they start")
    func leads() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        let event = try await world.event(in: 90_000, going: [who])
        try await pass(61, world, who)
        #expect(try titles(world) == ["Morning run starts in 24 hours"])
        let other = try await world.another()
        try await other.reminders.planEvents(at: world.clock.now)
        try await world.settle(who)
        world.clock.advance(bySeconds: 82_800 - 120)
        try await pass(4, other, who)
        try await world.settle(who)
        #expect(try titles(world) == ["Morning run starts in 24 hours", "Morning run starts in 1 hour"])
        let push = try #require(try required(world.push).said("push").last)
        #expect(push.object("payload").text("path") == "/events/\(event.id)")
        await world.close()
    }

    @Test(
        "A reminder that does not hold any more when it is due is not sent",
        arguments: ["moved", "cancelled", "no", "off", "late"])
    func recheck(_ change: String) async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        let event = try await world.event(in: 3_600 + 50, going: [who])
        // Planned, not due.
        try await world.reminders.runOnce()
        #expect(try await world.states(who) == ["waiting"])
        switch change {
        case "moved":
            _ = try await world.pool.query(
                "UPDATE events SET starts_at = starts_at + interval '1 day', ends_at = ends_at + interval '1 day' WHERE id = $1",
                [.int(event.id)])
        case "cancelled":
            _ = try await world.pool.query("UPDATE events SET state = 'cancelled' WHERE id = $1", [.int(event.id)])
        case "no": _ = try await world.events.answer(.init(event: event.id, answer: .no), by: who)
        case "off": try await world.choose([.event: []], of: who)
        default: world.clock.advance(bySeconds: 3_000)
        }
        world.clock.advance(bySeconds: 60)
        try await world.settle(who)
        #expect(try await world.states(who) == ["dropped"])
        #expect(try titles(world).isEmpty)
        await world.close()
    }

    @Test("Somebody who answers after the moment, or has other times, is reminded at those alone")
    func times() async throws {
        let world = try await ReminderWorld(.push)
        let (late, other) = (try await world.member(push: "/late"), try await world.member(push: "/other"))
        _ = try await world.reminders.save(.init(leads: [30]), of: other)
        let event = try await world.event(in: 3_600, going: [other])
        world.clock.advance(bySeconds: 10)
        _ = try await world.events.answer(.init(event: event.id, answer: .maybe), by: late)
        try await pass(31, world, other)
        try await world.settle(late)
        #expect(try required(world.push).said("push").map { $0.text("path") } == ["/other"])
        await world.close()
    }

    @Test("After an outage, what was missed and is still of use is sent; a clock that jumps sends nothing twice")
    func outage() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        _ = try await world.event(in: 7_200, going: [who])
        try await world.settle(who)
        // For 80 minutes nobody looked: the hour's moment is 20 minutes past.
        world.clock.advance(bySeconds: 4_800)
        try await world.settle(who)
        #expect(try titles(world) == ["Morning run starts in 40 minutes"])
        world.clock.advance(bySeconds: -3_000)
        try await pass(60, world, who)
        #expect(try titles(world).count == 1)
        await world.close()
    }

    @Test("News of an event is told once, as long as it is true")
    func news() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        let event = try await world.event(in: 7_200, going: [who])
        for _ in 1...2 { try await world.reminders.eventChanged(event.id, .movedUp, to: [who.account.id]) }
        try await world.reminders.eventChanged(event.id, .cancelled, to: [who.account.id])
        try await world.settle(who)
        #expect(try titles(world) == ["You got a spot: Morning run"])
        await world.close()
    }

    // MARK: Messages

    private func send(_ text: String, _ world: ReminderWorld, in conversation: Int64, by who: Identity) async throws {
        try await world.chats.send(text, in: conversation, by: who)
        world.reminders.unread.add([conversation])
        try await world.reminders.runOnce()
    }

    @Test(
        "An unread message is pushed within seconds, once for its conversation until that is read; a mail follows, without the words"
    )
    func messages() async throws {
        let world = try await ReminderWorld([.mail, .push])
        let who = try await world.member(email: "anna@example.org", push: "/one")
        try await world.choose([.message: [.push, .email]], of: who)
        let friend = try await world.chats.member()
        let conversation = try await world.chats.match(who, friend)
        try await send("See you at the secret place", world, in: conversation, by: friend)
        #expect(try titles(world).isEmpty)
        world.clock.advance(bySeconds: 6)
        try await world.settle(who)
        let push = try #require(try required(world.push).said("push").first)
        #expect(push.object("payload").text("body") == "See you at the secret place")
        try await send("And another", world, in: conversation, by: friend)
        world.clock.advance(bySeconds: 6)
        try await world.settle(who)
        #expect(try required(world.push).said("push").count == 1)
        #expect(try required(world.mail).said("mail").isEmpty)
        world.clock.advance(bySeconds: 600)
        try await world.settle(who)
        let mail = try #require(try required(world.mail).said("mail").first)
        #expect(mail.text("plain").contains("2 new messages") && mail.text("plain").contains("/chats/\(conversation)"))
        #expect(!(mail.text("plain") + mail.text("html") + mail.object("headers").text("subject")).contains("secret"))

        // Read: the next one is told again, and hides what it says when that was chosen.
        _ = try await world.reminders.save(.init(hidesText: true), of: who)
        let head = try #require(try await world.chats.listed(conversation, of: who)?.head)
        _ = try await world.chats.chat.read(.init(conversation: conversation, offset: head), by: who)
        try await send("Third secret", world, in: conversation, by: friend)
        world.clock.advance(bySeconds: 6)
        try await world.settle(who)
        let pushes = try required(world.push).said("push")
        #expect(pushes.count == 2 && pushes[1].object("payload").text("body") == "A new message")
        await world.close()
    }

    @Test(
        "What is read, muted or from somebody blocked is not told of", arguments: ["read", "muted", "blocked", "own"])
    func quiet(_ change: String) async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        let friend = try await world.chats.member()
        let conversation = try await world.chats.match(who, friend)
        try await send("Hello", world, in: conversation, by: change == "own" ? who : friend)
        switch change {
        case "read": _ = try await world.chats.chat.read(.init(conversation: conversation, offset: 99), by: who)
        case "muted": _ = try await world.chats.chat.mute(.init(conversation: conversation, seconds: nil), by: who)
        case "blocked": try await world.chats.block(who, friend)
        default: break
        }
        world.clock.advance(bySeconds: 6)
        try await world.settle(who)
        #expect(try titles(world).isEmpty)
        #expect(try await world.states(who) == (change == "own" ? [] : ["dropped"]))
        await world.close()
    }

    @Test("Who is connected, to whichever server, is not reminded; but of what stays unread when they are gone")
    func present() async throws {
        let world = try await ReminderWorld(.push)
        let other = try await world.another()
        let who = try await world.member(push: "/one")
        let friend = try await world.chats.member()
        let conversation = try await world.chats.match(who, friend)
        let viewer = RecordingViewer(loop: TestDatabase.shared.loop)
        try await other.chats.hub.signals.subscribe(viewer, account: who.account.id) { [] }
        try await send("Hello", world, in: conversation, by: friend)
        for _ in 1...8 {
            world.clock.advance(bySeconds: 1)
            try await other.reminders.runOnce()
            try await world.reminders.runOnce()
        }
        #expect(try titles(world).isEmpty)
        await other.chats.hub.disconnect(viewer)
        world.clock.advance(bySeconds: 301)
        try await other.reminders.runOnce()
        try await world.settle(who)
        #expect(try titles(world).count == 1)
        await world.close()
    }

    @Test("What a killed server had in mind is found by the next look at all conversations")
    func forgotten() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        let friend = try await world.chats.member()
        let conversation = try await world.chats.match(who, friend)
        try await world.chats.send("Hello", in: conversation, by: friend)
        // Nobody told the planner of it.
        let next = try await world.another()
        try await next.reminders.runOnce()
        world.clock.advance(bySeconds: 6)
        try await next.settle(who)
        #expect(try titles(world).count == 1)
        await world.close()
    }
}
