import Bus
import Campus
import EventLoop
import Wire

/// What the hub knows of the heatmap. Confined to the hub's loop.
struct HeatmapFeed {
    /// What another node counts.
    struct Count {
        var number: UInt64
        var parts: [Int: [HeatmapCrowd.Report]] = [:]
        /// Of the newest count that came whole.
        var reports: [HeatmapCrowd.Report] = []
        /// When that was, monotonic nanoseconds.
        var at: UInt64 = 0
    }

    var published: HeatmapUpdate { didSet { people = nil } }
    /// The same by cell, once somebody has asked.
    var people: [HeatmapPlace: Int]?
    var viewers = SubscriberSet()
    /// Of the other nodes.
    var counts: [NodeID: Count] = [:]
    var subscription: BusSubscription?
    /// When another node published last, monotonic nanoseconds.
    var heardAt: UInt64 = 0
    /// Of this node's counts.
    var number: UInt64 = 0
}

/// The heatmap: one node publishes it, the others tell that one whom they hear of, and show what it publishes.
extension Hub {
    /// A node's count is of no use after so long.
    static let countAgeMax = Duration.seconds(2 * HeatmapRules.epochSeconds + 5)
    /// What another node published is shown for so long.
    static let publishedAgeMax = Duration.seconds(3 * HeatmapRules.epochSeconds)

    /// What is published.
    public var heatmap: HeatmapUpdate { heatmapFeed.published }

    /// The same by cell, made once for each publication.
    public func heatmapByPlace() -> (serverTime: Timestamp, people: [HeatmapPlace: Int]) {
        let people = heatmapFeed.people ?? HeatmapRoute.people(in: heatmapFeed.published.cells)
        heatmapFeed.people = people
        return (heatmapFeed.published.serverTime, people)
    }

    /// A connection watches the heatmap. The reply goes out here, before any push.
    /// - Parameter reply: Encodes the reply around what is published.
    /// - Throws: ``Wire/RPCError`` when the connection has too many topics.
    public func subscribe(_ subscriber: any Subscriber, heatmap reply: @Sendable (HeatmapUpdate) -> [UInt8]) throws {
        try remember(.heatmap, of: subscriber)
        heatmapFeed.viewers.insert(subscriber)
        send(reply(heatmapFeed.published), topic: .heatmap, to: subscriber)
    }

    func leaveHeatmap(_ subscriber: any Subscriber) { heatmapFeed.viewers.remove(subscriber) }

    /// To one whose pushes were skipped.
    func refreshHeatmap(_ subscriber: any Subscriber) {
        guard heatmapFeed.viewers.contains(subscriber) else { return }
        send(Self.json(.heatmap, heatmapFeed.published), topic: .heatmap, to: subscriber, lane: .conflating)
    }

    /// Publishes, here and to the other nodes; pushed when it is another than before. Only where ``leadsHeatmap`` says so.
    public func publish(heatmap update: HeatmapUpdate) {
        // Each time: a node that came since has none yet.
        tell(.published(at: update.serverTime, update.cells))
        show(update)
    }

    private func show(_ update: HeatmapUpdate) {
        let isOther = update.cells != heatmapFeed.published.cells
        heatmapFeed.published = update
        guard isOther, !heatmapFeed.viewers.isEmpty else { return }
        outbox.publish(
            Delivery(topic: .heatmap, json: Self.json(.heatmap, update), lane: .conflating), to: heatmapFeed.viewers)
    }

    // MARK: Several nodes

    /// Whether this node publishes: of those that live, the one with the lowest number does.
    public var leadsHeatmap: Bool {
        guard let nodes else { return true }
        return nodes.others.allSatisfy { nodes.bus.node.id.bits < $0.bits }
    }

    /// Whether other nodes may have people to tell of.
    public var sharesHeatmap: Bool { nodes.map { !$0.others.isEmpty } ?? false }

    /// What the other nodes counted.
    public var heatmapCounts: [[HeatmapCrowd.Report]] {
        let now = monotonic()
        return heatmapFeed.counts.values
            .filter { now &- min(now, $0.at) <= Self.countAgeMax.nanoseconds }.map(\.reports)
    }

    /// Tells the node that publishes whom this one hears of; shows nothing any more when that has not published for long.
    public func tell(heatmap reports: [HeatmapCrowd.Report]) {
        heatmapFeed.number += 1
        for message in HeatmapMessage.messages(number: heatmapFeed.number, reports) { tell(message) }
        heatmapFeed.counts = [:]
        let now = monotonic()
        guard now &- min(now, heatmapFeed.heardAt) > Self.publishedAgeMax.nanoseconds else { return }
        show(HeatmapUpdate(serverTime: serverTime, cells: []))
    }

    private func tell(_ message: HeatmapMessage) {
        guard let nodes, !nodes.others.isEmpty, let subject = HubNodes.Subjects.heatmap else { return }
        do {
            try nodes.bus.publish(message.encoded, to: subject)
        } catch {
            nodes.logger.error("the heatmap could not be told", metadata: ["error": "\(error)"])
        }
    }

    /// What is lost is made good by the next epoch.
    func joinHeatmap() throws {
        heatmapFeed.subscription = try listen(to: HubNodes.Subjects.heatmap.map { .init($0) }) { hub, event in
            guard case .message(let message) = event else { return }
            hub.heardHeatmap(message)
        }
    }

    func leaveHeatmapNodes() {
        heatmapFeed.subscription?.cancel()
        heatmapFeed.subscription = nil
        heatmapFeed.counts = [:]
    }

    /// A node that is lost hears of nobody.
    func loseHeatmap(_ node: NodeID) { heatmapFeed.counts[node] = nil }

    private func heardHeatmap(_ message: BusMessage) {
        guard let nodes, nodes.others.contains(message.node) else { return }
        let said: HeatmapMessage
        do {
            said = try HeatmapMessage(decoding: message.bytes)
        } catch {
            metrics.unreadable.add()
            nodes.logger.error(
                "what a node says of the heatmap cannot be read: do all nodes run the same version?",
                metadata: ["other-run": "\(message.node)", "error": "\(error)"])
            return
        }
        switch said {
        case .people(let part, let reports):
            if leadsHeatmap { heatmapFeed.counts[message.node].take(part, reports, now: monotonic()) }
        case .published(let time, let cells):
            // Of two that both think it is theirs to publish.
            guard !leadsHeatmap else { return }
            heatmapFeed.heardAt = monotonic()
            show(HeatmapUpdate(serverTime: time, cells: cells))
        }
    }
}

extension HeatmapFeed.Count? {
    /// A part of a count came; parts of one before are void.
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
    /// What is told of cells.
    public init(serverTime: Timestamp, cells: [HeatCell]) {
        self.init(
            serverTime: serverTime, zoom: HeatmapRules.zoom, peopleMin: HeatmapRules.peopleMin, cells: cells)
    }
}
