import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Workouts")
struct WorkoutTests {
    @Test(
        "Saving the same plan again is harmless, a change needs the present revision, and a removed workout stays removed"
    )
    func saving() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let (id, plan) = (TrainingWorld.id(), TrainingWorld.plan())
        let saved = try await stage.workouts.save(.init(id: id, plan: plan), of: who)
        #expect((saved.revision, saved.status, saved.plan.title) == (1, .notStarted, "Morning"))
        #expect(try await stage.workouts.save(.init(id: id, plan: plan), of: who) == saved)
        var changed = plan
        changed.title = "Evening"
        let second = changed
        let stale = try await stage.refusal {
            _ = try await stage.workouts.save(.init(id: id, plan: second), of: who)
        }
        #expect(stale?.registered == .conflict && stale?.data?.field == "revision")
        stage.world.clock.advance(bySeconds: 60)
        let next = try await stage.workouts.save(.init(id: id, revision: 1, plan: second), of: who)
        #expect(next.revision == 2 && next.changedAt == stage.now)
        #expect(try await stage.workouts.save(.init(id: id, revision: 1, plan: second), of: who).revision == 2)
        try await stage.workouts.remove(.init(workout: id), of: who)
        try await stage.workouts.remove(.init(workout: id), of: who)
        for revision in [nil, 2] as [Int?] {
            let error = try await stage.refusal {
                _ = try await stage.workouts.save(.init(id: id, revision: revision, plan: plan), of: who)
            }
            #expect(error?.registered == .conflict, "a late request does not bring it back")
        }
        #expect(try await stage.workouts.list(.init(), of: who).workouts.isEmpty)
    }

    @Test("Lists are by the last use, each workout once, and filters follow the latest training")
    func lists() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        var workouts: [Workout] = []
        for number in 0..<5 {
            workouts.append(try await stage.workout(of: who, TrainingWorld.plan("Workout \(number)")))
        }
        func titles(_ filter: WorkoutFilter? = nil) async throws -> [String] {
            var (titles, before): ([String], Timestamp?) = ([], nil)
            repeat {
                let page = try await stage.workouts.list(.init(filter: filter, before: before, limit: 2), of: who)
                titles += page.workouts.map { String($0.title.suffix(1)) }
                before = page.next
            } while before != nil
            return titles
        }
        #expect(try await titles() == ["4", "3", "2", "1", "0"], "also those of one instant")
        let open = try await stage.start(workouts[1], by: who)
        let ended = try await stage.start(workouts[2], by: who)
        _ = try await stage.trainings.finish(.init(training: ended.id, endedAt: stage.now), by: who)
        #expect(try await titles() == ["2", "1", "4", "3", "0"])
        #expect(try await titles(.inProgress) == ["1"])
        #expect(try await titles(.completed) == ["2"])
        #expect(try await titles(.notStarted) == ["4", "3", "0"])
        #expect(try await titles(.buddies) == [])
        let workout = try await stage.workouts.workout(workouts[1].id, of: who)
        #expect((workout.status, workout.training) == (.inProgress, open.id))
        #expect(workout.lastTrainedAt == open.startedAt)
        try await stage.workouts.remove(.init(workout: workouts[1].id), of: who)
        let kept = try await stage.trainings.training(open.id, of: who)
        #expect(kept.workout == nil && kept.plan.title == "Workout 1", "its trainings stay")
    }

    @Test("A copy is made once, and an id of another workout is refused")
    func copies() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let (workout, other) = (try await stage.workout(of: who), try await stage.workout(of: who))
        let id = TrainingWorld.id()
        let copy = try await stage.workouts.copy(.init(workout: workout.id, id: id), of: who)
        #expect(copy.plan == workout.plan && copy.from == nil)
        #expect(try await stage.workouts.copy(.init(workout: workout.id, id: id), of: who) == copy)
        let taken = try await stage.refusal {
            _ = try await stage.workouts.copy(.init(workout: workout.id, id: other.id), of: who)
        }
        #expect(taken?.registered == .conflict)
        let stranger = try await stage.world.member()
        let foreign = try await stage.refusal {
            _ = try await stage.workouts.copy(.init(workout: workout.id, id: TrainingWorld.id()), of: stranger)
        }
        #expect(foreign == Workouts.notFound)
    }

    @Test("A start is scheduled in the future, at an event only if the person takes part in it")
    func schedule() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let workout = try await stage.workout(of: who)
        let at = stage.now.advanced(bySeconds: 3_600)
        let planned = try await stage.workouts.schedule(.init(workout: workout.id, at: at), of: who)
        #expect(planned.scheduledAt == at && planned.revision == 1)
        for wrong in [stage.now, stage.now.advanced(bySeconds: 732 * 86_400)] {
            let error = try await stage.refusal {
                _ = try await stage.workouts.schedule(.init(workout: workout.id, at: wrong), of: who)
            }
            #expect(error?.data?.field == "at")
        }
        let rows = try await stage.world.pool.query(
            """
            INSERT INTO events (owner_id, client_id, audience, state, title, starts_at, ends_at, place, created_at, changed_at)
            VALUES (NULL, gen_random_uuid(), 'public', 'published', 'Run', $1, $2, 'Here', now(), now()) RETURNING id
            """, [.timestamp(at.milliseconds), .timestamp(at.advanced(bySeconds: 60).milliseconds)])
        let event = try rows[0].int("id")
        let stranger = try await stage.refusal {
            _ = try await stage.workouts.schedule(.init(workout: workout.id, at: at, event: event), of: who)
        }
        #expect(stranger?.registered == .notFound)
        _ = try await stage.world.pool.query(
            "INSERT INTO event_people (event_id, account_id, answer) VALUES ($1, $2, 'going')",
            [.int(event), .int(who.account.id)])
        let joined = try await stage.workouts.schedule(.init(workout: workout.id, at: at, event: event), of: who)
        #expect(joined.event == event)
        let cleared = try await stage.workouts.schedule(.init(workout: workout.id), of: who)
        #expect(cleared.scheduledAt == nil && cleared.event == nil)
    }

    @Test("A buddy gets one copy of each revision, which neither changes nor goes with the original")
    func sharing() async throws {
        let stage = try await TrainingWorld()
        let (who, buddy) = try await stage.buddies()
        let workout = try await stage.workout(of: who)
        func share(_ id: String, by sharer: Identity? = nil) async throws -> Bool {
            let other = sharer == nil ? buddy : who
            return try await stage.workouts.share(
                .init(workout: id, buddy: other.account.username), by: sharer ?? who
            ).isNew
        }
        #expect(try await share(workout.id) == true)
        #expect(try await share(workout.id) == false)
        let copies = try await stage.workouts.list(.init(filter: .buddies), of: buddy).workouts
        #expect(copies.count == 1 && copies.first?.from == who.account.username && copies.first?.id != workout.id)
        let copy = try #require(copies.first)
        #expect(try await share(copy.id, by: buddy) == false, "the other has it already")
        var plan = workout.plan
        plan.title = "Changed"
        _ = try await stage.workouts.save(.init(id: workout.id, revision: 1, plan: plan), of: who)
        #expect(try await stage.workouts.workout(copy.id, of: buddy).plan.title == "Morning")
        #expect(try await share(workout.id) == true, "another revision")
        try await stage.workouts.remove(.init(workout: workout.id), of: who)
        #expect(try await stage.workouts.list(.init(), of: buddy).workouts.count == 2)
        // Two requests at once make one copy.
        let other = try await stage.workout(of: who)
        async let first = share(other.id)
        async let second = share(other.id)
        #expect(try await [first, second].filter { $0 }.count == 1)
    }

    @Test("A change of a workout is signalled to the owner's devices, and a share to the buddy, once each")
    func signals() async throws {
        let stage = try await TrainingWorld()
        let (who, buddy) = try await stage.buddies()
        var viewers: [RecordingViewer] = []
        for person in [who, buddy] {
            let viewer = RecordingViewer(loop: TestDatabase.shared.loop)
            try await stage.world.hub.signals.subscribe(viewer, account: person.account.id) { [] }
            viewers.append(viewer)
        }
        /// Workouts that were signalled since the last call, to the owner and to the buddy.
        func signalled() async throws -> [[String]] {
            var all: [[String]] = []
            for viewer in viewers {
                all.append(
                    try await viewer.take().flatMap(\.messages).compactMap { message in
                        let json = RecordingViewer.payload(of: message.frame)
                        guard !json.isEmpty else { return nil }
                        let signal = try WireJSON.decode(Push<UserSignal>.self, from: json).params.data
                        return signal.type == .workout ? signal.workout : nil
                    })
            }
            return all
        }
        let params = WorkoutsSave.Params(id: TrainingWorld.id(), plan: TrainingWorld.plan())
        for expected in [[params.id], []] {
            _ = try await stage.workouts.save(params, of: who)
            #expect(try await signalled() == [expected, []])
        }
        let at = stage.now.advanced(bySeconds: 3_600)
        for expected in [[params.id], []] {
            _ = try await stage.workouts.schedule(.init(workout: params.id, at: at), of: who)
            #expect(try await signalled() == [expected, []])
        }
        let copy = TrainingWorld.id()
        for expected in [[copy], []] {
            _ = try await stage.workouts.copy(.init(workout: params.id, id: copy), of: who)
            #expect(try await signalled() == [expected, []])
        }
        for isNew in [true, false] {
            _ = try await stage.workouts.share(.init(workout: params.id, buddy: buddy.account.username), by: who)
            let theirs = try await stage.workouts.list(.init(), of: buddy).workouts.map(\.id)
            #expect(try await signalled() == [[], isNew ? theirs : []])
        }
        for expected in [[params.id], []] {
            try await stage.workouts.remove(.init(workout: params.id), of: who)
            #expect(try await signalled() == [expected, []])
        }
    }

    @Test("After a restore a buddy still has the workout that was shared, and an own workout is still nobody's copy")
    func restored() async throws {
        let stage = try await TrainingWorld(access: try await MigratedDatabase.shared.own())
        let (who, buddy) = try await stage.buddies()
        let workout = try await stage.workout(of: who)
        func share(_ id: String, by sharer: Identity, with other: Identity) async throws -> Bool {
            try await stage.workouts.share(.init(workout: id, buddy: other.account.username), by: sharer).isNew
        }
        #expect(try await share(workout.id, by: who, with: buddy))
        let copy = try #require(try await stage.workouts.list(.init(filter: .buddies), of: buddy).workouts.first)
        let owner = try await PostgresConnection.connect(
            configuration: stage.world.access.owner, loop: stage.world.loop)
        defer { owner.close() }
        _ = try await owner.query("SELECT restore_mark()")
        #expect(try await !share(workout.id, by: who, with: buddy))
        #expect(try await !share(copy.id, by: buddy, with: who))
        let wrong = try await owner.query(
            "SELECT count(*) AS n FROM workouts WHERE original_id IS NULL AND original_revision IS NOT NULL")
        #expect(try wrong.first?.int("n") == 0)
        await stage.world.close()
    }

    @Test("A list has the figures of the plans")
    func figures() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        var plan = TrainingWorld.plan("Figures")
        (plan.type, plan.intensity, plan.place, plan.minutes) = (.cardio, .vigorous, .gym, 45)
        (plan.equipment, plan.tags) = ([.mat, .barbell], ["b", "a"])
        plan.sections[0].groups[0].entries[0].sets.append(PlannedSet(seconds: 30))
        _ = try await stage.workout(of: who, plan)
        let listed = try #require(try await stage.workouts.list(.init(), of: who).workouts.first)
        #expect((listed.title, listed.type, listed.intensity, listed.place) == ("Figures", .cardio, .vigorous, .gym))
        #expect((listed.minutes, listed.exercises, listed.sets, listed.tags) == (45, 2, 7, ["b", "a"]))
        #expect(Set(listed.equipment) == [.mat, .barbell] && listed.status == .notStarted && listed.from == nil)
    }

    @Test("Strangers, blocked people and unknown names get the same answer, and a buddy's workouts have a maximum")
    func sharingRefused() async throws {
        let stage = try await TrainingWorld()
        let (who, buddy) = try await stage.buddies()
        let stranger = try await stage.world.member()
        let workout = try await stage.workout(of: who)
        func refusal(_ name: String) async throws -> RPCError? {
            try await stage.refusal {
                _ = try await stage.workouts.share(.init(workout: workout.id, buddy: name), by: who)
            }
        }
        for name in [stranger.account.username, "nobody", who.account.username, ""] {
            #expect(try await refusal(name) == Workouts.noBuddy)
        }
        for (blocker, blocked) in [(who, buddy), (buddy, who)] {
            _ = try await stage.world.pool.query(
                """
                INSERT INTO blocks (blocker_id, blocked_id, name, is_on, changed_at) VALUES ($1, $2, '', true, now())
                """, [.int(blocker.account.id), .int(blocked.account.id)])
            #expect(try await refusal(buddy.account.username) == Workouts.noBuddy)
            _ = try await stage.world.pool.query(
                "DELETE FROM blocks WHERE blocker_id = $1", [.int(blocker.account.id)])
        }
        let foreign = try await stage.refusal {
            _ = try await stage.workouts.share(.init(workout: workout.id, buddy: who.account.username), by: buddy)
        }
        #expect(foreign == Workouts.notFound)
        _ = try await stage.world.pool.query(
            """
            INSERT INTO workouts (account_id, id, revision, plan, from_id, original_id, original_revision, created_at, changed_at,
                used_at)
            SELECT $1, gen_random_uuid(), 1, '{}', $2, gen_random_uuid(), 1, now(), now(), now() + n * interval '1 second'
            FROM generate_series(1, 200) n
            """, [.int(buddy.account.id), .int(who.account.id)])
        #expect(try await refusal(buddy.account.username)?.registered == .conflict)
    }

    @Test("The name of a buddy is left out while a block separates both")
    func blockedName() async throws {
        let stage = try await TrainingWorld()
        let (who, buddy) = try await stage.buddies()
        let workout = try await stage.workout(of: who)
        _ = try await stage.workouts.share(.init(workout: workout.id, buddy: buddy.account.username), by: who)
        _ = try await stage.world.pool.query(
            "INSERT INTO blocks (blocker_id, blocked_id, name, is_on, changed_at) VALUES ($1, $2, '', true, now())",
            [.int(who.account.id), .int(buddy.account.id)])
        let list = try await stage.workouts.list(.init(), of: buddy).workouts
        #expect(list.count == 1 && list[0].from == nil)
    }

    @Test("An account has at most 500 workouts")
    func limit() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        _ = try await stage.world.pool.query(
            """
            INSERT INTO workouts (account_id, id, revision, plan, created_at, changed_at, used_at)
            SELECT $1, gen_random_uuid(), 1, '{}', now(), now(), now() + n * interval '1 second' FROM generate_series(1, 500) n
            """, [.int(who.account.id)])
        let full = try await stage.refusal { _ = try await stage.workout(of: who) }
        #expect(full?.registered == .conflict)
    }

    @Test("A person on the waiting list of an event does not plan a workout at it")
    func waiting() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let workout = try await stage.workout(of: who)
        let at = stage.now.advanced(bySeconds: 3_600)
        let event = try await stage.world.pool.query(
            """
            WITH e AS (
                INSERT INTO events (owner_id, client_id, audience, state, title, starts_at, ends_at, place, created_at, changed_at)
                VALUES (NULL, gen_random_uuid(), 'public', 'published', 'Run', $1,
                    $1::timestamptz + interval '1 hour', 'Here', now(), now())
                RETURNING id)
            INSERT INTO event_people (event_id, account_id, answer, is_waiting, queue) SELECT id, $2, 'going', true, 1 FROM e
            RETURNING event_id
            """, [.timestamp(at.milliseconds), .int(who.account.id)])[0].int("event_id")
        func plan() async throws -> RPCError? {
            try await stage.refusal {
                _ = try await stage.workouts.schedule(.init(workout: workout.id, at: at, event: event), of: who)
            }
        }
        #expect(try await plan()?.registered == .notFound)
        _ = try await stage.world.pool.query(
            "UPDATE event_people SET is_waiting = false, queue = NULL WHERE event_id = $1", [.int(event)])
        #expect(try await plan() == nil)
    }
}
