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
