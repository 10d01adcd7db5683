// Groups: conversations of the people who were invited and have joined (C-7).

public enum GroupCreate: RPCMethod {
    public static let name = "group.create"
    public static let summary = """
        Creates a group that the caller owns. A repeated request with the same `id` has no further effect.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let texts: [String: TextLimit] = ["name": .groupName]
    public static let limits: [MethodLimit] = [.counted(.invite, "1 for the group, and 1 for each invited person")]
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public struct Params: Codable, Sendable {
        /// UUID chosen by the client.
        public var id: String
        /// 1 to 60 characters.
        public var name: String
        public var purpose: GroupPurpose?
        /// Buddies to invite, at most 99.
        @ObjectID public var invite: [Int64]?
        public init(id: String, name: String, purpose: GroupPurpose? = nil, invite: [Int64]? = nil) {
            self.id = id
            self.name = name
            self.purpose = purpose
            self.invite = invite
        }
    }
    public typealias Result = ConversationParams
}

public enum GroupRename: RPCMethod {
    public static let name = "group.rename"
    public static let summary = "Renames the group. The caller is its owner or an admin."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let texts: [String: TextLimit] = ["name": .groupName]
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var conversation: Int64
        /// 1 to 60 characters.
        public var name: String
        public init(conversation: Int64, name: String) {
            self.conversation = conversation
            self.name = name
        }
    }
    public typealias Result = ChatPosition
}

public enum GroupInvite: RPCMethod {
    public static let name = "group.invite"
    public static let summary = "Invites buddies of the caller. The caller is the owner or an admin of the group."
    public static let access = MethodAccess.accounts
    public static let limits: [MethodLimit] = [.counted(.invite, "1 for each person")]
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var conversation: Int64
        /// Buddies, at most 99.
        @ObjectID public var accounts: [Int64]
        public init(conversation: Int64, accounts: [Int64]) {
            self.conversation = conversation
            self.accounts = accounts
        }
    }
    public struct Result: Codable, Sendable {
        /// Accounts that were not invited before.
        public var invited: [Int64]
        public init(invited: [Int64]) { self.invited = invited }
    }
}

public enum GroupAnswer: RPCMethod {
    public static let name = "group.answer"
    public static let summary = "Accepts or declines an invitation. A member does not see messages from before joining."
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var conversation: Int64
        /// True joins. False declines without notifying anybody.
        public var accept: Bool
        public init(conversation: Int64, accept: Bool) {
            self.conversation = conversation
            self.accept = accept
        }
    }
    public typealias Result = ConversationParams
}

public enum GroupLeave: RPCMethod {
    public static let name = "group.leave"
    public static let summary = """
        Leaves the group. If the owner leaves, the admin of longest standing becomes the owner, or without an admin \
        the member of longest standing.
        """
    public static let access = MethodAccess.accounts
    public static let isForOutdated = true
    public static let errors: [ErrorCode] = [.notFound, .conflict]
    public typealias Params = ConversationParams
    public typealias Result = ConversationParams
}

/// One member of a group.
public struct MemberParams: Codable, Sendable {
    @ObjectID public var conversation: Int64
    /// Account of the member.
    @ObjectID public var account: Int64
    public init(conversation: Int64, account: Int64) {
        self.conversation = conversation
        self.account = account
    }
}

public enum GroupRemove: RPCMethod {
    public static let name = "group.remove"
    public static let summary = """
        Removes a member or withdraws an invitation. The caller is the owner or an admin; only the owner can remove an \
        admin.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public typealias Params = MemberParams
    public typealias Result = ChatPosition
}

public enum GroupRole: RPCMethod {
    public static let name = "group.role"
    public static let summary = """
        Changes the role of a member. The caller is the owner. Transferring ownership makes the caller an admin.
        """
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.forbidden, .notFound, .conflict]
    public struct Params: Codable, Sendable {
        @ObjectID public var conversation: Int64
        /// Account of the member.
        @ObjectID public var account: Int64
        public var role: MemberRole
        public init(conversation: Int64, account: Int64, role: MemberRole) {
            self.conversation = conversation
            self.account = account
            self.role = role
        }
    }
    public typealias Result = ChatPosition
}

extension APIRegistry {
    static let groups: [any RPCMethod.Type] = [
        GroupCreate.self, GroupRename.self, GroupInvite.self, GroupAnswer.self, GroupLeave.self, GroupRemove.self,
        GroupRole.self,
    ]
}
