// Live groups: people who train together, in one place or apart.

/// State of a member of a live group.
public enum LiveMemberState: String, WireChoice {
    /// Has not answered.
    case invited
    /// Takes part.
    case joined
    /// Has left, and may come back.
    case left
    /// Has ended the training; the others go on.
    case finished
}

/// Phase of a training, as others see it.
public enum TrainingPhase: String, WireChoice {
    case warmUp, exercise, rest, paused, coolDown, finished
}

/// Progress of a member, as the others see it.
public struct TrainingPosition: Codable, Sendable, Equatable {
    public var phase: TrainingPhase
    /// Id of the exercise.
    public var exercise: String?
    /// Number of the set, counted from 1.
    @Count public var set: Int?
    /// Number of sets of the exercise.
    @Count public var sets: Int?
    /// Sets done in the training, at most 1,000.
    @Count public var setsDone: Int
    /// Sets of the training, at most 1,000.
    @Count public var setsTotal: Int
    /// End of the rest.
    public var restEndsAt: Timestamp?
    /// Heart-rate zone 1 to 5, only if the member shares it. The heart rate itself is never published.
    @Count public var zone: Int?
    public init(
        phase: TrainingPhase, exercise: String? = nil, set: Int? = nil, sets: Int? = nil, setsDone: Int, setsTotal: Int,
        restEndsAt: Timestamp? = nil, zone: Int? = nil
    ) {
        self.phase = phase
        self.exercise = exercise
        self.set = set
        self.sets = sets
        self.setsDone = setsDone
        self.setsTotal = setsTotal
        self.restEndsAt = restEndsAt
        self.zone = zone
    }
}

/// A member of a live group.
public struct LiveGroupMember: Codable, Sendable, Equatable {
    /// For `safety.block` and `safety.report`.
    public var account: Int64
    public var username: String
    public var isHost: Bool
    public var state: LiveMemberState
    /// Whether the member shares the heart-rate zone. False for other members if the caller does not take part.
    public var sharesZone: Bool
    /// Whether the member is connected.
    public var isPresent: Bool
    /// Nil before the first one.
    public var position: TrainingPosition?
    /// Time of the position.
    public var updatedAt: Timestamp?
    public init(
        account: Int64, username: String, isHost: Bool, state: LiveMemberState, sharesZone: Bool, isPresent: Bool,
        position: TrainingPosition? = nil, updatedAt: Timestamp? = nil
    ) {
        self.account = account
        self.username = username
        self.isHost = isHost
        self.state = state
        self.sharesZone = sharesZone
        self.isPresent = isPresent
        self.position = position
        self.updatedAt = updatedAt
    }
}

/// A live group.
public struct LiveGroup: Codable, Sendable, Equatable {
    /// UUID chosen by the host.
    public var id: String
    /// Title of the workout.
    public var title: String
    /// Username.
    public var host: String
    @ObjectID public var event: Int64?
    @ObjectID public var conversation: Int64?
    public var createdAt: Timestamp
    public var endedAt: Timestamp?
    /// Number of people who take part and with whom the caller has no block.
    @Count public var participants: Int
    /// Members whom the caller may see, never with a block between both: all to the host; the host and all who take part to callers who
    /// take part; the host and the caller to everybody else.
    public var members: [LiveGroupMember]
    public init(
        id: String, title: String, host: String, event: Int64? = nil, conversation: Int64? = nil, createdAt: Timestamp,
        endedAt: Timestamp? = nil, participants: Int, members: [LiveGroupMember]
    ) {
        self.id = id
        self.title = title
        self.host = host
        self.event = event
        self.conversation = conversation
        self.createdAt = createdAt
        self.endedAt = endedAt
        self.participants = participants
        self.members = members
    }
}

/// Reply to `subscribe` on `workout/<id>`.
public struct LiveGroupSnapshot: Codable, Sendable, Equatable {
    /// Clock of the server.
    public var serverTime: Timestamp
    public var group: LiveGroup
    public init(serverTime: Timestamp, group: LiveGroup) {
        self.serverTime = serverTime
        self.group = group
    }
}

/// Publication on `workout/<id>`.
public struct LiveGroupUpdate: Codable, Sendable, Equatable {
    /// Type of the publication. After `closed` nothing else follows.
    public enum Kind: String, WireChoice { case members, closed }
    public var type: Kind
    /// Clock of the server.
    public var serverTime: Timestamp
    /// With `members`: members who changed or came.
    public var members: [LiveGroupMember]?
    /// With `members`: usernames that are no longer shown.
    public var gone: [String]?
    /// True if `members` is complete; the client forgets all others.
    public var full: Bool?
    /// With `closed`: the reason.
    public var reason: String?
    public init(
        type: Kind, serverTime: Timestamp, members: [LiveGroupMember]? = nil, gone: [String]? = nil, full: Bool? = nil,
        reason: String? = nil
    ) {
        self.type = type
        self.serverTime = serverTime
        self.members = members
        self.gone = gone
        self.full = full
        self.reason = reason
    }
}

/// Result of joining a live group.
public struct LiveGroupJoined: Codable, Sendable, Equatable {
    public var group: LiveGroup
    /// UUID for `training.start`.
    public var workout: String
    public var plan: WorkoutPlan
    public var exercises: [Exercise]
    public init(group: LiveGroup, workout: String, plan: WorkoutPlan, exercises: [Exercise]) {
        self.group = group
        self.workout = workout
        self.plan = plan
        self.exercises = exercises
    }
}

/// A list of live groups.
public struct LiveGroupList: Codable, Sendable, Equatable {
    public var groups: [LiveGroup]
    public init(groups: [LiveGroup]) {
        self.groups = groups
    }
}
