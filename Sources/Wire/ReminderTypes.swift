// Types for reminders: kinds, channels and settings.

/// Subject of a reminder.
public enum ReminderKind: String, WireChoice {
    /// An event begins soon or was changed.
    case event
    /// An unread message.
    case message
    /// A notice of the campus.
    case notice
    /// A goal is near or reached.
    case goal
    /// A planned workout begins soon, or a buddy invites to train together.
    case workout
}

/// Channel of a reminder.
public enum ReminderChannel: String, WireChoice {
    /// Web Push to browsers, even with the page closed.
    case push
    /// A mail.
    case email
    /// A text message to a phone.
    case text
}

/// State of a channel.
public enum ReminderChannelState: String, WireChoice {
    /// The operator has not configured the channel.
    case unavailable
    /// The account has no address, or no subscribed browser.
    case off
    /// A code was sent to the address and has not been confirmed.
    case unconfirmed
    /// The channel delivers reminders.
    case on
    /// The address does not exist, or its server refused it permanently. The person must set it again.
    case dead
}

/// Reminder settings of one account.
public struct ReminderSettings: Codable, Sendable, Equatable {
    /// A channel with its address.
    public struct Channel: Codable, Sendable, Equatable {
        public var channel: ReminderChannel
        public var state: ReminderChannelState
        /// Mail address or phone number; nil for push.
        public var address: String?
        /// Reason for the state ``ReminderChannelState/dead``, one sentence.
        public var reason: String?
        /// For push: the subscribed browsers, oldest first.
        public var browsers: [Browser]?
        public init(
            channel: ReminderChannel, state: ReminderChannelState, address: String? = nil, reason: String? = nil,
            browsers: [Browser]? = nil
        ) {
            self.channel = channel
            self.state = state
            self.address = address
            self.reason = reason
            self.browsers = browsers
        }
    }

    /// A subscribed browser.
    public struct Browser: Codable, Sendable, Equatable {
        /// Address of the browser at its push service, by which the browser finds its own entry.
        public var endpoint: String
        /// Name of the browser.
        public var client: String?
        /// Time of the subscription.
        public var since: Timestamp
        /// ``ReminderChannelState/on`` or ``ReminderChannelState/dead``.
        public var state: ReminderChannelState
        public init(endpoint: String, client: String?, since: Timestamp, state: ReminderChannelState) {
            self.endpoint = endpoint
            self.client = client
            self.since = since
            self.state = state
        }
    }

    /// Channels of one kind of reminder. The setting keeps channels that are unavailable or off, without effect.
    public struct Choice: Codable, Sendable, Equatable {
        public var kind: ReminderKind
        public var channels: [ReminderChannel]
        public init(kind: ReminderKind, channels: [ReminderChannel]) {
            self.kind = kind
            self.channels = channels
        }
    }

    /// One entry for each ``ReminderChannel``, in their order.
    public var channels: [Channel]
    /// One entry for each ``ReminderKind``, in their order.
    public var kinds: [Choice]
    /// Minutes before the start of an event, longest first.
    public var leads: [Int]
    /// Minutes that a message stays unread before a reminder by mail or text message.
    public var unreadMinutes: Int
    /// Whether browser notifications name the sender without the text.
    public var hidesText: Bool
    public init(channels: [Channel], kinds: [Choice], leads: [Int], unreadMinutes: Int, hidesText: Bool) {
        self.channels = channels
        self.kinds = kinds
        self.leads = leads
        self.unreadMinutes = unreadMinutes
        self.hidesText = hidesText
    }
}

/// JSON payload of a push message, encrypted for one browser and read by the service worker.
public struct PushPayload: Codable, Sendable, Equatable {
    /// Kind of the reminder; nil for a test (`reminders.test`).
    public var kind: ReminderKind?
    /// Title of the notification.
    public var title: String
    /// Text of the notification.
    public var body: String
    /// Notification tag: a later notification replaces an earlier one with the same tag.
    public var tag: String
    /// Path of the web app to open, such as `/chats/7`.
    public var path: String
    /// True for emergencies: the notification stays until the person dismisses it.
    public var urgent: Bool?
    public init(kind: ReminderKind?, title: String, body: String, tag: String, path: String, urgent: Bool? = nil) {
        self.kind = kind
        self.title = title
        self.body = body
        self.tag = tag
        self.path = path
        self.urgent = urgent
    }
}
