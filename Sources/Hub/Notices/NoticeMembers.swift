import DequeModule
import HubCore
import Metrics
import Wire

/// A connection that is subscribed to `notices`. Confined to the hub.
final class NoticeSubscriber {
    let subscriber: any Subscriber
    let account: Int64
    /// Everything of the log up to this offset was delivered; not maintained while the member is current.
    var position: Int64
    /// While the member is held back: entries that overtake held-back ones were delivered up to this offset.
    var seen: Int64
    /// Entries after this offset are held back; nil when none are.
    var limit: Int64?
    /// Number of the read that `limit` comes from: the result of an earlier read is ignored.
    var readNumber: UInt64
    /// Entries after `position` that were delivered ahead of held-back ones.
    var early: Set<Int64> = []
    /// The member has everything up to the feed's `published`, and gets publications together with the other current members.
    var isCurrent = false
    /// The member is queued for reads of its own.
    var isSettling = false
    /// Number of the page during which the member came: its recipients were read without it.
    let page: UInt64

    init(_ subscriber: any Subscriber, account: Int64, position: Int64, seen: Int64, readNumber: UInt64, page: UInt64) {
        self.subscriber = subscriber
        self.account = account
        self.position = position
        self.seen = seen
        self.readNumber = readNumber
        self.page = page
    }

    /// Whether the member has everything that it must have when the log was published up to `published`.
    func isInStep(with published: Int64) -> Bool {
        guard let limit else { return position >= published }
        return seen >= published && position >= min(limit, published)
    }
}

/// The members of the log of notices at this node, and its published offset. Confined to the hub.
struct NoticeMembers {
    var epoch: Int64 = 0
    /// Everything up to this offset was published.
    var published: Int64 = 0
    /// Everything up to this offset is known to be committed.
    var head: Int64 = 0
    /// Members by connection.
    private(set) var members: [UInt64: NoticeSubscriber] = [:]
    /// Members by account and connection.
    private(set) var accounts: [Int64: [UInt64: NoticeSubscriber]] = [:]
    /// Members that have everything up to `published`.
    private(set) var current = SubscriberSet()
    /// All other members: held back, behind, or ahead.
    private(set) var apart: [UInt64: NoticeSubscriber] = [:]
    /// Number of reads that determine which members are held back.
    var reads: UInt64 = 0
    /// Number of pages that were published.
    var page: UInt64 = 0
    var isPublishing = false
    /// A page was read and is not published yet: its recipients do not include a member that comes now.
    var isResolving = false
    var isWatching = false
    var changesAt: Timestamp?
    /// Members that wait for reads of their own.
    var settling = Deque<NoticeSubscriber>()
    var settlers = 0

    var isEmpty: Bool { members.isEmpty }

    mutating func nextReadNumber() -> UInt64 {
        reads += 1
        return reads
    }

    /// Adds a member, and makes it current if it has what the current members have.
    mutating func add(_ member: NoticeSubscriber) {
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

    /// Makes a member current if it has everything up to `published` and is not held back. O(1).
    /// - Returns: Whether it became current.
    @discardableResult
    mutating func promote(_ member: NoticeSubscriber) -> Bool {
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

    /// Takes a member out of the current ones. O(1), or O(members) while a publication to all is in flight.
    mutating func part(_ member: NoticeSubscriber) {
        guard member.isCurrent else { return }
        current.remove(member.subscriber)
        member.isCurrent = false
        member.position = published
        member.seen = published
        apart[member.subscriber.subscriberID] = member
    }
}

/// Metrics of notices. Atomic; usable from any thread.
public struct NoticeMetrics: Sendable {
    /// `campanile_notices_subscribers`: connections.
    public let subscribers: Gauge
    /// `campanile_notices_held`: connections whose notices are held back, by a session or quiet hours.
    public let held: Gauge
    /// `campanile_notices_published_total`: entries of the log that were published to their recipients.
    public let published: Counter
    /// `campanile_notices_reads_total`: reads for one connection.
    public let reads: Counter

    init(_ registry: MetricRegistry) {
        subscribers = registry.gauge("campanile_notices_subscribers", "Connections that get notices.")
        held = registry.gauge(
            "campanile_notices_held", "Connections whose notices, except emergencies, are held back.")
        published = registry.counter(
            "campanile_notices_published_total", "Notices, corrections and withdrawals that this server published.")
        reads = registry.counter(
            "campanile_notices_reads_total", "Reads of the database for the notices of one connection.")
    }
}
