import EventLoop
import Synchronization

/// Hands publications to the subscribers' loops, in order. Each loop gets one message for a publication, however many subscribers it
/// has, and one message for several publications that follow each other on the reliable lane.
///
/// A subscriber gets everything in the order in which it was given to the outbox. Not thread-safe: confined to its owner.
public struct Outbox {
    /// The newest message on its way to each loop, if it is a batch that still takes publications. Any later message to the loop closes
    /// it.
    private var newest: [ObjectIdentifier: PublicationBatch] = [:]

    /// An empty outbox.
    public init() {}

    /// Hands a delivery to every subscriber, on its loop. O(loops).
    public mutating func publish(_ delivery: Delivery, to subscribers: SubscriberSet) {
        for (key, group) in subscribers.groups {
            if let batch = group.batch, newest[key] === batch, batch.append(delivery) { continue }
            let batch = PublicationBatch(delivery, members: group.members)
            let takesMore = delivery.lane == .reliable
            newest[key] = takesMore ? batch : nil
            group.batch = takesMore ? batch : nil
            group.loop.execute { batch.deliver() }
        }
    }

    /// Hands a delivery to one subscriber, on its loop. O(1).
    public mutating func send(_ delivery: Delivery, to subscriber: any Subscriber) {
        newest[ObjectIdentifier(subscriber.subscriberLoop)] = nil
        subscriber.subscriberLoop.execute { subscriber.deliver(delivery) }
    }
}

/// Publications on their way to the subscribers of one topic on one loop. Publications join the batch until the loop takes it, so that
/// under load each subscriber queues one array of bytes for many messages.
final class PublicationBatch: Sendable {
    /// Largest number of bytes in a batch; a single larger publication is a batch of its own.
    static let bytesMax = 65_536

    private let members: [SubscriberSet.Member]
    private struct Waiting {
        var deliveries: [Delivery]
        var bytes: Int
        var isTaken = false
    }
    private let waiting: Mutex<Waiting>

    init(_ delivery: Delivery, members: [SubscriberSet.Member]) {
        self.members = members
        waiting = Mutex(Waiting(deliveries: [delivery], bytes: delivery.frame.count))
    }

    /// - Returns: False when the batch was taken already, or is full.
    func append(_ delivery: Delivery) -> Bool {
        guard delivery.lane == .reliable else { return false }
        return waiting.withLock { waiting in
            guard !waiting.isTaken, waiting.bytes + delivery.frame.count <= Self.bytesMax else { return false }
            waiting.deliveries.append(delivery)
            waiting.bytes += delivery.frame.count
            return true
        }
    }

    /// Delivers the batch. On the subscribers' loop.
    func deliver() {
        let deliveries = waiting.withLock { waiting in
            waiting.isTaken = true
            return waiting.deliveries
        }
        guard let first = deliveries.first else { return }
        let delivery =
            deliveries.count == 1 ? first : Delivery(joining: deliveries, topic: first.topic, lane: first.lane)
        // Between two publications a thousand other connections are served, so that the next member is in no cache any more: it is
        // prefetched.
        for index in members.indices {
            if index + 12 < members.count { EventLoop.prefetch(members[index + 12].address) }
            if index + 6 < members.count { members[index + 6].subscriber.prepare() }
            members[index].subscriber.deliver(delivery)
        }
    }
}
