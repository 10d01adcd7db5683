// Types for notices (N-7, U-7).

/// Urgency of a notice.
public enum NoticeLevel: String, WireChoice {
    /// Withheld while its reader is not to be disturbed.
    case info, important
    /// Delivered immediately in all cases.
    case emergency
}

/// Recipients of a notice.
public struct NoticeAudience: Codable, Sendable, Hashable {
    public enum Kind: String, WireChoice {
        case campus, zone, role, event, user
    }
    /// Kind of the audience. It determines which other member is required.
    public var kind: Kind
    /// Accounts that follow this zone, or whose running session has its last point in it at the time of publication.
    @ObjectID public var zone: Int64?
    /// Accounts with this role.
    public var role: Role?
    /// The owner of this event, and the accounts that are going, perhaps going, waiting, invited, or have saved it.
    @ObjectID public var event: Int64?
    /// One account.
    @ObjectID public var account: Int64?

    public init(kind: Kind, zone: Int64? = nil, role: Role? = nil, event: Int64? = nil, account: Int64? = nil) {
        self.kind = kind
        self.zone = zone
        self.role = role
        self.event = event
        self.account = account
    }

    /// Everybody.
    public static let campus = NoticeAudience(kind: .campus)
    /// Accounts that follow a zone, or whose running session is in it.
    public static func zone(_ zone: Int64) -> NoticeAudience { NoticeAudience(kind: .zone, zone: zone) }
    public static func role(_ role: Role) -> NoticeAudience { NoticeAudience(kind: .role, role: role) }
    /// Accounts concerned by an event.
    public static func event(_ event: Int64) -> NoticeAudience { NoticeAudience(kind: .event, event: event) }
    public static func user(_ account: Int64) -> NoticeAudience { NoticeAudience(kind: .user, account: account) }
}

/// A notice as its recipients get it. Of two notices with the same number, the one with the higher revision is valid.
public struct Notice: Codable, Sendable, Equatable {
    public struct Sender: Codable, Sendable, Equatable {
        /// Nil for guests.
        public var username: String?
        public var role: Role

        public init(username: String? = nil, role: Role) {
            self.username = username
            self.role = role
        }
    }

    /// Always `notice`.
    public var type = "notice"
    /// Number that the server assigned.
    public var number: Int64
    /// Increases with each correction.
    public var revision: Int
    /// UUID that the sender chose.
    public var id: String
    /// Time of publication.
    public var at: Timestamp
    /// Time of the last correction.
    public var changedAt: Timestamp?
    /// 1 to 120 characters.
    public var title: String
    /// At most 4,000 characters; nil for a notice that consists of its title.
    public var body: String?
    public var level: NoticeLevel
    /// Nil if the account was deleted.
    public var from: Sender?
    /// Audience because of which the caller gets the notice. It never names another person.
    public var to: NoticeAudience
    /// Time from which clients no longer show the notice.
    public var expiresAt: Timestamp?
    /// Time at which the account read the notice. Present in replies only, not in publications.
    public var readAt: Timestamp?

    public init(
        number: Int64, revision: Int = 1, id: String, at: Timestamp, changedAt: Timestamp? = nil, title: String,
        body: String? = nil, level: NoticeLevel, from: Sender? = nil, to: NoticeAudience, expiresAt: Timestamp? = nil,
        readAt: Timestamp? = nil
    ) {
        self.number = number
        self.revision = revision
        self.id = id
        self.at = at
        self.changedAt = changedAt
        self.title = title
        self.body = body
        self.level = level
        self.from = from
        self.to = to
        self.expiresAt = expiresAt
        self.readAt = readAt
    }
}

/// Publication on `notices`, `campus/notices` and `zone/<id>/notices`.
public enum NoticeEvent: Codable, Sendable, Equatable {
    /// A new or corrected notice.
    case notice(Notice)
    /// A withdrawal, `{type: "withdrawn", number, revision}`: clients no longer show the notice.
    case withdrawn(number: Int64, revision: Int)

    private enum Key: CodingKey { case type, number, revision }

    /// Number of the notice.
    public var number: Int64 {
        switch self {
        case .notice(let notice): notice.number
        case .withdrawn(let number, _): number
        }
    }

    /// Revision of the notice. A client that has applied this revision or a higher one can ignore the event.
    public var revision: Int {
        switch self {
        case .notice(let notice): notice.revision
        case .withdrawn(_, let revision): revision
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard try container.decode(String.self, forKey: .type) == "withdrawn" else {
            self = .notice(try Notice(from: decoder))
            return
        }
        self = .withdrawn(
            number: try container.decode(Int64.self, forKey: .number),
            revision: try container.decode(Int.self, forKey: .revision))
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .notice(let notice): try notice.encode(to: encoder)
        case .withdrawn(let number, let revision):
            var container = encoder.container(keyedBy: Key.self)
            try container.encode("withdrawn", forKey: .type)
            try container.encode(number, forKey: .number)
            try container.encode(revision, forKey: .revision)
        }
    }
}

public enum NoticeState: String, WireChoice {
    case scheduled, published, withdrawn, expired
}

/// A notice as its sender and admins see it.
public struct SentNotice: Codable, Sendable, Equatable {
    public var notice: Notice
    public var audience: NoticeAudience
    public var state: NoticeState
    /// Past or future time of publication.
    public var publishAt: Timestamp
    /// Present number of recipients: 1 for a single account, otherwise a multiple of 5, where 0 means fewer than 5. For a zone it counts
    /// the followers.
    public var recipients: Int64
    /// Number of accounts with a device that has received the notice, among accounts that share receipts: a multiple of 5. Nil except for
    /// the campus and for a role of at least 20 accounts.
    public var received: Int64?
    /// Number of accounts that have read the notice, counted like ``received``.
    public var read: Int64?

    public init(
        notice: Notice, audience: NoticeAudience, state: NoticeState, publishAt: Timestamp, recipients: Int64,
        received: Int64? = nil, read: Int64? = nil
    ) {
        self.notice = notice
        self.audience = audience
        self.state = state
        self.publishAt = publishAt
        self.recipients = recipients
        self.received = received
        self.read = read
    }
}

/// Daily interval in which a person is not to be disturbed.
public struct QuietHours: Codable, Sendable, Hashable {
    /// Local time such as `22:00`.
    public var from: String
    /// Local time such as `07:00`. A time before `from` is on the next day.
    public var to: String
    /// Name from the tz database, such as `Europe/Berlin`.
    public var timeZone: String

    public init(from: String, to: String, timeZone: String) {
        self.from = from
        self.to = to
        self.timeZone = timeZone
    }
}

/// Settings of an account for notices.
public struct NoticeSettings: Codable, Sendable, Equatable {
    /// Nil without quiet hours.
    public var quietHours: QuietHours?
    /// Followed zones, at most 50.
    @ObjectID public var zones: [Int64]

    public init(quietHours: QuietHours? = nil, zones: [Int64] = []) {
        self.quietHours = quietHours
        self.zones = zones
    }
}
