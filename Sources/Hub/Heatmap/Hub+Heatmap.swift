import Bus
import Campus
import EventLoop
import Wire

/// State of the heatmap. Confined to the hub's loop.
struct HeatmapFeed {
    /// A count by another node.
    struct Count {
        var number: UInt64
        var parts: [Int: [HeatmapCrowd.Report]] = [:]
        /// The newest count that came complete.
        var reports: [HeatmapCrowd.Report] = []
        /// When it was complete, monotonic nanoseconds.
        var at: UInt64 = 0
    }

    var published: HeatmapUpdate { didSet { people = nil } }
    /// The published people by cell, computed on first use.
    var people: [HeatmapPlace: Int]?
    var viewers = SubscriberSet()
    /// Counts of the other nodes.
    var counts: [NodeID: Count] = [:]
    var subscription: BusSubscription?
    /// When another node published last, monotonic nanoseconds.
    var heardAt: UInt64 = 0
    /// Number of this node's last count.
    var number: UInt64 = 0
}

/// The heatmap: one node publishes it; the other nodes send it their counts and show what it publishes.
extension Hub {
    /// Age at which a node's count becomes invalid.
    static let countAgeMax = Duration.seconds(2 * HeatmapRules.epochSeconds + 5)
    /// Age at which another node's publication is not shown any more.
    static let publishedAgeMax = Duration.seconds(3 * HeatmapRules.epochSeconds)

    /// The published heatmap.
    public var heatmap: HeatmapUpdate { heatmapFeed.published }

    /// The published heatmap by cell, computed once for each publication.
    public func heatmapByPlace() -> (serverTime: Timestamp, people: [HeatmapPlace: Int]) {
        let people = heatmapFeed.people ?? HeatmapRoute.people(in: heatmapFeed.published.cells)
        heatmapFeed.people = people
        return (heatmapFeed.published.serverTime, people)
    }

    /// Subscribes a connection to the heatmap. The reply goes out here, before any push.
    /// - Parameter reply: Encodes the reply around the published heatmap.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics.
    public func subscribe(_ subscriber: any Subscriber, heatmap reply: @Sendable (HeatmapUpdate) -> [UInt8]) throws {
        try remember(.heatmap, of: subscriber)
        heatmapFeed.viewers.insert(subscriber)
        send(reply(heatmapFeed.published), topic: .heatmap, to: subscriber)
    }

    func leaveHeatmap(_ subscriber: any Subscriber) { heatmapFeed.viewers.remove(subscriber) }

    /// Sends the heatmap to a subscriber whose pushes were skipped.
    func refreshHeatmap(_ subscriber: any Subscriber) {
        guard heatmapFeed.viewers.contains(subscriber) else { return }
        send(Self.json(.heatmap, heatmapFeed.published), topic: .heatmap, to: subscriber, lane: .conflating)
    }

    /// Publishes a heatmap here and to the other nodes; subscribers get a push if it has changed. Only at the node with
    /// ``isHeatmapPublisher``.
    public func publish(heatmap update: HeatmapUpdate) {
        // Also when unchanged: a node that joined since has none yet.
        publishHeatmapMessage(.published(at: update.serverTime, update.cells))
        show(update)
    }

    private func show(_ update: HeatmapUpdate) {
        let isOther = update.cells != heatmapFeed.published.cells
        heatmapFeed.published = update
        guard isOther, !heatmapFeed.viewers.isEmpty else { return }
        outbox.publish(
            Delivery(topic: .heatmap, json: Self.json(.heatmap, update), lane: .conflating), to: heatmapFeed.viewers)
    }

    // MARK: Other nodes

    /// Whether this node publishes the heatmap: of the nodes that are alive, the one with the lowest number does.
    public var isHeatmapPublisher: Bool {
        guard let nodes else { return true }
        return nodes.others.allSatisfy { nodes.bus.node.id.bits < $0.bits }
    }

    /// Whether other nodes may contribute counts.
    public var hasOtherNodes: Bool { nodes.map { !$0.others.isEmpty } ?? false }

    /// The valid counts of the other nodes.
    public var heatmapCounts: [[HeatmapCrowd.Report]] {
        let now = monotonic()
        return heatmapFeed.counts.values
            .filter { now &- min(now, $0.at) <= Self.countAgeMax.nanoseconds }.map(\.reports)
    }

    /// Sends this node's count to the publishing node. Shows an empty heatmap when that node has not published for too long.
    public func sendHeatmapCount(_ reports: [HeatmapCrowd.Report]) {
        heatmapFeed.number += 1
        for message in HeatmapMessage.messages(number: heatmapFeed.number, reports) { publishHeatmapMessage(message) }
        heatmapFeed.counts = [:]
        let now = monotonic()
        guard now &- min(now, heatmapFeed.heardAt) > Self.publishedAgeMax.nanoseconds else { return }
        show(HeatmapUpdate(serverTime: serverTime, cells: []))
    }

    private func publishHeatmapMessage(_ message: HeatmapMessage) {
        guard let nodes, !nodes.others.isEmpty, let subject = HubNodes.Subjects.heatmap else { return }
        do {
            try nodes.bus.publish(message.encoded, to: subject)
        } catch {
            nodes.logger.error("a heatmap message could not be published", metadata: ["error": "\(error)"])
        }
    }

    /// Follows the other nodes' messages. No recovery is needed for a lost message: the next epoch brings new ones.
    func joinHeatmap() throws {
        heatmapFeed.subscription = try listen(to: HubNodes.Subjects.heatmap.map { .init($0) }) { hub, event in
            guard case .message(let message) = event else { return }
            hub.receiveHeatmap(message)
        }
    }

    func leaveHeatmapNodes() {
        heatmapFeed.subscription?.cancel()
        heatmapFeed.subscription = nil
        heatmapFeed.counts = [:]
    }

    /// Drops the count of a lost node.
    func loseHeatmap(_ node: NodeID) { heatmapFeed.counts[node] = nil }

    private func receiveHeatmap(_ message: BusMessage) {
        guard let nodes, nodes.others.contains(message.node) else { return }
        let said: HeatmapMessage
        do {
            said = try HeatmapMessage(decoding: message.bytes)
        } catch {
            metrics.unreadable.add()
            nodes.logger.error(
                "a node's heatmap message cannot be decoded: do all nodes run the same version?",
                metadata: ["other-run": "\(message.node)", "error": "\(error)"])
            return
        }
        switch said {
        case .people(let part, let reports):
            if isHeatmapPublisher { heatmapFeed.counts[message.node].take(part, reports, now: monotonic()) }
        case .published(let time, let cells):
            // Two nodes may each take themselves for the publishing one.
            guard !isHeatmapPublisher else { return }
            heatmapFeed.heardAt = monotonic()
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
