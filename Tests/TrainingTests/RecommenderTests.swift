import Foundation
import Testing
import Wire

@testable import Training

@Suite("Recommended workouts")
struct RecommenderTests {
    static let now = Timestamp(milliseconds: 1_795_000_000_000)
    static let noHistory = TrainingHistory(trainings: [], now: now)

    private static func all(_ result: RecommendedWorkouts) -> [Recommendation] {
        (result.recommended.map { [$0] } ?? []) + result.others
    }

    /// Exercises that fit type, place, equipment and level of a request, by the words of the protocol.
    private static func fitting(_ request: RecommendationRequest, _ candidate: Candidate) -> Bool {
        let place = request.place ?? .anywhere
        let atHand = request.equipment.map { EquipmentBits($0) } ?? Setting.equipment(of: place)
        return (request.type.map { $0 == candidate.exercise.type } ?? true)
            && candidate.exercise.level.rank <= request.level?.rank ?? 2
            && Setting(place: place, equipment: atHand).suitsMain(candidate)
    }

    static let traits = Dictionary(uniqueKeysWithValues: Catalogues.all.map { ($0.id, ExerciseTraits(of: $0)) })

    @Test(
        "For 300 random bodies, requests and histories nothing excluded is offered, and something whenever something is left"
    )
    func property() throws {
        var generator = SeededGenerator(seed: 1)
        let ids = Catalogues.all.map(\.id)
        var offered = 0
        var nothing = 0
        for _ in 0..<300 {
            let body = Body.random(&generator)
            var request = RecommendationRequest.random(&generator)
            let trainings = (0..<Int.random(in: 0...8, using: &generator)).map { index in
                PastTraining(
                    startedAt: Timestamp(milliseconds: Self.now.milliseconds - Int64(index) * 40_000_000),
                    type: .strength,
                    exercises: (0..<5).compactMap { _ in ids.randomElement(using: &generator) })
            }
            let result = Catalogues.recommender.recommend(
                request, for: body, history: TrainingHistory(trainings: trainings, now: Self.now))
            for workout in Self.all(result) {
                try Self.check(workout, request, body)
                offered += 1
            }
            #expect(
                result.others.count <= 6 && result.leftOut.count <= 10 && (1...12).contains(result.guidelines.count))
            request.offset = nil
            let first = Catalogues.recommender.recommend(
                request, for: body, history: TrainingHistory(trainings: trainings, now: Self.now))
            let rules = ExclusionRules.rules(for: body)
            let isLeft = Catalogues.recommender.candidates.contains {
                Self.fitting(request, $0) && ExclusionRules.exclusion(of: $0.traits, by: rules) == nil
            }
            #expect((first.recommended != nil) == isLeft, "\(request) \(body)")
            if !isLeft { nothing += 1 }
        }
        #expect(offered > 600 && nothing > 0)
    }

    @Test(
        "Each area and each condition alone leaves a personal workout without what it excludes, for each type that has one"
    )
    func each() throws {
        let bodies =
            BodyArea.allCases.map { Body(injuries: [ActiveInjury(area: $0, type: .pain)]) }
            + HealthCondition.allCases.map { Body(conditions: [$0]) }
        for body in bodies {
            for type in [ExerciseType?.none] + ExerciseType.allCases.map(Optional.some) {
                let request = RecommendationRequest(type: type)
                let result = Catalogues.recommender.recommend(request, for: body, history: Self.noHistory)
                for workout in Self.all(result) { try Self.check(workout, request, body) }
                if type == nil { #expect(result.recommended != nil && !result.leftOut.isEmpty) }
            }
        }
    }

    private static func check(_ workout: Recommendation, _ request: RecommendationRequest, _ body: Body) throws {
        let byID = Dictionary(uniqueKeysWithValues: workout.exercises.map { ($0.id, $0) })
        let entries = workout.plan.sections.flatMap(\.groups).flatMap(\.entries)
        #expect(Set(entries.map(\.exercise)) == Set(byID.keys))
        for exercise in workout.exercises {
            let traits = try #require(traits[exercise.id])
            #expect(ExclusionRules.exclusion(of: traits, for: body) == nil, "\(exercise.id) for \(body)")
            if let equipment = request.equipment {
                #expect(Set(exercise.equipment).isSubset(of: equipment), "\(exercise.id)")
            }
            if let level = request.level { #expect(exercise.level.rank <= level.rank) }
        }
        let main = try #require(workout.plan.sections.first { $0.kind == .main })
        for entry in main.groups.flatMap(\.entries) {
            if let type = request.type { #expect(byID[entry.exercise]?.type == type) }
        }
        #expect(try PlanCheck.check(workout.plan) == workout.plan)
        #expect(workout.reason.hasSuffix(".") && workout.reason.unicodeScalars.count <= 200)
    }

    @Test("The same request gives the same workouts, and pages of generic ones have no workout twice")
    func pages() {
        var titles: [[String]] = []
        for offset in stride(from: 0, through: 60, by: 6) {
            let request = RecommendationRequest(offset: offset)
            let result = Catalogues.recommender.recommend(request, for: Body(), history: Self.noHistory)
            #expect(result == Catalogues.recommender.recommend(request, for: Body(), history: Self.noHistory))
            #expect((result.recommended == nil) == (offset > 0))
            #expect(result.recommended?.isPersonal ?? true && result.others.allSatisfy { !$0.isPersonal })
            #expect(result.others.count == 6 && result.hasMore == (offset < 60))
            titles += Self.all(result).map {
                $0.plan.sections.first { $0.kind == .main }?.groups.flatMap(\.entries).map(\.exercise).sorted() ?? []
            }
        }
        #expect(Set(titles).count == titles.count)
    }

    @Test(
        "A workout keeps to the minutes, with a warm-up of 5 to 10 minutes from 20 minutes on and a cool-down",
        arguments: [5, 10, 20, 30, 45, 60, 90, 180])
    func minutes(minutes: Int) throws {
        for type in ExerciseType.allCases {
            let request = RecommendationRequest(type: type, minutes: minutes)
            let workout = try #require(
                Catalogues.recommender.recommend(request, for: Body(), history: Self.noHistory).recommended)
            #expect(workout.plan.minutes <= minutes)
            let byID = Dictionary(uniqueKeysWithValues: workout.exercises.map { ($0.id, $0) })
            func seconds(_ kind: SectionKind) -> Double {
                (workout.plan.sections.first { $0.kind == kind }?.groups ?? []).flatMap(\.entries).reduce(0) {
                    sum, entry in
                    let sides = byID[entry.exercise]?.isUnilateral == true ? 2.0 : 1
                    return sum
                        + entry.sets.reduce(0) { set, values in
                            set + (values.seconds ?? Double(values.reps ?? 0) * 3.5) * sides + Double(entry.restSeconds)
                        }
                }
            }
            let total = seconds(.warmUp) + seconds(.main) + seconds(.coolDown)
            #expect(total <= Double(minutes) * 60 + 60, "\(type) \(minutes): \(total)")
            if minutes >= 20, minutes <= 60 {
                #expect(total >= Double(minutes) * 60 * 0.6, "\(type) \(minutes): \(total)")
            }
            if minutes >= 20 {
                #expect((240...600).contains(seconds(.warmUp)), "\(type) \(minutes): \(seconds(.warmUp))")
            }
            #expect(seconds(.coolDown) > 0 && seconds(.warmUp) > 0)
        }
    }

    @Test("Muscles that were trained yesterday rest today, and the level follows the number of trainings")
    func history() throws {
        let legs = ["campanile/squat", "campanile/lunge", "campanile/glute-bridge", "campanile/calf-raise"]
        let yesterday = Timestamp(milliseconds: Self.now.milliseconds - 20 * 3_600_000)
        let history = TrainingHistory(
            trainings: [PastTraining(startedAt: yesterday, type: .strength, exercises: legs)], now: Self.now)
        let request = RecommendationRequest(type: .strength, goal: .buildMuscle, place: .gym)
        let workout = try #require(Catalogues.recommender.recommend(request, for: Body(), history: history).recommended)
        let main = workout.plan.sections.first { $0.kind == .main }?.groups.flatMap(\.entries).map(\.exercise) ?? []
        let muscles = Set(workout.exercises.filter { main.contains($0.id) }.flatMap(\.primaryMuscles))
        #expect(muscles.isDisjoint(with: [.quadriceps, .glutes, .calves]), "\(muscles)")
        #expect(workout.reason.contains("rest"))
        let many = (0..<40).map {
            PastTraining(
                startedAt: Timestamp(milliseconds: Self.now.milliseconds - Int64($0 + 3) * 86_400_000), type: .strength,
                exercises: legs)
        }
        func levels(_ trainings: [PastTraining]) -> Set<ExerciseLevel> {
            let history = TrainingHistory(trainings: trainings, now: Self.now)
            let result = Catalogues.recommender.recommend(request, for: Body(), history: history)
            return Set(Self.all(result).flatMap(\.exercises).map(\.level))
        }
        #expect(levels([]) == [.beginner])
        #expect(levels(many).contains(.intermediate))
    }

    @Test("Sets follow the goal: few repetitions and long rests for strength, more for muscle, many for endurance")
    func goals() throws {
        func prescription(_ goal: FitnessGoal) throws -> (reps: Set<Int>, rests: Set<Int>) {
            let request = RecommendationRequest(
                type: .strength, goal: goal, equipment: [.machine, .cable], level: .intermediate)
            let workout = try #require(
                Catalogues.recommender.recommend(request, for: Body(), history: Self.noHistory).recommended)
            let weighted = Set(workout.exercises.filter { $0.measures.contains(.weight) }.map(\.id))
            let entries = workout.plan.sections.filter { $0.kind == .main }.flatMap(\.groups).flatMap(\.entries)
                .filter { weighted.contains($0.exercise) }
            #expect(!entries.isEmpty)
            return (Set(entries.flatMap(\.sets).compactMap(\.reps)), Set(entries.map(\.restSeconds)))
        }
        let (strength, muscle, endurance) = try (
            prescription(.gainStrength), prescription(.buildMuscle), prescription(.improveEndurance)
        )
        #expect(strength.reps.allSatisfy((3...6).contains) && strength.rests.allSatisfy { $0 >= 120 })
        #expect(muscle.reps.allSatisfy((8...12).contains) && muscle.rests.allSatisfy((60...120).contains))
        #expect(endurance.reps.allSatisfy { $0 >= 15 } && endurance.rests.allSatisfy { $0 <= 60 })
    }

    @Test("A place implies its equipment: swimming in the pool, nothing but mats and bands at home, no pool in the gym")
    func places() throws {
        for place in WorkoutPlace.allCases {
            let result = Catalogues.recommender.recommend(
                RecommendationRequest(place: place), for: Body(), history: Self.noHistory)
            let workouts = Self.all(result)
            #expect(result.recommended != nil, "\(place)")
            if place != .anywhere { #expect(workouts.allSatisfy { $0.plan.place == place }) }
            let used = EquipmentBits(workouts.flatMap(\.exercises).flatMap(\.equipment))
            #expect(used.isSubset(of: Setting.equipment(of: place)), "\(place): \(used.rawValue)")
            if place == .pool { #expect(workouts.allSatisfy { $0.plan.type == .swimming }) }
        }
    }

    @Test("With everything excluded there is no workout but there are reasons; an empty catalogue has neither")
    func nothing() {
        let jump = ExerciseCatalogue.own.filter { $0.id == "campanile/box-jump" }
        let injured = Body(injuries: [ActiveInjury(area: .knee, type: .fracture)])
        let result = Recommender(catalogue: jump).recommend(
            RecommendationRequest(), for: injured, history: Self.noHistory)
        #expect(result.recommended == nil && result.others.isEmpty && !result.hasMore)
        #expect(result.leftOut.map(\.name) == ["Box Jump"])
        let empty = Recommender(catalogue: []).recommend(RecommendationRequest(), for: Body(), history: Self.noHistory)
        #expect(empty.recommended == nil && empty.leftOut.isEmpty && !empty.guidelines.isEmpty)
    }
}
