// What members do to a conversation.

/// `chat.send`: a message. It is committed when this is answered; sent again, it is the same message.
public enum ChatSend: RPCMethod {
    /// The name on the wire.
    public static let name = "chat.send"
    /// A message: words, a picture, or both.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        public var conversation: Int64
        /// A UUID, such as one of `crypto.randomUUID()`.
        public var id: String
        /// At most 4,000 characters.
        public var text: String?
        /// The id of an uploaded picture with purpose `chat`, not used yet.
        public var picture: String?
        /// The offset of the message that it answers.
        public var reply: Int64?
        /// Memberwise.
        public init(
            conversation: Int64, id: String, text: String? = nil, picture: String? = nil, reply: Int64? = nil
        ) {
            self.conversation = conversation
            self.id = id
            self.text = text
            self.picture = picture
            self.reply = reply
        }
    }
    /// What the caller gets.
    public typealias Result = ChatPlace
}

/// `chat.edit`: one's own message, within a day.
public enum ChatEdit: RPCMethod {
    /// The name on the wire.
    public static let name = "chat.edit"
    /// The new text.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        public var conversation: Int64
        /// The message's offset.
        public var message: Int64
        /// At most 4,000 characters; empty only for a message with a picture.
        public var text: String
        /// Memberwise.
        public init(conversation: Int64, message: Int64, text: String) {
            self.conversation = conversation
            self.message = message
            self.text = text
        }
    }
    /// What the caller gets.
    public typealias Result = ChatPlace
}

/// A message, by its place.
public struct MessageParams: Codable, Sendable {
    /// The conversation's number.
    public var conversation: Int64
    /// The message's offset.
    public var message: Int64
    /// Memberwise.
    public init(conversation: Int64, message: Int64) {
        self.conversation = conversation
        self.message = message
    }
}

/// `chat.delete`: one's own message, or anybody's as an admin of the group; for everybody.
public enum ChatDelete: RPCMethod {
    /// The name on the wire.
    public static let name = "chat.delete"
    /// What the caller gives.
    public typealias Params = MessageParams
    /// What the caller gets.
    public typealias Result = ChatPlace
}

/// `chat.react`: gives a reaction, or takes it back.
public enum ChatReact: RPCMethod {
    /// The name on the wire.
    public static let name = "chat.react"
    /// A reaction.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        public var conversation: Int64
        /// The message's offset.
        public var message: Int64
        /// One of the four.
        public var emoji: Reaction
        /// False takes it back.
        public var on: Bool
        /// Memberwise.
        public init(conversation: Int64, message: Int64, emoji: Reaction, on: Bool) {
            self.conversation = conversation
            self.message = message
            self.emoji = emoji
            self.on = on
        }
    }
    /// What the caller gets.
    public typealias Result = ChatPlace
}

/// How far somebody has got with a conversation.
public struct ReceiptParams: Codable, Sendable {
    /// The conversation's number.
    public var conversation: Int64
    /// Everything up to there; an earlier one than before changes nothing.
    public var offset: Int64
    /// Memberwise.
    public init(conversation: Int64, offset: Int64) {
        self.conversation = conversation
        self.offset = offset
    }
}

/// `chat.read`: the person has read up to there.
public enum ChatRead: RPCMethod {
    /// The name on the wire.
    public static let name = "chat.read"
    /// What the caller gives.
    public typealias Params = ReceiptParams
    /// What the caller gets.
    public typealias Result = ReceiptParams
}

/// `chat.delivered`: the device has it up to there.
public enum ChatDelivered: RPCMethod {
    /// The name on the wire.
    public static let name = "chat.delivered"
    /// What the caller gives.
    public typealias Params = ReceiptParams
    /// What the caller gets.
    public typealias Result = ReceiptParams
}

/// `chat.typing`: told to those who have the conversation open, for some seconds. At most one every 2 s goes out.
public enum ChatTyping: RPCMethod {
    /// The name on the wire.
    public static let name = "chat.typing"
    /// What the caller gives.
    public typealias Params = ConversationParams
    /// What the caller gets.
    public typealias Result = Empty
}

/// `chat.mute`: nothing of the conversation is to sound for a while. Others are not told.
public enum ChatMute: RPCMethod {
    /// The name on the wire.
    public static let name = "chat.mute"
    /// How long.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        public var conversation: Int64
        /// Seconds, up to a year; 0 takes it back, nil is for good.
        public var seconds: Double?
        /// Memberwise.
        public init(conversation: Int64, seconds: Double?) {
            self.conversation = conversation
            self.seconds = seconds
        }
    }
    /// Until when.
    public struct Result: Codable, Sendable {
        /// Nil when it is not muted.
        public var mutedUntil: Timestamp?
        /// Memberwise.
        public init(mutedUntil: Timestamp?) { self.mutedUntil = mutedUntil }
    }
}

/// What one lets others know.
public struct ChatSettings: Codable, Sendable, Equatable {
    /// That one has read a message.
    public var read: Bool
    /// That one's device has it.
    public var delivered: Bool
    /// That one is writing.
    public var typing: Bool
    /// Memberwise.
    public init(read: Bool = true, delivered: Bool = true, typing: Bool = true) {
        self.read = read
        self.delivered = delivered
        self.typing = typing
    }
}

/// `chat.settings`: one's own.
public enum ChatSettingsGet: RPCMethod {
    /// The name on the wire.
    public static let name = "chat.settings"
    /// What the caller gives.
    public typealias Params = Empty
    /// What the caller gets.
    public typealias Result = ChatSettings
}

/// `chat.saveSettings`.
public enum ChatSettingsSave: RPCMethod {
    /// The name on the wire.
    public static let name = "chat.saveSettings"
    /// What the caller gives.
    public typealias Params = ChatSettings
    /// What the caller gets.
    public typealias Result = ChatSettings
}

// MARK: Groups

/// `group.create`: the caller owns it. Sent again, it is the same group.
public enum GroupCreate: RPCMethod {
    /// The name on the wire.
    public static let name = "group.create"
    /// A group.
    public struct Params: Codable, Sendable {
        /// A UUID.
        public var id: String
        /// 1 to 60 characters.
        public var name: String
        /// What it is for.
        public var purpose: GroupPurpose?
        /// Buddies to invite, at most 99.
        public var invite: [Int64]?
        /// Memberwise.
        public init(id: String, name: String, purpose: GroupPurpose? = nil, invite: [Int64]? = nil) {
            self.id = id
            self.name = name
            self.purpose = purpose
            self.invite = invite
        }
    }
    /// What the caller gets.
    public typealias Result = ConversationParams
}

/// `group.rename`: by the owner or an admin.
public enum GroupRename: RPCMethod {
    /// The name on the wire.
    public static let name = "group.rename"
    /// The new name.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        public var conversation: Int64
        /// 1 to 60 characters.
        public var name: String
        /// Memberwise.
        public init(conversation: Int64, name: String) {
            self.conversation = conversation
            self.name = name
        }
    }
    /// What the caller gets.
    public typealias Result = ChatPlace
}

/// `group.invite`: one's own buddies, by the owner or an admin.
public enum GroupInvite: RPCMethod {
    /// The name on the wire.
    public static let name = "group.invite"
    /// Whom.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        public var conversation: Int64
        /// Buddies, at most 99.
        public var accounts: [Int64]
        /// Memberwise.
        public init(conversation: Int64, accounts: [Int64]) {
            self.conversation = conversation
            self.accounts = accounts
        }
    }
    /// Who is invited.
    public struct Result: Codable, Sendable {
        /// Those who were not yet.
        public var invited: [Int64]
        /// Memberwise.
        public init(invited: [Int64]) { self.invited = invited }
    }
}

/// `group.answer`: joins, or declines an invitation. What was written before one joined is not shown.
public enum GroupAnswer: RPCMethod {
    /// The name on the wire.
    public static let name = "group.answer"
    /// The answer.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        public var conversation: Int64
        /// False declines; nobody is told.
        public var accept: Bool
        /// Memberwise.
        public init(conversation: Int64, accept: Bool) {
            self.conversation = conversation
            self.accept = accept
        }
    }
    /// What the caller gets.
    public typealias Result = ConversationParams
}

/// `group.leave`. The owner's place goes to the admin, or else the member, who has been there longest.
public enum GroupLeave: RPCMethod {
    /// The name on the wire.
    public static let name = "group.leave"
    /// What the caller gives.
    public typealias Params = ConversationParams
    /// What the caller gets.
    public typealias Result = ConversationParams
}

/// A member of a group.
public struct MemberParams: Codable, Sendable {
    /// The conversation's number.
    public var conversation: Int64
    /// The member's account.
    public var account: Int64
    /// Memberwise.
    public init(conversation: Int64, account: Int64) {
        self.conversation = conversation
        self.account = account
    }
}

/// `group.remove`: a member or an invitation, by the owner or an admin; an admin only by the owner.
public enum GroupRemove: RPCMethod {
    /// The name on the wire.
    public static let name = "group.remove"
    /// What the caller gives.
    public typealias Params = MemberParams
    /// What the caller gets.
    public typealias Result = ChatPlace
}

/// `group.role`: by the owner. Making somebody else the owner makes the caller an admin.
public enum GroupRole: RPCMethod {
    /// The name on the wire.
    public static let name = "group.role"
    /// Who is to be what.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        public var conversation: Int64
        /// The member's account.
        public var account: Int64
        /// What they may do.
        public var role: MemberRole
        /// Memberwise.
        public init(conversation: Int64, account: Int64, role: MemberRole) {
            self.conversation = conversation
            self.account = account
            self.role = role
        }
    }
    /// What the caller gets.
    public typealias Result = ChatPlace
}

// MARK: Pushes

/// What `chat/<id>` pushes beside its log, without an offset: nothing of it is kept or told again.
public struct ChatAside: Codable, Sendable, Equatable {
    /// What it is.
    public enum Kind: String, WireChoice {
        /// `by` is writing; forget it after 6 s.
        case typing
        /// `by` has read up to `read`, and their device has it up to `delivered`.
        case receipt
        /// The caller is not a member any more: nothing more comes.
        case closed
    }
    /// What it is.
    public var type: Kind
    /// Who.
    public var by: Int64?
    /// Nil when they do not tell.
    public var read: Int64?
    /// Nil when they do not tell.
    public var delivered: Int64?
    /// Memberwise.
    public init(type: Kind, by: Int64? = nil, read: Int64? = nil, delivered: Int64? = nil) {
        self.type = type
        self.by = by
        self.read = read
        self.delivered = delivered
    }
}

/// What `user/<id>` pushes, to that account alone: something is new. It has no offsets; after a reconnect `chat.list` says where
/// everything stands.
public struct UserSignal: Codable, Sendable, Equatable {
    /// What is new.
    public enum Kind: String, WireChoice {
        /// A message in `conversation`: `message`.
        case message
        /// Something else about `conversation`: ask `chat.conversation` for it.
        case conversation
        /// `conversation` is not one's own any more.
        case gone
        /// One has read `conversation` up to `offset`, on another device.
        case read
        /// For admins: a report came in.
        case report
        /// Signals may have been lost: ask `chat.list`.
        case resync
    }
    /// What is new.
    public var type: Kind
    /// Where.
    public var conversation: Int64?
    /// How far.
    public var offset: Int64?
    /// The message.
    public var message: LastMessage?
    /// Memberwise.
    public init(type: Kind, conversation: Int64? = nil, offset: Int64? = nil, message: LastMessage? = nil) {
        self.type = type
        self.conversation = conversation
        self.offset = offset
        self.message = message
    }
}
