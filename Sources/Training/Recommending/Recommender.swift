import Wire

/// Wishes for a workout, as the parameters of ``WorkoutsRecommend``.
public struct RecommendationRequest: Sendable, Equatable {
    public var type: ExerciseType?
    public var goal: FitnessGoal?
    public var equipment: [Equipment]?
    public var place: WorkoutPlace?
    public var minutes: Int?
    public var level: ExerciseLevel?
    public var offset: Int?
    public init(
        type: ExerciseType? = nil, goal: FitnessGoal? = nil, equipment: [Equipment]? = nil,
        place: WorkoutPlace? = nil, minutes: Int? = nil, level: ExerciseLevel? = nil, offset: Int? = nil
    ) {
        self.type = type
        self.goal = goal
        self.equipment = equipment
        self.place = place
        self.minutes = minutes
        self.level = level
        self.offset = offset
    }
}

/// A training that has ended.
public struct PastTraining: Sendable, Equatable {
    public var startedAt: Timestamp
    public var type: ExerciseType
    /// Ids of the exercises of which a set was done.
    public var exercises: [String]
    public init(startedAt: Timestamp, type: ExerciseType, exercises: [String]) {
        self.startedAt = startedAt
        self.type = type
        self.exercises = exercises
    }
}

/// Past trainings of a person.
public struct TrainingHistory: Sendable, Equatable {
    /// Those of the last 90 days are enough; the recommender reads at most the 100 latest.
    public var trainings: [PastTraining]
    public var now: Timestamp
    public init(trainings: [PastTraining], now: Timestamp) {
        self.trainings = trainings
        self.now = now
    }
}

/// Recommended workouts.
public struct RecommendedWorkouts: Sendable, Equatable {
    /// Nil if everything is excluded, or with an offset.
    public var recommended: Recommendation?
    /// Generic workouts, at most 6.
    public var others: [Recommendation]
    public var hasMore: Bool
    /// At most 10.
    public var leftOut: [LeftOutExercise]
    public var guidelines: [String]
}

/// Composes workouts of a catalogue. A server keeps one and makes another when the catalogue changes.
public struct Recommender: Sendable {
    public init(catalogue: [Exercise]) {
    }

    /// The same arguments always give the same workouts.
    public func recommend(_ request: RecommendationRequest, for body: Body, history: TrainingHistory)
        -> RecommendedWorkouts
    {
        RecommendedWorkouts(recommended: nil, others: [], hasMore: false, leftOut: [], guidelines: [])
    }
}
