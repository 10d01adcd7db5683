import Bus
import HubCore
import Wire

/// Presence between nodes: a node with viewers of a topic reports its viewers to the other nodes, and receives their reports. Each topic
/// has its own subject, so that a node without viewers of the topic receives no reports about it.
///
/// A report is complete, so that the next one replaces a lost one. When the bus reports a loss, the node requests all reports. The
/// viewers of a silent node do not count.
extension PresenceFeed {
    /// Begins to report changes to the other nodes. Call it once.
    func joinNodes() {
        observe { [weak self] topic, report in
            self?.assumeIsolated { $0.report(report, at: topic) }
        }
    }

    package func lost(_ node: NodeID, isSilent: Bool) { loseRemote(node: node.bits) }

    package func busLost(_ others: Set<NodeID>) {
        for node in others { loseRemote(node: node.bits) }
    }

    package func leftNodes() {
        observe(nil)
        for subscription in subscriptions.values { subscription.cancel() }
        subscriptions = [:]
    }

    private func report(_ report: PresenceReport?, at topic: Topic) {
        guard link != nil else { return }
        if report == nil {
            subscriptions.removeValue(forKey: topic)?.cancel()
        } else {
            follow(topic)
        }
        publishToNodes(.presence(report), on: NodeSubjects.presence(topic))
    }

    private func follow(_ topic: Topic) {
        guard let link, subscriptions[topic] == nil, subscriptions.count < NodeLimits.watchesMax else { return }
        do {
            subscriptions[topic] = try listen(to: NodeSubjects.presence(topic).map { .init($0) }) { feed, event in
                switch event {
                // From now on no report is lost unnoticed; a request fetches earlier reports.
                case .live, .missed: feed.publishToNodes(.askPresence, on: NodeSubjects.presence(topic))
                case .message(let message): feed.receive(message, topic)
                }
            }
        } catch {
            link.logger.error("presence cannot be followed", metadata: ["topic": "\(topic)", "error": "\(error)"])
        }
    }

    private func receive(_ message: BusMessage, _ topic: Topic) {
        guard let link, link.others.contains(message.node) else { return }
        switch read(message) {
        case .presence(let report): setRemote(report, of: message.node.bits, at: topic)
        // One report answers all requests.
        case .askPresence:
            sets.repeatReport(of: topic)
            schedule()
        default: break
        }
    }
}
