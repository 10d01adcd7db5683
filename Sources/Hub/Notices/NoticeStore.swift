import Wire

/// An entry of the log of notices: a publication, correction or withdrawal.
public struct NoticeEntry: Sendable, Equatable {
    /// Consecutive in the log; an account gets some of the entries.
    public let offset: Int64
    /// The entry is for all accounts; otherwise the feed reads its recipients from the store.
    public let isForAll: Bool
    /// The entry is delivered even to accounts whose notices are held back.
    public let passes: Bool
    /// The data for recipients, one JSON value. Nil when the entry is not delivered any more: a later one replaces it, or the notice
    /// expired.
    public let data: [UInt8]?

    public init(offset: Int64, isForAll: Bool, passes: Bool, data: [UInt8]?) {
        self.offset = offset
        self.isForAll = isForAll
        self.passes = passes
        self.data = data
    }
}

/// A part of the log of notices, as one read of the store saw it.
public struct NoticePage: Sendable {
    /// The log's head.
    public let head: TopicPosition
    /// Last offset of the part.
    public let through: Int64
    /// In the order of their offsets.
    public let entries: [NoticeEntry]

    public init(head: TopicPosition, through: Int64, entries: [NoticeEntry]) {
        self.head = head
        self.through = through
        self.entries = entries
    }
}

/// The part of the log for one account, as one read of the store saw it.
public struct AccountNoticePage: Sendable {
    /// The log's head.
    public var head: TopicPosition
    /// The account's position after this reading; not beyond the first entry that is held back.
    public var position: Int64
    /// Whether these are all entries since the position that was asked for.
    public var isRecovered = true
    /// Reason why not.
    public var failure: RecoveryFailure?
    /// There is more after `position` that is not held back.
    public var hasMore = false
    /// In the order of their offsets.
    public var publications: [StoredPublication]
    /// Entries beyond `limit` that are delivered although others are held back.
    public var early: [StoredPublication] = []
    /// Entries after this offset are held back; nil when none are.
    public var limit: Int64?
    /// When the account's quiet hours next begin or end.
    public var changesAt: Timestamp?

    public init(
        head: TopicPosition, position: Int64, isRecovered: Bool = true, failure: RecoveryFailure? = nil,
        hasMore: Bool = false, publications: [StoredPublication], early: [StoredPublication] = [], limit: Int64? = nil,
        changesAt: Timestamp? = nil
    ) {
        self.head = head
        self.position = position
        self.isRecovered = isRecovered
        self.failure = failure
        self.hasMore = hasMore
        self.publications = publications
        self.early = early
        self.limit = limit
        self.changesAt = changesAt
    }
}

/// Accounts whose notices are held back, by a session or quiet hours.
public struct NoticeHolds: Sendable, Equatable {
    /// Offset after which entries are held back, by account.
    public var limits: [Int64: Int64]
    /// When the quiet hours of any of the accounts next begin or end.
    public var changesAt: Timestamp?

    public init(limits: [Int64: Int64] = [:], changesAt: Timestamp? = nil) {
        self.limits = limits
        self.changesAt = changesAt
    }
}

/// Durable storage of notices and of their recipients.
public protocol NoticeStore: Sendable {
    /// The log's head.
    func head() async throws -> TopicPosition
    /// The entries after an offset.
    func page(after offset: Int64) async throws -> NoticePage
    /// The recipients of each entry among these accounts, as of now.
    func recipients(of offsets: [Int64], among accounts: [Int64]) async throws -> [Int64: Set<Int64>]
    /// The entries for an account after a position; without a position, the newest that are valid.
    func reading(for account: Int64, since: TopicPosition?) async throws -> AccountNoticePage
    /// The accounts among these whose notices are held back now.
    func holds(of accounts: [Int64]) async throws -> NoticeHolds
}
