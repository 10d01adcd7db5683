import Bus
import EventLoop
import Wire

/// The core of the hub: connections and their subscriptions, the lanes to their loops, the ticks, and the link to other nodes.
///
/// The core has no knowledge of what is published: each ``Feed`` has the state of one kind of stream. Confined to its event loop: feeds are
/// actors on the same loop, and call it synchronously. That is why it may be marked as `Sendable`.
public final class HubCore: @unchecked Sendable {
    /// Interval between two ticks of the conflating lane.
    public static let tickInterval = Duration.milliseconds(200)
    /// Delay of the first tick after a quiet time, so that changes shortly after the first join its tick.
    public static let firstTickDelayDefault = Duration.milliseconds(10)
    /// Largest number of topics that a connection may subscribe to.
    public static let subscriptionsMax = 512

    /// Event loop that the core and all feeds are confined to.
    public let loop: EventLoop

    private let wallClock: @Sendable () -> Timestamp
    private let monotonicClock: @Sendable () -> UInt64
    private let firstTickDelay: Duration
    package let metrics: HubCoreMetrics
    private var outbox = Outbox()
    package private(set) var subscriptions = Subscriptions()
    package var accounts = ConnectionAccounts()
    /// Nil while no other node serves the campus.
    package private(set) var nodes: NodeLink?
    private var feeds: [WeakFeed] = []
    private var feedOf: [Topic.Kind: WeakFeed] = [:]
    private lazy var recovery = NodeRecovery(self)
    private var lastTick: UInt64 = 0
    private var isTickScheduled = false

    /// The feeds own the core, so that the core must not own them.
    private struct WeakFeed {
        weak var feed: (any Feed)?
    }

    /// - Parameters:
    ///   - loop: The loop that the core is confined to.
    ///   - now: The server's wall clock.
    ///   - firstTickDelay: See ``firstTickDelayDefault``.
    ///   - metrics: Counts ticks and nodes.
    ///   - monotonic: Monotonic nanoseconds.
    package init(
        loop: EventLoop, now: @escaping @Sendable () -> Timestamp, firstTickDelay: Duration, metrics: HubCoreMetrics,
        monotonic: @escaping @Sendable () -> UInt64
    ) {
        self.loop = loop
        wallClock = now
        monotonicClock = monotonic
        self.firstTickDelay = firstTickDelay
        self.metrics = metrics
    }

    package var serverTime: Timestamp { wallClock() }

    /// Nanoseconds of the monotonic clock.
    package func monotonic() -> UInt64 { monotonicClock() }

    // MARK: Feeds

    /// Adds feeds, in the order in which the core calls them. Call it before the hub's first use; it may be called on any thread.
    package func register(_ feeds: [any Feed]) {
        self.feeds = feeds.map { WeakFeed(feed: $0) }
        for feed in feeds {
            for kind in feed.kinds { feedOf[kind] = WeakFeed(feed: feed) }
        }
    }

    /// The feeds, in the order in which they were registered.
    package var allFeeds: [any Feed] { feeds.compactMap(\.feed) }

    /// The feed that a topic belongs to.
    package func feed(of topic: Topic) -> (any Feed)? { feedOf[topic.kind]?.feed }

    // MARK: Connections

    /// Notes that a connection is subscribed to a topic.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics.
    package func remember(_ topic: Topic, of subscriber: any Subscriber) throws {
        guard subscriptions.insert(topic, of: subscriber.subscriberID, countMax: Self.subscriptionsMax) else {
            throw RPCError(
                .rateLimited, "a connection may watch \(Self.subscriptionsMax) topics: unsubscribe from one first")
        }
    }

    /// Notes that a feed has ended a connection's subscription by itself.
    package func forget(_ topic: Topic, of subscriber: UInt64) { _ = subscriptions.remove(topic, of: subscriber) }

    /// Unsubscribes a connection from a topic. Idempotent.
    package func unsubscribe(_ subscriber: any Subscriber, topic: Topic) {
        guard subscriptions.remove(topic, of: subscriber.subscriberID) else { return }
        feedOf[topic.kind]?.feed?.onLoopLeft(topic, subscriber)
    }

    /// Removes a connection and all its subscriptions.
    package func disconnect(_ subscriber: any Subscriber) {
        for topic in subscriptions.removeAll(of: subscriber.subscriberID) {
            feedOf[topic.kind]?.feed?.onLoopLeft(topic, subscriber)
        }
        for feed in allFeeds { feed.onLoopClosed(subscriber) }
        accounts.forget(subscriber)
    }

    /// Sends the newest state of the topics whose pushes a connection skipped, once it has room again. If the connection skips this
    /// too, it is refreshed once more: many topics must not add up to a disconnect.
    ///
    /// The snapshots show what the subscription allowed: a viewer that signed in since must subscribe again to see more.
    /// - Parameter isSlow: The connection is not likely to keep up.
    package func refresh(_ subscriber: any Subscriber, topics: Set<Topic>, isSlow: Bool) {
        for feed in allFeeds {
            let own = topics.filter { feed.kinds.contains($0.kind) }
            if !own.isEmpty { feed.onLoopRefresh(subscriber, own, isSlow: isSlow) }
        }
    }

    // MARK: Lanes

    /// Publishes to all subscribers of a set. O(loops).
    package func publish(_ delivery: Delivery, to subscribers: SubscriberSet) {
        outbox.publish(delivery, to: subscribers)
    }

    /// Sends to one subscriber. O(1).
    package func send(_ delivery: Delivery, to subscriber: any Subscriber) { outbox.send(delivery, to: subscriber) }

    /// The JSON of a push.
    package static func json(_ topic: Topic, _ data: some Codable & Sendable) -> [UInt8] {
        // Encoding these plain types cannot fail; an empty payload would not be sent.
        (try? WireJSON.encode(Push(topic: topic.description, data: data))) ?? []
    }

    // MARK: Ticks

    /// Schedules a tick, in which the feeds publish their changes.
    package func scheduleTick() {
        guard !isTickScheduled, nodes?.isHolding != true else { return }
        isTickScheduled = true
        // The first change after a quiet time need not wait for the interval; the changes that follow it do.
        let sinceLast = Duration.nanoseconds(Int64(clamping: EventLoop.nowNanoseconds &- lastTick))
        loop.schedule(after: max(firstTickDelay, Self.tickInterval - sinceLast)) { [self] in tick() }
    }

    /// Publishes all changes. On the loop. A scheduled tick comes ``tickInterval`` after the last one at the earliest; the end of a zone
    /// causes a tick immediately.
    package func tick() {
        isTickScheduled = false
        guard nodes?.isHolding != true else { return }
        lastTick = EventLoop.nowNanoseconds
        for feed in allFeeds { feed.onLoopTick() }
        metrics.ticks.observe(EventLoop.nowNanoseconds &- lastTick)
    }

    // MARK: Nodes

    /// Sets the link to the other nodes, or ends it with nil. Nothing is sent or received without one.
    package func setNodes(_ link: NodeLink?) {
        nodes?.observation?.cancel()
        nodes = link
        guard let link else {
            for feed in allFeeds { feed.onLoopLeftNodes() }
            return
        }
        link.observation = link.bus.observe(on: loop) { [weak self] in self?.noticed($0) }
        recovery.assumeIsolated { $0.confirmRegularly(link) }
    }

    private func noticed(_ event: BusObserverEvent) {
        guard let nodes else { return }
        switch event {
        case .state(.connected): nodes.isDisconnected = false
        case .state(.disconnected):
            guard !nodes.isDisconnected else { break }
            nodes.isDisconnected = true
            for feed in allFeeds { feed.onLoopBusLost(nodes.others) }
        case .joined(let node):
            nodes.others.insert(node.id)
            for feed in allFeeds { feed.onLoopJoined(node.id) }
        case .left(let node): lose(node.id, isSilent: false)
        case .lost(let node): lose(node.id, isSilent: true)
        }
        metrics.otherNodes.set(nodes.others.count)
    }

    private func lose(_ node: NodeID, isSilent: Bool) {
        nodes?.others.remove(node)
        for feed in allFeeds { feed.onLoopLost(node, isSilent: isSilent) }
    }

    /// Puts everything of other nodes in doubt, because the bus may have lost messages (see ``NodeRecovery``).
    package func markInDoubt() { recovery.assumeIsolated { $0.markInDoubt() } }

    /// Reads PostgreSQL and applies what holds (see ``NodeRecovery/confirm()``).
    @discardableResult
    package func confirm() async -> Bool { await recovery.confirm() }
}
