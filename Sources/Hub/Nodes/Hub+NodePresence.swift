import Bus
import Wire

/// Presence between nodes: where somebody watches a topic, its node tells the others who watches there, and listens to them. A subject a
/// topic, so that a node without watchers hears nothing of it.
///
/// A report says all; what is lost is made good by the next one, which is asked for when that is known. A node that is not heard
/// counts for nobody.
extension Hub {
    /// Begins to tell the other nodes of changes. Once.
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
        tell(.presence(report), HubNodes.Subjects.presence(topic))
    }

    private func followPresence(_ topic: Topic) {
        guard let nodes, nodes.presences[topic] == nil, nodes.presences.count < NodeLimits.watchesMax else { return }
        do {
            nodes.presences[topic] = try listen(to: HubNodes.Subjects.presence(topic).map { .init($0) }) { hub, event in
                switch event {
                // From now on nothing is missed, or it is known: what the others said before is asked for.
                case .live, .missed: hub.tell(.askPresence, HubNodes.Subjects.presence(topic))
                case .message(let message): hub.heardPresence(message, topic)
                }
            }
        } catch {
            nodes.logger.error("presence cannot be followed", metadata: ["topic": "\(topic)", "error": "\(error)"])
        }
    }

    private func heardPresence(_ message: BusMessage, _ topic: Topic) {
        guard let nodes, nodes.others.contains(message.node) else { return }
        switch read(message) {
        case .presence(let report): setRemote(report, of: message.node.bits, at: topic)
        // However many ask, all are answered by one report.
        case .askPresence:
            gatherings.repeatReport(of: topic)
            schedulePresence()
        default: break
        }
    }
}
