import Bus
import EventLoop
import HubCore
import Wire

/// The topic `notices`: each account gets its entries of one log that all nodes write (N-7), in the log's order, each entry once.
///
/// Members that have everything up to `published` get the next entry together. A member that is behind, ahead or held back is apart:
/// the hub reads for it alone until it has caught up, so that concurrent publications do not matter.
public actor NoticeFeed: Feed {
    package nonisolated let core: HubCore
    package nonisolated let kinds: [Topic.Kind] = [.notices]
    public nonisolated var unownedExecutor: UnownedSerialExecutor { core.loop.asUnownedSerialExecutor() }

    private let logs: LogFeed
    let metrics: NoticeMetrics
    private(set) var store: (any NoticeStore)?
    /// The members, and how far the log was published.
    var log = NoticeMembers()
    /// Announcements of other nodes.
    private var subscription: BusSubscription?

    init(_ core: HubCore, logs: LogFeed, metrics: NoticeMetrics) {
        self.core = core
        self.logs = logs
        self.metrics = metrics
    }

    /// Interval between two reads of the log's head, which find entries whose announcement was lost.
    static let pollInterval = Duration.seconds(2)
    /// Number of such reads for each read of the accounts that are held back.
    static let holdPolls = 2
    /// Largest number of connections that are read for concurrently.
    static let readersMax = 8

    /// Begins to publish notices. Call it once, before the server accepts connections.
    public func setStore(_ store: any NoticeStore) { self.store = store }

    /// Subscribes a connection of an account, as ``LogFeed/subscribe(_:to:since:reply:)`` does, except that entries for other accounts and
    /// entries that are held back are left out. Entries that overtake held-back ones follow the reply at once.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics, and the store's errors.
    public func subscribe(
        _ subscriber: any Subscriber, account: Int64, since: TopicPosition?,
        reply: @Sendable (Recovery) -> [UInt8]
    ) async throws {
        guard let store else {
            throw RPCError(.notFound, "there are no notices here", field: "topic")
        }
        let readNumber = log.nextReadNumber()
        let reading = try await store.reading(for: account, since: since)
        // From here to the end there is no suspension.
        core.unsubscribe(subscriber, topic: .notices)
        let recovery = Recovery(
            topic: .notices, position: TopicPosition(epoch: reading.head.epoch, offset: reading.position),
            isRecovered: reading.isRecovered, failure: reading.failure, hasMore: reading.hasMore,
            publications: reading.publications)
        if !reading.hasMore {
            try core.remember(.notices, of: subscriber)
            join(subscriber, account, reading, readNumber)
        }
        logs.metrics.answered(recovery, hadPosition: since != nil)
        send(reply(recovery), topic: .notices, to: subscriber)
        guard let member = log.members[subscriber.subscriberID] else { return }
        for one in reading.early { push(early: one, to: member) }
        if !member.isCurrent { settle(member) }
    }

    private func join(
        _ subscriber: any Subscriber, _ account: Int64, _ reading: AccountNoticePage, _ readNumber: UInt64
    ) {
        if log.isEmpty, !log.isPublishing { start(at: reading.head) }
        note(head: reading.head)
        noteHoldChange(at: reading.changesAt)
        let member = NoticeSubscriber(
            subscriber, account: account, position: reading.position, seen: reading.head.offset, readNumber: readNumber,
            page: log.page)
        member.limit = reading.limit
        log.add(member)
        follow()
        poll()
        // A member that is ahead gets further entries once the log is published up to its position.
        publishPending()
    }

    private func start(at head: TopicPosition) {
        log.epoch = head.epoch
        log.published = head.offset
        log.head = head.offset
        log.changesAt = nil
    }

    package func left(_ topic: Topic, _ subscriber: any Subscriber) { log.remove(subscriber.subscriberID) }

    /// Accounts that get notices at this node.
    public var accounts: [Int64] { Array(log.accounts.keys) }

    // MARK: New entries

    /// Publishes entries that this server committed, and notifies the other nodes.
    /// - Parameter topics: Public topics with new publications.
    public func appended(topics: Set<Topic> = []) async {
        publishToNodes(.notices(0), on: NodeSubjects.notices)
        await pollHead()
        if !topics.isEmpty { await logs.appended(to: topics) }
    }

    /// Reads again whether an account's notices are held back, here and at the other nodes. When this returns, the result applies to
    /// held-back and new entries.
    public func refreshHold(of account: Int64) async {
        publishToNodes(.notices(account), on: NodeSubjects.notices)
        if log.accounts[account] != nil { try? await refreshHolds(of: [account]) }
    }

    /// Follows the announcements of other nodes while this node has members.
    private func follow() {
        guard let link, subscription == nil else { return }
        do {
            subscription = try listen(to: NodeSubjects.notices.map { .init($0) }) { feed, event in
                guard !feed.log.isEmpty else { return }
                switch event {
                // Entries that were announced before, or whose announcement was lost, are in the store.
                case .live, .missed:
                    Task {
                        await feed.pollHead()
                        try? await feed.refreshHolds(of: feed.accounts)
                    }
                case .message(let message):
                    guard case .notices(let account)? = feed.read(message) else { return }
                    Task {
                        if account == 0 { return await feed.pollHead() }
                        if feed.hasMember(account) { try? await feed.refreshHolds(of: [account]) }
                    }
                }
            }
        } catch {
            // The poll finds them, later.
            link.logger.error("notices cannot be followed", metadata: ["error": "\(error)"])
        }
    }

    private func hasMember(_ account: Int64) -> Bool { log.accounts[account] != nil }

    /// Polls the log and the held-back accounts, so that entries whose announcement was lost are not missing for long.
    private func poll() {
        guard !log.isWatching else { return }
        log.isWatching = true
        Task {
            var polls = 0
            while !log.isEmpty {
                await loop.sleep(for: Self.pollInterval)
                await pollHead()
                polls += 1
                if polls % Self.holdPolls == 0 || isHoldDue {
                    try? await refreshHolds(of: accounts)
                }
            }
            log.isWatching = false
        }
    }

    func noteHoldChange(at time: Timestamp?) {
        if let time { log.changesAt = min(time, log.changesAt ?? time) }
    }

    /// Whether quiet hours of a member begin or end.
    var isHoldDue: Bool { log.changesAt.map { $0 <= serverTime } ?? false }

    /// Reads the log's head. If the store cannot be read, the next poll finds it.
    func pollHead() async {
        guard !log.isEmpty, let head = try? await store?.head() else { return }
        note(head: head)
    }

    func note(head: TopicPosition) {
        if head.epoch > log.epoch { return restart(at: head) }
        guard head.epoch == log.epoch else { return }
        log.head = max(log.head, head.offset)
        publishPending()
    }

    /// Continues with a new log that replaced the known one. Publications with another epoch cause earlier subscribers to subscribe
    /// again.
    func restart(at head: TopicPosition) {
        for member in log.members.values where !member.isCurrent {
            member.position = head.offset
            member.seen = head.offset
            member.early = []
        }
        log.epoch = head.epoch
        log.published = head.offset
        log.head = head.offset
        for member in log.apart.values { log.promote(member) }
    }

    /// Updates the gauges for a scraper. O(members that are apart).
    func report() {
        metrics.subscribers.set(log.members.count)
        metrics.held.set(log.apart.values.count { $0.limit != nil })
    }

    package func leftNodes() {
        subscription?.cancel()
        subscription = nil
    }
}
