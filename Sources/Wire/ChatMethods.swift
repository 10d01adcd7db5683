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
    /// Memberwise.
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
    /// Memberwise.
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
        /// `message` is deleted.
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

/// The newest message, for a list of conversations.
public struct LastMessage: Codable, Sendable, Equatable {
    /// Its place in the conversation.
    public var offset: Int64
    /// Who wrote it.
    public var by: Int64
    /// The writer's name, as ``Person/name``.
    public var name: String
    /// When.
    public var at: Timestamp
    /// The first 200 characters; nil for a picture without words, and when it is deleted.
    public var text: String?
    /// It has a picture.
    public var picture: Bool
    /// It is deleted.
    public var deleted: Bool
    /// Memberwise.
    public init(offset: Int64, by: Int64, name: String, at: Timestamp, text: String?, picture: Bool, deleted: Bool) {
        self.offset = offset
        self.by = by
        self.name = name
        self.at = at
        self.text = text
        self.picture = picture
        self.deleted = deleted
    }
}

/// A conversation as one of its members sees it in the list.
public struct Conversation: Codable, Sendable, Equatable {
    /// Its number; its topic is `chat/<id>`.
    public var id: Int64
    /// Of two, or a group.
    public var kind: ConversationKind
    /// The group's name, or the buddy's.
    public var name: String
    /// Of a group, perhaps.
    public var purpose: GroupPurpose?
    /// The other of two.
    public var buddy: Person?
    /// Whether one has joined.
    public var state: MemberState
    /// What one may do.
    public var role: MemberRole
    /// Who invited one, as long as one has not joined.
    public var invitedBy: Person?
    /// How many have joined.
    public var members: Int
    /// It was never opened: a new match, a new group.
    public var new: Bool
    /// Messages of others behind ``read`` that are not deleted; at most 1,000 are counted.
    public var unread: Int
    /// Where one has read up to.
    public var read: Int64
    /// Nothing of it is to sound until then; far away when for good.
    public var mutedUntil: Timestamp?
    /// Of the log.
    public var epoch: Int64
    /// The log's newest offset; 0 as long as one has not joined.
    public var head: Int64
    /// Nil while nothing was written, or one has not joined.
    public var last: LastMessage?
    /// When something was last written, or one came to it: the order of the list, newest first.
    public var at: Timestamp
    /// Memberwise.
    public init(
        id: Int64, kind: ConversationKind, name: String, purpose: GroupPurpose?, buddy: Person?, state: MemberState,
        role: MemberRole, invitedBy: Person?, members: Int, new: Bool, unread: Int, read: Int64, mutedUntil: Timestamp?,
        epoch: Int64, head: Int64, last: LastMessage?, at: Timestamp
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.purpose = purpose
        self.buddy = buddy
        self.state = state
        self.role = role
        self.invitedBy = invitedBy
        self.members = members
        self.new = new
        self.unread = unread
        self.read = read
        self.mutedUntil = mutedUntil
        self.epoch = epoch
        self.head = head
        self.last = last
        self.at = at
    }
}

/// A member as the other members see it.
public struct Member: Codable, Sendable, Equatable {
    /// Who; without name and picture when blocked.
    public var person: Person
    /// What they may do.
    public var role: MemberRole
    /// Whether they joined.
    public var state: MemberState
    /// They have read up to there; nil when they do not tell.
    public var read: Int64?
    /// Their device has it up to there; nil when they do not tell.
    public var delivered: Int64?
    /// Memberwise.
    public init(person: Person, role: MemberRole, state: MemberState, read: Int64?, delivered: Int64?) {
        self.person = person
        self.role = role
        self.state = state
        self.read = read
        self.delivered = delivered
    }
}

/// A conversation, by number.
public struct ConversationParams: Codable, Sendable {
    /// The conversation's number.
    public var conversation: Int64
    /// Memberwise.
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
    /// Memberwise.
    public init(conversation: Int64, epoch: Int64, offset: Int64?, at: Timestamp? = nil) {
        self.conversation = conversation
        self.epoch = epoch
        self.offset = offset
        self.at = at
    }
}

/// `chat.list`: one's conversations, newest first; at most 500.
public enum ChatList: RPCMethod {
    /// The name on the wire.
    public static let name = "chat.list"
    /// What the caller gives.
    public typealias Params = Empty
    /// The list.
    public struct Result: Codable, Sendable {
        /// Invitations included.
        public var conversations: [Conversation]
        /// Memberwise.
        public init(conversations: [Conversation]) { self.conversations = conversations }
    }
}

/// `chat.conversation`: one of them, with its members. Opening one takes its mark of being new away.
public enum ChatConversation: RPCMethod {
    /// The name on the wire.
    public static let name = "chat.conversation"
    /// Which.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        public var conversation: Int64
        /// True when a person opens it.
        public var opens: Bool?
        /// Memberwise.
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
        /// Memberwise.
        public init(conversation: Conversation, members: [Member]) {
            self.conversation = conversation
            self.members = members
        }
    }
}

/// `chat.history`: messages and what happened to the group, newest first, as they are now.
public enum ChatHistory: RPCMethod {
    /// The name on the wire.
    public static let name = "chat.history"
    /// A page's place.
    public struct Params: Codable, Sendable {
        /// The conversation's number.
        public var conversation: Int64
        /// Only what is below this offset: the last reply's `next`. Nil for the newest.
        public var before: Int64?
        /// 1 to 100; 30 unless given.
        public var limit: Int?
        /// Memberwise.
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
        /// Memberwise.
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
        /// Memberwise.
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
    /// The name on the wire.
    public static let name = "chat.search"
    /// What to look for.
    public struct Params: Codable, Sendable {
        /// Words or beginnings of them, 2 to 100 characters.
        public var text: String
        /// Only there.
        public var conversation: Int64?
        /// Only before it: the last reply's `next`.
        public var before: Timestamp?
        /// 1 to 50; 20 unless given.
        public var limit: Int?
        /// Memberwise.
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
        /// Memberwise.
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
        /// Newest first; more than were asked for when the last ones were sent in the same millisecond.
        public var messages: [Found]
        /// Give it as `before` for the next page; nil when there is none.
        public var next: Timestamp?
        /// Memberwise.
        public init(messages: [Found], next: Timestamp?) {
            self.messages = messages
            self.next = next
        }
    }
}
