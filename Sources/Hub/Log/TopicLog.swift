import DequeModule
import HubCore
import Wire

/// A reliable topic in memory: its published offset, its subscribers, and its newest publications.
///
/// The publications in memory have no gaps and end with the newest published one. Confined to the hub's loop, which is why it may be
/// marked as `Sendable`.
final class TopicLog: @unchecked Sendable {
    /// Largest number of publications in memory, for subscribers that come back soon.
    static let ringPublicationsMax = 1_000
    /// Largest number of their bytes; a single larger publication is kept alone.
    static let ringBytesMax = 1_048_576

    let topic: Topic
    private(set) var epoch: Int64
    /// Everything up to this offset was sent to the subscribers.
    private(set) var published: Int64
    /// Everything up to this offset is known to be committed.
    private(set) var head: Int64
    private var ring = Deque<StoredPublication>()
    private(set) var ringBytes = 0
    var subscribers = SubscriberSet()
    /// Monotonic nanoseconds.
    var lastUse: UInt64 = 0
    /// Number of subscriptions in progress, for which the log must stay in memory.
    var holds = 0
    /// A task reads publications until `published` is `head`.
    var isCatchingUp = false

    /// - Parameter newest: Consecutive; the last has the offset of `position`.
    init(topic: Topic, at position: TopicPosition, newest: [StoredPublication] = []) {
        self.topic = topic
        epoch = position.epoch
        published = position.offset
        head = position.offset
        for publication in newest { keep(publication) }
    }

    var position: TopicPosition { TopicPosition(epoch: epoch, offset: published) }

    /// Takes the next publication. O(1).
    /// - Returns: False when it is not the next: its offset was published already, or one before it was not.
    func append(_ publication: StoredPublication) -> Bool {
        guard publication.offset == published + 1 else { return false }
        published += 1
        head = max(head, published)
        keep(publication)
        return true
    }

    private func keep(_ publication: StoredPublication) {
        ring.append(publication)
        ringBytes += publication.data.count
        while ring.count > Self.ringPublicationsMax || (ringBytes > Self.ringBytesMax && ring.count > 1) {
            dropOldest()
        }
    }

    /// Drops the oldest publication in memory. O(1).
    /// - Returns: False when there is none.
    @discardableResult
    func dropOldest() -> Bool {
        guard let oldest = ring.popFirst() else { return false }
        ringBytes -= oldest.data.count
        return true
    }

    /// Drops publications up to an offset, whose content has changed in the store. O(dropped).
    func forget(through offset: Int64) {
        while let first = ring.first, first.offset <= offset { dropOldest() }
    }

    /// The newest matching publication in memory between two offsets. O(publications after `start`).
    func newest(
        after start: Int64, before end: Int64, where isOne: (StoredPublication) -> Bool
    ) -> StoredPublication? {
        for publication in ring.reversed() where publication.offset < end {
            guard publication.offset > start else { return nil }
            if isOne(publication) { return publication }
        }
        return nil
    }

    /// Notes that the store has publications up to `offset`.
    func isCommitted(upTo offset: Int64) { head = max(head, offset) }

    /// Takes back that offsets are known to be committed: the store does not have them.
    func forgetBeyond(_ offset: Int64) { head = max(published, offset) }

    /// Continues at another position. Publications in between are not kept any more, or belong to another epoch; subscribers notice the
    /// gap or the new epoch.
    func jump(to position: TopicPosition) {
        ring.removeAll()
        ringBytes = 0
        epoch = position.epoch
        published = position.offset
        head = position.offset
    }

    /// Whether all publications after `offset` are in memory.
    func covers(after offset: Int64) -> Bool {
        offset >= published || (ring.first.map { $0.offset <= offset + 1 } ?? false)
    }

    /// The publications after `offset`, which must be covered. O(result).
    func page(after offset: Int64, countMax: Int, bytesMax: Int) -> [StoredPublication] {
        guard let first = ring.first, offset < published else { return [] }
        var page: [StoredPublication] = []
        var bytes = 0
        for publication in ring.dropFirst(Int(max(0, offset + 1 - first.offset))) {
            guard page.count < countMax, bytes < bytesMax else { break }
            page.append(publication)
            bytes += publication.data.count
        }
        return page
    }
}

/// The reliable topics in memory. Confined to the hub.
struct TopicLogs {
    /// Largest number of bytes of all publications in memory; a log that exceeds it drops its own.
    static let ringBytesTotalMax = 64 * 1_048_576

    private(set) var logs: [Topic: TopicLog] = [:]
    private(set) var ringBytes = 0
    /// Topics that are being opened.
    var openings: [Topic: Task<TopicLog.Opening, any Error>] = [:]
    var isPolling = false

    subscript(topic: Topic) -> TopicLog? { logs[topic] }
    var isEmpty: Bool { logs.isEmpty }

    mutating func add(_ log: TopicLog) {
        logs[log.topic] = log
        ringBytes += log.ringBytes
    }

    mutating func remove(_ log: TopicLog) {
        guard logs[log.topic] === log else { return }
        logs[log.topic] = nil
        ringBytes -= log.ringBytes
    }

    /// As ``TopicLog/append(_:)``.
    mutating func append(_ publication: StoredPublication, to log: TopicLog) -> Bool {
        change(log) { $0.append(publication) }
    }

    /// As ``TopicLog/forget(through:)``.
    mutating func forget(_ log: TopicLog, through offset: Int64) { change(log) { $0.forget(through: offset) } }

    mutating func jump(_ log: TopicLog, to position: TopicPosition) { change(log) { $0.jump(to: position) } }

    private mutating func change<R>(_ log: TopicLog, _ body: (TopicLog) -> R) -> R {
        let before = log.ringBytes
        let result = body(log)
        while ringBytes + log.ringBytes - before > Self.ringBytesTotalMax, log.dropOldest() {}
        // A log that was removed meanwhile does not count.
        if logs[log.topic] === log { ringBytes += log.ringBytes - before }
        return result
    }
}

extension TopicLog {
    /// State of a topic when it is opened.
    struct Opening: Sendable {
        /// Position of the last of `newest`.
        let position: TopicPosition
        /// The head in the store, possibly beyond.
        let head: TopicPosition
        let newest: [StoredPublication]
    }
}
