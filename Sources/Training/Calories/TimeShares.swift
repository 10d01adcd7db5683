import Wire

/// The active time of a training, divided among its exercises and rest.
struct TimeShares {
    static let secondsPerRep = 3.5
    /// For a set that says nothing about its length.
    static let secondsPerSet = 30.0
    /// Seconds for a set with a distance alone: metres a second by type.
    static let runningSpeed = 2.5
    static let swimmingSpeed = 0.8
    /// The Compendium's values of resistance training and calisthenics are averages of sessions with their rests. A rest up to this length
    /// therefore has the value of the exercise, and a longer one that of standing.
    static let countedRestSeconds = 120.0
    static let restMET = Compendium.quietStanding.value

    /// Sum of seconds × MET.
    let metSeconds: Double

    init(_ training: Training, exercises: [Exercise], activeSeconds: Double) {
        let byID = Dictionary(exercises.map { ($0.id, $0) }) { first, _ in first }
        let entries = training.plan.sections.flatMap(\.groups).flatMap(\.entries)
        let byEntry = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
        var work = 0.0
        var workMET = 0.0
        var rest = 0.0
        var restMET = 0.0
        for set in training.sets where set.state == .done {
            let entry = byEntry[set.entry]
            let exercise = entry.flatMap { byID[$0.exercise] }
            let met = exercise?.met.value ?? Self.met(of: training.plan.type)
            let seconds = Self.seconds(set.values, exercise, type: training.plan.type)
            work += seconds
            workMET += seconds * met
            guard Self.includesRests(exercise?.type ?? training.plan.type) else { continue }
            let counted = min(Double(max(0, entry?.restSeconds ?? 0)), Self.countedRestSeconds)
            rest += counted
            restMET += counted * met
        }
        guard work > 0 else {
            // A training without sets counts by its type; one whose sets were all left undone was rest.
            metSeconds = activeSeconds * (training.sets.isEmpty ? Self.met(of: training.plan.type) : Self.restMET)
            return
        }
        let workSeconds = min(work, activeSeconds)
        let restSeconds = min(rest, activeSeconds - workSeconds)
        let remainder = max(0, activeSeconds - workSeconds - restSeconds)
        metSeconds =
            workMET * workSeconds / work + (rest > 0 ? restMET * restSeconds / rest : 0) + remainder * Self.restMET
    }

    private static func seconds(_ values: PlannedSet, _ exercise: Exercise?, type: ExerciseType) -> Double {
        let sides = exercise?.isUnilateral == true ? 2.0 : 1
        if let seconds = values.seconds, seconds > 0 { return min(seconds, PlanCheck.secondsMax) * sides }
        if let reps = values.reps, reps > 0 { return Double(min(reps, PlanCheck.repsMax)) * secondsPerRep * sides }
        if let metres = values.metres, metres > 0 {
            let speed = (exercise?.type ?? type) == .swimming ? swimmingSpeed : runningSpeed
            return min(metres, PlanCheck.metresMax) / speed
        }
        return secondsPerSet * sides
    }

    private static func includesRests(_ type: ExerciseType) -> Bool {
        switch type {
        case .strength, .powerlifting, .olympicWeightlifting, .strongman, .plyometrics: true
        case .cardio, .swimming, .stretching, .balance: false
        }
    }

    static func met(of type: ExerciseType) -> Double {
        switch type {
        case .strength: Compendium.resistance.value
        case .cardio: Compendium.circuit.value
        case .swimming: Compendium.easyCrawl.value
        case .stretching: Compendium.stretching.value
        case .balance: Compendium.lightCalisthenics.value
        case .plyometrics: Compendium.hardCalisthenics.value
        case .powerlifting, .olympicWeightlifting, .strongman: Compendium.hardResistance.value
        }
    }
}
