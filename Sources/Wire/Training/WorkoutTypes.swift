// Workouts: plans of exercises.

/// Intensity, by the bounds of the Compendium of Physical Activities.
public enum WorkoutIntensity: String, WireChoice {
    /// Below 3 MET.
    case light
    /// 3 to below 6 MET.
    case moderate
    /// 6 MET and above.
    case vigorous
}

/// Place that a workout is made for.
public enum WorkoutPlace: String, WireChoice {
    case anywhere, home, gym, outdoors, pool, track
}

/// Progress of a workout.
public enum WorkoutStatus: String, WireChoice {
    /// No training of it.
    case notStarted
    /// Its latest training has not ended.
    case inProgress
    /// Its latest training has ended.
    case completed
}

/// Part of a workout.
public enum SectionKind: String, WireChoice {
    case warmUp, main, coolDown
}

/// A set as planned, or as done.
public struct PlannedSet: Codable, Sendable, Equatable {
    /// 0 to 1,000.
    @Count public var reps: Int?
    /// 0 to 1,000.
    @Quantity public var kilograms: Double?
    /// 0 to 86,400.
    @Quantity public var seconds: Double?
    /// 0 to 1,000,000.
    @Quantity public var metres: Double?
    public init(reps: Int? = nil, kilograms: Double? = nil, seconds: Double? = nil, metres: Double? = nil) {
        self.reps = reps
        self.kilograms = kilograms
        self.seconds = seconds
        self.metres = metres
    }
}

/// An exercise of a workout, with its sets.
public struct WorkoutEntry: Codable, Sendable, Equatable {
    /// UUID chosen by the client, unique within the workout.
    public var id: String
    /// Id of the exercise.
    public var exercise: String
    /// 1 to 20.
    public var sets: [PlannedSet]
    /// Rest after each set, 0 to 3,600 s.
    @Count public var restSeconds: Int
    /// At most 200 characters.
    public var note: String?
    public init(id: String, exercise: String, sets: [PlannedSet], restSeconds: Int, note: String? = nil) {
        self.id = id
        self.exercise = exercise
        self.sets = sets
        self.restSeconds = restSeconds
        self.note = note
    }
}

/// Exercises that are done in turn: one exercise, or a superset of up to 5, whose sets alternate.
public struct WorkoutGroup: Codable, Sendable, Equatable {
    /// 1 to 5.
    public var entries: [WorkoutEntry]
    public init(entries: [WorkoutEntry]) {
        self.entries = entries
    }
}

/// A part of a workout.
public struct WorkoutSection: Codable, Sendable, Equatable {
    /// Each kind occurs at most once, in the order of the enumeration.
    public var kind: SectionKind
    public var groups: [WorkoutGroup]
    public init(kind: SectionKind, groups: [WorkoutGroup]) {
        self.kind = kind
        self.groups = groups
    }
}

/// A link to a video.
public struct VideoLink: Codable, Sendable, Equatable {
    /// 1 to 120 characters.
    public var title: String
    /// Address with `https`, at most 500 characters.
    public var url: String
    /// Part of the workout that it accompanies.
    public var section: SectionKind?
    public init(title: String, url: String, section: SectionKind? = nil) {
        self.title = title
        self.url = url
        self.section = section
    }
}

/// The part of a workout that its owner writes.
public struct WorkoutPlan: Codable, Sendable, Equatable {
    /// 1 to 80 characters.
    public var title: String
    /// At most 2,000 characters.
    public var description: String?
    public var type: ExerciseType
    public var intensity: WorkoutIntensity
    /// Planned duration, 1 to 600 minutes.
    @Count public var minutes: Int
    public var place: WorkoutPlace
    /// Place on the campus: an id as in ``Destination/id``.
    public var destination: String?
    /// Name of that place. The server writes it; it ignores one from a client.
    public var destinationName: String?
    /// Equipment at hand.
    public var equipment: [Equipment]
    /// At most 10, each 1 to 30 characters.
    public var tags: [String]
    /// 1 to 3, with at most 60 entries and 300 sets together.
    public var sections: [WorkoutSection]
    /// At most 6.
    public var videos: [VideoLink]
    public init(
        title: String, description: String? = nil, type: ExerciseType, intensity: WorkoutIntensity, minutes: Int,
        place: WorkoutPlace, destination: String? = nil, destinationName: String? = nil, equipment: [Equipment],
        tags: [String], sections: [WorkoutSection], videos: [VideoLink]
    ) {
        self.title = title
        self.description = description
        self.type = type
        self.intensity = intensity
        self.minutes = minutes
        self.place = place
        self.destination = destination
        self.destinationName = destinationName
        self.equipment = equipment
        self.tags = tags
        self.sections = sections
        self.videos = videos
    }
}

/// A workout.
public struct Workout: Codable, Sendable, Equatable {
    /// UUID chosen by the client.
    public var id: String
    /// Counts changes.
    @Revision public var revision: Int
    public var plan: WorkoutPlan
    public var status: WorkoutStatus
    /// UUID of its training that has not ended.
    public var training: String?
    /// Username of the buddy who shared it; nil for the caller's own.
    public var from: String?
    /// Planned start, of which the server reminds.
    public var scheduledAt: Timestamp?
    /// Event at which it takes place.
    public var event: Int64?
    public var createdAt: Timestamp
    public var changedAt: Timestamp
    public var lastTrainedAt: Timestamp?
    /// The exercises of the plan, each once, so that a client can guide without a network. One that the catalogue no longer has is absent.
    public var exercises: [Exercise]
    public init(
        id: String, revision: Int, plan: WorkoutPlan, status: WorkoutStatus, training: String? = nil,
        from: String? = nil, scheduledAt: Timestamp? = nil, event: Int64? = nil, createdAt: Timestamp,
        changedAt: Timestamp, lastTrainedAt: Timestamp? = nil, exercises: [Exercise]
    ) {
        self.id = id
        self.revision = revision
        self.plan = plan
        self.status = status
        self.training = training
        self.from = from
        self.scheduledAt = scheduledAt
        self.event = event
        self.createdAt = createdAt
        self.changedAt = changedAt
        self.lastTrainedAt = lastTrainedAt
        self.exercises = exercises
    }
}

/// A workout in a list.
public struct WorkoutSummary: Codable, Sendable, Equatable {
    public var id: String
    public var title: String
    public var type: ExerciseType
    public var intensity: WorkoutIntensity
    public var minutes: Int
    public var place: WorkoutPlace
    public var equipment: [Equipment]
    public var tags: [String]
    /// Number of exercises.
    public var exercises: Int
    /// Number of sets.
    public var sets: Int
    public var status: WorkoutStatus
    public var training: String?
    public var from: String?
    public var scheduledAt: Timestamp?
    public var lastTrainedAt: Timestamp?
    public init(
        id: String, title: String, type: ExerciseType, intensity: WorkoutIntensity, minutes: Int, place: WorkoutPlace,
        equipment: [Equipment], tags: [String], exercises: Int, sets: Int, status: WorkoutStatus,
        training: String? = nil, from: String? = nil, scheduledAt: Timestamp? = nil, lastTrainedAt: Timestamp? = nil
    ) {
        self.id = id
        self.title = title
        self.type = type
        self.intensity = intensity
        self.minutes = minutes
        self.place = place
        self.equipment = equipment
        self.tags = tags
        self.exercises = exercises
        self.sets = sets
        self.status = status
        self.training = training
        self.from = from
        self.scheduledAt = scheduledAt
        self.lastTrainedAt = lastTrainedAt
    }
}

/// A workout that the server composed for the caller. It is kept only if the client saves it.
public struct Recommendation: Codable, Sendable, Equatable {
    public var plan: WorkoutPlan
    /// Reason for it, one sentence for people.
    public var reason: String
    /// Whether it follows the caller's goals, history and body data; false for generic ones.
    public var isPersonal: Bool
    public var exercises: [Exercise]
    public init(plan: WorkoutPlan, reason: String, isPersonal: Bool, exercises: [Exercise]) {
        self.plan = plan
        self.reason = reason
        self.isPersonal = isPersonal
        self.exercises = exercises
    }
}

/// An exercise that was left out, with the reason.
public struct LeftOutExercise: Codable, Sendable, Equatable {
    public var name: String
    public var reason: String
    public init(name: String, reason: String) {
        self.name = name
        self.reason = reason
    }
}

/// A page of workouts.
public struct WorkoutPage: Codable, Sendable, Equatable {
    public var workouts: [WorkoutSummary]
    /// The `before` of the next page; nil at the end.
    public var next: Timestamp?
    public init(workouts: [WorkoutSummary], next: Timestamp? = nil) {
        self.workouts = workouts
        self.next = next
    }
}

/// Result of sharing a workout.
public struct WorkoutsShared: Codable, Sendable, Equatable {
    /// False if the buddy already has a copy of this revision.
    public var isNew: Bool
    public init(isNew: Bool) {
        self.isNew = isNew
    }
}

/// The closest place that suits a workout.
public struct SuitablePlace: Codable, Sendable, Equatable {
    /// As in ``Destination/id``.
    public var destination: String
    public var name: String
    /// Straight distance in metres from the position of the request.
    public var metres: Double
    /// Whether it is open now; nil if the server does not know.
    public var open: Bool?
    public init(destination: String, name: String, metres: Double, open: Bool? = nil) {
        self.destination = destination
        self.name = name
        self.metres = metres
        self.open = open
    }
}

/// Recommended workouts.
public struct Recommendations: Codable, Sendable, Equatable {
    /// Nil if everything is excluded, or with an offset.
    public var recommended: Recommendation?
    /// Generic workouts, at most 6.
    public var others: [Recommendation]
    public var hasMore: Bool
    /// Some of the exercises that were left out, each with its reason; at most 10.
    public var leftOut: [LeftOutExercise]
    /// Safety guidelines for the caller, one sentence each.
    public var guidelines: [String]
    /// Closest suitable place; nil without a position, or if the campus has none.
    public var place: SuitablePlace?
    public init(
        recommended: Recommendation? = nil, others: [Recommendation], hasMore: Bool, leftOut: [LeftOutExercise],
        guidelines: [String], place: SuitablePlace? = nil
    ) {
        self.recommended = recommended
        self.others = others
        self.hasMore = hasMore
        self.leftOut = leftOut
        self.guidelines = guidelines
        self.place = place
    }
}
