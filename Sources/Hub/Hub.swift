import Bus
import EventLoop
import HubCore
import Metrics
import Wire

/// The broker of live data: a core that knows connections and nodes, and beside it one feed for each kind of stream.
///
/// All of it runs on one event loop. A feed encodes a publication once for each group of viewers that may see the same, and the core hands
/// it to each loop that has subscribers, in one message a loop. The feeds apply the privacy rules before they encode anything.
public actor Hub: Feed {
    package nonisolated let core: HubCore
    package nonisolated let kinds: [Topic.Kind] = []
    public nonisolated var unownedExecutor: UnownedSerialExecutor { core.loop.asUnownedSerialExecutor() }

    public nonisolated let sessions: SessionFeed
    public nonisolated let shares: ShareFeed
    public nonisolated let heatmap: HeatmapFeed
    public nonisolated let routes: RouteFeed
    public nonisolated let liveGroups: LiveGroupFeed
    /// The reliable topics.
    public nonisolated let logs: LogFeed
    public nonisolated let conversations: ConversationFeed
    public nonisolated let notices: NoticeFeed
    public nonisolated let signals: SignalFeed
    public nonisolated let presence: PresenceFeed
    public nonisolated let blocks: BlockList

    var backing: (any NodeStorage)?
    var subscription: BusSubscription?

    /// - Parameters:
    ///   - loop: The loop that the hub is confined to.
    ///   - now: The server's wall clock.
    ///   - firstTickDelay: See ``HubCore/HubCore/firstTickDelayDefault``.
    ///   - presenceInterval: Interval between two presence pushes of a topic.
    ///   - metrics: Registers the hub's metrics.
    ///   - store: Keeps the logs of reliable topics; without it there are no reliable topics.
    ///   - monotonic: Monotonic nanoseconds, by which sessions go offline.
    public init(
        loop: EventLoop, now: @escaping @Sendable () -> Timestamp = { .now },
        firstTickDelay: Duration = HubCore.firstTickDelayDefault, presenceInterval: Duration = PresenceFeed.interval,
        metrics: MetricRegistry = MetricRegistry(), store: (any PublicationStore)? = nil,
        monotonic: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds }
    ) {
        core = HubCore(
            loop: loop, now: now, firstTickDelay: firstTickDelay, metrics: HubCoreMetrics(metrics), monotonic: monotonic
        )
        let rules = Blocks()
        signals = SignalFeed(core, blocks: rules)
        presence = PresenceFeed(core, interval: presenceInterval)
        logs = LogFeed(core, store: store, metrics: LogMetrics(metrics))
        conversations = ConversationFeed(core, logs: logs, blocks: rules)
        notices = NoticeFeed(core, logs: logs, metrics: NoticeMetrics(metrics))
        heatmap = HeatmapFeed(core)
        routes = RouteFeed(core)
        liveGroups = LiveGroupFeed(core, blocks: rules, metrics: LiveGroupMetrics(metrics))
        let shares = ShareFeed(core, blocks: rules)
        self.shares = shares
        sessions = SessionFeed(core, blocks: rules, presence: presence, metrics: SessionMetrics(metrics)) { session in
            shares.assumeIsolated { $0.sessionEnded(session) }
        }
        blocks = BlockList(core, blocks: rules)
        core.register([
            self, blocks, signals, presence, logs, conversations, notices, heatmap, routes, liveGroups, shares,
            sessions,
        ])
    }

    // MARK: Connections

    /// Notes that a guest's connection has signed in, and ends all that its account may not see because of a block.
    public func signIn(_ subscriber: any Subscriber, as account: Int64) {
        blocks.assumeIsolated { $0.signIn(subscriber, as: account) }
    }

    /// Unsubscribes a connection from a topic. Idempotent.
    public func unsubscribe(_ subscriber: any Subscriber, topic: Topic) { core.unsubscribe(subscriber, topic: topic) }

    /// Sends the newest state of the topics whose pushes a connection skipped, once it has room again. If the connection skips this
    /// too, it is refreshed once more: many topics must not add up to a disconnect.
    /// - Parameter isSlow: The connection is not likely to keep up; its viewport gets the slow rendition from now on.
    public func refresh(_ subscriber: any Subscriber, topics: Set<Topic>, isSlow: Bool) {
        core.refresh(subscriber, topics: topics, isSlow: isSlow)
    }

    /// Removes a connection and all its subscriptions.
    public func disconnect(_ subscriber: any Subscriber) { core.disconnect(subscriber) }

    // MARK: Zones

    /// Ends the topics of all zones that are not among these. First a tick publishes that the runners have left; then the subscribers
    /// get `closed`, and their subscriptions end. O(viewed areas, and topics in memory).
    public func endZones(except zones: Set<Int64>) {
        let areas = sessions.assumeIsolated { $0.viewedZones }.map(Topic.zonePositions)
        let notices = logs.assumeIsolated { $0.topics }.filter { $0.kind == .zoneNotices }
        let gone = (areas + notices).filter { $0.zone.map { !zones.contains($0) } ?? false }
        guard !gone.isEmpty else { return }
        core.tick()
        for topic in gone {
            let closed = HubCore.json(topic, TopicClosed(.zoneRemoved))
            for subscriber in subscribers(of: topic) {
                core.unsubscribe(subscriber, topic: topic)
                send(closed, topic: topic, to: subscriber)
            }
        }
    }

    private func subscribers(of topic: Topic) -> [any Subscriber] {
        if let area = topic.area { return sessions.assumeIsolated { $0.viewers(of: area) } }
        return logs.assumeIsolated { $0.subscribers(of: topic) }
    }

    // MARK: Metrics

    /// Updates the gauges for a scraper. O(subscribers and sessions).
    public func report() {
        logs.assumeIsolated { $0.report() }
        sessions.assumeIsolated { $0.report() }
        notices.assumeIsolated { $0.report() }
        liveGroups.assumeIsolated { $0.report() }
    }
}

extension Topic {
    /// The zone of a zone's topic; nil for any other.
    fileprivate var zone: Int64? {
        switch self {
        case .zonePositions(let id), .zoneNotices(let id): id
        default: nil
        }
    }
}
