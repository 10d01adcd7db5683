import Wire

/// Sets, repetitions and rests of an exercise, by the goal (ACSM, Progression models in resistance training, 2009).
struct Prescription: Sendable {
    var sets: Int
    var values: PlannedSet
    var restSeconds: Int
    /// Seconds of work of a set, both sides together.
    var workSeconds: Double

    static let secondsPerRep = 3.5
    static let setsMax = 6

    var seconds: Double { Double(sets) * (workSeconds + Double(restSeconds)) }

    init(_ exercise: Exercise, goal: FitnessGoal, level: ExerciseLevel, age: Int?) {
        let sides = exercise.isUnilateral ? 2.0 : 1
        if !exercise.measures.contains(.reps) {
            let (sets, seconds, rest) = Self.timed(exercise.type, level)
            self = Prescription(sets: sets, seconds: seconds, rest: rest, sides: sides)
            return
        }
        var (sets, reps, rest) = Self.counted(exercise.type, goal, level)
        // Without a weight the load cannot be chosen, so that a few repetitions are no stimulus.
        if !exercise.measures.contains(.weight) { reps = max(reps, 8) }
        // ACSM advises older adults to use lighter loads.
        if let age, age >= 60 { reps = max(reps, 10) }
        if exercise.type == .plyometrics { reps = min(reps, 8) }
        if level == .beginner { sets = max(2, sets - 1) }
        self.sets = sets
        values = PlannedSet(reps: reps)
        restSeconds = rest
        workSeconds = Double(reps) * Self.secondsPerRep * sides
    }

    init(sets: Int, seconds: Double, rest: Int, sides: Double = 1) {
        self.sets = sets
        values = PlannedSet(seconds: seconds)
        restSeconds = rest
        workSeconds = seconds * sides
    }

    private static func timed(_ type: ExerciseType, _ level: ExerciseLevel) -> (Int, Double, Int) {
        switch type {
        case .stretching: (2, 30, 5)
        case .balance: (3, 30, 20)
        case .cardio: (3, level == .beginner ? 30 : 40, level == .beginner ? 30 : 20)
        case .swimming: (3, 120, 30)
        case .strength, .plyometrics, .powerlifting, .olympicWeightlifting, .strongman:
            (3, level == .beginner ? 20 : 40, 45)
        }
    }

    private static func counted(_ type: ExerciseType, _ goal: FitnessGoal, _ level: ExerciseLevel) -> (Int, Int, Int) {
        switch type {
        case .powerlifting: return (5, 5, 180)
        case .olympicWeightlifting: return (5, 3, 150)
        case .strongman: return (4, 6, 120)
        case .plyometrics: return (3, 6, 75)
        case .cardio: return (3, 12, 30)
        case .strength, .swimming, .stretching, .balance: break
        }
        switch goal {
        case .gainStrength: return level == .beginner ? (4, 6, 150) : (4, 5, 180)
        case .buildMuscle: return (4, 10, 90)
        case .loseWeight: return (3, 12, 45)
        case .improveEndurance: return (3, 18, 40)
        case .improveFlexibility, .improveBalance, .reduceStress: return (3, 12, 60)
        case .stayHealthy: return (3, 10, 60)
        }
    }
}
