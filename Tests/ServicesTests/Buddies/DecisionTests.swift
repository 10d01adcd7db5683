import Foundation
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Accepting, passing, matching, parting")
struct DecisionTests {
    @Test("Who was decided on leaves the deck; who passed one stays on it, and never tells")
    func passed() async throws {
        let world = try await BuddyWorld()
        let (ana, ben, eva) = (
            try await world.person(), try await world.person("Ben"), try await world.person("Eva")
        )
        #expect(try await world.decide(ana, ben, accept: false).matched == false)
        #expect(try await world.accounts(ana) == [eva.account.id])
        // Ben sees Ana as before, and his acceptance is answered like one of Eva, who has not decided.
        #expect(try await Set(world.accounts(ben)) == [ana.account.id, eva.account.id])
        let ofWhoPassed = try await world.decide(ben, ana, accept: true)
        let ofWhoWaits = try await world.decide(ben, eva, accept: true)
        #expect(try WireJSON.encode(ofWhoPassed) == WireJSON.encode(ofWhoWaits))
        #expect(ofWhoPassed.matched == false && ofWhoPassed.conversation == nil)
        #expect(try await world.accounts(ben).isEmpty)
        #expect(try await world.buddies(ana).isEmpty)
        #expect(world.notified.take().isEmpty)
        await world.close()
    }

    @Test("Two who accept each other are buddies on both sides, with a conversation, told once")
    func matched() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben", "Okafor"))
        #expect(try await world.decide(ana, ben, accept: true).matched == false)
        let result = try await world.decide(ben, ana, accept: true)
        let conversation = try #require(result.conversation)
        #expect(result.matched)
        #expect(world.notified.take() == [.opened(conversation, [ana.account.id, ben.account.id])])
        #expect(try await world.buddies(ana) == [ben.account.id])
        #expect(try await world.buddies(ben) == [ana.account.id])
        let listed = try #require(try await world.buddies.list(ana).buddies.first)
        #expect(listed.conversation == conversation && listed.matchedAt == world.world.clock.now)
        #expect(listed.person.name == "Ben Okafor")
        #expect(
            try await world.number(
                "SELECT count(*) AS n FROM members WHERE conversation_id = $1 AND state = 'joined' AND NOT is_opened",
                [.int(conversation)]) == 2)
        // Sent again, by either, it is the same match.
        for (one, other) in [(ana, ben), (ben, ana)] {
            let again = try await world.decide(one, other, accept: true)
            #expect(again.matched && again.conversation == conversation)
        }
        #expect(try await world.accounts(ana).isEmpty)
        #expect(try await world.accounts(ben).isEmpty)
        #expect(
            await refusal(.conflict) { try await world.decide(ana, ben, accept: false) }?.message
                == "you are buddies: buddies.remove ends that")
        #expect(world.notified.take().isEmpty)
        await world.close()
    }

    @Test("Two who accept each other at the same moment match exactly once")
    func atOnce() async throws {
        let world = try await BuddyWorld()
        for _ in 1...20 {
            let (ana, ben) = (try await world.person(), try await world.person("Ben"))
            // Each twice, as a phone does that heard nothing.
            let results = try await withThrowingTaskGroup(of: BuddiesDecide.Result.self) { group in
                for (one, other) in [(ana, ben), (ben, ana), (ana, ben), (ben, ana)] {
                    group.addTask { try await world.decide(one, other, accept: true) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let conversations = Set(results.compactMap(\.conversation))
            let conversation = try #require(conversations.first)
            #expect(conversations.count == 1)
            #expect(results.contains { !$0.matched }, "the first had nobody to match")
            #expect(world.notified.take() == [.opened(conversation, [ana.account.id, ben.account.id])])
            #expect(
                try await world.number(
                    "SELECT count(*) AS n FROM chat_log WHERE conversation_id = $1 AND kind = 'opened'",
                    [.int(conversation)]) == 1)
            #expect(try await world.buddies(ana) == [ben.account.id])
            #expect(try await world.buddies(ben) == [ana.account.id])
        }
        await world.close()
    }

    @Test("An acceptance may be taken back as long as nobody matched; a pass is final")
    func changing() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        #expect(try await world.decide(ana, ben, accept: true).matched == false)
        #expect(try await world.decide(ana, ben, accept: true).matched == false)
        #expect(try await world.decide(ana, ben, accept: false).matched == false)
        #expect(try await world.decide(ben, ana, accept: true).matched == false)
        #expect(
            await refusal(.conflict) { try await world.decide(ana, ben, accept: true) }?.message
                == "you passed this person, which is final")
        #expect(try await world.buddies(ben).isEmpty)
        await world.close()
    }

    @Test("Nobody, oneself, who is switched off, and who blocked one are one and the same answer")
    func notSuggested() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.person()
        let off = try await world.person("Off") { $0.active = false }
        let blocker = try await world.person("Blo")
        let blocked = try await world.person("Cke")
        let bare = try await world.world.member()
        try await world.block(blocker, ana)
        try await world.block(ana, blocked)
        for account in [
            Int64.max, -1, ana.account.id, off.account.id, blocker.account.id, blocked.account.id, bare.account.id,
        ] {
            for accept in [true, false] {
                let error = await refusal(.notFound) {
                    try await world.buddies.decide(ana, .init(account: account, accept: accept))
                }
                #expect(error == Buddies.notSuggested)
            }
            #expect(
                await refusal(.notFound) { try await world.buddies.card(ana, .init(account: account)) }
                    == Buddies.notSuggested)
        }
        #expect(try await world.accounts(ana).isEmpty)
        #expect(try await world.number("SELECT count(*) AS n FROM buddy_decisions") == 0)
        await world.close()
    }

    @Test("Decisions of 24 hours are limited")
    func limit() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        try await world.sql(
            """
            WITH made AS (INSERT INTO accounts (username, username_key, email, email_key, password_hash)
                SELECT n, n, n, n, '-' FROM (SELECT 'many' || g AS n FROM generate_series(1, $2) g) s RETURNING id)
            INSERT INTO buddy_decisions (account_id, other_id, accepts, at) SELECT $1, id, false, $3 FROM made
            """,
            [
                .int(ana.account.id), .int(Int64(Buddies.decisionsPerDayMax)),
                .timestamp(world.world.clock.now.advanced(bySeconds: -3_600).milliseconds),
            ])
        let error = await refusal(.rateLimited) { try await world.decide(ana, ben, accept: true) }
        #expect(error?.data?.retryAfter == 82_800)
        world.world.clock.advance(bySeconds: 23 * 3_600)
        #expect(try await world.decide(ana, ben, accept: true).matched == false)
        await world.close()
    }

    @Test("Removing a buddy removes both sides, ends the conversation, and they are not suggested again")
    func removing() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben", "Okafor"))
        let conversation = try await world.match(ana, ben)
        _ = world.notified.take()
        let gone = AccountParams(account: ben.account.id)
        #expect(try await world.buddies.remove(ana, gone).account == ben.account.id)
        #expect(world.notified.take() == [.closed(conversation, [ana.account.id, ben.account.id])])
        for one in [ana, ben] {
            #expect(try await world.buddies(one).isEmpty)
            #expect(try await world.accounts(one).isEmpty)
        }
        #expect(
            try await world.number(
                "SELECT count(*) AS n FROM members WHERE conversation_id = $1 AND state = 'joined'",
                [.int(conversation)]) == 0)
        #expect(
            try await world.number(
                "SELECT count(*) AS n FROM conversations WHERE id = $1 AND is_open", [.int(conversation)])
                == 0)
        #expect(
            try await People(database: world.world.pool).people([ben.account.id], seenBy: ana.account.id)[
                ben.account.id]?.name == "Ben O.")
        let error = await refusal(.notFound) { try await world.buddies.remove(ana, gone) }
        #expect(error?.message == "this is no buddy of yours")
        #expect(await refusal(.conflict) { try await world.decide(ben, ana, accept: true) } != nil)
        #expect(world.notified.take().isEmpty)
        await world.close()
    }

    @Test("Both removing at the same moment end it once")
    func removingAtOnce() async throws {
        let world = try await BuddyWorld()
        for _ in 1...10 {
            let (ana, ben) = (try await world.person(), try await world.person("Ben"))
            let conversation = try await world.match(ana, ben)
            _ = world.notified.take()
            let ended = await withTaskGroup(of: Bool.self) { group in
                for (one, other) in [(ana, ben), (ben, ana)] {
                    group.addTask { (try? await world.buddies.remove(one, .init(account: other.account.id))) != nil }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(ended == 1)
            #expect(world.notified.take() == [.closed(conversation, [ana.account.id, ben.account.id])])
        }
        await world.close()
    }
}
