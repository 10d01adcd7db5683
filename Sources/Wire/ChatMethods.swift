// Conversations (C-7, W-5, B-6). The Chat article describes how a client keeps a conversation complete.

/// Emoji with which a member can react to a message (C-7).
public enum Reaction: String, WireChoice {
    case thumb = "👍"
    case muscle = "💪"
    case fire = "🔥"
    case hundred = "💯"
}

public enum ConversationKind: String, WireChoice {
    /// Conversation of two buddies.
    case direct
    /// Conversation of the people who were invited and have joined.
    case group
}

public enum GroupPurpose: String, WireChoice {
    case workout, event
}

/// Permissions of a member of a group. Each role includes the permissions of the roles after it.
public enum MemberRole: String, WireChoice {
    /// May do everything. A group that has members has an owner.
    case owner
    /// May invite people, rename the group, remove members and delete any message.
    case admin
    /// May write messages.
    case member
}

/// Whether a person has joined a conversation.
public enum MemberState: String, WireChoice {
    /// Invited, but not a member: the person cannot read the conversation yet.
    case invited
    case joined
}

public struct MessagePicture: Codable, Sendable, Equatable {
    /// Part of the paths `/pictures/<id>` and `/pictures/<id>/thumb`.
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

/// The members who reacted to a message with one emoji.
public struct MessageReactions: Codable, Sendable, Equatable {
    public var emoji: Reaction
    /// Accounts, in no particular order.
    public var by: [Int64]
    public init(emoji: Reaction, by: [Int64]) {
        self.emoji = emoji
        self.by = by
    }
}

/// An event of a conversation, as the topic `chat/<id>` publishes it and `chat.history` lists it. ``Kind`` lists the members that
/// each type of event has.
public struct ChatEvent: Codable, Sendable, Equatable {
    /// Type of an event.
    public enum Kind: String, WireChoice {
        /// A message, with `id`, `text`, `picture`, `reply`, `editedAt` and `deletedAt`. A deleted message has no `text` and no `picture`.
        case message
        /// `message` has the text `text` since `at`. There is no `text` if the message was deleted later.
        case edited
        /// `message` was deleted. `account` is its author, if another member deleted it. If a blocked account deleted another member's
        /// message, `by` is 0 and there are no other members.
        case deleted
        /// The reaction `emoji` to `message` was added (`on` is true) or withdrawn (`on` is false).
        case reaction
        /// `account` joined.
        case joined
        /// `account` left. The account receives no later events.
        case left
        /// `by` removed `account`. The account receives no later events.
        case removed
        /// `account` has the role `role`.
        case role
        /// The group has the name `text`.
        case renamed
        /// The two people became buddies.
        case opened
        /// The two people are no longer buddies. Neither receives later events.
        case closed
        /// Placeholder for an event of a blocked account. It has no content.
        case hidden
    }
    /// Account that acted; 0 if no account did or the event hides it.
    public var by: Int64
    public var type: Kind
    /// Time at which the server accepted the event; nil for a hidden event.
    public var at: Timestamp?
    /// UUID that the sender chose for the message.
    public var id: String?
    public var text: String?
    public var picture: MessagePicture?
    /// Offset of the message to which this one replies.
    public var reply: Int64?
    /// Time of the last edit.
    public var editedAt: Timestamp?
    public var deletedAt: Timestamp?
    /// Offset of the message that the event edits, deletes or reacts to.
    public var message: Int64?
    public var emoji: Reaction?
    /// True for a reaction that was added, false for one that was withdrawn.
    public var on: Bool?
    /// Account that the event concerns.
    public var account: Int64?
    /// The new role of ``account``.
    public var role: MemberRole?

    /// An event whose other members are nil.
    public init(by: Int64, type: Kind, at: Timestamp?) {
        self.by = by
        self.type = type
        self.at = at
    }
}

/// Number of one conversation.
public struct ConversationParams: Codable, Sendable {
    @ObjectID public var conversation: Int64
    public init(conversation: Int64) { self.conversation = conversation }
}

/// Position of a change in a conversation's log, the reply to each method that changes the log.
public struct ChatPosition: Codable, Sendable, Equatable {
    public var conversation: Int64
    public var epoch: Int64
    /// Offset of the change in the log. A repeated request gets the same offset. Nil if nothing changed.
    public var offset: Int64?
    /// Time at which the server accepted the change.
    public var at: Timestamp?
    public init(conversation: Int64, epoch: Int64, offset: Int64?, at: Timestamp? = nil) {
        self.conversation = conversation
        self.epoch = epoch
        self.offset = offset
        self.at = at
    }
}

extension ChatPosition: JSONWritable {
    public func write(to json: inout JSONText) {
        json.add("{\"conversation\":", conversation)
        json.add(",\"epoch\":", epoch)
        if let offset { json.add(",\"offset\":", offset) }
        if let at { json.add(",\"at\":", at) }
        json.add("}")
    }
}

public enum ChatList: RPCMethod {
    public static let name = "chat.list"
    public static let summary = "Lists the caller's conversations, newest first; at most 500."
    public static let access = MethodAccess.accounts
    public typealias Params = Empty
    public struct Result: Codable, Sendable {
        /// Conversations and invitations.
        public var conversations: [Conversation]
        public init(conversations: [Conversation]) { self.conversations = conversations }
    }
}

public enum ChatConversation: RPCMethod {
    public static let name = "chat.conversation"
    public static let summary = "Returns one conversation with its members. Opening it clears its `new` mark."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var conversation: Int64
        /// True if the person opens the conversation; clears its `new` mark.
        public var opens: Bool?
        public init(conversation: Int64, opens: Bool? = nil) {
            self.conversation = conversation
            self.opens = opens
        }
    }
    public struct Result: Codable, Sendable {
        public var conversation: Conversation
        /// All members including the caller; empty until the caller joins.
        public var members: [Member]
        public init(conversation: Conversation, members: [Member]) {
            self.conversation = conversation
            self.members = members
        }
    }
}

public enum ChatHistory: RPCMethod {
    public static let name = "chat.history"
    public static let summary = "Returns messages and group events in their present state, newest first."
    public static let access = MethodAccess.accounts
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        @ObjectID public var conversation: Int64
        /// Restricts the page to offsets below this one: `next` of the previous reply. Nil requests the newest page.
        @LogOffset public var before: Int64?
        /// 1 to 100; default 30.
        @Count public var limit: Int?
        public init(conversation: Int64, before: Int64? = nil, limit: Int? = nil) {
            self.conversation = conversation
            self.before = before
            self.limit = limit
        }
    }
    /// An event with its reactions.
    public struct Item: Codable, Sendable, Equatable {
        /// Offset of the event in the log.
        public var offset: Int64
        /// `message`, `joined`, `left`, `removed`, `role`, `renamed`, `opened` or `hidden`.
        public var event: ChatEvent
        /// Nil without reactions.
        public var reactions: [MessageReactions]?
        public init(offset: Int64, event: ChatEvent, reactions: [MessageReactions]?) {
            self.offset = offset
            self.event = event
            self.reactions = reactions
        }
    }
    public struct Result: Codable, Sendable {
        public var conversation: Int64
        /// Epoch of the log.
        public var epoch: Int64
        /// Newest offset of the log when the server read the page.
        public var head: Int64
        /// Newest first.
        public var items: [Item]
        /// Value of `before` for the next page; nil on the last page.
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

public enum ChatSearch: RPCMethod {
    public static let name = "chat.search"
    public static let summary = """
        Returns messages that contain all given words, in the caller's conversations, newest first.
        """
    public static let access = MethodAccess.accounts
    public static let texts: [String: TextLimit] = ["text": .messageSearch]
    public static let limits: [MethodLimit] = [.each(.search)]
    public static let errors: [ErrorCode] = [.notFound]
    public struct Params: Codable, Sendable {
        /// Words or parts of words, 1 to 100 characters; upper and lower case are equal.
        public var text: String
        /// Restricts the search to this conversation.
        @ObjectID public var conversation: Int64?
        /// Restricts the search to earlier messages: `next` of the previous reply.
        public var before: Timestamp?
        /// 1 to 50; default 20.
        @Count public var limit: Int?
        public init(text: String, conversation: Int64? = nil, before: Timestamp? = nil, limit: Int? = nil) {
            self.text = text
            self.conversation = conversation
            self.before = before
            self.limit = limit
        }
    }
    /// A message that matches.
    public struct Found: Codable, Sendable, Equatable {
        public var conversation: Int64
        /// Name of the conversation.
        public var name: String
        /// Offset of the message in the log.
        public var offset: Int64
        /// Author of the message.
        public var by: Person
        public var at: Timestamp
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
    public struct Result: Codable, Sendable {
        /// Newest first. The page exceeds `limit` if its last messages were sent in the same millisecond. It is empty if the part of the
        /// log that the server searched contains no match; ``next`` continues the search.
        public var messages: [Found]
        /// Value of `before` for continuing the search; nil if the server has searched the whole log.
        public var next: Timestamp?
        public init(messages: [Found], next: Timestamp?) {
            self.messages = messages
            self.next = next
        }
    }
}

extension APIRegistry {
    static let chatReading: [any RPCMethod.Type] = [
        ChatList.self, ChatConversation.self, ChatHistory.self, ChatSearch.self,
    ]
}
