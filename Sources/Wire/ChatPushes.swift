// What is pushed beside the logs of conversations.

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
        /// Something about `event`: `news`.
        case event
        /// This month's goal is reached.
        case goal
        /// Some of one's notices were read, perhaps on another device.
        case notices
        /// A `share` with one began, is another or ended: ask `sharing.withMe`.
        case share
        /// One was asked where one is, or was answered: `request`.
        case `where`
        /// What one wants kept or hidden is something else, perhaps by another device: ask `privacy.settings` and `privacy.zones`.
        case privacy
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
    /// The event.
    public var event: Int64?
    /// What is new about it.
    public var news: EventNews?
    /// The share.
    public var share: Int64?
    /// The question.
    public var request: Int64?
    public init(
        type: Kind, conversation: Int64? = nil, offset: Int64? = nil, message: LastMessage? = nil, event: Int64? = nil,
        news: EventNews? = nil, share: Int64? = nil, request: Int64? = nil
    ) {
        self.type = type
        self.conversation = conversation
        self.offset = offset
        self.message = message
        self.event = event
        self.news = news
        self.share = share
        self.request = request
    }
}

extension UserSignal: JSONWritable {
    public func write(to json: inout JSONText) {
        json.add("{\"type\":", string: type.rawValue)
        if let conversation { json.add(",\"conversation\":", conversation) }
        if let offset { json.add(",\"offset\":", offset) }
        if let message {
            json.add(",\"message\":")
            message.write(to: &json)
        }
        if let event { json.add(",\"event\":", event) }
        if let news { json.add(",\"news\":", string: news.rawValue) }
        if let share { json.add(",\"share\":", share) }
        if let request { json.add(",\"request\":", request) }
        json.add("}")
    }
}
