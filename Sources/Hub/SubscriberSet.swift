import EventLoop

/// The subscribers of one topic, by loop, so that a publication is one message a loop. Not thread-safe: confined to its
/// topic's owner.
public struct SubscriberSet {
    final class LoopGroup {
        let loop: EventLoop
        var members: [UInt64: any Subscriber] = [:]
        /// The members as a publication shares them; rebuilt after a change.
        private var snapshot: [any Subscriber]?
        /// What was published last and can take more, as long as the members are the same.
        var batch: PublicationBatch?

        init(loop: EventLoop) { self.loop = loop }

        func changed() {
            snapshot = nil
            batch = nil
        }

        var shared: [any Subscriber] {
            if let snapshot { return snapshot }
            let made = Array(members.values)
            snapshot = made
            return made
        }
    }

    private(set) var groups: [ObjectIdentifier: LoopGroup] = [:]
    /// How many subscribers there are.
    public private(set) var count = 0

    /// Nobody.
    public init() {}

    /// Nobody is left.
    public var isEmpty: Bool { count == 0 }

    /// O(1).
    public func contains(_ subscriber: any Subscriber) -> Bool {
        groups[ObjectIdentifier(subscriber.subscriberLoop)]?.members[subscriber.subscriberID] != nil
    }

    /// O(1).
    public mutating func insert(_ subscriber: any Subscriber) {
        let key = ObjectIdentifier(subscriber.subscriberLoop)
        let group = groups[key] ?? LoopGroup(loop: subscriber.subscriberLoop)
        groups[key] = group
        if group.members.updateValue(subscriber, forKey: subscriber.subscriberID) == nil { count += 1 }
        group.changed()
    }

    /// O(1).
    public mutating func remove(_ subscriber: any Subscriber) {
        let key = ObjectIdentifier(subscriber.subscriberLoop)
        guard let group = groups[key], group.members.removeValue(forKey: subscriber.subscriberID) != nil else { return }
        count -= 1
        group.changed()
        if group.members.isEmpty { groups[key] = nil }
    }
}
