import Foundation
import Postgres
import TestSupport
import Testing
import Training
import Wire

@testable import Services

@Suite("The catalogue of exercises")
struct ExerciseTests {
    /// An imported exercise.
    private func exercise(_ id: String, _ name: String) -> Exercise {
        Exercise(
            id: "wger/\(id)", source: .wger, name: name, type: .strength, level: .beginner, primaryMuscles: [.chest],
            secondaryMuscles: [], equipment: [.barbell], measures: [.reps, .weight], instructions: ["Lift."],
            met: .init(value: 3.5, code: "02054", year: 2024, activity: "weights"), isUnilateral: false)
    }

    /// A database of its own, because the catalogue is one for all accounts.
    private func withStage(_ body: (World, Exercises, Identity) async throws -> Void) async throws {
        let world = World(access: try await MigratedDatabase.shared.own())
        let exercises = Exercises(
            loop: world.loop, database: world.pool, body: BodyRecords(loop: world.loop, database: world.pool))
        try await body(world, exercises, try await world.member())
        await world.close()
    }

    @Test("An import adds, changes and removes the exercises of its source alone, and servers load the result")
    func imports() async throws {
        try await withStage { world, exercises, who in
            let store = ExerciseStore(database: world.pool)
            let first = [exercise("1", "Bench press"), exercise("2", "Büffel press")]
            #expect(try await store.store(first, of: .wger, at: .now) == .init(added: 2))
            #expect(try await store.store(first, of: .wger, at: .now) == .init(unchanged: 2))
            var foreign = exercise("3", "Foreign press")
            (foreign.id, foreign.source) = ("freeExerciseDB/3", .freeExerciseDB)
            #expect(try await store.store([foreign], of: .freeExerciseDB, at: .now) == .init(added: 1))
            try await exercises.refresh()
            let found = try await exercises.search(.init(text: "press", equipment: [.barbell]), for: who)
            #expect(found.exercises.map(\.id).filter { !$0.hasPrefix("campanile/") }.count == 3)
            #expect(try await exercises.search(.init(text: "buffel"), for: who).exercises.map(\.id) == ["wger/2"])
            let second = [exercise("1", "Bench press, flat"), exercise("4", "Floor press")]
            #expect(
                try await store.store(second, of: .wger, at: .now) == .init(added: 1, changed: 1, removed: 1))
            try await exercises.refresh()
            #expect(try await exercises.exercise(.init(exercise: "wger/1"), for: who).name == "Bench press, flat")
            let gone = try? await exercises.exercise(.init(exercise: "wger/2"), for: who)
            #expect(gone == nil)
            #expect(try await exercises.exercise(.init(exercise: "freeExerciseDB/3"), for: who).name == "Foreign press")
        }
    }

    @Test("A workout has exercises of the catalogue; one that an import removed stays in the workouts that had it")
    func removedExercise() async throws {
        let stage = try await TrainingWorld(access: try await MigratedDatabase.shared.own())
        let (who, store) = (try await stage.world.member(), ExerciseStore(database: stage.world.pool))
        func refusal(_ plan: WorkoutPlan) async throws -> RPCError? {
            try await stage.refusal { _ = try await stage.workout(of: who, plan) }
        }
        let plan = TrainingWorld.plan(exercises: ["wger/1", "campanile/push-up"])
        #expect(try await refusal(plan)?.data?.field == "plan.sections")
        _ = try await store.store([exercise("1", "Press"), exercise("2", "Other")], of: .wger, at: .now)
        try await stage.exercises.refresh()
        let workout = try await stage.workout(of: who, plan)
        #expect(workout.exercises.map(\.id) == ["wger/1", "campanile/push-up"])
        _ = try await store.store([exercise("2", "Other")], of: .wger, at: .now)
        try await stage.exercises.refresh()
        var changed = workout.plan
        changed.title = "Changed"
        let saved = try await stage.workouts.save(.init(id: workout.id, revision: 1, plan: changed), of: who)
        #expect(saved.exercises.map(\.id) == ["campanile/push-up"] && saved.plan.exerciseIDs.contains("wger/1"))
        #expect(try await refusal(plan)?.data?.field == "plan.sections")
        await stage.world.close()
    }

    @Test("An exercise that has just been imported is known to a save and to the end of a training, at each node")
    func imported() async throws {
        let access = try await MigratedDatabase.shared.own()
        let (stage, node) = (try await TrainingWorld(access: access), try await TrainingWorld(access: access))
        let who = try await stage.world.member()
        _ = try await stage.body.save(BodySaveWeight.Params(date: "2026-11-20", kilograms: 70), of: who)
        var press = exercise("1", "Press")
        press.met = .init(value: 9, code: "02054", year: 2024, activity: "weights")
        _ = try await ExerciseStore(database: stage.world.pool).store([press], of: .wger, at: .now)
        let workout = try await stage.workout(of: who, TrainingWorld.plan(exercises: ["wger/1"]))
        #expect(workout.exercises.map(\.id) == ["wger/1"])
        func ended(_ stage: TrainingWorld) async throws -> Training {
            let training = try await stage.start(workout, by: who)
            let set = TrainingWorld.done(training, 0, at: training.startedAt.advanced(bySeconds: 60))
            return try await stage.trainings.finish(
                .init(training: training.id, endedAt: stage.now, sets: [set]), by: who)
        }
        let (other, one) = (try await ended(node), try await ended(stage))
        #expect(one.calories != nil && other.calories == one.calories && other.exercises.map(\.id) == ["wger/1"])
        await node.world.close()
        await stage.world.close()
    }

    @Test("While the catalogue cannot be read, a save with an exercise that may be new is to be sent again later")
    func unreadable() async throws {
        let access = try await MigratedDatabase.shared.own()
        let stage = try await TrainingWorld(access: access)
        let who = try await stage.world.member()
        let owner = try await PostgresConnection.connect(configuration: access.owner, loop: TestDatabase.shared.loop)
        try await owner.script("ALTER TABLE exercise_imports RENAME TO imports_away")
        let plan = TrainingWorld.plan(exercises: ["wger/1"])
        let refused = try await stage.refusal { _ = try await stage.workout(of: who, plan) }
        #expect(refused?.registered == .unavailable)
        _ = try await stage.workout(of: who)
        try await owner.script("ALTER TABLE imports_away RENAME TO exercise_imports")
        let unknown = try await stage.refusal { _ = try await stage.workout(of: who, plan) }
        #expect(unknown?.data?.field == "plan.sections")
        owner.close()
        await stage.world.close()
    }

    @Test("Search filters by all that is given, names that begin with the text come first, and pages meet")
    func search() async throws {
        try await withStage { world, exercises, who in
            _ = try await ExerciseStore(database: world.pool).store(
                [exercise("1", "Zz press"), exercise("2", "Press zz"), exercise("3", "Other")], of: .wger, at: .now)
            try await exercises.refresh()
            #expect(
                try await exercises.search(.init(text: " ZZ  press"), for: who).exercises.map(\.id) == [
                    "wger/1", "wger/2",
                ])
            #expect(
                try await exercises.search(.init(text: "press zz"), for: who).exercises.map(\.id) == [
                    "wger/2", "wger/1",
                ])
            #expect(try await exercises.search(.init(text: "zz", equipment: []), for: who).total == 0)
            #expect(try await exercises.search(.init(text: "zz", muscle: .calves), for: who).total == 0)
            let all = try await exercises.search(.init(limit: 100), for: who)
            var paged: [String] = []
            while paged.count < all.total {
                let page = try await exercises.search(.init(offset: paged.count, limit: 7), for: who)
                guard !page.exercises.isEmpty else { break }
                paged += page.exercises.map(\.id)
            }
            #expect(paged.count == all.total && Set(paged).count == all.total)
            #expect(all.total == ExerciseCatalogue.own.count + 3)
        }
    }

    @Test("A search follows its first eight different words")
    func words() async throws {
        try await withStage { world, exercises, who in
            _ = try await ExerciseStore(database: world.pool).store(
                [exercise("1", "Qa qb qc qd qe qf qg qh"), exercise("2", "Qa qb")], of: .wger, at: .now)
            try await exercises.refresh()
            func found(_ text: String) async throws -> [String] {
                try await exercises.search(.init(text: text), for: who).exercises.map(\.id)
            }
            #expect(try await found("qa qa qa qa qa qa qa qa qa qc") == ["wger/1"])
            #expect(try await found("qh qg qf qe qd qc qb qa none") == ["wger/1"])
            #expect(try await found("qa none").isEmpty)
            #expect(Catalogue.words("a b a c".split(separator: " ")).count == 3)
        }
    }

    @Test("An import that would make more than 5,000 imported exercises of all sources changes nothing")
    func tooMany() async throws {
        try await withStage { world, exercises, who in
            let store = ExerciseStore(database: world.pool)
            let many = (1...3_000).map { exercise("\($0)", "Press \($0)") }
            _ = try await store.store(many, of: .wger, at: .now)
            let foreign = (1...2_001).map { number in
                var one = exercise("\(number)", "Other \(number)")
                (one.id, one.source) = ("freeExerciseDB/\(number)", .freeExerciseDB)
                return one
            }
            await #expect(throws: ExerciseStore.TooManyExercises.self) {
                try await store.store(foreign, of: .freeExerciseDB, at: .now)
            }
            #expect(try await store.load().count == 3_000)
            _ = try await store.store(Array(foreign.dropLast()), of: .freeExerciseDB, at: .now)
            #expect(try await store.load().count == 5_000)
        }
    }

    @Test("Trainings of 90 days make recommendations of the next level")
    func level() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        func hasIntermediate() async throws -> Bool {
            let found = try await stage.workouts.recommend(.init(type: .strength, minutes: 60), for: who)
            let plans = [found.recommended].compactMap(\.self) + found.others
            return plans.flatMap(\.exercises).contains { $0.level != .beginner }
        }
        #expect(try await hasIntermediate() == false)
        _ = try await stage.world.pool.query(
            """
            INSERT INTO trainings (account_id, id, plan, started_at, ended_at, device, generation)
            SELECT $1, gen_random_uuid(), '{"type": "strength"}', $2::timestamptz - n * interval '1 day',
                $2::timestamptz - n * interval '1 day', gen_random_uuid(), 1 FROM generate_series(60, 65) n
            """, [.int(who.account.id), .timestamp(stage.now.milliseconds)])
        #expect(try await hasIntermediate())
    }

    @Test("An exercise is marked for an injury while that lasts, and for nobody else")
    func exclusions() async throws {
        let stage = try await TrainingWorld()
        let (who, other) = (try await stage.world.member(), try await stage.world.member())
        let all = try await stage.exercises.search(.init(limit: 100), for: who)
        #expect(all.exercises.allSatisfy { $0.exclusion == nil })
        _ = try await stage.body.save(
            BodySaveInjury.Params(
                id: TrainingWorld.id(), type: .sprain, area: .knee, from: "2026-11-20", until: "2026-11-29"),
            of: who)
        let marked = try await stage.exercises.search(.init(limit: 100), for: who)
        #expect(marked.exercises.contains { $0.exclusion?.area == .knee })
        #expect(
            try await stage.exercises.search(.init(limit: 100), for: other).exercises.allSatisfy { $0.exclusion == nil }
        )
        stage.world.clock.advance(bySeconds: 3 * 86_400)
        #expect(
            try await stage.exercises.search(.init(limit: 100), for: who).exercises.allSatisfy { $0.exclusion == nil })
    }

    @Test("Recommendations leave out what an injury excludes, say so, and name the closest place that suits")
    func recommendations() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        _ = try await stage.body.save(
            BodySaveInjury.Params(id: TrainingWorld.id(), type: .sprain, area: .knee, from: "2026-11-20"), of: who)
        let found = try await stage.workouts.recommend(.init(minutes: 30), for: who)
        let plans = [found.recommended].compactMap(\.self) + found.others
        #expect(!plans.isEmpty && plans.allSatisfy { $0.exercises.allSatisfy { $0.exclusion == nil } })
        #expect(!found.leftOut.isEmpty && found.place == nil)
        for wrong in [
            WorkoutsRecommend.Params(minutes: 4), .init(minutes: 181), .init(offset: 61), .init(lat: 1), .init(lon: 1),
        ] {
            let error = try await stage.refusal { _ = try await stage.workouts.recommend(wrong, for: who) }
            #expect(error?.registered == .invalidParams)
        }
    }

    @Test("More names of equipment than there are are refused")
    func equipment() async throws {
        let stage = try await TrainingWorld()
        let who = try await stage.world.member()
        let (many, all) = (Array(repeating: Equipment.mat, count: 30), Equipment.allCases)
        let searched = try await stage.refusal {
            _ = try await stage.exercises.search(.init(equipment: many), for: who)
        }
        let wished = try await stage.refusal {
            _ = try await stage.workouts.recommend(.init(equipment: many), for: who)
        }
        for error in [searched, wished] {
            #expect(error?.registered == .invalidParams && error?.data?.field == "equipment")
        }
        #expect(try await stage.exercises.search(.init(equipment: all), for: who).total > 0)
        _ = try await stage.workouts.recommend(.init(equipment: all), for: who)
    }
}
