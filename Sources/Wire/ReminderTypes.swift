// What people are reminded of, by which way, and how they said so.

/// What a reminder is about.
public enum ReminderKind: String, WireChoice {
    /// An event begins soon, or is not what it was.
    case event
    /// Somebody wrote, and one has not read it.
    case message
    /// The campus says something.
    case notice
    /// A goal is near, or reached.
    case goal
}

/// By which way a reminder comes.
public enum ReminderChannel: String, WireChoice {
    /// Web Push, to browsers, also with the page closed.
    case push
    /// A mail.
    case email
    /// A text message to a phone.
    case text
}

/// How things stand with a channel.
public enum ReminderChannelState: String, WireChoice {
    /// The operator has not set it up.
    case unavailable
    /// There is no address, or no browser that subscribed.
    case off
    /// A code was sent to the address, and not said back yet.
    case unconfirmed
    /// Reminders go there.
    case on
    /// The address does not exist, or its server refused it for good: set it anew.
    case dead
}

/// The settings of one account's reminders.
public struct ReminderSettings: Codable, Sendable, Equatable {
    /// A channel, and where it leads.
    public struct Channel: Codable, Sendable, Equatable {
        /// Which.
        public var channel: ReminderChannel
        /// How things stand.
        public var state: ReminderChannelState
        /// The address or the number; none for push.
        public var address: String?
        /// Why it is dead, in a sentence.
        public var reason: String?
        /// Of push: the browsers that subscribed, oldest first.
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

    /// A browser that subscribed.
    public struct Browser: Codable, Sendable, Equatable {
        /// Its address at its push service, by which it knows itself again.
        public var endpoint: String
        /// What it called itself.
        public var client: String?
        /// Since when.
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

    /// By which channels a kind of reminder comes. Those that are unavailable or off are kept, and do nothing.
    public struct Choice: Codable, Sendable, Equatable {
        /// Of what.
        public var kind: ReminderKind
        /// By which ways.
        public var channels: [ReminderChannel]
        public init(kind: ReminderKind, channels: [ReminderChannel]) {
            self.kind = kind
            self.channels = channels
        }
    }

    /// One of each, in the order of ``ReminderChannel``.
    public var channels: [Channel]
    /// One of each, in the order of ``ReminderKind``.
    public var kinds: [Choice]
    /// Minutes before an event begins, longest first.
    public var leads: [Int]
    /// Minutes that a message is unread before a mail or a text message tells of it.
    public var unreadMinutes: Int
    /// Browsers show who wrote, and not what.
    public var hidesText: Bool
    public init(channels: [Channel], kinds: [Choice], leads: [Int], unreadMinutes: Int, hidesText: Bool) {
        self.channels = channels
        self.kinds = kinds
        self.leads = leads
        self.unreadMinutes = unreadMinutes
        self.hidesText = hidesText
    }
}

/// What a push holds, as the service worker reads it: JSON, encrypted for the browser alone.
public struct PushPayload: Codable, Sendable, Equatable {
    /// What it is about; nil for a trial (`reminders.test`).
    public var kind: ReminderKind?
    /// The first line.
    public var title: String
    /// What follows it.
    public var body: String
    /// One notification is shown for each: a later one takes the place of an earlier one.
    public var tag: String
    /// A path of the web app to open, such as `/chats/7`.
    public var path: String
    /// True for emergencies: it stays until it is dismissed.
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
