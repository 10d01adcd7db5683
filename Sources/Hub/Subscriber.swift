import EventLoop
import WebSocket

/// A connection as the hub sees it.
public protocol Subscriber: AnyObject, Sendable {
    /// Unique in the process.
    var subscriberID: UInt64 { get }
    /// Where ``deliver(_:)`` is called.
    var subscriberLoop: EventLoop { get }
    /// Takes one encoded frame. On ``subscriberLoop``.
    func deliver(_ delivery: Delivery)
    /// Will be given one in a moment: may fetch the memory that takes. On ``subscriberLoop``.
    func prepare()
}

extension Subscriber {
    /// Nothing to fetch.
    public func prepare() {}
}

/// One publication on its way to one or many subscribers, or several that follow each other; the bytes are shared.
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
    /// Each message, which makes its compressed forms once for all receivers.
    public let messages: [BroadcastMessage]
    /// Complete WebSocket text frames without compression, one behind the other. Empty when there is nothing to send.
    public let frame: [UInt8]
    /// How a slow connection treats it.
    public let lane: Lane

    /// One text message.
    /// - Parameter json: The payload, UTF-8; an empty one is no message.
    public init(topic: Topic, json: [UInt8], lane: Lane) {
        self.topic = topic
        self.lane = lane
        messages = json.isEmpty ? [] : [BroadcastMessage(text: json)]
        frame = messages.first?.frame ?? []
    }

    /// One binary message.
    public init(topic: Topic, binary: [UInt8], lane: Lane) {
        self.topic = topic
        self.lane = lane
        messages = [BroadcastMessage(binary: binary)]
        frame = messages[0].frame
    }

    /// Several of one topic as one, in order. O(bytes).
    init(joining deliveries: [Delivery], topic: Topic, lane: Lane) {
        self.topic = topic
        self.lane = lane
        messages = deliveries.flatMap(\.messages)
        var joined: [UInt8] = []
        joined.reserveCapacity(deliveries.reduce(0) { $0 + $1.frame.count })
        for delivery in deliveries { joined.append(contentsOf: delivery.frame) }
        frame = joined
    }
}
