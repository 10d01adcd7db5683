import Bus
import HubCore
import Wire

/// Reliable topics between nodes: the committing node announces the new head of the topic, with the publications if they are small.
/// PostgreSQL has all publications, so that a node reads those whose announcement was lost.
extension LogFeed {
    /// Follows the announcements of other nodes for a topic while its log is in memory. Each topic has its own subject, so that a node
    /// without readers of a chat receives no message about the chat.
    func follow(_ topic: Topic) {
        guard let link, subscriptions[topic] == nil else { return }
        do {
            subscriptions[topic] = try listen(to: NodeSubjects.log(topic).map { .init($0) }) { feed, event in
                switch event {
                // Publications that were committed before, or whose announcement was lost, are in the table.
                case .live, .missed: Task { _ = await feed.poll([topic]) }
                case .message(let message): feed.receivePublications(message, topic)
                }
            }
        } catch {
            // The poll finds them, later.
            link.logger.error("a topic cannot be followed", metadata: ["topic": "\(topic)", "error": "\(error)"])
        }
    }

    /// Ends following a topic whose log is not in memory any more.
    func unfollow(_ topic: Topic) { subscriptions.removeValue(forKey: topic)?.cancel() }

    package func leftNodes() {
        for subscription in subscriptions.values { subscription.cancel() }
        subscriptions = [:]
    }

    /// Announces publications that this node committed to the other nodes.
    /// - Parameter publications: Consecutive.
    public func announce(_ publications: [StoredPublication], topic: Topic, epoch: Int64) {
        guard let link, !link.others.isEmpty, let last = publications.last else { return }
        let bytes = publications.reduce(0) { $0 + $1.data.count }
        let isSmall = bytes <= NodeLimits.publicationBytesMax
        announceHead(isSmall ? publications : [], at: TopicPosition(epoch: epoch, offset: last.offset), of: topic)
    }

    /// Announces the head of a topic to the other nodes.
    func announceHead(_ publications: [StoredPublication], at position: TopicPosition, of topic: Topic) {
        publishToNodes(.publications(head: position, publications), on: NodeSubjects.log(topic))
    }

    private func receivePublications(_ message: BusMessage, _ topic: Topic) {
        guard logs[topic] != nil else { return }
        switch read(message) {
        case .publications(let head, let publications) where publications.isEmpty: advance(topic, to: head)
        case .publications(let head, let publications): publish(publications, topic: topic, epoch: head.epoch)
        case .aside(let by, let json):
            publisher(of: topic)?.onLoopAside(json, by: by, of: topic)
        default: break
        }
    }
}
