import Bus
import Wire

/// Reliable topics between nodes: whoever commits tells how far the topic is, with what is new when that is little. PostgreSQL has it all,
/// so what is lost on the way is read there.
extension Hub {
    /// Hears what other nodes commit to a topic, as long as it is at hand here. A subject a topic: a node with nobody in a chat hears
    /// nothing of it.
    func followLog(_ topic: Topic) {
        guard let nodes, nodes.logs[topic] == nil else { return }
        do {
            nodes.logs[topic] = try listen(to: HubNodes.Subjects.log(topic).map { .init($0) }) { hub, event in
                switch event {
                // What was committed before, or was lost, is in the table.
                case .live, .missed: Task { _ = await hub.look(at: [topic]) }
                case .message(let message): hub.heardPublications(message, topic)
                }
            }
        } catch {
            // The poll finds it, later.
            nodes.logger.error("a topic cannot be followed", metadata: ["topic": "\(topic)", "error": "\(error)"])
        }
    }

    /// The topic is not at hand any more.
    func unfollowLog(_ topic: Topic) { nodes?.logs.removeValue(forKey: topic)?.cancel() }

    /// Tells the other nodes what this one committed.
    /// - Parameter publications: Consecutive.
    public func tell(_ publications: [StoredPublication], topic: Topic, epoch: Int64) {
        guard let nodes, !nodes.others.isEmpty, let last = publications.last else { return }
        let bytes = publications.reduce(0) { $0 + $1.data.count }
        let isSmall = bytes <= NodeLimits.publicationBytesMax
        tell(isSmall ? publications : [], at: TopicPosition(epoch: epoch, offset: last.offset), of: topic)
    }

    /// Tells the other nodes how far a topic is.
    func tell(_ publications: [StoredPublication], at position: TopicPosition, of topic: Topic) {
        tell(.publications(head: position, publications), HubNodes.Subjects.log(topic))
    }

    private func heardPublications(_ message: BusMessage, _ topic: Topic) {
        guard logs[topic] != nil else { return }
        switch read(message) {
        case .publications(let head, let publications) where publications.isEmpty: advance(topic, to: head)
        case .publications(let head, let publications): publish(publications, topic: topic, epoch: head.epoch)
        case .aside(let by, let json):
            if case .chat(let conversation) = topic { give(json, by: by, in: conversation) }
        default: break
        }
    }
}
