import Bus
import DequeModule
import Metrics
import Wire

/// A connection that is subscribed to `notices`. Confined to the hub.
final class NoticeMember {
    let subscriber: any Subscriber
    let account: Int64
    /// It was given everything of the log up to here. Of one that is with the others the feed knows it.
    var position: Int64
    /// While it is held back: what passes was given up to here.
    var seen: Int64
    /// What is behind this is held back; nil for nothing.
    var limit: Int64?
    /// Which look into the store `limit` comes from: an earlier one's does not count any more.
    var look: UInt64
    /// Entries behind `position` that it was given because they pass.
    var early: Set<Int64> = []
    /// It is with the others: what is published goes to all of them at once.
    var isCurrent = false
    /// Somebody is about to read for it.
    var isSettling = false
    /// The page during which it came: who is to get that one was asked without it.
    let page: UInt64

    init(_ subscriber: any Subscriber, account: Int64, position: Int64, seen: Int64, look: UInt64, page: UInt64) {
        self.subscriber = subscriber
        self.account = account
        self.position = position
        self.seen = seen
        self.look = look
        self.page = page
    }

    /// Whether nothing is missing of what it is to have had when the log was published up to `published`.
    func isInStep(with published: Int64) -> Bool {
        guard let limit else { return position >= published }
        return seen >= published && position >= min(limit, published)
    }
}

/// The log of notices as far as it is at hand: how far it was published here, and to whom. Confined to the hub.
struct NoticeFeed {
    var store: (any NoticeStore)?
    var epoch: Int64 = 0
    /// Everything up to here was published.
    var published: Int64 = 0
    /// Everything up to here is known to be committed.
    var head: Int64 = 0
    /// By connection.
    private(set) var members: [UInt64: NoticeMember] = [:]
    /// Connections by account.
    private(set) var accounts: [Int64: [UInt64: NoticeMember]] = [:]
    /// Those that were given everything up to `published`.
    private(set) var current = SubscriberSet()
    /// All others: held back, behind, or ahead.
    private(set) var apart: [UInt64: NoticeMember] = [:]
    /// Counts looks into the store for who is held back.
    var looks: UInt64 = 0
    /// Counts pages that were published.
    var page: UInt64 = 0
    var isPublishing = false
    /// A page was read and is not published yet: who comes now was not asked for.
    var isResolving = false
    var isWatching = false
    var changesAt: Timestamp?
    /// Those for whom somebody must read.
    var settling = Deque<NoticeMember>()
    var settlers = 0
    /// Hears of other nodes.
    var subscription: BusSubscription?

    var isEmpty: Bool { members.isEmpty }

    mutating func nextLook() -> UInt64 {
        looks += 1
        return looks
    }

    /// - Returns: Whether it is with the others.
    mutating func add(_ member: NoticeMember) {
        let id = member.subscriber.subscriberID
        members[id] = member
        accounts[member.account, default: [:]][id] = member
        apart[id] = member
        promote(member)
    }

    mutating func remove(_ id: UInt64) {
        guard let member = members.removeValue(forKey: id) else { return }
        accounts[member.account]?[id] = nil
        if accounts[member.account]?.isEmpty == true { accounts[member.account] = nil }
        apart[id] = nil
        if member.isCurrent { current.remove(member.subscriber) }
        member.isCurrent = false
    }

    /// One that has what the others have, and is not held back, is with them from now on. O(1).
    @discardableResult
    mutating func promote(_ member: NoticeMember) -> Bool {
        let id = member.subscriber.subscriberID
        guard members[id] === member, !member.isCurrent, member.limit == nil, member.position == published,
            !isResolving
        else { return false }
        apart[id] = nil
        current.insert(member.subscriber)
        member.isCurrent = true
        member.early = []
        return true
    }

    /// It is looked after by itself from now on. O(1), and O(members) when something is on its way to all.
    mutating func part(_ member: NoticeMember) {
        guard member.isCurrent else { return }
        current.remove(member.subscriber)
        member.isCurrent = false
        member.position = published
        member.seen = published
        apart[member.subscriber.subscriberID] = member
    }
}

/// What the hub counts of notices. Atomic; from any thread.
public struct NoticeMetrics: Sendable {
    /// `campanile_notices_subscribers`: connections.
    public let subscribers: Gauge
    /// `campanile_notices_held`: of them, those that are not to be disturbed.
    public let held: Gauge
    /// `campanile_notices_published_total`: entries of the log that were given to whom they are for.
    public let published: Counter
    /// `campanile_notices_reads_total`: times that something was read for one connection.
    public let reads: Counter

    init(_ registry: MetricRegistry) {
        subscribers = registry.gauge("campanile_notices_subscribers", "Connections that get notices.")
        held = registry.gauge("campanile_notices_held", "Connections whose notices wait, but for emergencies.")
        published = registry.counter(
            "campanile_notices_published_total", "Notices, corrections and withdrawals that this server gave out.")
        reads = registry.counter(
            "campanile_notices_reads_total", "Reads of the database for the notices of one connection.")
    }
}
