// Conversations (C-7, W-5, B-6). How a client keeps them whole is in the Chat article.

/// What a message can be answered with in one tap (C-7).
public enum Reaction: String, WireChoice {
    case thumb = "👍"
    case muscle = "💪"
    case fire = "🔥"
    case hundred = "💯"
}

/// What a conversation is.
public enum ConversationKind: String, WireChoice {
    /// Of two buddies.
    case direct
    /// Of those who were invited and joined.
    case group
}

/// What a group is for.
public enum GroupPurpose: String, WireChoice {
    case workout, event
}

/// What a member of a group may do.
public enum MemberRole: String, WireChoice {
    /// Everything; there is one as long as there is anybody.
    case owner
    /// Invite, rename, remove members and anybody's messages.
    case admin
    /// Write.
    case member
}

/// Whether somebody is in a conversation.
public enum MemberState: String, WireChoice {
    /// Asked to, and sees nothing of it yet.
    case invited
    case joined
}

/// A picture within a message.
public struct MessagePicture: Codable, Sendable, Equatable {
    /// Fetch `/pictures/<id>` or `/pictures/<id>/thumb`.
    public var id: String
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int
    public init(id: String, width: Int, height: Int) {
        self.id = id
        self.width = width
        self.height = height
    }
}

/// Who answered a message with what.
public struct MessageReactions: Codable, Sendable, Equatable {
    /// One of the four.
    public var emoji: Reaction
    /// Accounts, in no order.
    public var by: [Int64]
    public init(emoji: Reaction, by: [Int64]) {
        self.emoji = emoji
        self.by = by
    }
}

/// What happened in a conversation, as `chat/<id>` pushes it and `chat.history` lists it. The members that a type has are
/// said with it.
public struct ChatEvent: Codable, Sendable, Equatable {
    /// What happened.
    public enum Kind: String, WireChoice {
        /// `id`, `text`, `picture`, `reply`, `editedAt`, `deletedAt`; `text` and `picture` are gone when it is deleted.
        case message
        /// `message` has the new `text` since `at`; no text when that was deleted since.
        case edited
        /// `message` is deleted; `account` wrote it, where that is not who deletes it. `by` is 0 and there is no more where somebody
        /// blocked deleted what is not theirs.
        case deleted
        /// `message` got (`on`) or lost `emoji`.
        case reaction
        /// `account` joined.
        case joined
        /// `account` left. Nothing behind it is told to that account any more.
        case left
        /// `account` was removed by `by`. Nothing behind it is told to that account any more.
        case removed
        /// `account` has the `role`.
        case role
        /// The group is called `text`.
        case renamed
        /// The two are buddies.
        case opened
        /// The two are buddies no more. Nothing behind it is told to either.
        case closed
        /// Somebody blocked wrote here, or did: there is nothing to see.
        case hidden
    }
    /// Whose doing it is; 0 when nobody's, or that is hidden.
    public var by: Int64
    /// What happened.
    public var type: Kind
    /// When the server took it; nil when it is hidden.
    public var at: Timestamp?
    /// A message's own number, its sender's.
    public var id: String?
    /// What it says.
    public var text: String?
    /// Its picture.
    public var picture: MessagePicture?
    /// The offset of the message that it answers.
    public var reply: Int64?
    /// When it was last edited.
    public var editedAt: Timestamp?
    /// When it was deleted.
    public var deletedAt: Timestamp?
    /// The offset of the message that is edited, deleted or reacted to.
    public var message: Int64?
    /// The reaction.
    public var emoji: Reaction?
    /// Whether it was given or taken back.
    public var on: Bool?
    /// Whom it is about.
    public var account: Int64?
    /// The new role.
    public var role: MemberRole?

    /// An event without more.
    public init(by: Int64, type: Kind, at: Timestamp?) {
        self.by = by
        self.type = type
        self.at = at
    }
}

/// A conversation, by number.
public struct ConversationParams: Codable, Sendable {
    /// The conversation's number.
    @ObjectID public var conversation: Int64
    public init(conversation: Int64) { self.conversation = conversation }
}

/// What a change of a conversation's log gets: where it is.
public struct ChatPlace: Codable, Sendable, Equatable {
    /// The conversation's number.
    public var conversation: Int64
    /// The log's epoch.
    public var epoch: Int64
    /// Its place in the log; the same again when it is sent again. Nil when there was nothing to change.
    public var offset: Int64?
    /// When the server took it.
    public var at: Timestamp?
    public init(conversation: Int64, epoch: Int64, offset: Int64?, at: Timestamp? = nil) {
        self.conversation = conversation
        self.epoch = epoch
        self.offset = offset
        self.at = at
    }
}

extension ChatPlace: JSONWritable {
    public func write(to json: inout JSONText) {
        json.add("{\"conversation\":", conversation)
        json.add(",\"epoch\":", epoch)
        if let offset { json.add(",\"offset\":", offset) }
        if let at { json.add(",\"at\":", at) }
        json.add("}")
    }
}

/// `chat.list`: one's conversations, newest first; at most 500.
public enum ChatList: RPCMethod {
    public static let name = "chat.list"
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    /// The list.
    public struct Result: Codable, Sendable {
        /// Invitations included.
        public var conversations: [Conversation]
        public init(conversations: [Conversation]) { self.conversations = conversations }
    }
}

/// `chat.conversation`: one of them, with its members. Opening one takes its mark of being new away.
public enum ChatConversation: RPCMethod {
    public static let name = "chat.conversation"
    public static let access = MethodAccess.accounts
    /// Which.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        @ObjectID public var conversation: Int64
        /// True when a person opens it.
        public var opens: Bool?
        public init(conversation: Int64, opens: Bool? = nil) {
            self.conversation = conversation
            self.opens = opens
        }
    }
    /// The whole of it.
    public struct Result: Codable, Sendable {
        /// As in the list.
        public var conversation: Conversation
        /// All of them, oneself included; empty as long as one has not joined.
        public var members: [Member]
        public init(conversation: Conversation, members: [Member]) {
            self.conversation = conversation
            self.members = members
        }
    }
}

/// `chat.history`: messages and what happened to the group, newest first, as they are now.
public enum ChatHistory: RPCMethod {
    public static let name = "chat.history"
    public static let access = MethodAccess.accounts
    /// A page's place.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        @ObjectID public var conversation: Int64
        /// Only what is below this offset: the last reply's `next`. Nil for the newest.
        @LogOffset public var before: Int64?
        /// 1 to 100; 30 unless given.
        @Count public var limit: Int?
        public init(conversation: Int64, before: Int64? = nil, limit: Int? = nil) {
            self.conversation = conversation
            self.before = before
            self.limit = limit
        }
    }
    /// An event and its reactions.
    public struct Item: Codable, Sendable, Equatable {
        /// Its place in the log.
        public var offset: Int64
        /// `message`, `joined`, `left`, `removed`, `role`, `renamed`, `opened` or `hidden`.
        public var event: ChatEvent
        /// Nil for none.
        public var reactions: [MessageReactions]?
        public init(offset: Int64, event: ChatEvent, reactions: [MessageReactions]?) {
            self.offset = offset
            self.event = event
            self.reactions = reactions
        }
    }
    /// A page.
    public struct Result: Codable, Sendable {
        /// The conversation's number.
        public var conversation: Int64
        /// The log's epoch.
        public var epoch: Int64
        /// The log's newest offset when the page was read.
        public var head: Int64
        /// Newest first.
        public var items: [Item]
        /// Give it as `before` for the next page; nil when there is none.
        public var next: Int64?
        public init(conversation: Int64, epoch: Int64, head: Int64, items: [Item], next: Int64?) {
            self.conversation = conversation
            self.epoch = epoch
            self.head = head
            self.items = items
            self.next = next
        }
    }
}

/// `chat.search`: messages with all these words, in one's conversations, newest first.
public enum ChatSearch: RPCMethod {
    public static let name = "chat.search"
    public static let access = MethodAccess.accounts
    /// What to look for.
    public struct Params: Codable, Sendable {
        /// Words or parts of them, 1 to 100 characters; upper and lower case are the same.
        public var text: String
        /// Only there.
        @ObjectID public var conversation: Int64?
        /// Only before it: the last reply's `next`.
        public var before: Timestamp?
        /// 1 to 50; 20 unless given.
        @Count public var limit: Int?
        public init(text: String, conversation: Int64? = nil, before: Timestamp? = nil, limit: Int? = nil) {
            self.text = text
            self.conversation = conversation
            self.before = before
            self.limit = limit
        }
    }
    /// A message that was found.
    public struct Found: Codable, Sendable, Equatable {
        /// Where.
        public var conversation: Int64
        /// The conversation's name.
        public var name: String
        /// Its place in the log.
        public var offset: Int64
        /// Who wrote it.
        public var by: Person
        /// When.
        public var at: Timestamp
        /// What it says.
        public var text: String
        public init(conversation: Int64, name: String, offset: Int64, by: Person, at: Timestamp, text: String) {
            self.conversation = conversation
            self.name = name
            self.offset = offset
            self.by = by
            self.at = at
            self.text = text
        }
    }
    /// A page.
    public struct Result: Codable, Sendable {
        /// Newest first; more than were asked for when the last ones were sent in the same millisecond. None when nothing was found
        /// as far back as was looked.
        public var messages: [Found]
        /// Give it as `before` to look further back; nil when all was looked at.
        public var next: Timestamp?
        public init(messages: [Found], next: Timestamp?) {
            self.messages = messages
            self.next = next
        }
    }
}
