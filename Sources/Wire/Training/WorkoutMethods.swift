// Methods for workouts.

/// Filter of a list of workouts.
public enum WorkoutFilter: String, WireChoice {
    case all, notStarted, inProgress, completed
    /// Workouts that buddies shared.
    case buddies
}

public enum WorkoutsList: RPCMethod {
    public static let name = "workouts.list"
    public static let summary = """
        Lists the caller's workouts, the latest changed, scheduled or trained first.
        """
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.list)]
    public struct Params: Codable, Sendable {
        /// Nil for all.
        public var filter: WorkoutFilter?
        /// The `next` of the previous page.
        public var before: Timestamp?
        /// 1 to 100; nil for 30.
        @Count public var limit: Int?
        public init(filter: WorkoutFilter? = nil, before: Timestamp? = nil, limit: Int? = nil) {
            self.filter = filter
            self.before = before
            self.limit = limit
        }
    }
    public typealias Result = WorkoutPage
}

public enum WorkoutsGet: RPCMethod {
    public static let name = "workouts.get"
    public static let summary = """
        Returns a workout of the caller.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        /// UUID.
        public var workout: String
        public init(workout: String) {
            self.workout = workout
        }
    }
    public typealias Result = Workout
}

public enum WorkoutsSave: RPCMethod {
    public static let name = "workouts.save"
    public static let summary = """
        Adds a workout, or changes the one with the same id. The same request again is harmless.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.conflict]
    public struct Params: Codable, Sendable {
        /// UUID chosen by the client.
        public var id: String
        /// Revision that the change is based on; nil for a new workout. Another one is a conflict.
        @Revision public var revision: Int?
        public var plan: WorkoutPlan
        public init(id: String, revision: Int? = nil, plan: WorkoutPlan) {
            self.id = id
            self.revision = revision
            self.plan = plan
        }
    }
    public typealias Result = Workout
}

public enum WorkoutsRemove: RPCMethod {
    public static let name = "workouts.remove"
    public static let summary = """
        Removes a workout. Its trainings stay. Idempotent.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public struct Params: Codable, Sendable {
        public var workout: String
        public init(workout: String) {
            self.workout = workout
        }
    }
    public typealias Result = Empty
}

public enum WorkoutsCopy: RPCMethod {
    public static let name = "workouts.copy"
    public static let summary = """
        Copies a workout of the caller. Idempotent by `id`.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        /// UUID of the original.
        public var workout: String
        /// UUID of the copy, chosen by the client.
        public var id: String
        public init(workout: String, id: String) {
            self.workout = workout
            self.id = id
        }
    }
    public typealias Result = Workout
}

public enum WorkoutsSchedule: RPCMethod {
    public static let name = "workouts.schedule"
    public static let summary = """
        Plans the start of a workout; the server reminds of it. Without a time it removes the plan.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        public var workout: String
        /// Start, in the future and within two years.
        public var at: Timestamp?
        /// Event at which it takes place: one in which the caller takes part, or a draft of the caller. If the event moves, a workout that
        /// is planned for its start moves with it.
        @ObjectID public var event: Int64?
        public init(workout: String, at: Timestamp? = nil, event: Int64? = nil) {
            self.workout = workout
            self.at = at
            self.event = event
        }
    }
    public typealias Result = Workout
}

public enum WorkoutsShare: RPCMethod {
    public static let name = "workouts.share"
    public static let summary = """
        Gives a buddy a copy of a workout. A buddy who already has a copy of this revision gets no second one.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public static let limits: [MethodLimit] = [.each(.invite)]
    public struct Params: Codable, Sendable {
        public var workout: String
        /// Username of a buddy.
        public var buddy: String
        public init(workout: String, buddy: String) {
            self.workout = workout
            self.buddy = buddy
        }
    }
    public typealias Result = WorkoutsShared
}

public enum WorkoutsRecommend: RPCMethod {
    public static let name = "workouts.recommend"
    public static let summary = """
        Composes workouts: the recommended one first, generic ones below. Leaves out what the caller's injuries and conditions exclude.
        """
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.list)]
    public struct Params: Codable, Sendable {
        public var type: ExerciseType?
        /// Nil for the goals of the body data.
        public var goal: FitnessGoal?
        /// Equipment at hand; nil for what the place has.
        public var equipment: [Equipment]?
        /// Nil for anywhere.
        public var place: WorkoutPlace?
        /// 5 to 180; nil for 30.
        @Count public var minutes: Int?
        /// Highest level; nil for one that follows the history.
        public var level: ExerciseLevel?
        /// Degrees, for the closest suitable place.
        @Latitude public var lat: Double?
        /// Degrees.
        @Longitude public var lon: Double?
        /// Number of workouts to skip, for `See More`: at most 60.
        @Count public var offset: Int?
        public init(
            type: ExerciseType? = nil, goal: FitnessGoal? = nil, equipment: [Equipment]? = nil,
            place: WorkoutPlace? = nil, minutes: Int? = nil, level: ExerciseLevel? = nil, lat: Double? = nil,
            lon: Double? = nil, offset: Int? = nil
        ) {
            self.type = type
            self.goal = goal
            self.equipment = equipment
            self.place = place
            self.minutes = minutes
            self.level = level
            self.lat = lat
            self.lon = lon
            self.offset = offset
        }
    }
    public typealias Result = Recommendations
}

extension APIRegistry {
    static let workout: [any RPCMethod.Type] = [
        WorkoutsList.self, WorkoutsGet.self, WorkoutsSave.self, WorkoutsRemove.self, WorkoutsCopy.self,
        WorkoutsSchedule.self, WorkoutsShare.self, WorkoutsRecommend.self,
    ]
}
