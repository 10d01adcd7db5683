import Bus
import EventLoop
import HubCore
import Wire

/// Reliable topics: committed publications go to the subscribers in the order of their offsets, each once, none left out (B-1, B-6).
///
/// A log's subscribers have been sent everything up to `published`, and the next publication that they are sent always has the next
/// offset. If that publication is missing (another server committed it, or the outcome of this server's commit is in doubt), it is read
/// from the store first.
public actor LogFeed: Feed {
    package nonisolated let core: HubCore
    package nonisolated let kinds: [Topic.Kind] = [.campusNotices, .zoneNotices, .test]
    public nonisolated var unownedExecutor: UnownedSerialExecutor { core.loop.asUnownedSerialExecutor() }

    let store: (any PublicationStore)?
    let metrics: LogMetrics
    var logs = TopicLogs()
    /// Subscriptions to other nodes' announcements.
    var subscriptions: [Topic: BusSubscription] = [:]

    /// - Parameter store: Keeps the logs; without it there are no reliable topics.
    init(_ core: HubCore, store: (any PublicationStore)?, metrics: LogMetrics) {
        self.core = core
        self.store = store
        self.metrics = metrics
    }

    /// Topics whose logs are in memory.
    var topics: [Topic] { Array(logs.logs.keys) }

    /// Subscribers of a topic at this node.
    func subscribers(of topic: Topic) -> [any Subscriber] { logs[topic]?.subscribers.subscribers ?? [] }

    /// Updates the gauges for a scraper. O(subscriptions).
    func report() {
        metrics.subscriptions.set(core.subscriptions.count { $0.isReliable })
        metrics.topics.set(logs.logs.count)
    }

    /// The feed that publishes a topic, if it has own rules on which subscribers get a publication.
    func publisher(of topic: Topic) -> (any LogPublisher)? {
        kinds.contains(topic.kind) ? nil : core.feed(of: topic) as? any LogPublisher
    }

    /// Interval between two reads of the topics' heads, which find publications whose announcement was lost.
    static let pollInterval = Duration.seconds(2)
    /// Delay before a failed read of the store is repeated, and between polls for commits in doubt.
    static let retryInterval = Duration.milliseconds(250)
    /// Number of polls for a commit in doubt; afterwards the regular poll finds it.
    static let inDoubtPollsMax = 240
    /// Largest number of topics in one poll.
    static let polledTopicsMax = 1_000
    /// Time for which a log without subscribers stays in memory after its last use.
    static let idleNanosecondsMax: UInt64 = 60_000_000_000
    /// Largest number of publications in one read that fills a gap.
    static let readPublicationsMax = 500
    /// Largest number of bytes in such a read.
    static let readBytesMax = 524_288

    // MARK: Committed publications

    /// Publishes committed publications, at once or as soon as the publications before them have been read. Idempotent, and correct in
    /// any order of calls.
    /// - Parameter publications: Consecutive.
    public func publish(_ publications: [StoredPublication], topic: Topic, epoch: Int64) {
        guard let first = publications.first, let last = publications.last else { return }
        let log = logs[topic] ?? add(TopicLog(topic: topic, at: TopicPosition(epoch: epoch, offset: first.offset - 1)))
        touch(log)
        guard epoch >= log.epoch else { return }
        if epoch > log.epoch { logs.jump(log, to: TopicPosition(epoch: epoch, offset: first.offset - 1)) }
        for publication in publications { deliver(publication, to: log) }
        log.isCommitted(upTo: last.offset)
        catchUp(log)
    }

    /// Notes the newest offset of a topic, as another server announced it. O(1); missing publications are read.
    public func advance(_ topic: Topic, to position: TopicPosition) {
        if let log = logs[topic] { note(position, for: log) }
    }

    /// Resolves commits in doubt: the database connection was lost before their outcome was known. Polls the topics, and publishes what
    /// was committed, as soon as the store can be read.
    public func markInDoubt(_ topics: [Topic]) {
        Task {
            for _ in 0..<Self.inDoubtPollsMax {
                await loop.sleep(for: Self.retryInterval)
                if await poll(topics.filter { logs[$0] != nil }) { return }
            }
        }
    }

    private func deliver(_ publication: StoredPublication, to log: TopicLog) {
        guard logs.append(publication, to: log) else { return }
        metrics.published.add()
        if let publisher = publisher(of: log.topic) { return publisher.onLoopPublish(publication, of: log) }
        evictOutdatedText(before: publication, in: log)
        guard !log.subscribers.isEmpty else { return }
        let json = JSONText.push(publication, topic: log.topic, epoch: log.epoch)
        publish(Delivery(topic: log.topic, json: json, lane: .reliable), to: log.subscribers)
    }

    /// As ``TopicLog/forget(through:)``.
    func forget(_ log: TopicLog, through offset: Int64) { logs.forget(log, through: offset) }

    /// Drops publications from memory when a notice is corrected or withdrawn: the store then keeps only its current text.
    private func evictOutdatedText(before publication: StoredPublication, in log: TopicLog) {
        switch log.topic {
        case .campusNotices, .zoneNotices:
            let event = try? WireJSON.decode(NoticeEvent.self, from: publication.data)
            if event.map({ $0.revision > 1 }) ?? true { logs.forget(log, through: publication.offset - 1) }
        default: break
        }
    }

    private func note(_ position: TopicPosition, for log: TopicLog) {
        if position.epoch > log.epoch { logs.jump(log, to: position) }
        guard position.epoch == log.epoch else { return }
        log.isCommitted(upTo: position.offset)
        catchUp(log)
    }

    // MARK: Missing publications

    private func catchUp(_ log: TopicLog) {
        guard log.published < log.head, !log.isCatchingUp else { return }
        log.isCatchingUp = true
        Task {
            // A log that was dropped meanwhile is opened again when it is needed.
            while log.published < log.head, logs[log.topic] === log {
                do {
                    try await readOn(log)
                } catch {
                    await loop.sleep(for: Self.retryInterval)
                }
            }
            log.isCatchingUp = false
        }
    }

    /// Reads the publications after `published`, and publishes them.
    func readOn(_ log: TopicLog) async throws {
        guard let store else { return log.forgetBeyond(log.published) }
        metrics.reads.add()
        let (publishedBefore, headBefore) = (log.published, log.head)
        let page = try await store.read(
            log.topic, after: log.published, countMax: Self.readPublicationsMax, bytesMax: Self.readBytesMax)
        take(page, into: log)
        // No publication where one was expected: it was never committed.
        if page.publications.isEmpty, log.published == publishedBefore, log.head == headBefore {
            log.forgetBeyond(page.head.offset)
        }
    }

    private func take(_ page: PublicationPage, into log: TopicLog) {
        guard page.head.epoch >= log.epoch else { return log.forgetBeyond(log.published) }
        guard page.head.epoch == log.epoch else { return logs.jump(log, to: page.head) }
        log.isCommitted(upTo: page.head.offset)
        for publication in page.publications where publication.offset > log.published {
            if publication.offset > log.published + 1 {
                logs.jump(log, to: TopicPosition(epoch: log.epoch, offset: publication.offset - 1))
            }
            deliver(publication, to: log)
        }
        // The store does not keep the publications up to its head any more.
        if page.publications.isEmpty, page.head.offset > log.published { logs.jump(log, to: page.head) }
    }

    // MARK: Logs in memory

    /// The log of a topic, opened from the store if it is not in memory. Concurrent calls share one read. The log stays in memory until
    /// the caller releases its hold.
    func acquireLog(_ topic: Topic) async throws -> TopicLog {
        if let log = logs[topic] {
            log.holds += 1
            return log
        }
        guard let store else { throw RPCError(.notFound, "there are no reliable topics here", field: "topic") }
        let opening =
            logs.openings[topic]
            ?? Task {
                let position = try await store.open(topic)
                let page = try await store.read(
                    topic, after: max(0, position.offset - Int64(topic.preloadedPublicationsMax)),
                    countMax: Self.readPublicationsMax, bytesMax: .max)
                // Publications committed between the two reads are in the page.
                let last = page.publications.last?.offset ?? page.head.offset
                return TopicLog.Opening(
                    position: TopicPosition(epoch: page.head.epoch, offset: last), head: page.head,
                    newest: page.publications)
            }
        logs.openings[topic] = opening
        let result = await opening.result
        logs.openings[topic] = nil
        let opened = try result.get()
        // It may exist by now: something was published meanwhile, or another waiting call was first.
        let log = logs[topic] ?? add(TopicLog(topic: topic, at: opened.position, newest: opened.newest))
        log.holds += 1
        note(opened.head, for: log)
        return log
    }

    private func add(_ log: TopicLog) -> TopicLog {
        touch(log)
        logs.add(log)
        startPolling()
        return log
    }

    func touch(_ log: TopicLog) { log.lastUse = EventLoop.nowNanoseconds }

    private func startPolling() {
        guard !logs.isPolling else { return }
        logs.isPolling = true
        Task {
            while !logs.isEmpty {
                await loop.sleep(for: Self.pollInterval)
                forgetIdle(before: EventLoop.nowNanoseconds &- Self.idleNanosecondsMax)
                _ = await poll(logs.logs.values.filter { !$0.subscribers.isEmpty }.map(\.topic))
            }
            logs.isPolling = false
        }
    }

    /// Drops all logs and stops polling, because the server stops.
    public func forgetAll() {
        for topic in logs.logs.keys { unfollow(topic) }
        logs = TopicLogs()
    }

    /// Drops logs that are not in use.
    /// - Parameter moment: Monotonic nanoseconds; logs used since then stay.
    func forgetIdle(before moment: UInt64) {
        for log in logs.logs.values where log.subscribers.isEmpty && log.holds == 0 && log.lastUse < moment {
            logs.remove(log)
            unfollow(log.topic)
        }
    }

    /// Publishes what other code has appended to these logs, as far as they are in memory at this node, and notifies the other nodes.
    func appended(to topics: Set<Topic>) async {
        guard let store, let positions = try? await store.positions(of: Array(topics)) else { return }
        for (topic, position) in positions {
            advance(topic, to: position)
            announceHead([], at: position, of: topic)
        }
    }

    /// Publishes what other code has appended to a log, if it is in memory at this node, and notifies the other nodes.
    /// - Returns: False when the store could not be read.
    public func publishAppended(to topic: Topic) async -> Bool {
        guard let store, let position = try? await store.positions(of: [topic])[topic] else { return false }
        if let log = logs[topic] {
            advance(topic, to: position)
            // When this returns, readers that new events remove are removed.
            for _ in 0..<Self.recoveryPagesAheadMax where log.published < position.offset { try? await readOn(log) }
        }
        announceHead([], at: position, of: topic)
        return true
    }

    /// Reads the heads of topics from the store, and then their missing publications.
    /// - Returns: False when the store could not be read.
    func poll(_ topics: [Topic]) async -> Bool {
        guard let store else { return true }
        var rest = topics[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.polledTopicsMax))
            rest = rest.dropFirst(some.count)
            guard let positions = try? await store.positions(of: some) else { return false }
            for (topic, position) in positions { advance(topic, to: position) }
        }
        return true
    }
}

/// A feed that decides itself which subscribers of a log get a publication.
protocol LogPublisher: Feed {
    /// Publishes the next publication of a log, which has it in memory already. On the loop.
    func publish(_ publication: StoredPublication, of log: TopicLog)
    /// Publishes what another node published on the topic without storing it. On the loop.
    func publishAside(_ json: [UInt8], by author: Int64, of topic: Topic)
}

extension LogPublisher {
    nonisolated func onLoopPublish(_ publication: StoredPublication, of log: TopicLog) {
        assumeIsolated { $0.publish(publication, of: log) }
    }
    nonisolated func onLoopAside(_ json: [UInt8], by author: Int64, of topic: Topic) {
        assumeIsolated { $0.publishAside(json, by: author, of: topic) }
    }
}
