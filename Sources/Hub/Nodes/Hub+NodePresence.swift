import Bus
import Wire

/// Presence between nodes: a node with viewers of a topic reports its viewers to the other nodes, and receives their reports. Each
/// topic has its own subject, so that a node without viewers receives nothing of it.
///
/// A report is complete, so that the next one makes good for a lost one; a known loss causes a request for reports. The viewers of a
/// silent node do not count.
extension Hub {
    /// Begins to report changes to the other nodes. Call it once.
    func joinPresence() {
        observePresence { [weak self] topic, report in
            self?.assumeIsolated { $0.tellPresence(report, at: topic) }
        }
    }

    private func tellPresence(_ report: PresenceReport?, at topic: Topic) {
        guard let nodes else { return }
        if report == nil {
            nodes.presences.removeValue(forKey: topic)?.cancel()
        } else {
            followPresence(topic)
        }
        publishToNodes(.presence(report), on: HubNodes.Subjects.presence(topic))
    }

    private func followPresence(_ topic: Topic) {
        guard let nodes, nodes.presences[topic] == nil, nodes.presences.count < NodeLimits.watchesMax else { return }
        do {
            nodes.presences[topic] = try listen(to: HubNodes.Subjects.presence(topic).map { .init($0) }) { hub, event in
                switch event {
                // From now on no report is lost unnoticed; a request fetches earlier reports.
                case .live, .missed: hub.publishToNodes(.askPresence, on: HubNodes.Subjects.presence(topic))
                case .message(let message): hub.receivePresence(message, topic)
                }
            }
        } catch {
            nodes.logger.error("presence cannot be followed", metadata: ["topic": "\(topic)", "error": "\(error)"])
        }
    }

    private func receivePresence(_ message: BusMessage, _ topic: Topic) {
        guard let nodes, nodes.others.contains(message.node) else { return }
        switch read(message) {
        case .presence(let report): setRemote(report, of: message.node.bits, at: topic)
        // One report answers all requests.
        case .askPresence:
            gatherings.repeatReport(of: topic)
            schedulePresence()
        default: break
        }
    }
}
