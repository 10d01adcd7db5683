import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server
@testable import Services

/// Requests about one live group that overlap, are repeated or come late.
@Suite("Live groups with requests that overlap, are repeated or come late")
struct TogetherRaceTests {
    /// Runs `change` under the lock of the group, while `request` waits for it.
    private func whileLocked(
        _ stage: GroupStage, _ change: PostgresStatement, _ request: @escaping @Sendable () async throws -> Void
    ) async throws {
        let database = try await stage.server.database()
        defer { database.close() }
        _ = try await database.query("BEGIN")
        _ = try await database.query("SELECT FROM live_groups WHERE id = $1 FOR NO KEY UPDATE", [.uuid(stage.group)])
        let waiting = Task { try await request() }
        _ = try await eventually("the request waits") {
            let rows = try await database.query(
                "SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))")
            return rows.isEmpty ? nil : true
        }
        _ = try await database.query(change.sql, change.parameters)
        _ = try await database.query("COMMIT")
        try await waiting.value
    }

    private func member(_ person: ChatPerson, _ stage: GroupStage) async throws -> (state: String, sharesZone: Bool) {
        let database = try await stage.server.database()
        defer { database.close() }
        let rows = try await database.query(
            "SELECT state, shares_zone FROM live_group_members WHERE group_id = $1 AND account_id = $2",
            [.uuid(stage.group), .int(person.id)])
        let row = try #require(rows.first)
        return (try row.text("state"), try row.bool("shares_zone"))
    }

    @Test("A zone that is withdrawn while an update waits stays withdrawn")
    func withdrawal() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let buddy = try await stage.buddy()
        try await stage.create([buddy])
        try await stage.join(buddy, sharesZone: true)
        let withdrawal = PostgresStatement(
            "UPDATE live_group_members SET shares_zone = false WHERE group_id = $1 AND account_id = $2",
            [.uuid(stage.group), .int(buddy.id)])
        try await whileLocked(stage, withdrawal) { try await stage.update(buddy.client, set: 1, phase: .finished) }
        let after = try await member(buddy, stage)
        #expect(after.state == "finished" && !after.sharesZone)
    }

    @Test(
        "A member has finished when its training has; a late update does not bring it back, and a training that it began since does"
    )
    func finished() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let buddy = try await stage.buddy()
        try await stage.create([buddy])
        try await stage.join(buddy)
        _ = try await stage.watch(stage.host.client)
        let device = UUID().uuidString.lowercased()
        func start(_ id: String, secondsAgo: Double) async throws {
            _ = try await buddy.client.call(
                TrainingStart.self,
                .init(
                    id: id, workout: stage.workout, together: stage.group,
                    startedAt: Timestamp.now.advanced(bySeconds: -secondsAgo), device: device))
        }
        let first = UUID().uuidString.lowercased()
        try await start(first, secondsAgo: 60)
        try await stage.update(buddy.client, set: 1)
        try await stage.update(buddy.client, set: 2, phase: .finished)
        try await stage.update(buddy.client, set: 1)
        #expect(try await member(buddy, stage).state == "joined")
        _ = try await buddy.client.call(TrainingFinish.self, .init(training: first, endedAt: .now))
        #expect(try await member(buddy, stage).state == "finished")
        try await stage.update(buddy.client, set: 2, phase: .finished)
        try await stage.update(buddy.client, set: 1)
        #expect(try await member(buddy, stage).state == "finished")
        let second = UUID().uuidString.lowercased()
        try await start(second, secondsAgo: 0)
        try await stage.update(buddy.client, set: 3)
        #expect(try await member(buddy, stage).state == "joined")
        try await stage.waitFor("the member trains again", stage.host.client) {
            $0[buddy.username]?.state == .joined && $0[buddy.username]?.position?.set == 3
        }
        // The first training does not end the second one.
        _ = try await buddy.client.call(TrainingRemove.self, .init(training: first))
        #expect(try await member(buddy, stage).state == "joined")
        _ = try await buddy.client.call(TrainingFinish.self, .init(training: second, endedAt: .now))
        #expect(try await member(buddy, stage).state == "finished")
    }

    @Test("Creating or inviting again notifies people who have not answered, and nobody else")
    func repetition() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let (one, two) = (try await stage.buddy(), try await stage.buddy())
        for person in [one, two] { _ = try await person.client.ask("subscribe", #"{"topic":"user/\#(person.id)"}"#) }
        func signals(_ person: ChatPerson) -> Int { person.client.signals.count { $0.group == stage.group } }
        try await stage.create([one, two])
        _ = try await eventually("the invitation") { signals(one) == 1 && signals(two) == 1 ? true : nil }
        try await stage.join(two)
        _ = try await eventually("its own change") { signals(two) == 2 ? true : nil }
        try await stage.create([one, two])
        _ = try await eventually("the repeated invitation") { signals(one) == 2 ? true : nil }
        _ = try await stage.host.client.call(
            TogetherInvite.self, .init(group: stage.group, invite: [one.username, two.username]))
        _ = try await eventually("the repeated invitation") { signals(one) == 3 ? true : nil }
        #expect(signals(two) == 2)
    }

    @Test(
        "A training that began without a network is kept, if the client sends its plan, also without access to the group"
    )
    func offlineTraining() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let buddy = try await stage.buddy()
        try await stage.create([buddy])
        try await stage.join(buddy)
        func params(_ id: String, plan: WorkoutPlan?) -> TrainingStart.Params {
            .init(
                id: id, workout: stage.workout, together: stage.group,
                startedAt: Timestamp.now.advanced(bySeconds: -60), device: UUID().uuidString.lowercased(), plan: plan)
        }
        let (early, late) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
        let started = try await buddy.client.call(TrainingStart.self, params(early, plan: nil))
        #expect(started.together == stage.group)
        _ = try await stage.host.client.call(
            TogetherRemove.self, .init(group: stage.group, username: buddy.username))
        #expect(try await buddy.client.call(TrainingStart.self, params(early, plan: nil)).together == stage.group)
        await #expect(throws: (any Error).self) {
            try await buddy.client.call(TrainingStart.self, params(late, plan: nil))
        }
        for _ in 1...2 {
            let kept = try await buddy.client.call(TrainingStart.self, params(late, plan: GroupStage.plan))
            #expect(kept.id == late && kept.together == nil && kept.workout == nil && kept.plan == GroupStage.plan)
        }
    }

    @Test("Joining and inviting keep a group open; one of an event stays until its end; the members are notified")
    func idle() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let (one, two) = (try await stage.buddy(), try await stage.buddy())
        try await stage.create([one])
        let database = try await stage.server.database()
        defer { database.close() }
        let services = try #require(await stage.server.server).environment.services
        let group = stage.group
        func age() async throws {
            _ = try await database.query(
                "UPDATE live_groups SET created_at = now() - interval '7 hours', active_at = now() - interval '7 hours' WHERE id = $1",
                [.uuid(group)])
        }
        func isOpen() async throws -> Bool {
            try await services.together.endIdle()
            return try await !database.query(
                "SELECT FROM live_groups WHERE id = $1 AND ended_at IS NULL", [.uuid(group)]
            ).isEmpty
        }
        try await age()
        try await stage.join(one)
        #expect(try await isOpen())
        try await age()
        _ = try await stage.host.client.call(TogetherInvite.self, .init(group: group, invite: [two.username]))
        #expect(try await isOpen())
        try await age()
        let event = try await database.query(
            """
            INSERT INTO events (owner_id, client_id, audience, state, title, starts_at, ends_at, place, created_at, changed_at)
            VALUES ($1, gen_random_uuid(), 'private', 'published', 'Run', now() - interval '1 hour', now() + interval '1 hour', 'Here',
                now(), now()) RETURNING id
            """, [.int(stage.host.id)]
        ).first?.int("id")
        let number = try #require(event)
        _ = try await database.query(
            "UPDATE live_groups SET event_id = $2 WHERE id = $1", [.uuid(group), .int(number)])
        #expect(try await isOpen())
        _ = try await database.query(
            "UPDATE events SET ends_at = now() - interval '1 second' WHERE id = $1", [.int(number)])
        _ = try await two.client.ask("subscribe", #"{"topic":"user/\#(two.id)"}"#)
        #expect(try await !isOpen())
        _ = try await eventually("the signal of the end") {
            two.client.signals.contains { $0.group == group } ? true : nil
        }
    }

    private func begin(
        _ buddy: ChatPerson, _ stage: GroupStage, secondsAgo: Double = 60, id: String = UUID().uuidString.lowercased()
    ) async throws -> String {
        try await buddy.client.call(
            TrainingStart.self,
            .init(
                id: id, workout: stage.workout, together: stage.group,
                startedAt: Timestamp.now.advanced(bySeconds: -secondsAgo), device: UUID().uuidString.lowercased())
        ).id
    }

    @Test("The removal of an open training ends the member's part, unless another training goes on")
    func removedOpen() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let buddy = try await stage.buddy()
        try await stage.create([buddy])
        try await stage.join(buddy)
        let (first, second) = (try await begin(buddy, stage), try await begin(buddy, stage))
        try await stage.update(buddy.client, set: 1)
        _ = try await buddy.client.call(TrainingRemove.self, .init(training: first))
        #expect(try await member(buddy, stage).state == "joined")
        _ = try await buddy.client.call(TrainingRemove.self, .init(training: second))
        #expect(try await member(buddy, stage).state == "finished")
    }

    @Test("A training that began before the end of the former one was received makes the member take part again")
    func begunEarlier() async throws {
        let stage = try await GroupStage(try await GroupStage.server)
        let buddy = try await stage.buddy()
        try await stage.create([buddy])
        try await stage.join(buddy)
        let first = try await begin(buddy, stage, secondsAgo: 600)
        _ = try await buddy.client.call(TrainingFinish.self, .init(training: first, endedAt: .now))
        #expect(try await member(buddy, stage).state == "finished")
        // The start of a training that has ended since is sent again.
        _ = try await begin(buddy, stage, secondsAgo: 600, id: first)
        #expect(try await member(buddy, stage).state == "finished")
        let second = try await begin(buddy, stage, secondsAgo: 300)
        #expect(try await member(buddy, stage).state == "joined")
        try await stage.update(buddy.client, set: 2)
        #expect(try await member(buddy, stage).state == "joined")
        _ = try await buddy.client.call(TrainingFinish.self, .init(training: second, endedAt: .now))
        #expect(try await member(buddy, stage).state == "finished")
        _ = try await buddy.client.call(TogetherLeave.self, .init(group: stage.group))
        _ = try await begin(buddy, stage, secondsAgo: 30)
        #expect(try await member(buddy, stage).state == "left", "a start does not bring back a member that has left")
    }
}
