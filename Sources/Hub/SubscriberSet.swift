import EventLoop

/// The subscribers of one topic, by loop, so that a publication is one message a loop. Not thread-safe: confined to its
/// topic's owner.
public struct SubscriberSet {
    /// A subscriber, and where its memory is: that can be fetched ahead without counting a reference to it, which would wait
    /// for the same memory.
    struct Member: Sendable {
        let subscriber: any Subscriber
        nonisolated(unsafe) let address: UnsafeRawPointer

        init(_ subscriber: any Subscriber) {
            self.subscriber = subscriber
            address = UnsafeRawPointer(Unmanaged.passUnretained(subscriber as AnyObject).toOpaque())
        }
    }

    final class LoopGroup {
        let loop: EventLoop
        /// In the order in which they came, but for those that took the place of one that left: it is that of their memory,
        /// the kernel's too, and a publication that goes through it finds the next where the caches expect it. A publication
        /// on its way shares it, and the next change copies it.
        private(set) var members: [Member] = []
        private var places: [UInt64: Int] = [:]
        /// What was published last and can take more, as long as the members are the same.
        var batch: PublicationBatch?

        init(loop: EventLoop) { self.loop = loop }

        func contains(_ id: UInt64) -> Bool { places[id] != nil }

        /// - Returns: False when it was there.
        func insert(_ subscriber: any Subscriber) -> Bool {
            guard !contains(subscriber.subscriberID) else { return false }
            places[subscriber.subscriberID] = members.count
            members.append(Member(subscriber))
            batch = nil
            return true
        }

        /// - Returns: False when it was not there.
        func remove(_ id: UInt64) -> Bool {
            guard let place = places.removeValue(forKey: id) else { return false }
            let last = members.removeLast()
            if place < members.count {
                members[place] = last
                places[last.subscriber.subscriberID] = place
            }
            batch = nil
            return true
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
        groups[ObjectIdentifier(subscriber.subscriberLoop)]?.contains(subscriber.subscriberID) == true
    }

    /// O(1), and O(members) when a publication to them is on its way.
    public mutating func insert(_ subscriber: any Subscriber) {
        let key = ObjectIdentifier(subscriber.subscriberLoop)
        let group = groups[key] ?? LoopGroup(loop: subscriber.subscriberLoop)
        groups[key] = group
        if group.insert(subscriber) { count += 1 }
    }

    /// O(1), and O(members) when a publication to them is on its way.
    public mutating func remove(_ subscriber: any Subscriber) {
        let key = ObjectIdentifier(subscriber.subscriberLoop)
        guard let group = groups[key], group.remove(subscriber.subscriberID) else { return }
        count -= 1
        if group.members.isEmpty { groups[key] = nil }
    }
}
