// Groups: conversations of those who were invited and joined (C-7).

/// `group.create`: the caller owns it. Sent again, it is the same group.
public enum GroupCreate: RPCMethod {
    public static let name = "group.create"
    public static let access = MethodAccess.accounts
    /// A group.
    public struct Params: Codable, Sendable {
        /// A UUID.
        public var id: String
        /// 1 to 60 characters.
        public var name: String
        /// What it is for.
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

/// `group.rename`: by the owner or an admin.
public enum GroupRename: RPCMethod {
    public static let name = "group.rename"
    public static let access = MethodAccess.accounts
    /// The new name.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        @ObjectID public var conversation: Int64
        /// 1 to 60 characters.
        public var name: String
        public init(conversation: Int64, name: String) {
            self.conversation = conversation
            self.name = name
        }
    }
    public typealias Result = ChatPlace
}

/// `group.invite`: one's own buddies, by the owner or an admin.
public enum GroupInvite: RPCMethod {
    public static let name = "group.invite"
    public static let access = MethodAccess.accounts
    /// Whom.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        @ObjectID public var conversation: Int64
        /// Buddies, at most 99.
        @ObjectID public var accounts: [Int64]
        public init(conversation: Int64, accounts: [Int64]) {
            self.conversation = conversation
            self.accounts = accounts
        }
    }
    /// Who is invited.
    public struct Result: Codable, Sendable {
        /// Those who were not yet.
        public var invited: [Int64]
        public init(invited: [Int64]) { self.invited = invited }
    }
}

/// `group.answer`: joins, or declines an invitation. What was written before one joined is not shown.
public enum GroupAnswer: RPCMethod {
    public static let name = "group.answer"
    public static let access = MethodAccess.accounts
    /// The answer.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        @ObjectID public var conversation: Int64
        /// False declines; nobody is told.
        public var accept: Bool
        public init(conversation: Int64, accept: Bool) {
            self.conversation = conversation
            self.accept = accept
        }
    }
    public typealias Result = ConversationParams
}

/// `group.leave`. The owner's place goes to the admin, or else the member, who has been there longest.
public enum GroupLeave: RPCMethod {
    public static let name = "group.leave"
    public static let access = MethodAccess.accounts
    public typealias Params = ConversationParams
    public typealias Result = ConversationParams
}

/// A member of a group.
public struct MemberParams: Codable, Sendable {
    /// The conversation's number.
    @ObjectID public var conversation: Int64
    /// The member's account.
    @ObjectID public var account: Int64
    public init(conversation: Int64, account: Int64) {
        self.conversation = conversation
        self.account = account
    }
}

/// `group.remove`: a member or an invitation, by the owner or an admin; an admin only by the owner.
public enum GroupRemove: RPCMethod {
    public static let name = "group.remove"
    public static let access = MethodAccess.accounts
    public typealias Params = MemberParams
    public typealias Result = ChatPlace
}

/// `group.role`: by the owner. Making somebody else the owner makes the caller an admin.
public enum GroupRole: RPCMethod {
    public static let name = "group.role"
    public static let access = MethodAccess.accounts
    /// Who is to be what.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        @ObjectID public var conversation: Int64
        /// The member's account.
        @ObjectID public var account: Int64
        /// What they may do.
        public var role: MemberRole
        public init(conversation: Int64, account: Int64, role: MemberRole) {
            self.conversation = conversation
            self.account = account
            self.role = role
        }
    }
    public typealias Result = ChatPlace
}
