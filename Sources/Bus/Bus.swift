import EventLoop

/// Publish-subscribe message bus between the nodes of one campus.
///
/// The bus delivers a message at most once to each other node that subscribes to its subject. Messages of one node to one subject
/// arrive in the order of their publication. A message can be lost: a connection breaks, a queue is full, a node dies. A loss is
/// never silent: within ``BusTiming/silenceMax`` the bus sends ``BusEvent/missed(_:)`` to every subscription that may have lost a
/// message. The subscription's owner then reads the current state from PostgreSQL. A message therefore carries only what is
/// committed already, or what the next message replaces.
///
/// All methods may be called from any thread; none blocks. Each loop receives its events in order.
public protocol Bus: AnyObject, Sendable {
    var node: BusNode { get }
    /// The other nodes that are alive as far as this node knows.
    var nodes: [BusNode] { get }
    /// Whether the bus delivers messages now.
    var state: BusState { get }

    /// Publishes a message to the other nodes. This node's own subscriptions do not receive it.
    /// - Parameters:
    ///   - bytes: At most ``BusLimits/messageBytesMax``.
    ///   - subject: The subject to publish to.
    /// - Returns: False if certainly no other node receives the message, because the bus is disconnected or its send queue is full.
    ///   The subscriptions concerned get ``BusEvent/missed(_:)`` later.
    /// - Throws: ``BusError/messageTooLarge``.
    @discardableResult
    func publish(_ bytes: [UInt8], to subject: Subject) throws(BusError) -> Bool

    /// Subscribes to the messages that other nodes publish.
    /// - Parameters:
    ///   - pattern: A subject, or a pattern with wildcards.
    ///   - loop: The loop that calls `handler`, in order.
    ///   - handler: Receives messages, and notifications of possible losses.
    /// - Returns: The subscription. It lasts until it is cancelled.
    /// - Throws: ``BusError/tooManySubscriptions``.
    func subscribe(
        to pattern: SubjectPattern, on loop: EventLoop, _ handler: @escaping @Sendable (BusEvent) -> Void
    ) throws(BusError) -> BusSubscription

    /// Publishes a request and collects the replies of the other nodes, until each node has replied or the time is up.
    /// - Parameters:
    ///   - bytes: At most ``BusLimits/messageBytesMax``.
    ///   - subject: The subject to publish to. Subscribers receive a message whose ``BusMessage/request`` is set.
    ///   - limit: How long to wait for replies.
    ///   - loop: The loop that calls `handler`, once.
    /// - Throws: ``BusError/messageTooLarge``, ``BusError/tooManyRequests``.
    func request(
        _ bytes: [UInt8], of subject: Subject, within limit: Duration, on loop: EventLoop,
        _ handler: @escaping @Sendable (BusReplies) -> Void
    ) throws(BusError)

    /// Replies to a request, once. Does nothing if the message was not a request.
    /// - Throws: ``BusError/messageTooLarge``.
    func reply(to message: BusMessage, with bytes: [UInt8]) throws(BusError)

    /// Calls `handler` on `loop` with the current state and nodes, then with each change of the state and each node that joins or
    /// leaves.
    func observe(on loop: EventLoop, _ handler: @escaping @Sendable (BusObserverEvent) -> Void) -> BusObservation

    /// Sends a final heartbeat to the other nodes and closes the bus, which publishes and delivers nothing afterwards. Returns when
    /// the heartbeat has been sent, or after ``BusTiming/farewellMax``.
    func close() async
}

public enum BusLimits {
    /// Largest payload of a message, in bytes.
    public static let messageBytesMax = 262_144
    /// Bytes in the send queue. The bus drops a message beyond it and counts it as lost.
    public static let sendQueueBytesMax = 16_777_216
    /// Messages in the send queue.
    public static let sendQueueMessagesMax = 65_536
    /// Bytes of the messages queued for one loop. The bus drops a message beyond it and notifies its subscription.
    public static let loopQueueBytesMax = 16_777_216
    /// Messages queued for one loop.
    public static let loopQueueMessagesMax = 65_536
    /// Events that the bus handles in one event-loop iteration.
    public static let eventsPerIterationMax = 512
    /// Distinct patterns that a node may subscribe to.
    public static let patternsMax = 65_536
    /// Published subjects whose last sequence a node remembers.
    public static let publishedSubjectsMax = 65_536
    /// Subjects of one other node whose last sequence one pattern remembers.
    public static let trackedSubjectsMax = 65_536
    /// Requests in flight.
    public static let requestsMax = 4_096
    /// Other nodes that a node knows at the same time.
    public static let nodesMax = 64
    public static let nodeNameBytesMax = 64
}

/// Intervals and timeouts of the bus. All nodes of a campus use the same values.
public struct BusTiming: Sendable {
    /// Interval between heartbeats, by which the other nodes learn that this node lives and which sequence its subjects have
    /// reached.
    public var beatInterval = Duration.seconds(1)
    /// Minimum time between a heartbeat and one sent in answer to a sync request.
    public var beatSpacingMin = Duration.milliseconds(50)
    /// A node from which nothing arrived for this long counts as lost.
    public var silenceMax = Duration.seconds(5)
    /// How long a new connection waits for the heartbeats of the other nodes.
    public var settling = Duration.milliseconds(300)
    /// How long ``Bus/close()`` waits until the final heartbeat is sent.
    public var farewellMax = Duration.seconds(1)

    public init() {}
}

/// Event that a subscription's handler receives.
public enum BusEvent: Sendable {
    /// The first event, once. From now on the bus delivers each message or reports its loss: state read from PostgreSQL now, plus
    /// the messages that follow, is complete.
    case live
    /// A message of another node.
    case message(BusMessage)
    /// Messages may be missing: read the state from PostgreSQL. From now on the bus delivers each message or reports its loss
    /// again.
    case missed(BusLoss)
}

/// Message of another node.
public struct BusMessage: Sendable {
    public let subject: Subject
    /// The node that published the message.
    public let node: NodeID
    public let bytes: [UInt8]
    /// Number of a request, which ``Bus/reply(to:with:)`` needs; nil for a plain message.
    public let request: UInt64?
}

/// Reason why messages may be missing.
public enum BusLoss: Sendable, Hashable {
    /// This node was disconnected for a while.
    case disconnected
    /// This node did not process messages as fast as they arrived.
    case slowConsumer
    /// Some messages of that node did not arrive.
    case gap(NodeID)
    /// Nothing arrives from that node any more: it may have died, or be cut off, with messages unsent.
    case nodeLost(NodeID)
    /// This node has dropped the sequences it tracked, because the node concerned publishes too many subjects.
    case forgotten
    /// A message arrived that this version cannot read: another node runs a different version.
    case unreadable
}

/// Whether the bus delivers messages.
public enum BusState: Sendable, Equatable {
    /// Messages are delivered, as far as this node knows.
    case connected
    /// Messages are not delivered.
    /// - Parameters:
    ///   - since: Nanoseconds of ``EventLoop/nowNanoseconds``.
    ///   - reason: A short statement for the log.
    case disconnected(since: UInt64, reason: String)
}

/// Event that an observer of the bus receives.
public enum BusObserverEvent: Sendable, Equatable {
    case state(BusState)
    /// A node has joined.
    case joined(BusNode)
    /// A node has shut down in order: none of its messages is missing.
    case left(BusNode)
    /// Nothing arrives from a node any more.
    case lost(BusNode)
}

/// Replies of the other nodes to a request.
public struct BusReplies: Sendable {
    /// The replies in order of arrival, at most one from each node.
    public let messages: [BusMessage]
    /// Nodes that were alive when the request was sent, and did not reply in time.
    public let silent: Set<NodeID>

    public init(messages: [BusMessage], silent: Set<NodeID>) {
        self.messages = messages
        self.silent = silent
    }
}

/// Error of the bus.
public enum BusError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is not a valid subject; the value says why.
    case invalidSubject(String)
    /// The payload is larger than ``BusLimits/messageBytesMax``.
    case messageTooLarge
    /// ``BusLimits/patternsMax`` is reached.
    case tooManySubscriptions
    /// ``BusLimits/requestsMax`` is reached.
    case tooManyRequests
    /// The name of the campus or of the node is not valid; the value says why.
    case invalidName(String)

    public var description: String {
        switch self {
        case .invalidSubject(let reason), .invalidName(let reason): reason
        case .messageTooLarge: "a message on the bus has at most \(BusLimits.messageBytesMax) bytes: split it"
        case .tooManySubscriptions: "the bus takes at most \(BusLimits.patternsMax) patterns: use wildcards"
        case .tooManyRequests: "\(BusLimits.requestsMax) requests are in flight on the bus: try again later"
        }
    }
}
