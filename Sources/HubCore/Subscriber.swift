import EventLoop
import WebSocket

/// A connection as the hub sees it.
public protocol Subscriber: AnyObject, Sendable {
    /// Unique in the process.
    var subscriberID: UInt64 { get }
    /// Loop on which ``deliver(_:)`` is called.
    var subscriberLoop: EventLoop { get }
    /// Takes one delivery. On ``subscriberLoop``.
    func deliver(_ delivery: Delivery)
    /// Announces a delivery that follows in a moment, so that the subscriber can prefetch the memory for it. On ``subscriberLoop``.
    func prepare()
}

extension Subscriber {
    /// Does nothing.
    public func prepare() {}
}

/// One publication on its way to one or many subscribers, or several consecutive ones; the bytes are shared.
public struct Delivery: Sendable {
    /// Treatment by a slow connection.
    public enum Lane: Sendable {
        /// Never left out: replies, ends.
        case reliable
        /// A connection with a backlog may skip it, and then asks for the newest state (B-1).
        case conflating
    }
    public let topic: Topic
    /// The messages; each makes its compressed forms once for all receivers.
    public let messages: [BroadcastMessage]
    /// Complete WebSocket text frames without compression, one after the other. Empty when there is nothing to send.
    public let frame: [UInt8]
    public let lane: Lane

    /// A delivery of one text message.
    /// - Parameter json: The payload, UTF-8; an empty one is no message.
    public init(topic: Topic, json: [UInt8], lane: Lane) {
        self.topic = topic
        self.lane = lane
        messages = json.isEmpty ? [] : [BroadcastMessage(text: json)]
        frame = messages.first?.frame ?? []
    }

    /// A delivery of one binary message.
    public init(topic: Topic, binary: [UInt8], lane: Lane) {
        self.topic = topic
        self.lane = lane
        messages = [BroadcastMessage(binary: binary)]
        frame = messages[0].frame
    }

    /// Joins several deliveries of one topic into one, in order. O(bytes).
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
