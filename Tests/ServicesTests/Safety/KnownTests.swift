import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

/// Tried as somebody who goes through the numbers of accounts.
@Suite("Who can be blocked, and what that tells")
struct KnownTests {
    private func blocked(_ world: BuddyWorld, _ viewer: Identity) async throws -> [Person] {
        try await world.safety.blocked(viewer).blocked.map(\.person)
    }

    private func refused(_ world: BuddyWorld, _ viewer: Identity, _ account: Int64) async -> Bool {
        await refusal(.notFound) { try await world.safety.block(viewer, .init(account: account)) }
            == Safety.notBlockable
    }

    @Test("Whom one has nothing to do with is answered like nobody, with a profile or without, and stays unknown")
    func strangers() async throws {
        let world = try await BuddyWorld()
        let vera = try await world.person("Vera", "Xenou")
        let stranger = try await world.world.member()
        let plain = try await world.world.member()
        for account in [vera.account.id, plain.account.id, 99_999, .max, 0, -1] {
            #expect(await refused(world, stranger, account), "\(account)")
        }
        #expect(try await blocked(world, stranger).isEmpty)
        #expect(try await world.number("SELECT count(*) AS n FROM blocks") == 0)
        #expect(world.notified.take().isEmpty)
        // Who does not show themselves in the deck is not there for it either.
        let hidden = try await world.person("Hidden") { $0.active = false }
        #expect(await refused(world, vera, hidden.account.id))
        await world.close()
    }

    @Test("The list says the name that the blocker saw: of the deck, of a match, of a group; no gender and no picture")
    func names() async throws {
        let world = try await BuddyWorld()
        let ana = try await world.person()
        let (deck, buddy) = (try await world.person("Dora", "Deckname"), try await world.person("Bea", "Buddyname"))
        let (member, former) = (try await world.person("Mia", "Membername"), try await world.person("Fay", "Former"))
        let picture = try await world.picture(of: deck)
        _ = try await world.buddies.save(
            deck,
            {
                var profile = BuddyProfile()
                profile.picture = picture
                return profile
            }())
        try await world.match(ana, buddy)
        try await world.match(ana, former)
        _ = try await world.buddies.remove(ana, .init(account: former.account.id))
        try await world.sql(
            """
            WITH made AS (INSERT INTO conversations (kind, name, created_at) VALUES ('group', 'Runners', now()) RETURNING id)
            INSERT INTO members (conversation_id, account_id, role, state, since)
            SELECT id, a, 'member', 'joined', now() FROM made, unnest($1::bigint[]) a
            """, [.intArray([ana.account.id, member.account.id])])
        for other in [deck, buddy, member, former] { try await world.block(ana, other) }
        let expected = [
            deck.account.id: "Dora", buddy.account.id: "Bea Buddyname", member.account.id: "Mia M.",
            former.account.id: "Fay F.",
        ]
        let shown = try await blocked(world, ana)
        #expect(Dictionary(uniqueKeysWithValues: shown.map { ($0.account, $0.name) }) == expected)
        #expect(shown.allSatisfy { $0.gender == nil && $0.picture == nil })
        // What they are called afterwards is not told; blocked again, it is what was seen then.
        _ = try await world.buddies.saveProfile(
            deck, Profile(firstName: "Elsewhere", lastName: "Deckname", birthday: "2003-04-30", gender: .female))
        try await world.block(ana, deck)
        #expect(try await blocked(world, ana).map(\.name).contains("Dora"))
        try await world.unblock(ana, deck)
        try await world.block(ana, deck)
        #expect(try await blocked(world, ana).map(\.name).contains("Elsewhere"))
        await world.close()
    }

    @Test("A runner on the map can be blocked, by username, and for a day afterwards; not who runs for themselves")
    func runners() async throws {
        let world = try await BuddyWorld()
        let (runner, viewer) = (try await world.person("Rosa", "Runner"), try await world.world.member())
        let other = try await world.world.member()
        let hidden = try await world.world.start(runner, audience: .private)
        #expect(await refused(world, viewer, runner.account.id))
        let session = try await world.world.start(runner, audience: .campus)
        try await world.block(viewer, runner)
        #expect(try await blocked(world, viewer).map(\.name) == [runner.account.username])
        try await world.unblock(viewer, runner)
        // Not to whom the runner blocks, who does not see the run: the answer would tell.
        try await world.sql(
            "INSERT INTO blocks (blocker_id, blocked_id) VALUES ($1, $2)",
            [.int(runner.account.id), .int(other.account.id)])
        #expect(await refused(world, other, runner.account.id))
        try await world.world.stop(session, as: runner)
        try await world.world.stop(hidden, as: runner)
        world.world.clock.advance(bySeconds: KnownAccounts.seenSeconds - 10)
        try await world.block(viewer, runner)
        try await world.unblock(viewer, runner)
        world.world.clock.advance(bySeconds: 20)
        #expect(await refused(world, viewer, runner.account.id))
        await world.close()
    }

    @Test("Of a run that ended in a hidden place the day begins when viewers learned of the end, not at the end itself")
    func hiddenEnd() async throws {
        let world = try await BuddyWorld()
        let (runner, viewer) = (try await world.person("Rosa", "Runner"), try await world.world.member())
        let session = try await world.world.start(runner, audience: .campus)
        try await world.world.stop(session, as: runner)
        try await world.sql(
            "UPDATE sessions SET end_published_at = ended_at + interval '15 minutes' WHERE account_id = $1",
            [.int(runner.account.id)])
        world.world.clock.advance(bySeconds: KnownAccounts.seenSeconds + 10)
        try await world.block(viewer, runner)
        try await world.unblock(viewer, runner)
        world.world.clock.advance(bySeconds: 900)
        #expect(await refused(world, viewer, runner.account.id))
        await world.close()
    }

    @Test("Members of a group do not know who is only invited; who invites does")
    func invited() async throws {
        let world = try await BuddyWorld()
        let (owner, member) = (try await world.world.member(), try await world.world.member())
        let (guest, inviter) = (try await world.world.member(), try await world.world.member())
        try await world.sql(
            """
            WITH made AS (INSERT INTO conversations (kind, name, created_at) VALUES ('group', 'Runners', now()) RETURNING id)
            INSERT INTO members (conversation_id, account_id, role, state, since, invited_by)
            SELECT id, a, r, s, now(), i FROM made, (VALUES ($1::bigint, 'owner', 'joined', NULL::bigint),
                ($2, 'member', 'joined', NULL), ($3, 'member', 'invited', $4), ($4, 'member', 'joined', NULL)) v (a, r, s, i)
            """, [owner, member, guest, inviter].map { .int($0.account.id) })
        #expect(await refused(world, member, guest.account.id))
        // Nor does the guest know who else is in it.
        #expect(await refused(world, guest, member.account.id))
        try await world.block(owner, guest)
        try await world.block(inviter, guest)
        await world.close()
    }

    @Test("Blocks of a day are limited, refused ones too: numbers are not tried one by one")
    func limit() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        for number in 0..<Safety.blocksPerDayMax {
            #expect(await refused(world, ana, 100_000 + Int64(number)))
        }
        let error = await refusal(.rateLimited) { try await world.block(ana, ben) }
        #expect(error?.data?.retryAfter ?? 0 > 0)
        try await world.block(ben, ana)
        world.world.clock.advance(bySeconds: 86_400)
        try await world.unblock(ben, ana)
        try await world.block(ana, ben)
        await world.close()
    }

    @Test("Attempts without the database, and repeated blocks, do not count against the limit of a day")
    func outage() async throws {
        let world = try await BuddyWorld()
        let (ana, ben, eva) = (
            try await world.person(), try await world.person("Ben"), try await world.person("Eva")
        )
        let administrator = try await PostgresConnection.connect(
            configuration: world.world.access.administrator, loop: world.world.loop, logger: TestDatabase.logger)
        _ = try await administrator.query("ALTER TABLE blocks RENAME TO blocks_away")
        for _ in 0...Safety.blocksPerDayMax {
            await #expect(throws: PostgresError.self) { try await world.block(ana, ben) }
        }
        _ = try await administrator.query("ALTER TABLE blocks_away RENAME TO blocks")
        for _ in 0...Safety.blocksPerDayMax { try await world.block(ana, ben) }
        try await world.block(ana, eva)
        administrator.close()
        await world.close()
    }

    @Test("A lifted block is kept until every server has read that, and then goes")
    func lifted() async throws {
        let world = try await BuddyWorld()
        let (ana, ben) = (try await world.person(), try await world.person("Ben"))
        let eva = try await world.person("Eva")
        try await world.block(ana, ben)
        try await world.block(ana, eva)
        try await world.unblock(ana, ben)
        try await world.safety.prune()
        #expect(try await world.number("SELECT count(*) AS n FROM blocks") == 2)
        try await world.sql("UPDATE blocks SET changed_at = now() - interval '8 days'")
        try await world.safety.prune()
        #expect(try await blocked(world, ana).map(\.account) == [eva.account.id])
        #expect(try await world.number("SELECT count(*) AS n FROM blocks") == 1)
        await world.close()
    }
}
