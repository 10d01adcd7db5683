// A conversation as its members see it.

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
    public init(person: Person, role: MemberRole, state: MemberState, read: Int64?, delivered: Int64?) {
        self.person = person
        self.role = role
        self.state = state
        self.read = read
        self.delivered = delivered
    }
}
