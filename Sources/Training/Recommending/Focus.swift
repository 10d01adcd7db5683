import Wire

/// A kind of workout: the muscles that its main part goes through.
struct Focus: Sendable, Hashable {
    let name: String
    let type: ExerciseType
    /// Muscles of each position; empty for exercises of the type in general.
    let slots: [[Muscle]]

    var muscles: Set<Muscle> { Set(slots.joined()) }

    static func all(of type: ExerciseType) -> [Focus] {
        switch type {
        case .strength: strength
        case .stretching: stretching
        case .cardio: [Focus(name: "Cardio", type: .cardio, slots: [])]
        case .swimming: [Focus(name: "Swim", type: .swimming, slots: [])]
        case .balance: [Focus(name: "Balance", type: .balance, slots: [])]
        case .plyometrics: [Focus(name: "Jump and Throw", type: .plyometrics, slots: [])]
        case .powerlifting:
            [Focus(name: "Powerlifting", type: .powerlifting, slots: [[.quadriceps], [.chest], [.hamstrings]])]
        case .olympicWeightlifting: [Focus(name: "Olympic Lifts", type: .olympicWeightlifting, slots: [])]
        case .strongman: [Focus(name: "Strongman", type: .strongman, slots: [])]
        }
    }

    private static let legs: [Muscle] = [.quadriceps, .glutes]
    private static let back: [Muscle] = [.middleBack, .lats]
    private static let trunk: [Muscle] = [.abdominals, .obliques]

    private static let strength: [Focus] = [
        Focus(
            name: "Full-Body Strength", type: .strength,
            slots: [
                legs, [.chest], back, [.hamstrings, .glutes], [.shoulders], trunk, [.biceps], [.triceps], [.calves],
            ]),
        Focus(
            name: "Upper-Body Strength", type: .strength,
            slots: [[.chest], back, [.shoulders], [.lats], [.biceps], [.triceps], [.forearms, .traps]]),
        Focus(
            name: "Lower-Body Strength", type: .strength,
            slots: [[.quadriceps], [.hamstrings], [.glutes], [.abductors, .adductors], [.calves], legs]),
        Focus(
            name: "Core Strength", type: .strength, slots: [[.abdominals], [.obliques], [.lowerBack], trunk, [.glutes]]),
        Focus(name: "Push", type: .strength, slots: [[.chest], [.shoulders], [.triceps], [.chest], [.shoulders]]),
        Focus(name: "Pull", type: .strength, slots: [back, [.biceps], [.lats], [.traps, .forearms], [.lowerBack]]),
    ]

    private static let stretching: [Focus] = [
        Focus(
            name: "Full-Body Stretch", type: .stretching,
            slots: [
                [.hamstrings], [.chest], [.quadriceps], [.shoulders], [.calves], [.glutes], back, [.adductors],
                [.triceps],
                [.obliques, .lowerBack], [.forearms], [.neck, .traps],
            ]),
        Focus(
            name: "Leg Stretch", type: .stretching,
            slots: [[.hamstrings], [.quadriceps], [.calves], [.glutes], [.adductors, .abductors], [.shins]]),
        Focus(
            name: "Shoulder and Back Stretch", type: .stretching,
            slots: [[.shoulders], [.chest], back, [.triceps], [.neck, .traps], [.lowerBack], [.forearms, .biceps]]),
    ]

    /// Types that serve a goal, the best first; the last training decides between types that take turns.
    static func types(for goal: FitnessGoal, after latest: ExerciseType?) -> [ExerciseType] {
        let turns: [ExerciseType] = latest == .strength ? [.cardio, .strength] : [.strength, .cardio]
        let preferred: [ExerciseType] =
            switch goal {
            case .buildMuscle, .gainStrength: [.strength]
            case .improveEndurance: [.cardio, .swimming]
            case .improveFlexibility: [.stretching]
            case .improveBalance: [.balance, .stretching]
            case .reduceStress: [.stretching, .cardio]
            case .loseWeight: latest == .cardio ? [.strength, .cardio] : [.cardio, .strength]
            case .stayHealthy: turns
            }
        let rest: [ExerciseType] = [
            .strength, .cardio, .stretching, .balance, .swimming, .plyometrics, .powerlifting, .strongman,
            .olympicWeightlifting,
        ]
        return preferred + rest.filter { !preferred.contains($0) }
    }
}
