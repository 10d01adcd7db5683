import EventLoop
import Logging
import Synchronization

/// Carries frames to the other nodes. The engine calls it while holding its lock: an implementation only queues, and does not call
/// back before it returns.
protocol BusTransport: AnyObject, Sendable {
    /// Queues a frame.
    /// - Parameters:
    ///   - subject: The subject without the prefix of the campus.
    ///   - isVital: True to queue the frame even if the queue is full. Vital frames are few.
    /// - Returns: False if the queue is full.
    func send(_ frame: [UInt8], to subject: String, isVital: Bool) -> Bool
    /// Subscribes to a pattern: passes matching frames to ``BusEngine/received(_:subject:frame:)`` under this number. Calls
    /// ``BusEngine/confirmed(_:connection:)`` once the subscription is in effect.
    func listen(to pattern: String, number: UInt64)
    /// Ends the subscription with this number.
    func ignore(number: UInt64)
}

/// Transport-independent state of a bus: subscriptions, sequences of subjects, live nodes, and losses. Performs no I/O.
///
/// The engine detects losses in five ways:
/// - Messages of a node to a subject have consecutive sequences, so the next message reveals a gap.
/// - Each heartbeat lists the sequences of the node's subjects, so a lost last message is found too. Heartbeats are numbered
///   themselves.
/// - A node from which nothing arrives any more counts as having lost messages.
/// - A node that was counted as lost and comes back finds a gap in the heartbeats: meanwhile nothing was sent for its sake.
/// - A bus that was disconnected has missed the messages of that time.
///
/// A sequence never restarts: when a node publishes again to a subject it has forgotten, the sequence starts above the number of
/// all its messages so far, and the first message is flagged.
final class BusEngine: Sendable {
    static let controlNumber: UInt64 = 1
    static let repliesNumber: UInt64 = 2
    static let controlSubject = "$bus.beat"

    let node: BusNode
    let timing: BusTiming
    let metrics: BusMetrics
    let logger: Logger
    /// The loop that runs the bus's timers.
    let loop: EventLoop
    let now: @Sendable () -> UInt64
    /// Encrypts and authenticates frames; nil for a bus within one process.
    let seal: BusSeal?
    let state: Mutex<State>

    struct State {
        var transport: (any BusTransport)?
        var connection: BusState
        /// Number of the current connection. Confirmations for an earlier connection are ignored.
        var connectionNumber = 0
        /// Whether ``BusTiming/settling`` has passed since the bus was connected.
        var isSettled = false
        var isClosed = false
        var lastNumber: UInt64 = 2
        var queues: [ObjectIdentifier: LoopQueue] = [:]
        var observers: [UInt64: BusObservation] = [:]
        var requests: [UInt64: PendingRequest] = [:]

        // Published by this node.
        var published: [Subject: Published] = [:]
        /// Subjects to list in the next heartbeat.
        var changed: [Subject] = []
        var publishedTotal: UInt64 = 0
        var beat: UInt64 = 0
        var lastBeatAt: UInt64 = 0
        var isBeatScheduled = false
        /// The latest sync request of each node, to be answered by the next heartbeat.
        var unansweredSyncRequests: [NodeID: UInt64] = [:]
        var lastSyncRequest: UInt64 = 0
        var ticks: UInt32 = 0

        // Received from other nodes.
        var nodes: [NodeID: RemoteNode] = [:]
        /// The nodes that were lost last, oldest first; at most ``BusLimits/nodesMax``.
        var lost: [NodeID] = []
        var followed: [UInt64: FollowedPattern] = [:]
        var numbers: [SubjectPattern: UInt64] = [:]
        var wildcards: Set<UInt64> = []
        /// Confirmed patterns that are not live yet.
        var pending: Set<UInt64> = []

        // Verification of senders.
        var senders: [NodeID: Sender] = [:]
        /// Only answers to sync requests with a higher number verify a sender.
        var verificationFloor: UInt64 = 0
        var lastProofRequestAt: UInt64 = 0
        var isProofRequestScheduled = false
        var rejected = 0
        var rejectedAt: UInt64 = 0
    }

    struct Published {
        var sequence: UInt64
        var isChanged: Bool
        var tick: UInt32
    }

    struct RemoteNode {
        let node: BusNode
        /// Number of the last heartbeat received on this connection; nil before the first.
        var beat: UInt64?
        var lastReceived: UInt64
    }

    struct PendingRequest {
        let queue: LoopQueue
        let subject: Subject
        let handler: @Sendable (BusReplies) -> Void
        var replies: [BusMessage] = []
        var expected: Set<NodeID>
        var silent: Set<NodeID> = []
    }

    /// A pattern that this node subscribes to. All subscriptions to the pattern share it.
    final class FollowedPattern {
        struct Tracked {
            var sequence: UInt64
            var tick: UInt32
        }
        struct Member {
            let subscription: BusSubscription
            /// The subscription has received ``BusEvent/live`` once. When the pattern goes live again, it gets
            /// ``BusEvent/missed(_:)`` instead.
            var wasLive: Bool
        }
        let number: UInt64
        let pattern: SubjectPattern
        var members: [Member] = []
        /// The transport delivers messages for this pattern.
        var isConfirmed = false
        /// The subscriptions were notified that they are live, and receive loss events.
        var isLive = false
        /// Waits for heartbeats of the nodes in ``nodesToAnswer`` before it goes live.
        var awaitsAnswers = false
        /// Number of the sync request that asks for the sequences of this pattern.
        var syncRequest: UInt64 = 0
        /// Nodes that have not answered the sync request. Their first message to an unknown subject is not a gap: earlier messages
        /// were published before the pattern goes live.
        var nodesToAnswer: Set<NodeID> = []
        var tracked: [NodeID: [Subject: Tracked]] = [:]

        init(number: UInt64, pattern: SubjectPattern) {
            self.number = number
            self.pattern = pattern
        }
    }

    /// - Parameters:
    ///   - isAlone: True if there are no other nodes and never will be.
    ///   - seal: Encrypts and authenticates frames; nil for a bus within one process.
    init(
        node: BusNode, loop: EventLoop, timing: BusTiming = BusTiming(), metrics: BusMetrics = BusMetrics(),
        logger: Logger = Logger(label: "campanile.bus"), isAlone: Bool = false,
        seal: BusSeal? = nil, now: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds }
    ) {
        self.node = node
        self.loop = loop
        self.timing = timing
        self.metrics = metrics
        var logger = logger
        logger[metadataKey: "node"] = "\(node.name)"
        logger[metadataKey: "run"] = "\(node.id)"
        self.logger = logger
        self.now = now
        self.seal = seal
        let connection: BusState = isAlone ? .connected : .disconnected(since: now(), reason: "not connected yet")
        state = Mutex(State(connection: connection, isSettled: isAlone))
        metrics.connected.set(isAlone ? 1 : 0)
    }

    var others: [BusNode] { state.withLock { $0.nodes.values.map(\.node).sorted { $0.name < $1.name } } }
    var connection: BusState { state.withLock { $0.connection } }
    var connectionNumber: Int { state.withLock { $0.connectionNumber } }
    /// Subject of the replies to this node.
    var repliesSubject: String { Self.repliesSubject(of: node.id) }
    static func repliesSubject(of id: NodeID) -> String { "$bus.answer.\(id)" }

    func start(_ transport: any BusTransport) {
        state.withLock { state in
            state.transport = transport
            transport.listen(to: Self.controlSubject, number: Self.controlNumber)
            transport.listen(to: repliesSubject, number: Self.repliesNumber)
        }
        tickLater()
    }

    /// Sends a final heartbeat and stops all activity.
    func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            if state.connection == .connected, state.transport != nil { sendHeartbeat(&state, isLast: true) }
            state.isClosed = true
            state.transport = nil
            for number in state.requests.keys { finish(number, &state) }
            state.followed.removeAll()
            state.numbers.removeAll()
            state.wildcards.removeAll()
            state.pending.removeAll()
            state.nodes.removeAll()
            metrics.patterns.set(0)
            metrics.nodes.set(0)
            change(.disconnected(since: now(), reason: "closed"), &state)
            state.observers.removeAll()
        }
    }

    // MARK: Connection

    /// Handles a new connection of the transport. Its subscriptions are not confirmed yet.
    /// - Returns: The connection's number, for ``confirmed(_:connection:)``.
    func connected() -> Int {
        state.withLock { state in
            guard !state.isClosed else { return 0 }
            // The transport may have reconnected before it reported the loss of the connection.
            void(&state)
            state.connectionNumber += 1
            state.isSettled = false
            for id in state.nodes.keys { state.nodes[id]?.lastReceived = now() }
            if state.connectionNumber > 1 { metrics.reconnects.add() }
            change(.connected, &state)
            return state.connectionNumber
        }
    }

    /// Handles the loss of the transport's connection.
    /// - Parameter reason: A short statement for the log.
    func disconnected(_ reason: String) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if case .disconnected(let since, let before) = state.connection {
                if before != reason { change(.disconnected(since: since, reason: reason), &state) }
                return
            }
            void(&state)
            change(.disconnected(since: now(), reason: reason), &state)
        }
    }

    /// Discards the state that belongs to one connection.
    private func void(_ state: inout State) {
        for id in state.nodes.keys { state.nodes[id]?.beat = nil }
        for followed in state.followed.values {
            followed.isConfirmed = false
            followed.isLive = false
            followed.awaitsAnswers = false
            followed.nodesToAnswer.removeAll()
            followed.tracked.removeAll()
        }
        state.pending.removeAll()
        state.unansweredSyncRequests.removeAll()
        distrust(&state)
    }

    private func change(_ connection: BusState, _ state: inout State) {
        state.connection = connection
        metrics.connected.set(connection == .connected ? 1 : 0)
        switch connection {
        case .connected: logger.notice("the bus is connected")
        case .disconnected where state.isClosed: logger.debug("the bus is closed")
        case .disconnected(_, let reason): logger.warning("the bus is disconnected", metadata: ["reason": "\(reason)"])
        }
        notify(.state(connection), state)
    }

    // MARK: Observers

    func observe(on loop: EventLoop, _ handler: @escaping @Sendable (BusObserverEvent) -> Void) -> BusObservation {
        state.withLock { state in
            state.lastNumber += 1
            let observation = BusObservation(
                id: state.lastNumber, queue: queue(of: loop, &state), handler: handler,
                onCancel: { [weak self] observation in
                    self?.state.withLock { $0.observers[observation.id] = nil }
                })
            if !state.isClosed { state.observers[observation.id] = observation }
            observation.notify(.state(state.connection))
            for remote in state.nodes.values { observation.notify(.joined(remote.node)) }
            return observation
        }
    }

    func notify(_ notice: BusObserverEvent, _ state: State) {
        for observer in state.observers.values { observer.notify(notice) }
    }

    func queue(of loop: EventLoop, _ state: inout State) -> LoopQueue {
        if let queue = state.queues[ObjectIdentifier(loop)] { return queue }
        let queue = LoopQueue(loop: loop)
        state.queues[ObjectIdentifier(loop)] = queue
        return queue
    }

    // MARK: Timers

    /// Runs `body` on the bus's loop after a delay, unless the engine has been released by then.
    func after(_ delay: Duration, _ body: @escaping @Sendable (BusEngine) -> Void) {
        loop.execute { [weak self] in
            guard let self else { return }
            self.loop.schedule(after: delay) { [weak self] in
                if let self { body(self) }
            }
        }
    }

    private func tickLater() {
        after(timing.beatInterval) { engine in
            if engine.tick() { engine.tickLater() }
        }
    }
}
