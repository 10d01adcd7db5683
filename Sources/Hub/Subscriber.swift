import EventLoop

/// A connection as the hub sees it.
public protocol Subscriber: AnyObject, Sendable {
    /// Unique in the process.
    var subscriberID: UInt64 { get }
    /// Where ``deliver(_:)`` is called.
    var subscriberLoop: EventLoop { get }
    /// Takes one encoded frame. On ``subscriberLoop``.
    func deliver(_ delivery: Delivery)
}

/// One frame on its way to one or many subscribers; the bytes are shared.
public struct Delivery: Sendable {
    /// How a slow connection treats it.
    public enum Lane: Sendable {
        /// Never left out: replies, ends.
        case reliable
        /// May be skipped by a connection with a backlog, which then asks for the newest (B-1).
        case conflating
    }
    /// The topic it belongs to.
    public let topic: Topic
    /// A complete WebSocket text frame.
    public let frame: [UInt8]
    /// How a slow connection treats it.
    public let lane: Lane

    /// Memberwise.
    public init(topic: Topic, frame: [UInt8], lane: Lane) {
        self.topic = topic
        self.frame = frame
        self.lane = lane
    }
}

/// The subscribers of one topic, by loop, so that a publication is one message a loop.
struct SubscriberSet {
    private final class LoopGroup {
        let loop: EventLoop
        var members: [UInt64: any Subscriber] = [:]
        /// The members as a publication shares them; rebuilt after a change.
        var snapshot: [any Subscriber]?

        init(loop: EventLoop) { self.loop = loop }
    }

    private var groups: [ObjectIdentifier: LoopGroup] = [:]
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// O(1).
    func contains(_ subscriber: any Subscriber) -> Bool {
        groups[ObjectIdentifier(subscriber.subscriberLoop)]?.members[subscriber.subscriberID] != nil
    }

    /// O(1).
    mutating func insert(_ subscriber: any Subscriber) {
        let key = ObjectIdentifier(subscriber.subscriberLoop)
        let group = groups[key] ?? LoopGroup(loop: subscriber.subscriberLoop)
        groups[key] = group
        if group.members.updateValue(subscriber, forKey: subscriber.subscriberID) == nil { count += 1 }
        group.snapshot = nil
    }

    /// O(1).
    mutating func remove(_ subscriber: any Subscriber) {
        let key = ObjectIdentifier(subscriber.subscriberLoop)
        guard let group = groups[key], group.members.removeValue(forKey: subscriber.subscriberID) != nil else { return }
        count -= 1
        group.snapshot = nil
        if group.members.isEmpty { groups[key] = nil }
    }

    /// Hands a delivery to every subscriber, on its loop: one message a loop, whatever their number.
    func publish(_ delivery: Delivery) {
        for group in groups.values {
            let members = group.snapshot ?? Array(group.members.values)
            group.snapshot = members
            group.loop.execute {
                for member in members { member.deliver(delivery) }
            }
        }
    }
}
