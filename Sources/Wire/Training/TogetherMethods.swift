// Methods for live groups.

public enum TogetherCreate: RPCMethod {
    public static let name = "together.create"
    public static let summary = """
        Creates a live group for a workout and invites buddies, the members of a group conversation, or the people who take part in an \
        event. Idempotent by `id`: a repeated request notifies people who have not answered.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public static let limits: [MethodLimit] = [
        .counted(.invite, "1 for the group, 1 for each invited buddy, and 10 each for a conversation and an event")
    ]
    public struct Params: Codable, Sendable {
        /// UUID chosen by the client.
        public var id: String
        /// UUID of a workout of the caller.
        public var workout: String
        /// Usernames of buddies, at most 49.
        public var invite: [String]?
        /// Group conversation whose members are invited.
        @ObjectID public var conversation: Int64?
        /// Event, whose participants are invited.
        @ObjectID public var event: Int64?
        /// Whether the others see the caller's heart-rate zone.
        public var sharesZone: Bool
        public init(
            id: String, workout: String, invite: [String]? = nil, conversation: Int64? = nil, event: Int64? = nil,
            sharesZone: Bool
        ) {
            self.id = id
            self.workout = workout
            self.invite = invite
            self.conversation = conversation
            self.event = event
            self.sharesZone = sharesZone
        }
    }
    public typealias Result = LiveGroup
}

public enum TogetherInvite: RPCMethod {
    public static let name = "together.invite"
    public static let summary = """
        Invites more buddies. Only the host may.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound, .forbidden, .conflict]
    public static let limits: [MethodLimit] = [.counted(.invite, "one for each invited person")]
    public struct Params: Codable, Sendable {
        public var group: String
        /// Usernames of buddies. A group has at most 50 people.
        public var invite: [String]
        public init(group: String, invite: [String]) {
            self.group = group
            self.invite = invite
        }
    }
    public typealias Result = LiveGroup
}

public enum TogetherJoin: RPCMethod {
    public static let name = "together.join"
    public static let summary = """
        Takes part, or comes back after leaving. Returns the plan.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        public var group: String
        public var sharesZone: Bool
        public init(group: String, sharesZone: Bool) {
            self.group = group
            self.sharesZone = sharesZone
        }
    }
    public typealias Result = LiveGroupJoined
}

public enum TogetherLeave: RPCMethod {
    public static let name = "together.leave"
    public static let summary = """
        Leaves the live group, or declines the invitation. The others go on. Idempotent.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public struct Params: Codable, Sendable {
        public var group: String
        public init(group: String) {
            self.group = group
        }
    }
    public typealias Result = Empty
}

public enum TogetherRemove: RPCMethod {
    public static let name = "together.remove"
    public static let summary = """
        Removes a member for good. Only the host may. Idempotent.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound, .forbidden]
    public struct Params: Codable, Sendable {
        public var group: String
        public var username: String
        public init(group: String, username: String) {
            self.group = group
            self.username = username
        }
    }
    public typealias Result = LiveGroup
}

public enum TogetherUpdate: RPCMethod {
    public static let name = "together.update"
    public static let summary = """
        Shows the caller's progress to the other members. At most one per second counts. `finished` is ignored while the caller has an \
        open training of the group; after it others are ignored until the caller begins another training of the group.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        public var group: String
        public var position: TrainingPosition
        /// Changes whether the others see the zone.
        public var sharesZone: Bool?
        public init(group: String, position: TrainingPosition, sharesZone: Bool? = nil) {
            self.group = group
            self.position = position
            self.sharesZone = sharesZone
        }
    }
    public typealias Result = Empty
}

public enum TogetherEnd: RPCMethod {
    public static let name = "together.end"
    public static let summary = """
        Ends the live group for all. Only the host may. Trainings go on. Idempotent.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound, .forbidden]
    public struct Params: Codable, Sendable {
        public var group: String
        public init(group: String) {
            self.group = group
        }
    }
    public typealias Result = Empty
}

public enum TogetherList: RPCMethod {
    public static let name = "together.list"
    public static let summary = """
        Lists live groups that have not ended and in which the caller is invited or a member, at most 20. Groups in \
        which the caller takes part come first, then the others; each the latest first.
        """
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.each(.list)]
    public typealias Params = Empty
    public typealias Result = LiveGroupList
}

extension APIRegistry {
    static let together: [any RPCMethod.Type] = [
        TogetherCreate.self, TogetherInvite.self, TogetherJoin.self, TogetherLeave.self, TogetherRemove.self,
        TogetherUpdate.self, TogetherEnd.self, TogetherList.self,
    ]
}
