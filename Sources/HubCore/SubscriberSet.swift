import EventLoop

/// The subscribers of one topic, grouped by loop, so that a publication is one message to each loop. Not thread-safe: confined to the
/// topic's owner.
public struct SubscriberSet {
    /// A subscriber and its memory address. The address allows prefetching without counting a reference, which would wait for the same
    /// memory.
    package struct Member: Sendable {
        package let subscriber: any Subscriber
        nonisolated(unsafe) let address: UnsafeRawPointer

        init(_ subscriber: any Subscriber) {
            self.subscriber = subscriber
            address = UnsafeRawPointer(Unmanaged.passUnretained(subscriber as AnyObject).toOpaque())
        }
    }

    package final class LoopGroup {
        package let loop: EventLoop
        /// In the order in which the subscribers came, except that the last member replaces a removed one. That is about the order of
        /// their memory, also the kernel's, so that caches and prefetching work well for a publication that goes through all members. A
        /// publication in flight shares the array; the next change copies it.
        package private(set) var members: [Member] = []
        private var places: [UInt64: Int] = [:]
        /// The newest batch that can take more publications; nil after a change of the members.
        var batch: PublicationBatch?

        init(loop: EventLoop) { self.loop = loop }

        func contains(_ id: UInt64) -> Bool { places[id] != nil }

        /// - Returns: False when it was in the group already.
        func insert(_ subscriber: any Subscriber) -> Bool {
            guard !contains(subscriber.subscriberID) else { return false }
            places[subscriber.subscriberID] = members.count
            members.append(Member(subscriber))
            batch = nil
            return true
        }

        /// - Returns: False when it was not in the group.
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

    package private(set) var groups: [ObjectIdentifier: LoopGroup] = [:]
    /// Number of subscribers.
    public private(set) var count = 0

    /// An empty set.
    public init() {}

    public var isEmpty: Bool { count == 0 }

    /// All subscribers. O(count).
    package var subscribers: [any Subscriber] { groups.values.flatMap { $0.members.map(\.subscriber) } }

    /// Whether the subscriber is in the set. O(1).
    public func contains(_ subscriber: any Subscriber) -> Bool {
        groups[ObjectIdentifier(subscriber.subscriberLoop)]?.contains(subscriber.subscriberID) == true
    }

    /// Adds a subscriber. O(1), or O(members) while a publication to them is in flight.
    public mutating func insert(_ subscriber: any Subscriber) {
        let key = ObjectIdentifier(subscriber.subscriberLoop)
        let group = groups[key] ?? LoopGroup(loop: subscriber.subscriberLoop)
        groups[key] = group
        if group.insert(subscriber) { count += 1 }
    }

    /// Removes a subscriber. O(1), or O(members) while a publication to them is in flight.
    public mutating func remove(_ subscriber: any Subscriber) {
        let key = ObjectIdentifier(subscriber.subscriberLoop)
        guard let group = groups[key], group.remove(subscriber.subscriberID) else { return }
        count -= 1
        if group.members.isEmpty { groups[key] = nil }
    }
}
