import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Trainings")
struct TrainingTests {
    @Test("A start that is sent again is the same training, and does not bring back a removed one")
    func start() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let workout = try await stage.workout(of: who)
        let params = TrainingStart.Params(
            id: TrainingWorld.id(), workout: workout.id, startedAt: stage.now, device: TrainingWorld.id())
        let training = try await stage.trainings.start(params, by: who)
        #expect(training.sets.count == 6 && training.state == .active && training.generation == 1)
        #expect(try await stage.trainings.start(params, by: who) == training)
        #expect(try await stage.trainings.open(of: who).trainings == [training])
        try await stage.trainings.remove(.init(training: params.id), by: who)
        try await stage.trainings.remove(.init(training: params.id), by: who)
        let again = try await stage.refusal { _ = try await stage.trainings.start(params, by: who) }
        #expect(again?.registered == .conflict)
        #expect(try await stage.trainings.open(of: who).trainings.isEmpty)
    }

    @Test("A training that began without a network keeps the plan of the device, also if the workout was removed since")
    func offline() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let workout = try await stage.workout(of: who)
        var shown = workout.plan
        shown.title = "As the device shows it"
        var params = TrainingStart.Params(
            id: TrainingWorld.id(), workout: workout.id, startedAt: stage.now.advanced(bySeconds: -7_200),
            device: TrainingWorld.id(), plan: shown)
        #expect(try await stage.trainings.start(params, by: who).plan.title == shown.title)
        try await stage.workouts.remove(.init(workout: workout.id), of: who)
        params.id = TrainingWorld.id()
        let late = try await stage.trainings.start(params, by: who)
        #expect(late.plan.title == shown.title && late.workout == nil)
        params.id = TrainingWorld.id()
        params.workout = TrainingWorld.id()
        let unknown = params
        #expect(try await stage.refusal { _ = try await stage.trainings.start(unknown, by: who) } == Workouts.notFound)
    }

    @Test("A plan that the device sends has the name of its destination as the workout has it")
    func destinationName() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let workout = try await stage.workout(of: who)
        _ = try await stage.world.pool.query(
            """
            UPDATE workouts SET plan = plan || '{"destination": "place/9999999", "destinationName": "Old Gym"}'
            WHERE account_id = $1 AND id = $2
            """, [.int(who.account.id), .uuid(workout.id)])
        let shown = try await stage.workouts.workout(workout.id, of: who).plan
        func start(_ destination: String?) async throws -> WorkoutPlan {
            var plan = shown
            (plan.destination, plan.destinationName) = (destination, "Forged")
            return try await stage.trainings.start(
                .init(
                    id: TrainingWorld.id(), workout: workout.id, startedAt: stage.now, device: TrainingWorld.id(),
                    plan: plan), by: who
            ).plan
        }
        #expect(try await start(shown.destination) == shown)
        #expect(try await start(nil).destinationName == nil)
        for unknown in ["place/9999998", "nowhere"] {
            let plan = try await start(unknown)
            #expect(plan.destination == unknown && plan.destinationName == nil, "the training is kept")
        }
    }

    @Test("Starts in the future or long ago, and a sixth open training, are refused")
    func refused() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let workout = try await stage.workout(of: who)
        for minutes in [-6.0, 43_201] {
            let error = try await stage.refusal { _ = try await stage.start(workout, by: who, minutesAgo: minutes) }
            #expect(error?.data?.field == "startedAt")
        }
        #expect(try await stage.start(workout, by: who, minutesAgo: -1).startedAt == stage.now, "a clock that is ahead")
        for _ in 0..<4 { _ = try await stage.start(workout, by: who) }
        let sixth = try await stage.refusal { _ = try await stage.start(workout, by: who) }
        #expect(sixth?.registered == .conflict)
        #expect(try await stage.trainings.open(of: who).trainings.count == 5)
    }

    private func weigh(_ who: Identity, _ stage: TrainingWorld, _ day: String, _ kilograms: Double) async throws {
        _ = try await stage.body.save(BodySaveWeight.Params(date: day, kilograms: kilograms), of: who)
    }

    /// A training of 40 minutes with two sets done.
    private func finished(_ who: Identity, _ stage: TrainingWorld) async throws -> Training {
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        let sets = [0, 1].map {
            TrainingWorld.done(training, $0, at: training.startedAt.advanced(bySeconds: Double($0 + 1) * 60))
        }
        return try await stage.trainings.finish(
            .init(
                training: training.id, endedAt: training.startedAt.advanced(bySeconds: 2_400), sets: sets, note: "Good"),
            by: who)
    }

    @Test("Calories are those of the weight of that day; a later weight changes nothing until the person asks")
    func frozen() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        try await weigh(who, stage, "2026-11-20", 70)
        let training = try await finished(who, stage)
        let calories = try #require(training.calories)
        #expect(calories.kilograms == 70 && calories.gross > calories.net && calories.net > 0)
        #expect(training.activeSeconds == 2_400 && training.note == "Good" && training.state == .finished)
        try await weigh(who, stage, "2026-11-28", 90)
        try await weigh(who, stage, "2026-11-20", 120)
        #expect(try await stage.trainings.training(training.id, of: who).calories == calories)
        // Neither a late device nor an edit takes the new weight.
        _ = try await stage.trainings.record(
            .init(
                training: training.id, generation: 1,
                sets: [TrainingWorld.done(training, 2, at: training.startedAt.advanced(bySeconds: 200))]), by: who)
        let edited = try await stage.trainings.edit(.init(training: training.id, note: ""), by: who)
        #expect(edited.calories?.kilograms == 70 && edited.note == nil)
        #expect(edited.sets.filter { $0.state == .done }.count == 3)
        let asked = try await stage.trainings.recalculate(.init(training: training.id), by: who)
        #expect(asked.calories?.kilograms == 90)
        #expect(asked.calories.map { $0.gross > calories.gross } == true)
    }

    @Test("The weight is the latest one until the day of the start, else the first one after it")
    func weightOfDay() async throws {
        for (weights, expected) in [
            ([("2026-11-01", 60.0), ("2026-11-27", 61), ("2026-11-29", 62)], 61.0), ([("2026-11-29", 62)], 62),
            ([], nil),
        ] as [([(String, Double)], Double?)] {
            let stage = try await TrainingWorld(at: "2026-11-28T12:00:00.000Z")
            let who = try await stage.world.member()
            for (day, kilograms) in weights {
                _ = try await stage.world.pool.query(
                    "INSERT INTO body_weights VALUES ($1, $2::date, $3)",
                    [.int(who.account.id), .text(day), .double(kilograms)])
            }
            #expect(try await finished(who, stage).calories?.kilograms == expected)
        }
    }

    @Test("Ending again keeps the first end and takes what a late device has")
    func finishAgain() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        try await weigh(who, stage, "2026-11-20", 70)
        let training = try await finished(who, stage)
        let again = try await stage.trainings.finish(
            .init(
                training: training.id, endedAt: stage.now,
                sets: [TrainingWorld.done(training, 3, at: training.startedAt.advanced(bySeconds: 90))], note: "Other"),
            by: who)
        #expect(again.endedAt == training.endedAt && again.note == "Good")
        #expect(again.sets.filter { $0.state == .done }.count == 3)
        let open = try await stage.refusal {
            _ = try await stage.trainings.takeOver(.init(training: training.id, device: TrainingWorld.id()), by: who)
        }
        #expect(open?.registered == .conflict)
    }

    @Test("Pauses are brought into order, and do not count as active time")
    func pauses() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        func at(_ minutes: Double) -> Timestamp { training.startedAt.advanced(bySeconds: minutes * 60) }
        let ended = try await stage.trainings.finish(
            .init(
                training: training.id, endedAt: at(40),
                pauses: [
                    .init(from: at(35)), .init(from: at(10), until: at(15)), .init(from: at(12), until: at(20)),
                    .init(from: at(-5), until: at(1)), .init(from: at(50), until: at(55)),
                ]), by: who)
        #expect(
            ended.pauses == [
                .init(from: at(0), until: at(1)), .init(from: at(10), until: at(20)),
                .init(from: at(35), until: at(40)),
            ])
        #expect(ended.activeSeconds == 24 * 60)
    }

    @Test("Ends before the start, in the future, or after more than a day, and edits of an open training, are refused")
    func ends() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let training = try await stage.start(
            try await stage.workout(of: who), by: who, minutesAgo: 3 * 1_440)
        for seconds in [-1.0, 86_401, 345_600] {
            let error = try await stage.refusal {
                _ = try await stage.trainings.finish(
                    .init(training: training.id, endedAt: training.startedAt.advanced(bySeconds: seconds)), by: who)
            }
            #expect(error?.data?.field == "endedAt")
        }
        for request in [
            { _ = try await stage.trainings.edit(.init(training: training.id), by: who) },
            { _ = try await stage.trainings.recalculate(.init(training: training.id), by: who) },
        ] as [@Sendable () async throws -> Void] {
            #expect(try await stage.refusal { try await request() }?.registered == .conflict)
        }
    }

    @Test("Heart rates are summed up at the end, and a late device adds its own")
    func pulse() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        _ = try await stage.body.save(.init(maximumPulse: 200), of: who)
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        func samples(_ seconds: Range<Int>, _ bpm: Int) -> [PulseSample] {
            seconds.map { .init(at: training.startedAt.advanced(bySeconds: Double($0)), bpm: bpm) }
        }
        _ = try await stage.trainings.record(
            .init(training: training.id, generation: 1, pulse: samples(0..<300, 120)), by: who)
        let ended = try await stage.trainings.finish(
            .init(training: training.id, endedAt: training.startedAt.advanced(bySeconds: 600)), by: who)
        #expect(ended.pulse.map { [$0.minimum, $0.average, $0.maximum] } == [120, 120, 120])
        _ = try await stage.trainings.record(
            .init(training: training.id, generation: 0, pulse: samples(300..<600, 160) + samples(700..<710, 250)),
            by: who)
        let late = try #require(try await stage.trainings.training(training.id, of: who).pulse)
        #expect((late.minimum, late.maximum) == (120, 160) && abs(late.average - 140) <= 1)
        for wrong in [19, 261] {
            let error = try await stage.refusal {
                _ = try await stage.trainings.record(
                    .init(training: training.id, generation: 1, pulse: [.init(at: stage.now, bpm: wrong)]), by: who)
            }
            #expect(error?.data?.field == "pulse[0].bpm")
        }
    }

    @Test("Lists are in pages, each training once, and have the figures of the sets")
    func lists() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let workout = try await stage.workout(of: who)
        for number in 0..<5 {
            let training = try await stage.start(workout, by: who, minutesAgo: Double(60 + number * 60))
            _ = try await stage.trainings.finish(
                .init(
                    training: training.id, endedAt: training.startedAt.advanced(bySeconds: 60),
                    sets: [TrainingWorld.done(training, 0, reps: 7, at: training.startedAt)]), by: who)
        }
        var (seen, before): ([TrainingSummary], Timestamp?) = ([], nil)
        for _ in 0..<3 {
            let page = try await stage.trainings.list(.init(workout: workout.id, before: before, limit: 2), of: who)
            #expect(page.hasMore == (seen.count + page.trainings.count < 5))
            seen += page.trainings
            before = page.trainings.last?.startedAt
        }
        #expect(seen.count == 5 && seen.allSatisfy { $0.reps == 7 && $0.setsDone == 1 && $0.activeSeconds == 60 })
        #expect(seen.map(\.startedAt) == seen.map(\.startedAt).sorted(by: >))
        #expect(try await stage.trainings.list(.init(workout: TrainingWorld.id()), of: who).trainings.isEmpty)
    }

    @Test("Pages of trainings that began at one instant meet, and no page is longer than its limit")
    func ties() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let workout = try await stage.workout(of: who)
        var ids: Set<String> = []
        for _ in 0..<5 { ids.insert(try await stage.start(workout, by: who).id) }
        var (seen, last): ([String], TrainingSummary?) = ([], nil)
        for _ in 0..<3 {
            let page = try await stage.trainings.list(
                .init(before: last?.startedAt, beforeTraining: last?.id, limit: 2), of: who)
            #expect(page.trainings.count == (seen.count < 4 ? 2 : 1) && page.hasMore == (seen.count < 4))
            seen += page.trainings.map(\.id)
            last = page.trainings.last
        }
        #expect(Set(seen) == ids && seen.count == 5)
        let alone = try await stage.refusal {
            _ = try await stage.trainings.list(.init(beforeTraining: TrainingWorld.id()), of: who)
        }
        #expect(alone?.data?.field == "beforeTraining")
    }

    @Test("Every method refuses another account's training as one that does not exist")
    func foreign() async throws {
        let stage = try await TrainingWorld()
        let (who, other) = (try await stage.world.member(), try await stage.world.member())
        let workout = try await stage.workout(of: who)
        let training = try await stage.start(workout, by: who)
        let requests: [@Sendable () async throws -> Void] = [
            { _ = try await stage.trainings.training(training.id, of: other) },
            { _ = try await stage.trainings.record(.init(training: training.id, generation: 1), by: other) },
            {
                _ = try await stage.trainings.takeOver(.init(training: training.id, device: training.device), by: other)
            },
            { _ = try await stage.trainings.finish(.init(training: training.id, endedAt: stage.now), by: other) },
            { _ = try await stage.trainings.edit(.init(training: training.id), by: other) },
            { _ = try await stage.trainings.recalculate(.init(training: training.id), by: other) },
        ]
        for request in requests {
            #expect(try await stage.refusal { try await request() } == Trainings.notFound)
        }
        try await stage.trainings.remove(.init(training: training.id), by: other)
        #expect(try await stage.trainings.training(training.id, of: who) == training)
        #expect(try await stage.trainings.list(.init(), of: other).trainings.isEmpty)
        let started = try await stage.refusal { _ = try await stage.start(workout, by: other) }
        #expect(started == Workouts.notFound)
    }

    @Test("Removals are forgotten after a year")
    func pruning() async throws {
        // A database of its own: what is forgotten is forgotten for all accounts.
        let stage = try await TrainingWorld(access: try await MigratedDatabase.shared.own())
        let who = try await stage.world.member()
        let training = try await stage.start(try await stage.workout(of: who), by: who)
        try await stage.trainings.remove(.init(training: training.id), by: who)
        func count() async throws -> Int64 {
            try await stage.world.pool.query("SELECT count(*) AS n FROM training_removals")[0].int("n")
        }
        try await stage.trainings.prune()
        #expect(try await count() == 1)
        stage.world.clock.advance(bySeconds: 366 * 86_400)
        try await stage.trainings.prune()
        #expect(try await count() == 0)
        await stage.world.close()
    }
}
