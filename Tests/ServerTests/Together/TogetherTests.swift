import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Live groups")
struct TogetherTests {
    @Test("Members join late, drop out and return with all of it; one ends and the others go on")
    func course() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let (early, late) = (try await stage.buddy(), try await stage.buddy())
        let created = try await stage.create([early, late])
        #expect(created.members.map(\.state) == [.joined, .invited, .invited])
        #expect(try await stage.create([early, late]) == created)
        let joined = try await stage.join(early)
        #expect(joined.plan == GroupStage.plan && joined.workout == stage.workout)
        #expect(try await stage.watch(stage.host.client).contains("snapshot"))
        #expect(try await stage.watch(early.client).contains("snapshot"))
        try await stage.update(stage.host.client, set: 1)
        try await stage.waitFor("the buddy sees the set", early.client) {
            $0[stage.host.username]?.position?.set == 1 && $0[stage.host.username]?.isPresent == true
        }

        try await stage.join(late)
        #expect(try await stage.watch(late.client).contains("\"set\":1"))
        try await stage.update(late.client, set: 4)
        try await stage.waitFor("all see the late one", early.client) { $0[late.username]?.position?.set == 4 }

        late.client.close()
        try await stage.waitFor("it dropped out", early.client) { $0[late.username]?.isPresent == false }
        try await stage.update(stage.host.client, set: 2)
        let again = try await ChatClient(stage.server, token: late.token)
        _ = try await stage.watch(again)
        try await stage.waitFor("it returned", again) { $0[stage.host.username]?.position?.set == 2 }
        try await stage.waitFor("all see that", early.client) { $0[late.username]?.isPresent == true }

        try await stage.update(early.client, set: 12, phase: .finished)
        try await stage.waitFor("one has ended", again) { $0[early.username]?.state == .finished }
        try await stage.update(again, set: 5)
        try await stage.waitFor("the others go on", early.client) { $0[late.username]?.position?.set == 5 }

        _ = try await stage.host.client.call(TogetherEnd.self, .init(group: stage.group))
        for client in [stage.host.client, early.client, again] {
            #expect(try await stage.waitUntilClosed(client) == TopicCloseReason.groupEnded.rawValue)
        }
        #expect(try await stage.host.client.call(TogetherList.self, Empty()).groups.isEmpty)
        #expect(
            try await early.client.ask("together.join", #"{"group":"\#(stage.group)","sharesZone":false}"#).contains(
                "conflict"))
    }

    @Test("The zone is published while it is shared, and withdrawn when the sharing stops")
    func zone() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let buddy = try await stage.buddy()
        try await stage.create([buddy])
        try await stage.join(buddy)
        _ = try await stage.watch(buddy.client)
        try await stage.update(stage.host.client, set: 1, zone: 2)
        try await stage.waitFor("the set", buddy.client) { $0[stage.host.username]?.position?.set == 1 }
        #expect(!buddy.client.frames.contains { $0.contains("workout/") && $0.contains("\"zone\"") })
        try await stage.update(stage.host.client, set: 2, zone: 3, sharesZone: true)
        try await stage.waitFor("the zone", buddy.client) { $0[stage.host.username]?.position?.zone == 3 }
        try await stage.update(stage.host.client, set: 3, zone: 4, sharesZone: false)
        try await stage.waitFor("no zone", buddy.client) {
            $0[stage.host.username]?.position?.set == 3 && $0[stage.host.username]?.position?.zone == nil
        }
        #expect(!buddy.client.frames.contains { $0.contains("\"zone\":4") })
    }

    @Test("An invitation is signalled, listed without progress, and can be declined and repeated")
    func invitations() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let (one, two) = (try await stage.buddy(), try await stage.buddy())
        _ = try await one.client.ask("subscribe", #"{"topic":"user/\#(one.id)"}"#)
        try await stage.create([one], sharesZone: true)
        _ = try await stage.watch(stage.host.client)
        try await stage.update(stage.host.client, set: 1, zone: 3)
        _ = try await eventually("the signal") { one.client.signals.contains { $0.group == stage.group } ? true : nil }
        let listed = try #require(try await one.client.call(TogetherList.self, Empty()).groups.first)
        #expect(listed.members.allSatisfy { $0.position == nil && !$0.isPresent && !$0.sharesZone })
        _ = try await one.client.call(TogetherLeave.self, .init(group: stage.group))
        try await stage.waitFor("it declined", stage.host.client) { $0[one.username]?.state == .left }
        let both = try await stage.host.client.call(
            TogetherInvite.self, .init(group: stage.group, invite: [one.username, two.username]))
        #expect(both.members.map(\.state) == [.joined, .invited, .invited])
        try await stage.join(two)
        #expect(
            try await two.client.ask("together.invite", #"{"group":"\#(stage.group)","invite":[]}"#).contains(
                "forbidden"))
        #expect(try await two.client.ask("together.end", #"{"group":"\#(stage.group)"}"#).contains("forbidden"))
    }

    @Test("A group conversation and an event invite their people, except those with a block")
    func sources() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let (one, two) = (try await ChatPerson(stage.server), try await ChatPerson(stage.server))
        let conversation = try await stage.host.group(with: [one.id, two.id], stage.server)
        _ = try await two.client.call(SafetyBlock.self, .init(account: stage.host.id))
        let created = try await stage.host.client.call(
            TogetherCreate.self,
            .init(id: stage.group, workout: stage.workout, conversation: conversation, sharesZone: false))
        #expect(created.members.map(\.username) == [stage.host.username, one.username])
        #expect(created.conversation == conversation)
        let outsider = try await GroupStage(stage.server)
        let refused = try await outsider.host.client.ask(
            "together.create",
            #"{"id":"\#(outsider.group)","workout":"\#(outsider.workout)","conversation":\#(conversation),"sharesZone":false}"#
        )
        let unknown = try await outsider.host.client.ask(
            "together.create",
            #"{"id":"\#(outsider.group)","workout":"\#(outsider.workout)","conversation":999999999,"sharesZone":false}"#
        )
        #expect(refused == unknown && refused.contains("1003"))
    }

    @Test("A group in which nobody takes part ends, and an idle one ends after its time")
    func idle() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        try await stage.create([])
        _ = try await stage.watch(stage.host.client)
        let database = try await stage.server.database()
        defer { database.close() }
        _ = try await database.query(
            "UPDATE live_groups SET created_at = now() - interval '7 hours', active_at = now() - interval '6 hours 1 minute' WHERE id = $1",
            [.uuid(stage.group)])
        let together = try #require(await stage.server.server).environment.services.together
        // An update that came meanwhile keeps it.
        try await stage.update(stage.host.client, set: 1)
        try await together.endIdle()
        #expect(stage.closed(stage.host.client) == nil)
        _ = try await database.query(
            "UPDATE live_groups SET active_at = now() - interval '6 hours 1 minute' WHERE id = $1", [.uuid(stage.group)]
        )
        try await together.endIdle()
        #expect(try await stage.waitUntilClosed(stage.host.client) == TopicCloseReason.groupEnded.rawValue)

        let other = try await GroupStage(stage.server)
        try await other.create([])
        _ = try await other.host.client.call(TogetherLeave.self, .init(group: other.group))
        #expect(try await other.host.client.call(TogetherList.self, Empty()).groups.isEmpty)
        #expect(
            try await database.query(
                "SELECT FROM live_groups WHERE id = $1 AND ended_at IS NOT NULL", [.uuid(other.group)]
            )
            .count == 1)
    }

    @Test("Nobody can be in more than 20 open groups")
    func limit() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let database = try await stage.server.database()
        defer { database.close() }
        _ = try await database.query(
            """
            WITH g AS (INSERT INTO live_groups (id, host_id, workout_id, plan, exercises, created_at, active_at)
                SELECT gen_random_uuid(), $1, $2, '{"title":"x"}', '{}', now(), now() FROM generate_series(1, 20) RETURNING id)
            INSERT INTO live_group_members (group_id, account_id, state, since) SELECT id, $1, 'joined', now() FROM g
            """, [.int(stage.host.id), .uuid(stage.workout)])
        let refused = try await stage.host.client.ask(
            "together.create", #"{"id":"\#(stage.group)","workout":"\#(stage.workout)","sharesZone":false}"#)
        #expect(refused.contains("\"conflict\""))
        #expect(try await stage.host.client.call(TogetherList.self, Empty()).groups.count == 20)
    }

    @Test("Later invitations do not push a group in which the caller takes part out of the list")
    func listed() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let buddy = try await stage.buddy()
        try await stage.create([buddy])
        try await stage.join(buddy)
        let database = try await stage.server.database()
        defer { database.close() }
        _ = try await database.query(
            """
            WITH g AS (INSERT INTO live_groups (id, host_id, workout_id, plan, exercises, created_at, active_at)
                SELECT gen_random_uuid(), $1, $2, '{"title":"x"}', '{}', now() + interval '1 second', now()
                FROM generate_series(1, 20) RETURNING id)
            INSERT INTO live_group_members (group_id, account_id, state, since)
            SELECT g.id, m, CASE m WHEN $1 THEN 'joined' ELSE 'invited' END, now()
            FROM g, unnest(ARRAY[$1, $3::bigint]) m
            """, [.int(stage.host.id), .uuid(stage.workout), .int(buddy.id)])
        let listed = try await buddy.client.call(TogetherList.self, Empty()).groups
        #expect(listed.count == 20 && listed.first?.id == stage.group)
    }

    /// An end of the last member's part that is not its own doing.
    enum LastEnd: CaseIterable, Sendable { case removal, block, suspension }

    @Test("A group ends when its last member is removed, blocks the host or is suspended", arguments: LastEnd.allCases)
    func lastEnd(_ end: LastEnd) async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let (last, invited) = (try await stage.buddy(), try await stage.buddy())
        try await stage.create([last, invited])
        try await stage.join(last)
        let database = try await stage.server.database()
        defer { database.close() }
        func isOpen() async throws -> Bool {
            try await database.query(
                "SELECT FROM live_groups WHERE id = $1 AND ended_at IS NULL", [.uuid(stage.group)]
            ).count == 1
        }
        _ = try await stage.host.client.call(TogetherLeave.self, .init(group: stage.group))
        #expect(try await isOpen())
        switch end {
        case .removal:
            _ = try await stage.host.client.call(
                TogetherRemove.self, .init(group: stage.group, username: last.username))
        case .block: _ = try await last.client.call(SafetyBlock.self, .init(account: stage.host.id))
        case .suspension:
            _ = try await database.query(
                "UPDATE accounts SET disabled_at = now(), disabled_reason = 'test' WHERE id = $1", [.int(last.id)])
        }
        #expect(try await !isOpen())
        #expect(try await invited.client.call(TogetherList.self, Empty()).groups.isEmpty)
    }

    @Test("Positions beyond the ranges of their numbers are refused")
    func ranges() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        try await stage.create([])
        func ask(_ position: String) async throws -> String {
            try await stage.host.client.ask("together.update", #"{"group":"\#(stage.group)","position":\#(position)}"#)
        }
        let fine = #""phase":"rest","setsDone":1,"setsTotal":2"#
        #expect(try await ask("{\(fine)}").contains("result"))
        for wrong in [
            #""phase":"rest","setsDone":-1,"setsTotal":2"#, #""phase":"rest","setsDone":1,"setsTotal":1001"#,
            fine + #","zone":0"#, fine + #","zone":6"#, fine + #","set":0"#, fine + #","sets":100000"#,
            fine + #","exercise":"campanile/unknown""#, fine + #","restEndsAt":"2001-01-01T00:00:00Z""#,
        ] {
            #expect(try await ask("{\(wrong)}").contains("invalidParams"), "\(wrong)")
        }
    }
}
