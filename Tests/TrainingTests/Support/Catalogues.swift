import Foundation
import Training
import Wire

/// Catalogues of the tests.
enum Catalogues {
    /// `../shared/data`, seen from the repository's root; a contributor may not have it.
    static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/data/exercises/free-exercise-db.json")

    static let isPresent = FileManager.default.fileExists(atPath: file.path)

    static let imported: [Exercise] = {
        guard let data = try? Data(contentsOf: file) else { return [] }
        return (try? ExerciseImport.freeExerciseDB(data))?.exercises ?? []
    }()

    /// Own and imported exercises.
    static let all = ExerciseCatalogue.own + imported
    static let recommender = Recommender(catalogue: all)
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension Body {
    /// Some injuries and conditions; now and then many.
    static func random(_ generator: inout SeededGenerator) -> Body {
        let areas = BodyArea.allCases.shuffled(using: &generator).prefix(Int.random(in: 0...4, using: &generator))
        let conditions = HealthCondition.allCases.shuffled(using: &generator)
            .prefix(Int.random(in: 0...3, using: &generator))
        let goals = FitnessGoal.allCases.shuffled(using: &generator).prefix(Int.random(in: 0...3, using: &generator))
        return Body(
            injuries: areas.map { ActiveInjury(area: $0, type: .pain) }, conditions: Array(conditions),
            goals: Array(goals), age: Bool.random(using: &generator) ? Int.random(in: 10...95, using: &generator) : nil,
            sex: Gender.allCases.randomElement(using: &generator))
    }
}

extension RecommendationRequest {
    static func random(_ generator: inout SeededGenerator) -> RecommendationRequest {
        func perhaps<Value>(_ values: [Value], _ generator: inout SeededGenerator) -> Value? {
            Int.random(in: 0..<3, using: &generator) == 0 ? nil : values.randomElement(using: &generator)
        }
        let equipment = Equipment.allCases.shuffled(using: &generator).prefix(Int.random(in: 0...8, using: &generator))
        return RecommendationRequest(
            type: perhaps(ExerciseType.allCases, &generator), goal: perhaps(FitnessGoal.allCases, &generator),
            equipment: Bool.random(using: &generator) ? nil : Array(equipment),
            place: perhaps(WorkoutPlace.allCases, &generator),
            minutes: perhaps([Int.min, 1, 5, 10, 20, 30, 45, 60, 90, 180, Int.max], &generator),
            level: perhaps(ExerciseLevel.allCases, &generator),
            offset: perhaps([0, 6, 60, Int.max, Int.min], &generator))
    }
}
