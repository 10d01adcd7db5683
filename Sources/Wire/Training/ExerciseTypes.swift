// The catalogue of exercises.

/// Origin of an exercise.
public enum ExerciseSource: String, WireChoice {
    /// Written for Campanile.
    case campanile
    /// Imported from free-exercise-db.
    case freeExerciseDB
    /// Imported from wger.
    case wger
}

/// Type of an exercise, and of the workout that is made of such exercises.
public enum ExerciseType: String, WireChoice {
    case strength, cardio, swimming, stretching, balance, plyometrics, powerlifting, olympicWeightlifting, strongman
}

/// Experience that an exercise needs.
public enum ExerciseLevel: String, WireChoice {
    case beginner, intermediate, expert
}

/// Muscle or group of muscles.
public enum Muscle: String, WireChoice {
    case abdominals, abductors, adductors, biceps, calves, chest, forearms, glutes, hamstrings, lats, lowerBack,
        middleBack, neck, obliques, quadriceps, shins, shoulders, traps, triceps
}

/// Equipment that an exercise needs.
public enum Equipment: String, WireChoice {
    case barbell, dumbbell, kettlebell, cable, machine, bands, medicineBall, exerciseBall, foamRoller, ezBar, bench,
        pullUpBar, box, mat, rope, bicycle, treadmill, rower, elliptical, stairs, pool, other
}

/// Measure of a set.
public enum SetMeasure: String, WireChoice {
    case reps, weight, time, distance
}

/// Energy cost of an exercise, from the Compendium of Physical Activities.
public struct MetabolicEquivalent: Codable, Sendable, Equatable {
    /// MET: multiples of the resting rate of 1 kcal/kg/h.
    public var value: Double
    /// Code of the activity, five digits such as `02022`.
    public var code: String
    /// Edition: 2011 or 2024.
    public var year: Int
    /// Short name of the activity.
    public var activity: String
    public init(value: Double, code: String, year: Int, activity: String) {
        self.value = value
        self.code = code
        self.year = year
        self.activity = activity
    }
}

/// Reason for which an exercise is not recommended to the caller.
public struct ExerciseExclusion: Codable, Sendable, Equatable {
    /// Injured area that the exercise loads.
    public var area: BodyArea?
    /// Condition that it is unsuitable for.
    public var condition: HealthCondition?
    /// One sentence for people.
    public var reason: String
    /// Short name of the guideline behind the rule.
    public var source: String
    public init(area: BodyArea? = nil, condition: HealthCondition? = nil, reason: String, source: String) {
        self.area = area
        self.condition = condition
        self.reason = reason
        self.source = source
    }
}

/// An exercise in a list.
public struct ExerciseSummary: Codable, Sendable, Equatable {
    /// `<source>/<id in the source>`, such as `campanile/push-up`. At most 120 characters.
    public var id: String
    public var name: String
    public var type: ExerciseType
    public var level: ExerciseLevel
    public var primaryMuscles: [Muscle]
    /// Empty for the body alone.
    public var equipment: [Equipment]
    /// What a set of it records.
    public var measures: [SetMeasure]
    /// Name of the diagram that the web app draws; nil for the diagram of its muscles.
    public var diagram: String?
    /// Reason for which it is not recommended to the caller.
    public var exclusion: ExerciseExclusion?
    public init(
        id: String, name: String, type: ExerciseType, level: ExerciseLevel, primaryMuscles: [Muscle],
        equipment: [Equipment], measures: [SetMeasure], diagram: String? = nil, exclusion: ExerciseExclusion? = nil
    ) {
        self.id = id
        self.name = name
        self.type = type
        self.level = level
        self.primaryMuscles = primaryMuscles
        self.equipment = equipment
        self.measures = measures
        self.diagram = diagram
        self.exclusion = exclusion
    }
}

/// An exercise.
public struct Exercise: Codable, Sendable, Equatable {
    /// As in ``ExerciseSummary/id``.
    public var id: String
    public var source: ExerciseSource
    public var name: String
    public var type: ExerciseType
    public var level: ExerciseLevel
    public var primaryMuscles: [Muscle]
    public var secondaryMuscles: [Muscle]
    public var equipment: [Equipment]
    public var measures: [SetMeasure]
    /// Steps, in their order.
    public var instructions: [String]
    /// One sentence about safety.
    public var caution: String?
    public var met: MetabolicEquivalent
    /// Whether each side is done alone, so that reps count for each side.
    public var isUnilateral: Bool
    public var diagram: String?
    /// Author and licence of an imported exercise.
    public var credit: String?
    public var exclusion: ExerciseExclusion?
    public init(
        id: String, source: ExerciseSource, name: String, type: ExerciseType, level: ExerciseLevel,
        primaryMuscles: [Muscle], secondaryMuscles: [Muscle], equipment: [Equipment], measures: [SetMeasure],
        instructions: [String], caution: String? = nil, met: MetabolicEquivalent, isUnilateral: Bool,
        diagram: String? = nil, credit: String? = nil, exclusion: ExerciseExclusion? = nil
    ) {
        self.id = id
        self.source = source
        self.name = name
        self.type = type
        self.level = level
        self.primaryMuscles = primaryMuscles
        self.secondaryMuscles = secondaryMuscles
        self.equipment = equipment
        self.measures = measures
        self.instructions = instructions
        self.caution = caution
        self.met = met
        self.isUnilateral = isUnilateral
        self.diagram = diagram
        self.credit = credit
        self.exclusion = exclusion
    }
}

/// A page of exercises.
public struct ExercisePage: Codable, Sendable, Equatable {
    public var exercises: [ExerciseSummary]
    /// Number of exercises that match.
    public var total: Int
    public init(exercises: [ExerciseSummary], total: Int) {
        self.exercises = exercises
        self.total = total
    }
}
