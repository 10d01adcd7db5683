import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Where reminders go: addresses that proved themselves, browsers that may be reached, and what was chosen")
struct ReminderSettingsTests {
    private func state(_ channel: ReminderChannel, _ world: ReminderWorld, _ who: Identity) async throws
        -> ReminderChannelState?
    {
        try await world.reminders.settings(of: who).channels.first { $0.channel == channel }?.state
    }

    private func code(_ world: ReminderWorld) throws -> String {
        let mail = try #require(try required(world.mail).said("mail").last)
        return String(try #require(mail.object("headers").text("subject").firstMatch(of: /^\d{6}/)).0)
    }

    @Test("An address gets nothing until its code is said back; the account's own is taken when none is given")
    func confirming() async throws {
        let world = try await ReminderWorld(.mail)
        let who = try await world.chats.member()
        #expect(try await state(.email, world, who) == .off)
        _ = try await world.reminders.setAddress(.init(channel: .email), of: who)
        try await world.choose([.notice: [.email]], of: who)
        try await world.notice("n1", to: who)
        try await world.settle(who)
        #expect(try await state(.email, world, who) == .unconfirmed)
        let mail = try required(world.mail)
        #expect(mail.said("mail").count == 1 && mail.said("mail")[0].text("to") == who.account.email)
        #expect(mail.said("mail")[0].object("headers").text("list-unsubscribe").isEmpty)
        // Neither the outbox nor the addresses hold it.
        let kept = try await world.pool.query(
            "SELECT (SELECT string_agg(r::text, '') FROM reminders r) || (SELECT string_agg(a::text, '') FROM reminder_addresses a) AS all"
        )
        #expect(try !kept[0].text("all").contains(code(world)))
        _ = try await world.reminders.confirm(.init(channel: .email, code: try code(world)), of: who)
        #expect(try await state(.email, world, who) == .on)
        try await world.notice("n2", to: who)
        try await world.settle(who)
        #expect(mail.said("mail").count == 2)
        _ = try await world.reminders.removeAddress(.init(channel: .email), of: who)
        try await world.notice("n3", to: who)
        try await world.settle(who)
        #expect(try await state(.email, world, who) == .off)
        #expect(mail.said("mail").count == 2)
        await world.close()
    }

    @Test("A code is guessed at five times, holds for a quarter of an hour, and is one account's")
    func guessing() async throws {
        let world = try await ReminderWorld(.mail)
        let (who, other) = (try await world.chats.member(), try await world.chats.member())
        _ = try await world.reminders.setAddress(.init(channel: .email), of: who)
        try await world.settle(who)
        let right = try code(world)
        let wrong = right == "000000" ? "000001" : "000000"
        func say(_ code: String, _ identity: Identity) async -> RPCError? {
            await refusal(.rejected) {
                try await world.reminders.confirm(.init(channel: .email, code: code), of: identity)
            }
        }
        #expect(await say(right, other) != nil)
        // At once, each counts all the same.
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...10 { group.addTask { _ = await say(wrong, who) } }
        }
        #expect(await say(right, who)?.message.contains("Send a new code") == true)
        #expect(try await state(.email, world, who) == .unconfirmed)
        _ = try await world.reminders.setAddress(.init(channel: .email), of: who)
        try await world.settle(who)
        world.clock.advance(bySeconds: Reminders.codeSeconds + 1)
        #expect(await say(try code(world), who) != nil)
        await world.close()
    }

    @Test("Nobody is flooded with codes: few a day go to an address, whoever asks, and few are asked for by an account")
    func floods() async throws {
        let world = try await ReminderWorld(.mail)
        for number in 1...Reminders.codesToAddressPerDayMax {
            let who = try await world.chats.member()
            // In any spelling.
            let address = number % 2 == 0 ? "Victim@Example.org" : "victim@example.org"
            _ = try await world.reminders.setAddress(.init(channel: .email, address: address), of: who)
        }
        let who = try await world.chats.member()
        _ = await refusal(.rateLimited) {
            try await world.reminders.setAddress(.init(channel: .email, address: "victim@example.org"), of: who)
        }
        for number in 1...Reminders.codesOfAccountPerDayMax {
            _ = try await world.reminders.setAddress(
                .init(channel: .email, address: "a\(number)@example.org"), of: who)
        }
        _ = await refusal(.rateLimited) {
            try await world.reminders.setAddress(.init(channel: .email, address: "b@example.org"), of: who)
        }
        world.clock.advance(bySeconds: 86_401)
        _ = try await world.reminders.setAddress(.init(channel: .email, address: "b@example.org"), of: who)
        await world.close()
    }

    @Test(
        "Each kind comes by exactly the ways that were chosen for it, and the rest stays as it was",
        arguments: ReminderKind.allCases)
    func matrix(_ kind: ReminderKind) async throws {
        let world = try await ReminderWorld([.mail, .push, .gateway])
        for channels in [[], [.push], [.email], [.text], [.push, .email, .text]] as [[ReminderChannel]] {
            let who = try await world.member(email: "m\(channels.count)@example.org", text: "+6591234567")
            _ = try await world.subscribe(who, "/\(who.account.id)")
            try await world.choose([kind: channels], of: who)
            try await world.reminders.enqueue(
                .init(
                    kind: kind, key: "k", title: "A", body: "B", path: "/", due: world.clock.now,
                    expires: world.clock.now.advanced(bySeconds: 600)), for: [who.account.id])
            try await world.settle(who)
            #expect(Set(try await world.rows(who).map(\.channel)) == Set(channels.map(\.rawValue)))
            #expect(try await world.rows(who).allSatisfy { $0.state == "sent" })
            let kinds = try await world.reminders.settings(of: who).kinds
            #expect(kinds.first { $0.kind == kind }?.channels == channels)
            for other in kinds where other.kind != kind && other.kind != .event { #expect(other.channels == [.push]) }
        }
        await world.close()
    }

    @Test("What is out of range is refused with the member at fault")
    func ranges() async throws {
        let world = try await ReminderWorld([.mail, .gateway])
        let who = try await world.chats.member()
        for params in [
            RemindersSaveSettings.Params(leads: [4]), .init(leads: [10_081]), .init(leads: [10, 20, 30, 40, 50, 60]),
            .init(unreadMinutes: 0), .init(unreadMinutes: 1_441),
            .init(kinds: [.init(kind: .event, channels: []), .init(kind: .event, channels: [.push])]),
        ] { _ = await refusal(.invalidParams) { try await world.reminders.save(params, of: who) } }
        for address in ["nobody", "a@b.cd\r\nBcc: x@y.zz", "a b@c.de", ""] {
            _ = await refusal(.invalidParams) {
                try await world.reminders.setAddress(.init(channel: .email, address: address), of: who)
            }
        }
        for number in ["6591234567", "+0123456789", "+65 9123 4567 8901 23", "+65912x4567", ""] {
            _ = await refusal(.invalidParams) {
                try await world.reminders.setAddress(.init(channel: .text, address: number), of: who)
            }
        }
        let saved = try await world.reminders.save(.init(leads: [15, 60, 15]), of: who)
        #expect(saved.leads == [60, 15] && saved.unreadMinutes == 10)
        await world.close()
    }

    @Test(
        "A way that the operator has not set up is said to be unavailable, and refuses without being an error of ours")
    func unavailable() async throws {
        let world = try await ReminderWorld([])
        let who = try await world.chats.member()
        #expect(
            try await world.reminders.settings(of: who).channels.map(\.state) == [
                .unavailable, .unavailable, .unavailable,
            ])
        _ = await refusal(.conflict) { try await world.reminders.setAddress(.init(channel: .email), of: who) }
        _ = await refusal(.conflict) { try await world.reminders.pushKey() }
        _ = await refusal(.conflict) { try await world.reminders.test(.init(channel: .text), of: who) }
        try await world.notice("n1", to: who)
        #expect(try await world.rows(who).isEmpty)
        await world.close()
    }

    @Test("A browser that leads this server inside is not taken, nor one whose keys are none")
    func insideAddresses() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.chats.member()
        let keys = try required(world.push).greeting
        func subscribe(_ endpoint: String, key: String? = nil, auth: String? = nil) async -> RPCError? {
            await refusal(.invalidParams) {
                try await world.reminders.subscribe(
                    .init(
                        endpoint: endpoint,
                        keys: .init(p256dh: key ?? keys.text("p256dh"), auth: auth ?? keys.text("auth"))), of: who)
            }
        }
        for endpoint in ["https://127.0.0.1/x", "https://10.0.0.1/x", "http://localhost/x", "https://db.internal/x"] {
            #expect(await subscribe(endpoint)?.data?.field == "endpoint")
        }
        #expect(await subscribe("https://localhost/x", key: "AAAA")?.data?.field == "keys.p256dh")
        #expect(await subscribe("https://localhost/x", auth: "AAAA")?.data?.field == "keys.auth")
        await world.close()
    }

    @Test(
        "A browser is one account's: signed in as another, it is not shown what was for the one before; ten of an account at most"
    )
    func browsers() async throws {
        let world = try await ReminderWorld(.push)
        let (one, other) = (try await world.member(push: "/shared"), try await world.chats.member())
        try await world.notice("n1", to: one)
        try await world.subscribe(other, "/shared")
        try await world.settle(one)
        #expect(try await world.states(one) == ["dropped"])
        #expect(try await state(.push, world, one) == .off)
        for number in 1...12 {
            world.clock.advance(bySeconds: 1)
            try await world.subscribe(other, "/\(number)")
        }
        let browsers = try await world.reminders.settings(of: other).channels.first?.browsers ?? []
        let names: [String] = browsers.map { String($0.endpoint.split(separator: "/").last ?? "") }
        #expect(names == (3...12).map(\.description))
        _ = try await world.reminders.unsubscribe(.init(endpoint: browsers[0].endpoint), of: other)
        #expect(try await world.reminders.settings(of: other).channels.first?.browsers?.count == 9)
        await world.close()
    }

    @Test("An address that is removed at the same moment is left out of a trial, and of what others are reminded of")
    func removed() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        _ = await refusal(.conflict) {
            try await world.whileRemoved(who) { try await world.reminders.test(.init(channel: .push), of: who) }
        }
        let (leaving, staying) = (try await world.member(push: "/two"), try await world.member(push: "/three"))
        try await world.choose([.notice: [.push]], of: leaving)
        try await world.choose([.notice: [.push]], of: staying)
        try await world.whileRemoved(leaving) {
            try await world.remind("closed", title: "Pool closed", body: "Until noon.", of: [leaving, staying])
        }
        #expect(try await world.rows(leaving).isEmpty)
        #expect(try await world.rows(staying).count == 1)
        await world.close()
    }

    @Test("Trials go where a channel leads, five an hour")
    func trials() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        try await world.subscribe(who, "/two")
        for _ in 1...5 {
            world.clock.advance(bySeconds: 1)
            #expect(try await world.reminders.test(.init(channel: .push), of: who).sending == 2)
        }
        world.clock.advance(bySeconds: 1)
        _ = await refusal(.rateLimited) { try await world.reminders.test(.init(channel: .push), of: who) }
        try await world.settle(who)
        #expect(try required(world.push).said("push").count == 10)
        let none = try await world.chats.member()
        _ = await refusal(.conflict) { try await world.reminders.test(.init(channel: .push), of: none) }
        await world.close()
    }

    @Test("What became of old reminders goes after a week, what waits stays, and all of it goes with the account")
    func pruning() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        try await world.notice("n1", to: who)
        try await world.settle(who)
        try await world.reminders.enqueue(
            .init(
                kind: .goal, key: "later", title: "A", body: "B", path: "/",
                due: world.clock.now.advanced(bySeconds: 1_000_000),
                expires: world.clock.now.advanced(bySeconds: 2_000_000)),
            for: [who.account.id])
        world.clock.advance(bySeconds: 9 * 86_400)
        try await world.reminders.prune()
        #expect(try await world.states(who) == ["waiting"])
        _ = try await world.pool.query("DELETE FROM accounts WHERE id = $1", [.int(who.account.id)])
        #expect(try await world.rows(who).isEmpty)
        await world.close()
    }
}
