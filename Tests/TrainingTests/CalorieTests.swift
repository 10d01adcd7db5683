import Foundation
import Testing
import Wire

@testable import Training

@Suite("Calories and heart rate")
struct CalorieTests {
    static let start = Timestamp(milliseconds: 1_795_000_000_000)

    static func time(_ seconds: Double) -> Timestamp {
        Timestamp(milliseconds: start.milliseconds + Int64(seconds * 1_000))
    }

    /// A training of one exercise for the whole time.
    static func training(
        _ exercise: Exercise, minutes: Double, values: PlannedSet? = nil, pauses: [TrainingPause] = [], rest: Int = 0
    ) -> Training {
        let entry = WorkoutEntry(
            id: "e", exercise: exercise.id, sets: [values ?? PlannedSet(seconds: minutes * 60)], restSeconds: rest)
        let plan = WorkoutPlan(
            title: "T", type: exercise.type, intensity: .moderate, minutes: 30, place: .anywhere, equipment: [],
            tags: [],
            sections: [WorkoutSection(kind: .main, groups: [WorkoutGroup(entries: [entry])])], videos: [])
        var sets = SetPlanning.sets(of: plan, at: start)
        for index in sets.indices { sets[index].state = .done }
        return Training(
            id: "t", plan: plan, state: .finished, startedAt: start, endedAt: time(minutes * 60), pauses: pauses,
            activeSeconds: minutes * 60, sets: sets, device: "d", generation: 1, exercises: [exercise])
    }

    static func own(_ slug: String) throws -> Exercise {
        try #require(ExerciseCatalogue.own.first { $0.id == "campanile/" + slug })
    }

    static func exercise(_ met: MetabolicEquivalent, type: ExerciseType = .cardio) -> Exercise {
        Exercise(
            id: "x", source: .campanile, name: "X", type: type, level: .beginner, primaryMuscles: [],
            secondaryMuscles: [],
            equipment: [], measures: [.time], instructions: [], met: met, isUnilateral: false)
    }

    static func pulse(_ bpm: Int, minutes: Double) -> [PulseSample] {
        (0..<Int(minutes * 12)).map { PulseSample(at: time(Double($0) * 5), bpm: bpm) }
    }

    /// A published case: kilocalories of an hour, and how far ours may be away because both are rounded.
    struct Published: Sendable, CustomTestStringConvertible {
        let source: String
        let met: MetabolicEquivalent
        let kilocalories: Double
        let body: Body
        let tolerance: Double
        var testDescription: String { source }

        /// Mayo Clinic, "Exercise for weight loss: Calories burned in 1 hour", for 73 kg (160 lb), by the Compendium of 2011. We round to 10 kcal.
        static func mayo(_ activity: String, _ met: MetabolicEquivalent, _ kilocalories: Double) -> Published {
            Published(
                source: "Mayo Clinic: " + activity, met: met, kilocalories: kilocalories, body: Body(kilograms: 73),
                tolerance: 5.5)
        }

        /// Report of the 2005 Dietary Guidelines Advisory Committee, as the CDC publishes it, for a man of 154 lb and 5 ft 10 in. It is
        /// rounded to 10 kcal, too. The Compendium of 2000 has the same MET for these activities.
        static func cdc(_ activity: String, _ met: MetabolicEquivalent, _ kilocalories: Double) -> Published {
            Published(
                source: "CDC: " + activity, met: met, kilocalories: kilocalories,
                body: Body(age: 30, sex: .male, heightCentimetres: 177.8, kilograms: 69.85), tolerance: 10)
        }
    }

    static let published = [
        Published.mayo("running at 5 mph", Compendium.runningAt5, 606),
        .mayo("bicycling below 10 mph", Compendium.easyBicycling, 292),
        .mayo("low-impact aerobics", Compendium.lowImpactAerobics, 365),
        .mayo("elliptical trainer, moderate effort", Compendium.elliptical, 365),
        .mayo("rope jumping", Compendium.rope, 861),
        .mayo("swimming laps, light or moderate", Compendium.easyCrawl, 423),
        .mayo("walking at 3.5 mph", Compendium.briskWalking, 314),
        .cdc("bicycling above 10 mph", Compendium.bicycling, 590),
        .cdc("bicycling below 10 mph", Compendium.easyBicycling, 290),
        .cdc("vigorous weight lifting", Compendium.hardResistance, 440),
    ]

    @Test("Ten published cases are met to the rounding of both figures", arguments: published)
    func cases(published: Published) throws {
        let exercise = Self.exercise(published.met)
        let training = Self.training(exercise, minutes: 60)
        let found = try #require(CalorieEstimate.calories(of: training, exercises: [exercise], for: published.body))
        let difference = abs(Double(found.gross) - published.kilocalories)
        #expect(difference <= published.tolerance, "\(found.gross) in place of \(published.kilocalories)")
        #expect(found.net < found.gross && found.net > 0)
    }

    @Test("The equations of Keytel et al. give the values that they state by their coefficients, for both sexes")
    func keytel() throws {
        // The three stages of the study are 57, 77 and 90 % of the maximum: 108, 146 and 171 for one of 190. Computed by hand from the
        // published coefficients.
        for (bpm, ofMan, ofWoman) in [(108.0, 8.127, 5.387), (146, 13.857, 9.448), (171, 17.626, 12.120)] {
            let man = HeartRateEnergy.kilocaloriesPerMinute(bpm: bpm, kilograms: 75, age: 30, isMale: true)
            #expect(abs(man - ofMan) < 0.001, "\(man)")
            let woman = HeartRateEnergy.kilocaloriesPerMinute(bpm: bpm, kilograms: 60, age: 30, isMale: false)
            #expect(abs(woman - ofWoman) < 0.001, "\(woman)")
        }
        let exercise = try Self.own("easy-run")
        let body = Body(age: 30, sex: .male, kilograms: 75)
        let training = Self.training(exercise, minutes: 30)
        let found = try #require(
            CalorieEstimate.calories(
                of: training, exercises: [exercise], for: body, pulse: Self.pulse(146, minutes: 30)))
        #expect(found.method == .heartRate && found.gross == 420 && found.kilograms == 75)
    }

    @Test(
        "Heart rate decides only if it covers most of the time, lies in the range of the equation, and age, sex and weight are known"
    )
    func heartRateConditions() throws {
        let exercise = try Self.own("easy-run")
        let training = Self.training(exercise, minutes: 30)
        func method(_ body: Body, _ pulse: [PulseSample]) -> CalorieMethod? {
            CalorieEstimate.calories(of: training, exercises: [exercise], for: body, pulse: pulse)?.method
        }
        let body = Body(age: 30, sex: .female, kilograms: 60)
        #expect(method(body, Self.pulse(140, minutes: 30)) == .heartRate)
        #expect(method(body, Self.pulse(140, minutes: 15)) == .met)
        #expect(method(body, Self.pulse(80, minutes: 30)) == .met)
        // 57 to 90 % of the highest heart rate: of 187 by the age, or of the measured one.
        for (bpm, expected) in [(106, CalorieMethod.met), (107, .heartRate), (168, .heartRate), (169, .met)] {
            #expect(method(body, Self.pulse(bpm, minutes: 30)) == expected)
        }
        let measured = Body(age: 30, sex: .female, kilograms: 60, maximumPulse: 200)
        #expect(method(measured, Self.pulse(113, minutes: 30)) == .met)
        #expect(method(Body(sex: .female, kilograms: 60), Self.pulse(140, minutes: 30)) == .met)
        #expect(method(Body(age: 30, sex: .other, kilograms: 60), Self.pulse(140, minutes: 30)) == .met)
        #expect(method(Body(age: 12, sex: .male, kilograms: 50), Self.pulse(140, minutes: 30)) == .met)
        #expect(method(Body(age: 46, sex: .male, kilograms: 80), Self.pulse(140, minutes: 30)) == .met)
        #expect(method(Body(age: 30, sex: .male, kilograms: 121), Self.pulse(140, minutes: 30)) == .met)
        #expect(method(Body(age: 30, sex: .male, heightCentimetres: 180, kilograms: 80), []) == .correctedMET)
    }

    @Test("Heart rate decides for cardio and swimming only", arguments: ExerciseType.allCases)
    func heartRateTypes(type: ExerciseType) {
        let exercise = Self.exercise(Compendium.resistance, type: type)
        let found = CalorieEstimate.calories(
            of: Self.training(exercise, minutes: 30), exercises: [exercise],
            for: Body(age: 30, sex: .male, kilograms: 75), pulse: Self.pulse(140, minutes: 30))
        #expect((found?.method == .heartRate) == (type == .cardio || type == .swimming))
    }

    @Test("The resting rate is that of the revised Harris–Benedict equation; net is gross without it")
    func resting() throws {
        let man = Body(age: 30, sex: .male, heightCentimetres: 180)
        let perDay = try #require(RestingRate.kilocaloriesPerDay(man, kilograms: 80))
        #expect(abs(perDay - 1_853.632) < 0.001, "\(perDay)")
        let woman = Body(age: 30, sex: .female, heightCentimetres: 165)
        #expect(abs(try #require(RestingRate.kilocaloriesPerDay(woman, kilograms: 60)) - 1_383.683) < 0.001)
        #expect(
            RestingRate.kilocaloriesPerDay(Body(age: 30, sex: .other, heightCentimetres: 165), kilograms: 60) == nil)
        let exercise = Self.exercise(Compendium.bicycling)
        let training = Self.training(exercise, minutes: 60)
        let plain = try #require(
            CalorieEstimate.calories(of: training, exercises: [exercise], for: Body(kilograms: 80)))
        #expect(plain.gross == 640 && plain.net == 560 && plain.method == .met && plain.errorPercent == 30)
        let corrected = try #require(
            CalorieEstimate.calories(
                of: training, exercises: [exercise],
                for: Body(age: 30, sex: .male, heightCentimetres: 180, kilograms: 80)))
        #expect(corrected.gross == 670 && corrected.net == 590 && corrected.method == .correctedMET)
    }

    @Test("Pauses do not count, even if they overlap, do not end or lie outside the training")
    func pauses() throws {
        let exercise = try Self.own("easy-run")
        let pauses = [
            TrainingPause(from: Self.time(600), until: Self.time(900)),
            TrainingPause(from: Self.time(700), until: Self.time(1_200)),
            TrainingPause(from: Self.time(-500), until: Self.time(-100)), TrainingPause(from: Self.time(1_500)),
        ]
        let training = Self.training(exercise, minutes: 30, pauses: pauses)
        #expect(SetPlanning.activeSeconds(of: training, now: Self.time(0)) == 900)
        let found = try #require(
            CalorieEstimate.calories(of: training, exercises: [exercise], for: Body(kilograms: 80)))
        #expect(found.gross == 140)
        let extreme = Self.training(
            exercise, minutes: 30,
            pauses: [TrainingPause(from: Timestamp(milliseconds: .min), until: Timestamp(milliseconds: .max))])
        #expect(SetPlanning.activeSeconds(of: extreme, now: Self.time(0)) == 0)
        #expect(CalorieEstimate.calories(of: extreme, exercises: [], for: Body(kilograms: 80)) == nil)
    }

    @Test(
        "Sets count by their seconds or repetitions, short rests of lifting like the exercise, and what is left as standing"
    )
    func rests() throws {
        let squat = try Self.own("goblet-squat")
        // 10 repetitions take 35 s, the rest 60 s, and 505 s of the ten minutes are left.
        let training = Self.training(squat, minutes: 10, values: PlannedSet(reps: 10), rest: 60)
        let met = TimeShares(training, exercises: [squat], activeSeconds: 600).metSeconds
        #expect(abs(met - (95 * 5 + 505 * 1.3)) < 0.001)
        let long = Self.training(squat, minutes: 10, values: PlannedSet(reps: 1_000), rest: 60)
        #expect(TimeShares(long, exercises: [squat], activeSeconds: 600).metSeconds == 3_000)
        var undone = training
        undone.sets[0].state = .skipped
        #expect(abs(TimeShares(undone, exercises: [squat], activeSeconds: 600).metSeconds - 780) < 0.001)
    }

    @Test("Without a weight or before the end there are none; extreme values give none or a number")
    func extremes() throws {
        let exercise = try Self.own("easy-run")
        var training = Self.training(exercise, minutes: 30)
        #expect(CalorieEstimate.calories(of: training, exercises: [exercise], for: Body()) == nil)
        for weight in [Double.nan, .infinity, -1, 0, 1e300] {
            #expect(CalorieEstimate.calories(of: training, exercises: [exercise], for: Body(kilograms: weight)) == nil)
        }
        training.endedAt = Timestamp(milliseconds: .max)
        training.sets[0].values = PlannedSet(reps: .max, kilograms: .nan, seconds: .infinity, metres: -.infinity)
        training.plan.sections[0].groups[0].entries[0].restSeconds = .min
        let body = Body(age: .max, sex: .male, heightCentimetres: .nan, kilograms: 80)
        let samples = [Int.min, 0, 140, Int.max].flatMap { bpm in
            [Int64.min, 0, Self.start.milliseconds, .max].map { PulseSample(at: Timestamp(milliseconds: $0), bpm: bpm) }
        }
        #expect(CalorieEstimate.calories(of: training, exercises: [exercise], for: body, pulse: samples) != nil)
        _ = PulseStatistics.summary(of: samples, in: training, maximumPulse: .max)
        training.endedAt = nil
        #expect(CalorieEstimate.calories(of: training, exercises: [exercise], for: body) == nil)
    }

    @Test("The summary of the heart rate is weighted by time, without pauses, with seconds in the five zones")
    func pulseSummary() throws {
        let exercise = try Self.own("easy-run")
        let training = Self.training(
            exercise, minutes: 2, pauses: [TrainingPause(from: Self.time(60), until: Self.time(100))])
        var samples = (0..<60).map { PulseSample(at: Self.time(Double($0)), bpm: 100) }
        samples += (60..<100).map { PulseSample(at: Self.time(Double($0)), bpm: 60) }
        samples += (100..<120).map { PulseSample(at: Self.time(Double($0)), bpm: 190) }
        let summary = try #require(
            PulseStatistics.summary(of: samples.reversed(), in: training, maximumPulse: 200))
        #expect(summary.average == 123 && summary.minimum == 100 && summary.maximum == 190, "\(summary)")
        #expect(summary.zones == [60, 0, 0, 0, 20])
        #expect(PulseStatistics.summary(of: [], in: training, maximumPulse: 200) == nil)
        #expect(PulseStatistics.summary(of: samples, in: training, maximumPulse: nil)?.zones == [0, 0, 0, 0, 0])
    }
}
