// Methods for trainings.

public enum TrainingStart: RPCMethod {
    public static let name = "training.start"
    public static let summary = """
        Starts a training. The same request again is harmless, so that a client can start without a network and send it later.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        /// UUID chosen by the client.
        public var id: String
        /// UUID of the workout, or of the live group's if `together` is given.
        public var workout: String
        /// UUID of a live group in which the caller is a member.
        public var together: String?
        /// By the clock of the device: not in the future, at most 30 days ago.
        public var startedAt: Timestamp
        /// UUID of the device, kept by the client.
        public var device: String
        /// Plan that the device shows, for a start without a network: if it differs from the saved one, if the workout was removed
        /// meanwhile, or if the live group is not open to the caller any more. The training then has no `together`.
        public var plan: WorkoutPlan?
        public init(
            id: String, workout: String, together: String? = nil, startedAt: Timestamp, device: String,
            plan: WorkoutPlan? = nil
        ) {
            self.id = id
            self.workout = workout
            self.together = together
            self.startedAt = startedAt
            self.device = device
            self.plan = plan
        }
    }
    public typealias Result = Training
}

public enum TrainingRecord: RPCMethod {
    public static let name = "training.record"
    public static let summary = """
        Records changes of sets, pauses and heart rates. Repeating a request is harmless. Sets of all devices are merged: the latest \
        change of each set wins.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        public var training: String
        /// Generation that the device controls.
        @Revision public var generation: Int
        /// Changed sets, at most 300.
        public var sets: [TrainingSet]?
        /// All pauses, at most 200. Ignored unless the device controls the training.
        public var pauses: [TrainingPause]?
        /// At most 600.
        public var pulse: [PulseSample]?
        public init(
            training: String, generation: Int, sets: [TrainingSet]? = nil, pauses: [TrainingPause]? = nil,
            pulse: [PulseSample]? = nil
        ) {
            self.training = training
            self.generation = generation
            self.sets = sets
            self.pauses = pauses
            self.pulse = pulse
        }
    }
    public typealias Result = TrainingProgress
}

public enum TrainingTakeOver: RPCMethod {
    public static let name = "training.takeOver"
    public static let summary = """
        Makes a device control the training. The other device gets a signal.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        public var training: String
        /// UUID of the device.
        public var device: String
        public init(training: String, device: String) {
            self.training = training
            self.device = device
        }
    }
    public typealias Result = Training
}

public enum TrainingFinish: RPCMethod {
    public static let name = "training.finish"
    public static let summary = """
        Ends a training and computes its calories. The same request again is harmless. `state` of the result shows whether it has ended. \
        The first request replaces the end that the server gave a forgotten training. Heart rates after the end are removed.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public static let texts: [String: TextLimit] = ["note": .trainingNote]
    public struct Params: Codable, Sendable {
        public var training: String
        /// By the clock of the device: after the start, not in the future, at most 24 hours after the start.
        public var endedAt: Timestamp
        /// All pauses.
        public var pauses: [TrainingPause]?
        /// As in `training.record`.
        public var sets: [TrainingSet]?
        public var note: String?
        /// Generation that the device controls. With an older one than the present, the training goes on: the server takes the sets and the
        /// note only. Nil ends it in any case.
        @Revision public var generation: Int?
        public init(
            training: String, endedAt: Timestamp, pauses: [TrainingPause]? = nil, sets: [TrainingSet]? = nil,
            note: String? = nil, generation: Int? = nil
        ) {
            self.training = training
            self.generation = generation
            self.endedAt = endedAt
            self.pauses = pauses
            self.sets = sets
            self.note = note
        }
    }
    public typealias Result = Training
}

public enum TrainingCurrent: RPCMethod {
    public static let name = "training.current"
    public static let summary = """
        Returns the caller's trainings that have not ended, the latest first; at most 5.
        """
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public typealias Result = TrainingsOpen
}

public enum TrainingList: RPCMethod {
    public static let name = "training.list"
    public static let summary = """
        Lists the caller's trainings, the latest first.
        """
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.list)]
    public struct Params: Codable, Sendable {
        /// Only those of this workout.
        public var workout: String?
        /// Start of the last training of the previous page.
        public var before: Timestamp?
        /// UUID of that training. Without it, a page leaves out trainings that began at the same instant.
        public var beforeTraining: String?
        /// 1 to 100; nil for 30.
        @Count public var limit: Int?
        public init(
            workout: String? = nil, before: Timestamp? = nil, beforeTraining: String? = nil, limit: Int? = nil
        ) {
            self.workout = workout
            self.before = before
            self.beforeTraining = beforeTraining
            self.limit = limit
        }
    }
    public typealias Result = TrainingPage
}

public enum TrainingGet: RPCMethod {
    public static let name = "training.get"
    public static let summary = """
        Returns a training of the caller.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        public var training: String
        public init(training: String) {
            self.training = training
        }
    }
    public typealias Result = Training
}

public enum TrainingEdit: RPCMethod {
    public static let name = "training.edit"
    public static let summary = """
        Changes a training that has ended: its sets, times, note and heart rates. Calories are computed again with the weight of then. \
        Heart rates outside the times are removed.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public static let texts: [String: TextLimit] = ["note": .trainingNote]
    public struct Params: Codable, Sendable {
        public var training: String
        public var sets: [TrainingSet]?
        public var startedAt: Timestamp?
        public var endedAt: Timestamp?
        public var note: String?
        /// Replaces all heart rates of the training; an empty array removes them. At most 600; `training.record` adds more.
        public var pulse: [PulseSample]?
        public init(
            training: String, sets: [TrainingSet]? = nil, startedAt: Timestamp? = nil, endedAt: Timestamp? = nil,
            note: String? = nil, pulse: [PulseSample]? = nil
        ) {
            self.pulse = pulse
            self.training = training
            self.sets = sets
            self.startedAt = startedAt
            self.endedAt = endedAt
            self.note = note
        }
    }
    public typealias Result = Training
}

public enum TrainingRecalculate: RPCMethod {
    public static let name = "training.recalculate"
    public static let summary = """
        Computes the calories again with the body data of now: the weight that is nearest to the day.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        public var training: String
        public init(training: String) {
            self.training = training
        }
    }
    public typealias Result = Training
}

public enum TrainingRemove: RPCMethod {
    public static let name = "training.remove"
    public static let summary = """
        Removes a training. Idempotent.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public struct Params: Codable, Sendable {
        public var training: String
        public init(training: String) {
            self.training = training
        }
    }
    public typealias Result = Empty
}

extension APIRegistry {
    static let training: [any RPCMethod.Type] = [
        TrainingStart.self, TrainingRecord.self, TrainingTakeOver.self, TrainingFinish.self, TrainingCurrent.self,
        TrainingList.self, TrainingGet.self, TrainingEdit.self, TrainingRecalculate.self, TrainingRemove.self,
    ]
}
