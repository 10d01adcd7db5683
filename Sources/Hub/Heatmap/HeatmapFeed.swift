import Bus
import Campus
import EventLoop
import HubCore
import Wire

/// The heatmap: one node publishes it; the other nodes send it their counts and show what it publishes.
public actor HeatmapFeed: Feed {
    /// A count by another node.
    struct Count {
        var number: UInt64
        var parts: [Int: [HeatmapCrowd.Report]] = [:]
        /// The newest count that came complete.
        var reports: [HeatmapCrowd.Report] = []
        /// When it was complete, monotonic nanoseconds.
        var at: UInt64 = 0
    }

    package nonisolated let core: HubCore
    package nonisolated let kinds: [Topic.Kind] = [.heatmap]
    public nonisolated var unownedExecutor: UnownedSerialExecutor { core.loop.asUnownedSerialExecutor() }

    /// The published heatmap.
    public private(set) var published: HeatmapUpdate { didSet { people = nil } }
    /// The published people by cell, computed on first use.
    private var people: [HeatmapPlace: Int]?
    private var viewers = SubscriberSet()
    /// Counts of the other nodes.
    private var counts: [NodeID: Count] = [:]
    private var subscription: BusSubscription?
    /// When another node published last, monotonic nanoseconds.
    private var receivedAt: UInt64 = 0
    /// Number of this node's last count.
    private var number: UInt64 = 0

    init(_ core: HubCore) {
        self.core = core
        published = HeatmapUpdate(serverTime: core.serverTime, cells: [])
    }

    /// Age at which a node's count becomes invalid.
    static let countAgeMax = Duration.seconds(2 * HeatmapRules.epochSeconds + 5)
    /// Age at which another node's publication is not shown any more.
    static let publishedAgeMax = Duration.seconds(3 * HeatmapRules.epochSeconds)

    /// The published heatmap by cell, computed once for each publication.
    public func publishedByPlace() -> (serverTime: Timestamp, people: [HeatmapPlace: Int]) {
        let byPlace = people ?? HeatmapRoute.people(in: published.cells)
        people = byPlace
        return (published.serverTime, byPlace)
    }

    /// Subscribes a connection to the heatmap. The reply goes out here, before any push.
    /// - Parameter reply: Encodes the reply around the published heatmap.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics.
    public func subscribe(_ subscriber: any Subscriber, reply: @Sendable (HeatmapUpdate) -> [UInt8]) throws {
        try core.remember(.heatmap, of: subscriber)
        viewers.insert(subscriber)
        send(reply(published), topic: .heatmap, to: subscriber)
    }

    package func left(_ topic: Topic, _ subscriber: any Subscriber) { viewers.remove(subscriber) }

    package func refresh(_ subscriber: any Subscriber, _ topics: Set<Topic>, isSlow: Bool) {
        guard viewers.contains(subscriber) else { return }
        send(Self.json(.heatmap, published), topic: .heatmap, to: subscriber, lane: .conflating)
    }

    /// Publishes a heatmap here and to the other nodes; subscribers get a push if it has changed. Only at the node with
    /// ``isPublisher``.
    public func publish(_ update: HeatmapUpdate) {
        // Also when unchanged: a node that joined since has none yet.
        publishMessage(.published(at: update.serverTime, update.cells))
        show(update)
    }

    private func show(_ update: HeatmapUpdate) {
        let isOther = update.cells != published.cells
        published = update
        guard isOther, !viewers.isEmpty else { return }
        publish(
            Delivery(topic: .heatmap, json: Self.json(.heatmap, update), lane: .conflating), to: viewers)
    }

    // MARK: Other nodes

    /// Whether this node publishes the heatmap: of the nodes that are alive, the one with the lowest number does.
    public var isPublisher: Bool {
        guard let link else { return true }
        return link.others.allSatisfy { link.bus.node.id.bits < $0.bits }
    }

    /// Whether other nodes may contribute counts.
    public var hasOtherNodes: Bool { link.map { !$0.others.isEmpty } ?? false }

    /// The valid counts of the other nodes.
    public var otherCounts: [[HeatmapCrowd.Report]] {
        let now = monotonic()
        return self.counts.values
            .filter { now &- min(now, $0.at) <= Self.countAgeMax.nanoseconds }.map(\.reports)
    }

    /// Sends this node's count to the publishing node. Shows an empty heatmap when that node has not published for too long.
    public func sendCount(_ reports: [HeatmapCrowd.Report]) {
        number += 1
        for message in HeatmapMessage.messages(number: number, reports) { publishMessage(message) }
        counts = [:]
        let now = monotonic()
        guard now &- min(now, receivedAt) > Self.publishedAgeMax.nanoseconds else { return }
        show(HeatmapUpdate(serverTime: serverTime, cells: []))
    }

    private func publishMessage(_ message: HeatmapMessage) { link?.publish(message.encoded, on: NodeSubjects.heatmap) }

    /// Follows the other nodes' messages. No recovery is needed for a lost message: the next epoch brings new ones.
    func joinNodes() throws {
        subscription = try listen(to: NodeSubjects.heatmap.map { .init($0) }) { feed, event in
            guard case .message(let message) = event else { return }
            feed.receive(message)
        }
    }

    package func leftNodes() {
        subscription?.cancel()
        subscription = nil
        counts = [:]
    }

    package func lost(_ node: NodeID, isSilent: Bool) { counts[node] = nil }

    private func receive(_ message: BusMessage) {
        guard let link, link.others.contains(message.node) else { return }
        let content: HeatmapMessage
        do {
            content = try HeatmapMessage(decoding: message.bytes)
        } catch {
            core.metrics.unreadable.add()
            link.logger.error(
                "a node's heatmap message cannot be decoded: do all nodes run the same version?",
                metadata: ["other-run": "\(message.node)", "error": "\(error)"])
            return
        }
        switch content {
        case .people(let part, let reports):
            if isPublisher { counts[message.node].take(part, reports, now: monotonic()) }
        case .published(let time, let cells):
            // Two nodes may each take themselves for the publishing one.
            guard !isPublisher else { return }
            receivedAt = monotonic()
            show(HeatmapUpdate(serverTime: time, cells: cells))
        }
    }
}

extension HeatmapFeed.Count? {
    /// Takes a part of a count; parts of earlier counts become invalid.
    mutating func take(_ part: HeatmapMessage.PartOfCount, _ reports: [HeatmapCrowd.Report], now: UInt64) {
        var count = self ?? HeatmapFeed.Count(number: part.number)
        guard part.number >= count.number else { return }
        if part.number > count.number {
            count.number = part.number
            count.parts = [:]
        }
        count.parts[part.part] = reports
        if count.parts.count == part.parts {
            count.reports = (0..<part.parts).flatMap { count.parts[$0] ?? [] }
            count.at = now
            count.parts = [:]
        }
        self = count
    }
}

extension HeatmapUpdate {
    /// A heatmap of these cells with the common rules.
    public init(serverTime: Timestamp, cells: [HeatCell]) {
        self.init(
            serverTime: serverTime, zoom: HeatmapRules.zoom, peopleMin: HeatmapRules.peopleMin, cells: cells)
    }
}
