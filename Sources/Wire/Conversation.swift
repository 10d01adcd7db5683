// Types for conversations, as a member sees them.

/// The newest message of a conversation, for a list of conversations.
public struct LastMessage: Codable, Sendable, Equatable {
    /// Offset of the message in the log.
    public var offset: Int64
    /// Author of the message.
    public var by: Int64
    /// Name of the author, formed like ``Person/name``.
    public var name: String
    public var at: Timestamp
    /// First 200 characters; nil for a deleted message and for a picture without text.
    public var text: String?
    /// Whether the message has a picture.
    public var picture: Bool
    public var deleted: Bool
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

extension LastMessage: JSONWritable {
    public func write(to json: inout JSONText) {
        json.add("{\"offset\":", offset)
        json.add(",\"by\":", by)
        json.add(",\"name\":", string: name)
        json.add(",\"at\":", at)
        if let text { json.add(",\"text\":", string: text) }
        json.add(",\"picture\":", picture)
        json.add(",\"deleted\":", deleted)
        json.add("}")
    }
}

/// A conversation as one of its members sees it in the list.
public struct Conversation: Codable, Sendable, Equatable {
    /// Number of the conversation, part of its topic `chat/<id>`.
    public var id: Int64
    public var kind: ConversationKind
    /// Name of the group or of the buddy.
    public var name: String
    /// Purpose of a group, if it has one.
    public var purpose: GroupPurpose?
    /// The other person of a direct conversation.
    public var buddy: Person?
    /// Whether the caller has joined.
    public var state: MemberState
    /// The caller's role.
    public var role: MemberRole
    /// Person who invited the caller; nil after the caller has joined.
    public var invitedBy: Person?
    /// Number of people who have joined.
    public var members: Int
    /// True until the caller first opens the conversation.
    public var new: Bool
    /// Number of undeleted messages of other members after ``read``; counted up to 1,000.
    public var unread: Int
    /// Offset up to which the caller has read the conversation.
    public var read: Int64
    /// End of the muting; a time in the far future for muting without an end.
    public var mutedUntil: Timestamp?
    /// Epoch of the log.
    public var epoch: Int64
    /// Newest offset of the log; 0 until the caller joins.
    public var head: Int64
    /// Nil for an empty conversation and until the caller joins.
    public var last: LastMessage?
    /// Time of the last message or of the caller's invitation. Lists are sorted by this time, newest first.
    public var at: Timestamp
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

public struct Member: Codable, Sendable, Equatable {
    /// The member; without name and picture if a block exists.
    public var person: Person
    public var role: MemberRole
    public var state: MemberState
    /// Offset up to which the member has read; nil if the member does not share read receipts.
    public var read: Int64?
    /// Offset up to which the member's device has received; nil if the member does not share delivery receipts.
    public var delivered: Int64?
    public init(person: Person, role: MemberRole, state: MemberState, read: Int64?, delivered: Int64?) {
        self.person = person
        self.role = role
        self.state = state
        self.read = read
        self.delivered = delivered
    }
}
