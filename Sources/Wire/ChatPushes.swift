// Publications about conversations that are not part of a conversation's log.

/// A publication on `chat/<id>` without an offset. The server neither stores nor repeats it.
public struct ChatAside: Codable, Sendable, Equatable {
    public enum Kind: String, WireChoice {
        /// `by` is writing. The client stops showing this after 6 s.
        case typing
        /// `by` has read the conversation up to `read`, and a device of `by` has received it up to `delivered`.
        case receipt
        /// The caller is no longer a member. The server sends nothing more on this topic.
        case closed
    }
    public var type: Kind
    public var by: Int64?
    /// Nil if the person does not share read receipts.
    public var read: Int64?
    /// Nil if the person does not share delivery receipts.
    public var delivered: Int64?
    public init(type: Kind, by: Int64? = nil, read: Int64? = nil, delivered: Int64? = nil) {
        self.type = type
        self.by = by
        self.read = read
        self.delivered = delivered
    }
}

/// A publication on `user/<id>`, which only that account receives. The topic has no offsets; after a reconnect the client calls
/// `chat.list` for the present state.
public struct UserSignal: Codable, Sendable, Equatable {
    public enum Kind: String, WireChoice {
        /// A new message `message` in `conversation`.
        case message
        /// Another change of `conversation`. The client calls `chat.conversation`.
        case conversation
        /// The account is no longer a member of `conversation`.
        case gone
        /// The person has read `conversation` up to `offset` on another device.
        case read
        /// A new report, for admins.
        case report
        /// The change `news` of `event`.
        case event
        /// The person reached this month's goal.
        case goal
        /// The person read notices, perhaps on another device.
        case notices
        /// A share with the account, `share`, began, changed or ended. The client calls `sharing.withMe`.
        case share
        /// A location request to the account arrived, or one of its own was answered: `request`.
        case `where`
        /// The privacy settings or private zones changed, perhaps on another device. The client calls `privacy.settings` and
        /// `privacy.zones`.
        case privacy
        /// The account itself or its profile changed, perhaps on another device. The client calls `account.me`.
        case account
        /// A setting changed, perhaps on another device. The client calls `account.settings`, and `reminders.settings`, `notices.settings`
        /// or `chat.settings` if it shows these.
        case settings
        /// Another device started, took over, changed or ended `training`.
        case training
        /// The account's workout `workout` was saved, scheduled or removed on another device, or a buddy shared it. The client calls
        /// `workouts.list`.
        case workout
        /// The account was invited to the live group `group`, or the group changed for it. The client calls `together.list`.
        case group
        /// Signals may have been lost. The client calls `chat.list`.
        case resync
    }
    public var type: Kind
    public var conversation: Int64?
    public var offset: Int64?
    public var message: LastMessage?
    public var event: Int64?
    public var news: EventNews?
    public var share: Int64?
    public var request: Int64?
    /// UUID of a training.
    public var training: String?
    /// UUID of a live group.
    public var group: String?
    /// UUID of a workout of the account.
    public var workout: String?
    public init(
        type: Kind, conversation: Int64? = nil, offset: Int64? = nil, message: LastMessage? = nil, event: Int64? = nil,
        news: EventNews? = nil, share: Int64? = nil, request: Int64? = nil,
        training: String? = nil, group: String? = nil, workout: String? = nil
    ) {
        self.type = type
        self.conversation = conversation
        self.offset = offset
        self.message = message
        self.event = event
        self.news = news
        self.share = share
        self.request = request
        self.training = training
        self.group = group
        self.workout = workout
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
        if let training { json.add(",\"training\":", string: training) }
        if let group { json.add(",\"group\":", string: group) }
        if let workout { json.add(",\"workout\":", string: workout) }
        json.add("}")
    }
}
