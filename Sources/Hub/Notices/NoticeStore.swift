import Wire

/// What was told of a notice, in the order of the log.
public struct NoticeEntry: Sendable, Equatable {
    /// Grows by one with each; an account gets some of them.
    public let offset: Int64
    /// It is for everybody with an account; else the store is asked for whom it is.
    public let isForAll: Bool
    /// It does not wait for anybody who is not to be disturbed.
    public let passes: Bool
    /// What recipients get, one JSON value. Nil when it is not told any more: a later entry says more, or the notice has expired.
    public let data: [UInt8]?

    /// Memberwise.
    public init(offset: Int64, isForAll: Bool, passes: Bool, data: [UInt8]?) {
        self.offset = offset
        self.isForAll = isForAll
        self.passes = passes
        self.data = data
    }
}

/// A piece of the log of notices, as one look into the store saw it.
public struct NoticePage: Sendable {
    /// Where the log stands.
    public let head: TopicPosition
    /// How far the piece goes.
    public let through: Int64
    /// In the order of their offsets.
    public let entries: [NoticeEntry]

    /// Memberwise.
    public init(head: TopicPosition, through: Int64, entries: [NoticeEntry]) {
        self.head = head
        self.through = through
        self.entries = entries
    }
}

/// What one account is to get of the log, as one look into the store saw it.
public struct NoticeReading: Sendable {
    /// Where the log stands.
    public var head: TopicPosition
    /// How far the account has been given with this; not beyond what waits for it.
    public var position: Int64
    /// True when these are all since the position that was asked for.
    public var isRecovered = true
    /// Why not.
    public var failure: RecoveryFailure?
    /// There is more behind `position` that need not wait.
    public var hasMore = false
    /// In the order of their offsets.
    public var publications: [StoredPublication]
    /// What passes of what is held back.
    public var early: [StoredPublication] = []
    /// What is behind this offset is held back; nil for nothing.
    public var limit: Int64?
    /// When the account's quiet hours begin or end next.
    public var changesAt: Timestamp?

    /// Memberwise.
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

/// Who is not to be disturbed.
public struct NoticeHolds: Sendable, Equatable {
    /// What is behind this offset is held back, by account.
    public var limits: [Int64: Int64]
    /// When somebody's quiet hours begin or end next.
    public var changesAt: Timestamp?

    /// Memberwise.
    public init(limits: [Int64: Int64] = [:], changesAt: Timestamp? = nil) {
        self.limits = limits
        self.changesAt = changesAt
    }
}

/// Where notices are kept for good, and who is to have which.
public protocol NoticeStore: Sendable {
    /// Where the log stands.
    func head() async throws -> TopicPosition
    /// What comes behind an offset.
    func page(after offset: Int64) async throws -> NoticePage
    /// Which of these accounts each of these entries is for, as of now.
    func recipients(of offsets: [Int64], among accounts: [Int64]) async throws -> [Int64: Set<Int64>]
    /// What an account is to get behind a position; the newest that holds when it gives none.
    func reading(for account: Int64, since: TopicPosition?) async throws -> NoticeReading
    /// Which of these accounts are not to be disturbed now.
    func holds(of accounts: [Int64]) async throws -> NoticeHolds
}
