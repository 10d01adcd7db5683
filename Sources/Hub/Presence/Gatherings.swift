import Wire

/// Who watches each topic whose watchers are counted. Confined to the hub.
///
/// Joining and leaving only count; what is told of it is made once an interval, however many came and went.
struct Gatherings {
    /// Told when who watches here has changed; the report is nil when nobody does any more.
    typealias Observer = @Sendable (Topic, PresenceReport?) -> Void

    private var topics: [Topic: Gathering] = [:]
    /// To be looked at when the interval is over.
    private var changed: Set<Topic> = []
    /// The loop will look.
    var isScheduled = false
    var observer: Observer?

    /// Something is to be told.
    var hasChanged: Bool { !changed.isEmpty }
    var isEmpty: Bool { topics.isEmpty }

    /// O(1).
    mutating func join(_ topic: Topic, _ subscriber: any Subscriber, as attendee: Attendee) {
        topics[topic, default: Gathering()].join(subscriber, as: attendee)
        changed.insert(topic)
    }

    /// O(1). Harmless when it did not watch. What other nodes said is forgotten with the last who watched here.
    mutating func leave(_ topic: Topic, _ subscriber: any Subscriber) {
        guard topics[topic] != nil else { return }
        topics[topic]?.leave(subscriber)
        if topics[topic]?.isEmpty == true { topics[topic] = nil }
        changed.insert(topic)
    }

    /// The topic is no more: nobody is told anything of it.
    mutating func end(_ topic: Topic) {
        if topics.removeValue(forKey: topic) != nil { changed.insert(topic) }
    }

    /// Ignored for a topic that nobody here watches: the other nodes are asked when somebody does.
    mutating func setRemote(_ report: PresenceReport?, of node: UInt64, at topic: Topic) {
        guard topics[topic] != nil else { return }
        topics[topic]?.setRemote(report, of: node)
        changed.insert(topic)
    }

    /// The observer is told of a topic again, though nothing has changed. Ignored where nobody watches.
    mutating func repeatReport(of topic: Topic) {
        guard topics[topic] != nil else { return }
        topics[topic]?.forgetReport()
        changed.insert(topic)
    }

    /// A node is gone, and who watched there is not known to. O(topics).
    mutating func lose(node: UInt64) {
        for (topic, gathering) in topics where gathering.hasRemote(node) { setRemote(nil, of: node, at: topic) }
    }

    /// For one who comes now; nil when nobody watches the topic.
    mutating func snapshot(of topic: Topic, seesNames: Bool) -> Presence? {
        topics[topic]?.snapshot(seesNames: seesNames)
    }

    /// What is new since the last call, for whom; the observer is told as well.
    mutating func takeNews() -> [(topic: Topic, presence: Presence, viewers: SubscriberSet)] {
        var news: [(topic: Topic, presence: Presence, viewers: SubscriberSet)] = []
        for topic in changed {
            guard let (named, unnamed) = topics[topic]?.takeNews() else {
                observer?(topic, nil)
                continue
            }
            if let report = topics[topic]?.takeReport() { observer?(topic, report) }
            guard let gathering = topics[topic] else { continue }
            if let named { news.append((topic, named, gathering.named)) }
            if let unnamed { news.append((topic, unnamed, gathering.unnamed)) }
        }
        changed.removeAll(keepingCapacity: true)
        return news
    }
}
