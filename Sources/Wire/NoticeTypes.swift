// What notices are (N-7, U-7).

/// How much a notice matters.
public enum NoticeLevel: String, WireChoice {
    /// Waits while its reader is not to be disturbed.
    case info, important
    /// Passes at once, whatever its reader does.
    case emergency
}

/// To whom a notice goes.
public struct NoticeAudience: Codable, Sendable, Hashable {
    /// What kind of group it is.
    public enum Kind: String, WireChoice {
        case campus, zone, role, event, user
    }
    /// Says which of the others must be given.
    public var kind: Kind
    /// Who follows this zone, or is out there when it is published.
    @ObjectID public var zone: Int64?
    /// Accounts with this role.
    public var role: Role?
    /// Who made this event, comes, perhaps, waits, is invited or keeps it in view.
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
    /// Who follows a zone, or is out there.
    public static func zone(_ zone: Int64) -> NoticeAudience { NoticeAudience(kind: .zone, zone: zone) }
    /// Accounts with a role.
    public static func role(_ role: Role) -> NoticeAudience { NoticeAudience(kind: .role, role: role) }
    /// Who has to do with an event.
    public static func event(_ event: Int64) -> NoticeAudience { NoticeAudience(kind: .event, event: event) }
    /// One account.
    public static func user(_ account: Int64) -> NoticeAudience { NoticeAudience(kind: .user, account: account) }
}

/// A notice as its recipients get it. Of two with the same number the higher revision holds.
public struct Notice: Codable, Sendable, Equatable {
    /// Who sent it.
    public struct Sender: Codable, Sendable, Equatable {
        /// Nil for guests.
        public var username: String?
        /// What they are.
        public var role: Role

        public init(username: String? = nil, role: Role) {
            self.username = username
            self.role = role
        }
    }

    /// Always `notice`.
    public var type = "notice"
    /// The server's own.
    public var number: Int64
    /// Grows with each correction.
    public var revision: Int
    /// The sender's own number of it, a UUID.
    public var id: String
    /// When it was published.
    public var at: Timestamp
    /// When it was corrected last.
    public var changedAt: Timestamp?
    /// 1 to 120 characters.
    public var title: String
    /// At most 4,000 characters; nil when the title says it all.
    public var body: String?
    /// How much it matters.
    public var level: NoticeLevel
    /// Nil when the account is gone.
    public var from: Sender?
    /// Why one gets it; never another person.
    public var to: NoticeAudience
    /// Then it is not to be shown any more.
    public var expiresAt: Timestamp?
    /// When the account read it, in replies; pushes do not say.
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

/// What is published on `notices`, `campus/notices` and `zone/<id>/notices`.
public enum NoticeEvent: Codable, Sendable, Equatable {
    /// A notice, or what it says now.
    case notice(Notice)
    /// `{type: "withdrawn", number, revision}`: it is not to be shown any more.
    case withdrawn(number: Int64, revision: Int)

    private enum Key: CodingKey { case type, number, revision }

    /// Which notice it is about.
    public var number: Int64 {
        switch self {
        case .notice(let notice): notice.number
        case .withdrawn(let number, _): number
        }
    }

    /// What was taken of a notice with this revision or a higher one, it need not be taken again.
    public var revision: Int {
        switch self {
        case .notice(let notice): notice.revision
        case .withdrawn(_, let revision): revision
        }
    }

    /// Reads the wire form.
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

    /// Writes the wire form.
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

/// Where a notice stands.
public enum NoticeState: String, WireChoice {
    case scheduled, published, withdrawn, expired
}

/// A notice as its sender, and admins, see it.
public struct SentNotice: Codable, Sendable, Equatable {
    /// What it says.
    public var notice: Notice
    /// To whom it goes.
    public var audience: NoticeAudience
    /// Where it stands.
    public var state: NoticeState
    /// When it was, or will be, published.
    public var publishAt: Timestamp
    /// Accounts it is for now: a multiple of 5, where 0 is fewer than 5; 1 for one account. Of a zone, its followers.
    public var recipients: Int64
    /// Accounts with it on a device, of those that send receipts: a multiple of 5. Only for the campus or a role of at least 20 accounts.
    public var received: Int64?
    /// Accounts that have read it, counted likewise.
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

/// When somebody is not to be disturbed, each day.
public struct QuietHours: Codable, Sendable, Hashable {
    /// Such as `22:00`.
    public var from: String
    /// Such as `07:00`; when it is before `from`, on the next day.
    public var to: String
    /// Of the tz database, such as `Europe/Berlin`.
    public var timeZone: String

    public init(from: String, to: String, timeZone: String) {
        self.from = from
        self.to = to
        self.timeZone = timeZone
    }
}

/// What an account wants of notices.
public struct NoticeSettings: Codable, Sendable, Equatable {
    /// Nil for none.
    public var quietHours: QuietHours?
    /// Zones whose notices it wants, at most 50.
    @ObjectID public var zones: [Int64]

    public init(quietHours: QuietHours? = nil, zones: [Int64] = []) {
        self.quietHours = quietHours
        self.zones = zones
    }
}
