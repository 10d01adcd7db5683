import Wire

/// Wishes for a workout, as the parameters of ``WorkoutsRecommend``.
public struct RecommendationRequest: Sendable, Equatable {
    public var type: ExerciseType?
    /// Nil for the goals of the body data.
    public var goal: FitnessGoal?
    /// Nil for what the place has.
    public var equipment: [Equipment]?
    public var place: WorkoutPlace?
    /// Clamped to 5 to 180; nil for 30.
    public var minutes: Int?
    /// Highest level; nil for one that follows the history.
    public var level: ExerciseLevel?
    /// Number of generic workouts to skip, at most 60.
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

    public init(_ params: WorkoutsRecommend.Params) {
        self.init(
            type: params.type, goal: params.goal, equipment: params.equipment, place: params.place,
            minutes: params.minutes, level: params.level, offset: params.offset)
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
    /// The recommender reads the 100 latest of the last 90 days.
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
