import Hub
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Blocking")
struct BlockTests {
    @Test(
        "A block ends a match on both sides, hides both from each other, and is told to the hub; lifting it gives back nothing"
    )
    func blocking() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        let both: Set = [ana.account.id, ben.account.id]
        let conversation = try await world.match(ana, ben)
        _ = world.notified.take()
        try await world.block(ana, ben)
        #expect(world.notified.take() == [.blockChanged(both, true), .closed(conversation, both)])
        for one in [ana, ben] {
            #expect(try await world.buddies(one).isEmpty)
            #expect(try await world.accounts(one).isEmpty)
        }
        #expect(
            try await world.number(
                "SELECT count(*) AS n FROM members WHERE conversation_id = $1 AND state = 'joined'",
                [.int(conversation)]) == 0)
        #expect(try await world.safety.blocked(ana).blocked.map(\.person.name) == ["Ben Souza"])
        #expect(try await world.safety.blocked(ben).blocked.isEmpty, "who blocked one is not told")
        // Blocked again: nothing ends a second time.
        try await world.block(ana, ben)
        #expect(world.notified.take() == [.blockChanged(both, true)])
        try await world.unblock(ana, ben)
        #expect(world.notified.take() == [.blockChanged(both, false)])
        #expect(try await world.buddies(ana).isEmpty)
        #expect(try await world.buddies(ben).isEmpty)
        #expect(try await world.accounts(ben).isEmpty, "they were buddies, and parted")
        #expect(try await world.safety.blocked(ana).blocked.isEmpty)
        await world.close()
    }

    @Test("Two who had not decided are suggested to each other again when the block is lifted")
    func meetingAgain() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        try await world.block(ana, ben)
        #expect(try await world.accounts(ana).isEmpty)
        #expect(try await world.accounts(ben).isEmpty)
        try await world.unblock(ana, ben)
        #expect(try await world.accounts(ana) == [ben.account.id])
        #expect(try await world.accounts(ben) == [ana.account.id])
        await world.close()
    }

    @Test("Who blocks takes an acceptance back; the blocked one's, sent again, tells nothing")
    func acceptances() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        try await world.decide(ana, ben, accept: true)
        try await world.block(ana, ben)
        try await world.unblock(ana, ben)
        #expect(try await world.decide(ben, ana, accept: true).matched == false)
        #expect(try await world.buddies(ana).isEmpty)
        let (eva, kim) = (try await world.person("Eva"), try await world.person("Kim"))
        let before = try await world.decide(kim, eva, accept: true)
        try await world.block(eva, kim)
        #expect(try WireJSON.encode(try await world.decide(kim, eva, accept: true)) == WireJSON.encode(before))
        await world.close()
    }

    @Test("The block of one holds as long as that of the other does")
    func both() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        try await world.decide(ben, ana, accept: true)
        try await world.block(ana, ben)
        try await world.block(ben, ana)
        _ = world.notified.take()
        // The hub is told of each direction.
        let lifted = [RecordedEvents.Event.blockChanged([ana.account.id, ben.account.id], false)]
        try await world.unblock(ana, ben)
        #expect(world.notified.take() == lifted)
        #expect(try await world.accounts(ana).isEmpty)
        try await world.unblock(ben, ana)
        #expect(world.notified.take() == lifted)
        #expect(try await world.accounts(ana) == [ben.account.id])
        // Nothing to lift: harmless.
        try await world.unblock(ana, ben)
        await world.close()
    }

    @Test("Invitations of one to the other are taken back, others stay")
    func invitations() async throws {
        let world = try await BuddyWorld()
        let (ana, ben, eva) = (
            try await world.person(), try await world.person("Ben"), try await world.person("Eva")
        )
        func group(_ owner: Identity, invites guests: [Identity]) async throws -> Int64 {
            try await world.sql(
                """
                WITH made AS (INSERT INTO conversations (kind, name, created_at) VALUES ('group', 'Runners', now()) RETURNING id),
                    owner AS (INSERT INTO members (conversation_id, account_id, role, state, since)
                        SELECT id, $1, 'owner', 'joined', now() FROM made),
                    guests AS (INSERT INTO members (conversation_id, account_id, role, state, since, invited_by)
                        SELECT id, g, 'member', 'invited', now(), $1 FROM made, unnest($2::bigint[]) g)
                SELECT id FROM made
                """, [.int(owner.account.id), .intArray(guests.map(\.account.id))])[0].int("id")
        }
        let first = try await group(ana, invites: [ben, eva])
        let second = try await group(ben, invites: [ana])
        let third = try await group(eva, invites: [ana, ben])
        try await world.block(ana, ben)
        let received = world.notified.take()
        #expect(received.count == 3 && received.contains(.uninvited(first, ben.account.id)))
        #expect(received.contains(.uninvited(second, ana.account.id)))
        let left = try await world.sql(
            "SELECT conversation_id, account_id FROM members WHERE state = 'invited' ORDER BY 1, 2"
        ).map { [try $0.int("conversation_id"), try $0.int("account_id")] }
        #expect(left == [[first, eva.account.id], [third, ana.account.id], [third, ben.account.id]])
        await world.close()
    }

    @Test("Oneself, nobody, and one too many cannot be blocked")
    func refused() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.person()
        func refused(_ code: ErrorCode, _ account: Int64) async -> String? {
            await refusal(code) { try await world.safety.block(ana, .init(account: account)) }?.message
        }
        #expect(await refused(.invalidParams, ana.account.id) == "account: is your own: block another account")
        #expect(await refused(.notFound, .max) == Safety.notBlockable.message)
        try await world.sql(
            """
            WITH made AS (INSERT INTO accounts (username, username_key, email, email_key, password_hash)
                SELECT n, n, n, n, '-' FROM (SELECT 'many' || g AS n FROM generate_series(1, $2) g) s RETURNING id)
            INSERT INTO blocks (blocker_id, blocked_id) SELECT $1, id FROM made
            """, [.int(ana.account.id), .int(Int64(Safety.blocksMax))])
        let ben = try await world.person()
        #expect(await refused(.conflict, ben.account.id) == "you block 1000 accounts: unblock one first")
        // One that holds already can be set again.
        let held = try #require(try await world.safety.blocked(ana).blocked.first).person.account
        _ = try await world.safety.block(ana, .init(account: held))
        _ = try await world.safety.unblock(ana, .init(account: held))
        try await world.block(ana, ben)
        await world.close()
    }

    @Test("A block and an acceptance at the same moment never leave two buddies who block each other")
    func atOnce() async throws {
        let world = try await BuddyWorld()
        for _ in 1...15 {
            let (ana, ben) = (try await world.person(), try await world.person("Ben"))
            try await world.decide(ana, ben, accept: true)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await world.decide(ben, ana, accept: true) }
                group.addTask { _ = try? await world.block(ana, ben) }
            }
            #expect(try await world.buddies(ana).isEmpty)
            #expect(try await world.number("SELECT count(*) AS n FROM conversations WHERE is_open") == 0)
        }
        await world.close()
    }

    @Test("Another server finds every change, those committed out of order too")
    func changes() async throws {
        let world = try await BuddyWorld()
        let (ana, ben, eva) = (
            try await world.person(), try await world.person(), try await world.person()
        )
        let (a, b, e) = (ana.account.id, ben.account.id, eva.account.id)
        let hub = Hub(loop: world.world.loop)
        try await world.decide(ben, ana, accept: true)
        try await world.block(ana, ben)
        try await world.block(ben, ana)
        try await hub.blocks.load(from: BlockTable(database: world.world.pool))
        #expect(await hub.blocks.isBlocked(a, b))
        // A number is taken, and a higher one committed before it.
        let slow = try await world.number("SELECT nextval('block_versions') AS n")
        try await world.block(ana, eva)
        try await hub.blocks.readChanges()
        #expect(await hub.blocks.isBlocked(e, a))
        try await world.sql(
            "UPDATE blocks SET is_on = false, version = $1, changed_at = now() WHERE blocker_id = $2 AND blocked_id = $3",
            [.int(slow), .int(a), .int(b)])
        try await hub.blocks.readChanges()
        #expect(await hub.blocks.isBlocked(a, b), "the other direction holds")
        try await world.unblock(ben, ana)
        try await hub.blocks.readChanges()
        #expect(await !hub.blocks.isBlocked(a, b))
        #expect(await hub.blocks.isBlocked(a, e))
        await world.close()
    }
}
