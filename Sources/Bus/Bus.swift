import EventLoop

/// What the nodes of one campus tell each other by.
///
/// A message reaches each other node that has subscribed to its subject at most once, and messages of one node about one subject in the
/// order of their publication. It may be lost: a connection breaks, a queue is full, a node dies. That is never silent: every
/// subscription it may have concerned is told ``BusEvent/missed(_:)``, within ``BusTiming/silenceMax`` at the latest, and its owner
/// reads from PostgreSQL what it needs. So a message says what has been committed, or what the next one replaces.
///
/// All methods may be called from any thread and none of them blocks. What is handed to a loop comes in order on that loop.
public protocol Bus: AnyObject, Sendable {
    /// This node.
    var node: BusNode { get }
    /// The other nodes that are known to live.
    var nodes: [BusNode] { get }
    /// Whether messages go through now.
    var state: BusState { get }

    /// Tells the other nodes. Nobody in this node hears it.
    /// - Parameters:
    ///   - bytes: At most ``BusLimits/messageBytesMax``.
    ///   - subject: What it is about.
    /// - Returns: False when it is certain already that no other node gets it, as the bus is disconnected or its queue is full; those that
    ///   should have got it will be told.
    /// - Throws: ``BusError/messageTooLarge``.
    @discardableResult
    func publish(_ bytes: [UInt8], to subject: Subject) throws(BusError) -> Bool

    /// Asks for what the other nodes publish about a subject.
    /// - Parameters:
    ///   - pattern: A subject, or one with wildcards.
    ///   - loop: Where `handler` is called, in order.
    ///   - handler: Called for messages, and when some may have been missed.
    /// - Returns: What ends it. It does not end by itself.
    /// - Throws: ``BusError/tooManySubscriptions``.
    func subscribe(
        to pattern: SubjectPattern, on loop: EventLoop, _ handler: @escaping @Sendable (BusEvent) -> Void
    ) throws(BusError) -> BusSubscription

    /// Publishes a question and collects what the other nodes answer: until each of them has, or until the time is up.
    /// - Parameters:
    ///   - bytes: At most ``BusLimits/messageBytesMax``.
    ///   - subject: Who has subscribed to it is asked: ``BusMessage/question`` is set.
    ///   - limit: How long to wait for answers.
    ///   - loop: Where `handler` is called, once.
    /// - Throws: ``BusError/messageTooLarge``, ``BusError/tooManyRequests``.
    func request(
        _ bytes: [UInt8], of subject: Subject, within limit: Duration, on loop: EventLoop,
        _ handler: @escaping @Sendable (BusAnswers) -> Void
    ) throws(BusError)

    /// Answers a question, once. Nothing happens when the message was none.
    /// - Throws: ``BusError/messageTooLarge``.
    func answer(_ message: BusMessage, with bytes: [UInt8]) throws(BusError)

    /// Calls `handler` on `loop` with the state as it is and whenever it changes, and with nodes that come and go.
    func observe(on loop: EventLoop, _ handler: @escaping @Sendable (BusNotice) -> Void) -> BusObservation

    /// Says farewell to the other nodes and ends: nothing is published or delivered any more. Returns when the farewell has
    /// been sent, or after ``BusTiming/farewellMax``.
    func close() async
}

/// The bus's limits.
public enum BusLimits {
    /// Bytes of a message.
    public static let messageBytesMax = 262_144
    /// Bytes that wait to be sent; a message beyond is dropped and counted as lost.
    public static let sendQueueBytesMax = 16_777_216
    /// Messages that wait to be sent.
    public static let sendQueueMessagesMax = 65_536
    /// Bytes of messages that wait for one loop; a message beyond is dropped, and its subscription told.
    public static let loopQueueBytesMax = 16_777_216
    /// Messages that wait for one loop.
    public static let loopQueueMessagesMax = 65_536
    /// Messages that one turn of a loop takes.
    public static let messagesPerTurnMax = 512
    /// Patterns that may be subscribed to.
    public static let patternsMax = 65_536
    /// Subjects a node remembers its sequence of.
    public static let publishedSubjectsMax = 65_536
    /// Subjects of one node that one pattern remembers the sequence of.
    public static let trackedSubjectsMax = 65_536
    /// Questions that wait for answers.
    public static let requestsMax = 4_096
    /// Other nodes.
    public static let nodesMax = 64
    /// Bytes of a node's name.
    public static let nodeNameBytesMax = 64
}

/// The bus's times. All nodes of a campus have the same.
public struct BusTiming: Sendable {
    /// Between two beats, which tell the other nodes that this one lives and how far its subjects have got.
    public var beatInterval = Duration.seconds(1)
    /// Between a beat and one that was asked for.
    public var beatSpacingMin = Duration.milliseconds(50)
    /// A node that was not heard for so long counts as lost.
    public var silenceMax = Duration.seconds(5)
    /// How long a new connection waits to hear which other nodes there are.
    public var settling = Duration.milliseconds(300)
    /// How long ``Bus/close()`` waits for the farewell to be sent.
    public var farewellMax = Duration.seconds(1)

    /// The defaults.
    public init() {}
}

/// What a subscription is told.
public enum BusEvent: Sendable {
    /// From now on each message is delivered, or its loss told: what is read from PostgreSQL now, and the messages that follow, are
    /// all there is. Once, first.
    case live
    /// A message of another node.
    case message(BusMessage)
    /// Messages may be missing: read from PostgreSQL. From now on each message is delivered again, or its loss told.
    case missed(BusLoss)
}

/// A message of another node.
public struct BusMessage: Sendable {
    /// What it is about.
    public let subject: Subject
    /// Who published it.
    public let node: NodeID
    /// What it says.
    public let bytes: [UInt8]
    /// Set for a question: ``Bus/answer(_:with:)`` needs it.
    public let question: UInt64?
}

/// Why messages may be missing.
public enum BusLoss: Sendable, Hashable {
    /// This node was not connected for a while.
    case disconnected
    /// This node did not take messages as fast as they came.
    case slowConsumer
    /// Some of that node's did not come.
    case gap(NodeID)
    /// That node is not heard any more: it may have died, or be cut off, with something to tell.
    case nodeLost(NodeID)
    /// This node has too many subjects to remember how far each of them got.
    case forgotten
    /// A message came that this version cannot read: a node runs another one.
    case unreadable
}

/// Whether messages go through.
public enum BusState: Sendable, Equatable {
    /// They do, as far as this node can tell.
    case connected
    /// They do not.
    /// - Parameters:
    ///   - since: Nanoseconds of ``EventLoop/nowNanoseconds``.
    ///   - reason: One plain fact.
    case disconnected(since: UInt64, reason: String)
}

/// What an observer of the bus is told.
public enum BusNotice: Sendable, Equatable {
    /// The state, as it is now.
    case state(BusState)
    /// A node is there.
    case joined(BusNode)
    /// A node has said farewell: nothing of it is missing.
    case left(BusNode)
    /// A node is not heard any more.
    case lost(BusNode)
}

/// What the other nodes answered.
public struct BusAnswers: Sendable {
    /// In the order they came, at most one of each node.
    public let messages: [BusMessage]
    /// Nodes that lived when they were asked, and did not answer in time.
    public let silent: Set<NodeID>

    /// Memberwise.
    public init(messages: [BusMessage], silent: Set<NodeID>) {
        self.messages = messages
        self.silent = silent
    }
}

/// What the bus does not do.
public enum BusError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not a subject; says why.
    case invalidSubject(String)
    /// More than ``BusLimits/messageBytesMax``.
    case messageTooLarge
    /// As many patterns as are allowed.
    case tooManySubscriptions
    /// As many questions as are allowed wait for their answers.
    case tooManyRequests
    /// The campus's or the node's name cannot be used; says why.
    case invalidName(String)

    /// One plain fact.
    public var description: String {
        switch self {
        case .invalidSubject(let reason), .invalidName(let reason): reason
        case .messageTooLarge: "a message on the bus has at most \(BusLimits.messageBytesMax) bytes: split it"
        case .tooManySubscriptions: "the bus takes at most \(BusLimits.patternsMax) patterns: use wildcards"
        case .tooManyRequests: "\(BusLimits.requestsMax) questions wait for answers: ask later"
        }
    }
}
