import HubCore
import Wire

/// The presence sets of all topics that have presence. Confined to the hub.
///
/// Joining and leaving only count. Publications are made once an interval, however many subscribers came and went.
struct PresenceSets {
    /// Called when the viewers at this node have changed; the report is nil when there are none any more.
    typealias Observer = @Sendable (Topic, PresenceReport?) -> Void

    private var topics: [Topic: PresenceSet] = [:]
    /// Topics to be examined when the interval is over.
    private var changed: Set<Topic> = []
    /// A publication is scheduled on the loop.
    var isScheduled = false
    var observer: Observer?

    /// Whether any presence set has changed.
    var hasChanged: Bool { !changed.isEmpty }
    var isEmpty: Bool { topics.isEmpty }

    /// Adds a subscriber to a topic. O(1).
    mutating func join(_ topic: Topic, _ subscriber: any Subscriber, as attendee: PresenceMember) {
        topics[topic, default: PresenceSet()].join(subscriber, as: attendee)
        changed.insert(topic)
    }

    /// Removes a subscriber from a topic. Idempotent. O(1). Reports of other nodes are dropped with the last subscriber at this node.
    mutating func leave(_ topic: Topic, _ subscriber: any Subscriber) {
        guard topics[topic] != nil else { return }
        topics[topic]?.leave(subscriber)
        if topics[topic]?.isEmpty == true { topics[topic] = nil }
        changed.insert(topic)
    }

    /// Drops a topic that has ended; nothing more is published of it.
    mutating func end(_ topic: Topic) {
        if topics.removeValue(forKey: topic) != nil { changed.insert(topic) }
    }

    /// Takes a node's report. Ignored for a topic without subscribers here: the first subscriber causes the other nodes to be asked.
    mutating func setRemote(_ report: PresenceReport?, of node: UInt64, at topic: Topic) {
        guard topics[topic] != nil else { return }
        topics[topic]?.setRemote(report, of: node)
        changed.insert(topic)
    }

    /// Repeats the report of a topic to the observer, even if it is unchanged. Ignored without subscribers here.
    mutating func repeatReport(of topic: Topic) {
        guard topics[topic] != nil else { return }
        topics[topic]?.invalidateReport()
        changed.insert(topic)
    }

    /// Drops the reports of a node that is gone. O(topics).
    mutating func lose(node: UInt64) {
        for (topic, presenceSet) in topics where presenceSet.hasRemote(node) { setRemote(nil, of: node, at: topic) }
    }

    /// The presence for a new subscriber; nil when nobody watches the topic.
    mutating func snapshot(of topic: Topic, seesNames: Bool) -> Presence? {
        topics[topic]?.snapshot(seesNames: seesNames)
    }

    /// The publications since the last call, with their receivers; calls the observer as well.
    mutating func takeChanges() -> [(topic: Topic, presence: Presence, viewers: SubscriberSet)] {
        var publications: [(topic: Topic, presence: Presence, viewers: SubscriberSet)] = []
        for topic in changed {
            guard let (named, unnamed) = topics[topic]?.takeChanges() else {
                observer?(topic, nil)
                continue
            }
            if let report = topics[topic]?.takeReport() { observer?(topic, report) }
            guard let presenceSet = topics[topic] else { continue }
            if let named { publications.append((topic, named, presenceSet.named)) }
            if let unnamed { publications.append((topic, unnamed, presenceSet.unnamed)) }
        }
        changed.removeAll(keepingCapacity: true)
        return publications
    }
}
