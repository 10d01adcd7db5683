// Trainings: workouts as done.

/// State of a training.
public enum TrainingState: String, WireChoice {
    case active, paused, finished
}

/// State of a set in a training.
public enum SetState: String, WireChoice {
    case planned, done, skipped
    /// Removed by the person. It stays in the record so that a late change of another device does not bring it back.
    case removed
}

/// Method by which calories were computed.
public enum CalorieMethod: String, WireChoice {
    /// MET values and weight.
    case met
    /// MET values corrected by height, age and sex.
    case correctedMET
    /// Heart rate, weight, age and sex.
    case heartRate
}

/// A set of a training.
public struct TrainingSet: Codable, Sendable, Equatable {
    /// `<entry>/<n>` for planned set n, counted from 0; `<entry>/<UUID>` for an added one.
    public var id: String
    /// Id of the entry of the plan.
    public var entry: String
    /// Position within the entry, 0 to 1,000.
    @Count public var position: Int
    public var state: SetState
    /// Planned values, or those done.
    public var values: PlannedSet
    /// Time of the last change, by the clock of the device. The latest change of a set wins.
    public var at: Timestamp
    public init(id: String, entry: String, position: Int, state: SetState, values: PlannedSet, at: Timestamp) {
        self.id = id
        self.entry = entry
        self.position = position
        self.state = state
        self.values = values
        self.at = at
    }
}

/// A pause of a training.
public struct TrainingPause: Codable, Sendable, Equatable {
    public var from: Timestamp
    /// Nil while it lasts.
    public var until: Timestamp?
    public init(from: Timestamp, until: Timestamp? = nil) {
        self.from = from
        self.until = until
    }
}

/// A measured heart rate.
public struct PulseSample: Codable, Sendable, Equatable {
    public var at: Timestamp
    /// Beats per minute, 20 to 260.
    @Count public var bpm: Int
    public init(at: Timestamp, bpm: Int) {
        self.at = at
        self.bpm = bpm
    }
}

/// Heart rate of a training.
public struct PulseSummary: Codable, Sendable, Equatable {
    /// Beats per minute, weighted by time.
    public var average: Int
    public var minimum: Int
    public var maximum: Int
    /// Seconds in zones 1 to 5: from 50, 60, 70, 80 and 90 % of the maximum heart rate.
    public var zones: [Double]
    public init(average: Int, minimum: Int, maximum: Int, zones: [Double]) {
        self.average = average
        self.minimum = minimum
        self.maximum = maximum
        self.zones = zones
    }
}

/// Calories of a training.
public struct Calories: Codable, Sendable, Equatable {
    /// Kilocalories, rounded to what the method supports.
    public var gross: Int
    /// Kilocalories beyond those at rest.
    public var net: Int
    public var method: CalorieMethod
    /// Weight of that day that it is computed with.
    public var kilograms: Double
    /// Estimate of the error for one person, in percent.
    public var errorPercent: Int
    public init(gross: Int, net: Int, method: CalorieMethod, kilograms: Double, errorPercent: Int) {
        self.gross = gross
        self.net = net
        self.method = method
        self.kilograms = kilograms
        self.errorPercent = errorPercent
    }
}

/// A training: a workout as done.
public struct Training: Codable, Sendable, Equatable {
    /// UUID chosen by the client.
    public var id: String
    /// UUID of the workout; nil after its removal.
    public var workout: String?
    /// UUID of the live group that it belongs to.
    public var together: String?
    /// The plan at the start.
    public var plan: WorkoutPlan
    public var state: TrainingState
    public var startedAt: Timestamp
    public var endedAt: Timestamp?
    public var pauses: [TrainingPause]
    /// Seconds without pauses, up to the end or to now.
    public var activeSeconds: Double
    /// All sets, removed ones too, in the order of the plan.
    public var sets: [TrainingSet]
    /// At most 1,000 characters.
    public var note: String?
    public var pulse: PulseSummary?
    /// Nil without a weight, and before the end.
    public var calories: Calories?
    /// Device that controls it.
    public var device: String
    /// Counts takeovers. Only the controlling device may pause and resume. Clients without control send no `together.update`.
    @Revision public var generation: Int
    public var exercises: [Exercise]
    public init(
        id: String, workout: String? = nil, together: String? = nil, plan: WorkoutPlan, state: TrainingState,
        startedAt: Timestamp, endedAt: Timestamp? = nil, pauses: [TrainingPause], activeSeconds: Double,
        sets: [TrainingSet], note: String? = nil, pulse: PulseSummary? = nil, calories: Calories? = nil, device: String,
        generation: Int, exercises: [Exercise]
    ) {
        self.id = id
        self.workout = workout
        self.together = together
        self.plan = plan
        self.state = state
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.pauses = pauses
        self.activeSeconds = activeSeconds
        self.sets = sets
        self.note = note
        self.pulse = pulse
        self.calories = calories
        self.device = device
        self.generation = generation
        self.exercises = exercises
    }
}

/// A training in a list.
public struct TrainingSummary: Codable, Sendable, Equatable {
    public var id: String
    public var workout: String?
    public var title: String
    public var type: ExerciseType
    public var state: TrainingState
    public var startedAt: Timestamp
    public var endedAt: Timestamp?
    public var activeSeconds: Double
    public var setsDone: Int
    /// Reps done.
    public var reps: Int
    /// Kilocalories.
    public var gross: Int?
    public var net: Int?
    public var note: String?
    public init(
        id: String, workout: String? = nil, title: String, type: ExerciseType, state: TrainingState,
        startedAt: Timestamp, endedAt: Timestamp? = nil, activeSeconds: Double, setsDone: Int, reps: Int,
        gross: Int? = nil, net: Int? = nil, note: String? = nil
    ) {
        self.id = id
        self.workout = workout
        self.title = title
        self.type = type
        self.state = state
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.activeSeconds = activeSeconds
        self.setsDone = setsDone
        self.reps = reps
        self.gross = gross
        self.net = net
        self.note = note
    }
}

/// Result of recording.
public struct TrainingProgress: Codable, Sendable, Equatable {
    public var state: TrainingState
    /// Present generation; a higher one than the request's means that another device took over.
    @Revision public var generation: Int
    /// Sets that the server holds with a later change than the request's.
    public var sets: [TrainingSet]
    public init(state: TrainingState, generation: Int, sets: [TrainingSet]) {
        self.state = state
        self.generation = generation
        self.sets = sets
    }
}

/// Trainings that have not ended.
public struct TrainingsOpen: Codable, Sendable, Equatable {
    public var trainings: [Training]
    public init(trainings: [Training]) {
        self.trainings = trainings
    }
}

/// A page of trainings.
public struct TrainingPage: Codable, Sendable, Equatable {
    public var trainings: [TrainingSummary]
    public var hasMore: Bool
    public init(trainings: [TrainingSummary], hasMore: Bool) {
        self.trainings = trainings
        self.hasMore = hasMore
    }
}
