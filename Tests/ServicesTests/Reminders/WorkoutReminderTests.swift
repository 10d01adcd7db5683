import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Reminders of planned workouts and of invitations to live groups", .timeLimit(.minutes(3)))
struct WorkoutReminderTests {
    private static let plan = #"{"title":"Legs","destinationName":"Old Gym","type":"strength"}"#

    private func schedule(_ world: ReminderWorld, of who: Identity, in seconds: Double) async throws -> String {
        let id = UUID().uuidString.lowercased()
        _ = try await world.pool.query(
            """
            INSERT INTO workouts (account_id, id, revision, plan, created_at, changed_at, used_at, scheduled_at)
            VALUES ($1, $2, 1, $3::text::jsonb, now(), now(), clock_timestamp(), $4)
            """,
            [
                .int(who.account.id), .uuid(id), .text(Self.plan),
                .timestamp(world.clock.now.advanced(bySeconds: seconds).milliseconds),
            ])
        return id
    }

    private func pushed(_ world: ReminderWorld) throws -> [(title: String, body: String, path: String)] {
        try required(world.push).said("push").map { $0.object("payload") }.map {
            ($0.text("title"), $0.text("body"), $0.text("path"))
        }
    }

    @Test("A planned workout is pushed half an hour before it, once, whichever server plans")
    func planned() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        let id = try await schedule(world, of: who, in: Reminders.workoutLeadSeconds + 30)
        let other = try await world.another()
        for _ in 1...2 {
            try await world.reminders.planWorkouts(at: world.clock.now)
            try await other.reminders.planWorkouts(at: world.clock.now)
        }
        #expect(try await world.states(who) == ["waiting"])
        world.clock.advance(bySeconds: 31)
        try await world.settle(who)
        let pushes = try pushed(world)
        #expect(pushes.map(\.title) == ["Legs starts in 30 minutes"])
        #expect(pushes.first?.body.hasSuffix(", Old Gym") == true)
        #expect(pushes.first?.path == "/workouts/\(id)")
        await world.close()
    }

    @Test("A workout that was moved, removed or switched off is not pushed", arguments: ["moved", "removed", "off"])
    func recheck(_ change: String) async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        let id = try await schedule(world, of: who, in: Reminders.workoutLeadSeconds + 30)
        try await world.reminders.planWorkouts(at: world.clock.now)
        switch change {
        case "moved":
            _ = try await world.pool.query(
                "UPDATE workouts SET scheduled_at = scheduled_at + interval '1 day' WHERE id = $1", [.uuid(id)])
        case "removed": _ = try await world.pool.query("DELETE FROM workouts WHERE id = $1", [.uuid(id)])
        default: try await world.choose([.workout: []], of: who)
        }
        world.clock.advance(bySeconds: 31)
        try await world.settle(who)
        #expect(try pushed(world).isEmpty)
        #expect(try await world.states(who) == ["dropped"])
        await world.close()
    }

    @Test("A workout that was planned shortly before its start is pushed now, and once")
    func late() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        _ = try await schedule(world, of: who, in: 600)
        for _ in 1...2 { try await world.reminders.planWorkouts(at: world.clock.now) }
        try await world.settle(who)
        try await world.reminders.planWorkouts(at: world.clock.now)
        try await world.settle(who)
        #expect(try pushed(world).map(\.title) == ["Legs starts in 10 minutes"])
        await world.close()
    }

    @Test("A workout that moved with its event to a time that was planned before is pushed")
    func moved() async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        let id = try await schedule(world, of: who, in: 86_400)
        _ = try await world.pool.query(
            "UPDATE workouts SET used_at = $2 WHERE id = $1",
            [.uuid(id), .timestamp(world.clock.now.advanced(bySeconds: -2 * 86_400).milliseconds)])
        try await world.reminders.planWorkouts(at: world.clock.now)
        let start = world.clock.now.advanced(bySeconds: 600)
        _ = try await world.pool.query(
            """
            WITH e AS (
                INSERT INTO events (owner_id, client_id, audience, state, title, starts_at, ends_at, place, created_at, changed_at)
                VALUES ($2, gen_random_uuid(), 'private', 'published', 'Run', $3, $3::timestamptz + interval '1 hour', 'Here', $4, $4)
                RETURNING id)
            UPDATE workouts SET scheduled_at = $3, event_id = e.id FROM e WHERE workouts.id = $1
            """,
            [
                .uuid(id), .int(who.account.id), .timestamp(start.milliseconds),
                .timestamp(world.clock.now.milliseconds),
            ])
        for _ in 1...2 { try await world.reminders.planWorkouts(at: world.clock.now) }
        try await world.settle(who)
        #expect(try pushed(world).map(\.title) == ["Legs starts in 10 minutes"])
        await world.close()
    }

    @Test("A workout that is trained already is not pushed", arguments: [true, false])
    func begun(_ isPlanned: Bool) async throws {
        let world = try await ReminderWorld(.push)
        let who = try await world.member(push: "/one")
        let id = try await schedule(world, of: who, in: Reminders.workoutLeadSeconds + 30)
        if isPlanned { try await world.reminders.planWorkouts(at: world.clock.now) }
        _ = try await world.pool.query(
            """
            INSERT INTO trainings (account_id, id, workout_id, plan, started_at, device, generation)
            VALUES ($1, gen_random_uuid(), $2, '{}', $3, gen_random_uuid(), 1)
            """, [.int(who.account.id), .uuid(id), .timestamp(world.clock.now.milliseconds)])
        try await world.reminders.planWorkouts(at: world.clock.now)
        world.clock.advance(bySeconds: 31)
        try await world.settle(who)
        #expect(try pushed(world).isEmpty)
        #expect(try await world.states(who) == (isPlanned ? ["dropped"] : []))
        await world.close()
    }

    @Test("An invitation to a live group is pushed while it holds", arguments: [nil, "left", "ended", "blocked"])
    func invitation(_ change: String?) async throws {
        let world = try await ReminderWorld(.push)
        let (host, who) = (try await world.chats.member(), try await world.member(push: "/one"))
        let group = UUID()
        _ = try await world.pool.query(
            """
            INSERT INTO live_groups (id, host_id, workout_id, plan, exercises, created_at, active_at)
            VALUES ($1, $2, gen_random_uuid(), $3::text::jsonb, '{}', now(), now())
            """, [.uuid(group.uuidString), .int(host.account.id), .text(Self.plan)])
        _ = try await world.pool.query(
            "INSERT INTO live_group_members (group_id, account_id, state, since) VALUES ($1, $2, 'invited', now())",
            [.uuid(group.uuidString), .int(who.account.id)])
        // Also a repeated request reminds once.
        for _ in 1...2 {
            try await world.reminders.invited(to: group, [who.account.id])
            world.clock.advance(bySeconds: 1)
        }
        switch change {
        case "left": _ = try await world.pool.query("UPDATE live_group_members SET state = 'left'")
        case "ended": _ = try await world.pool.query("UPDATE live_groups SET ended_at = now() + interval '1 second'")
        case "blocked":
            _ = try await world.pool.query(
                "INSERT INTO blocks (blocker_id, blocked_id, name, is_on, version, changed_at) VALUES ($1, $2, 'x', true, 1, now())",
                [.int(who.account.id), .int(host.account.id)])
        default: break
        }
        try await world.settle(who)
        let pushes = try pushed(world)
        #expect(pushes.count == (change == nil ? 1 : 0))
        if change == nil {
            #expect(pushes.first?.title == "\(host.account.username) invites you to train together")
            #expect(pushes.first?.body == "Legs")
            #expect(pushes.first?.path == "/together/\(group.uuidString.lowercased())")
        }
        await world.close()
    }

    @Test("An invitation to a group of an event is pushed until the event ends, as the group lives until then")
    func eventInvitation() async throws {
        let world = try await ReminderWorld(.push)
        let (host, who) = (try await world.chats.member(), try await world.member(push: "/one"))
        let ends = world.clock.now.advanced(bySeconds: 2 * 86_400)
        for (group, event) in [(UUID(), false), (UUID(), true)] {
            _ = try await world.pool.query(
                """
                WITH e AS (
                    INSERT INTO events (owner_id, client_id, audience, state, title, starts_at, ends_at, place, created_at, changed_at)
                    SELECT $2, gen_random_uuid(), 'private', 'published', 'Run', $4::timestamptz - interval '1 hour', $4, 'Here', now(),
                        now() WHERE $5
                    RETURNING id)
                INSERT INTO live_groups (id, host_id, workout_id, plan, exercises, created_at, active_at, event_id)
                VALUES ($1, $2, gen_random_uuid(), $3::text::jsonb, '{}', now(), now(), (SELECT id FROM e))
                """,
                [
                    .uuid(group.uuidString), .int(host.account.id), .text(Self.plan), .timestamp(ends.milliseconds),
                    .bool(event),
                ])
            try await world.reminders.invited(to: group, [who.account.id])
            let expires = try await world.pool.query(
                "SELECT expires_at FROM reminders WHERE account_id = $1 AND dedupe ^@ $2",
                [.int(who.account.id), .text("together/\(group.uuidString.lowercased())")])[0].timestamp("expires_at")
            let idle = world.clock.now.advanced(bySeconds: Reminders.invitationSeconds)
            #expect(expires == (event ? ends : idle).milliseconds)
        }
        await world.close()
    }
}
