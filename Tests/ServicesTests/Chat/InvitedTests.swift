import Hub
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("People who are invited to a group and have not joined")
struct InvitedTests {
    private func members(_ world: ChatWorld, _ group: Int64, seenBy who: Identity) async throws -> [Member] {
        try await world.chat.conversation(.init(conversation: group), for: who).members
    }

    @Test("Only who invites sees them, by name alone; members see nothing of them, nor that there is anything new")
    func shown() async throws {
        let world = try await ChatWorld()
        let people = try await world.members(4)
        let (owner, admin, member, guest) = (people[0], people[1], people[2], people[3])
        let buddies = Buddies(loop: world.world.loop, database: world.pool)
        for one in people {
            _ = try await buddies.saveProfile(
                one, Profile(firstName: "First", lastName: "Last", birthday: "2003-04-30", gender: .male))
        }
        let picture = try await world.picture(of: guest)
        _ = try await world.pool.query(
            """
            INSERT INTO buddy_profiles (account_id, preferred_gender, description, picture_id) VALUES ($1, 'any', '', $2)
            """, [.int(guest.account.id), .uuid(picture)])
        let group = try await world.group([owner, admin, member])
        _ = try await world.chat.setRole(
            .init(conversation: group, account: admin.account.id, role: .admin), by: owner)
        try await world.match(admin, guest)
        var listening = ChatReader(group, member)
        try await listening.listen(world)
        _ = try await world.chat.invite(.init(conversation: group, accounts: [guest.account.id]), by: admin)
        for (who, name) in [(owner, "First L."), (admin, "First Last")] {
            let shown = try #require(
                try await members(world, group, seenBy: who).first { $0.person.account == guest.account.id })
            #expect(shown.state == .invited && shown.person.name == name)
            #expect(shown.person.gender == nil && shown.person.picture == nil)
            #expect(shown.read == nil && shown.delivered == nil)
        }
        // Who invited sees it also when no admin any more.
        _ = try await world.chat.setRole(
            .init(conversation: group, account: admin.account.id, role: .member), by: owner)
        #expect(try await members(world, group, seenBy: admin).count == 4)
        try await listening.read()
        let before = listening.signals.count
        let seen = try await members(world, group, seenBy: member).map(\.person.account)
        #expect(seen == people.prefix(3).map(\.account.id))
        #expect(try await world.listed(group, of: member)?.members == 3)
        try await world.chat.answer(.init(conversation: group, accept: false), by: guest)
        try await world.match(owner, guest)
        _ = try await world.chat.invite(.init(conversation: group, accounts: [guest.account.id]), by: owner)
        _ = try await world.chat.remove(.init(conversation: group, account: guest.account.id), by: owner)
        _ = try await world.chat.invite(.init(conversation: group, accounts: [guest.account.id]), by: owner)
        try await listening.read()
        #expect(listening.signals.count == before, "invited, declined, taken back: nothing is new for a member")
        try await world.join(group, guest)
        let joined = try #require(try await members(world, group, seenBy: member).last)
        #expect(joined.person.account == guest.account.id && joined.person.gender == .male)
        #expect(joined.person.picture == picture && joined.read != nil)
    }

    @Test("Accepted at the same moment, invitations do not lead beyond the groups that one may be in")
    func atOnce() async throws {
        let base = World(access: try await MigratedDatabase.shared.own(), patience: .seconds(60), connections: 8)
        let world = ChatWorld(over: base)
        let (owner, guest) = (try await world.member(), try await world.member())
        let groups = try await world.invite(guest, by: owner, times: 6)
        // All but one of the groups that there may be.
        _ = try await world.pool.query(
            """
            WITH made AS (INSERT INTO conversations (kind, name, created_at) SELECT 'group', 'g', $3 FROM generate_series(1, $2)
                RETURNING id)
            INSERT INTO members (conversation_id, account_id, role, state, since) SELECT id, $1, 'member', 'joined', $3 FROM made
            """,
            [.int(guest.account.id), .int(Int64(Chat.groupsMax) - 1), .timestamp(world.clock.now.milliseconds)])
        // Nobody can write until all have come as far as they can.
        let joined = try await world.pool.transaction { transaction in
            _ = try await transaction.query("LOCK TABLE members IN SHARE ROW EXCLUSIVE MODE")
            let joining = Task {
                await withTaskGroup(of: Bool.self) { tasks in
                    for group in groups {
                        tasks.addTask { (try? await world.join(group, guest)) != nil }
                    }
                    return await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
            }
            _ = try await eventually("all wait") {
                // A transaction sees the sessions that there were when it first looked.
                _ = try await transaction.query("SELECT pg_stat_clear_snapshot()")
                let waiting = try await transaction.query(
                    """
                    SELECT count(*) AS n FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'
                    """)
                return try waiting[0].int("n") == Int64(groups.count) ? true : nil
            }
            return joining
        }
        #expect(await joined.value == 1)
        let rows = try await world.pool.query(
            """
            SELECT count(*) AS n FROM members m JOIN conversations c ON c.id = m.conversation_id
            WHERE m.account_id = $1 AND m.state = 'joined' AND c.kind = 'group'
            """, [.int(guest.account.id)])
        #expect(try rows[0].int("n") == Int64(Chat.groupsMax))
        await base.close()
    }

    @Test("Who asks for what was before their time is told so, and negative offsets are before everybody's")
    func before() async throws {
        let world = try await ChatWorld()
        let (owner, late) = (try await world.member(), try await world.member())
        let group = try await world.group([owner])
        let first = try await world.send("before", in: group, by: owner)
        try await world.match(owner, late)
        _ = try await world.chat.invite(.init(conversation: group, accounts: [late.account.id]), by: owner)
        try await world.join(group, late)
        let epoch = try #require(try await world.listed(group, of: late)).epoch
        for (who, offset) in [(late, first - 1), (late, 0), (late, -1), (owner, -1)] {
            var reader = ChatReader(group, who, at: TopicPosition(epoch: epoch, offset: offset))
            try await reader.open(world)
            let reply = try #require(reader.replies.first)
            #expect(!reply.recovered && reply.reason == .tooOld && reply.publications.isEmpty, "\(offset)")
        }
        var fresh = ChatReader(group, late)
        try await fresh.open(world)
        #expect(fresh.replies.first?.reason == nil)
    }
}

extension ChatWorld {
    /// So many groups, to each of which somebody is invited.
    fileprivate func invite(_ guest: Identity, by owner: Identity, times: Int) async throws -> [Int64] {
        var groups: [Int64] = []
        for _ in 0..<times { groups.append(try await group([owner], invited: [guest])) }
        return groups
    }
}
