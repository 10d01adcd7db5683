import EventLoop
import Logging
import Synchronization

/// How messages get to the other nodes. The engine calls it under its lock: it only queues, and does not call back before it returned.
protocol BusTransport: AnyObject, Sendable {
    /// - Parameters:
    ///   - subject: Without the prefix of the campus.
    ///   - isVital: There is room for it however full the queue is: there are few of them.
    /// - Returns: False when the queue is full.
    func send(_ frame: [UInt8], to subject: String, isVital: Bool) -> Bool
    /// Has frames of these subjects handed to ``BusEngine/received(_:subject:frame:)`` under this number, and
    /// ``BusEngine/confirmed(_:connection:)`` called when that is so.
    func listen(to pattern: String, number: UInt64)
    /// Ends that.
    func ignore(number: UInt64)
}

/// What every bus has, whatever it travels by: who is subscribed, how far each subject has got, who else lives, and what may have been
/// lost. No I/O.
///
/// Loss is found out four ways. The messages of a node about a subject are numbered, so the next one tells that one is missing.
/// Each node's beat says how far its subjects have got, so the last one's loss is told too; beats are numbered. A node that is not heard
/// any more counts as having had something to tell. And a bus that was disconnected has missed what there was.
///
/// A sequence never begins again: that of a subject which a node has forgotten begins above all that the node has ever published, and
/// its first message says so.
final class BusEngine: Sendable {
    static let controlNumber: UInt64 = 1
    static let answersNumber: UInt64 = 2
    static let controlSubject = "$bus.beat"

    let node: BusNode
    let timing: BusTiming
    let metrics: BusMetrics
    let logger: Logger
    /// Where its timers are.
    let loop: EventLoop
    let now: @Sendable () -> UInt64
    /// Nil where nobody else can be: within a process.
    let seal: BusSeal?
    let state: Mutex<State>

    struct State {
        var transport: (any BusTransport)?
        var connection: BusState
        /// Counts connections: what is said of an earlier one is void.
        var connectionNumber = 0
        /// Whether the other nodes have had the time to be heard since the bus is connected.
        var isSettled = false
        var isClosed = false
        var lastNumber: UInt64 = 2
        var queues: [ObjectIdentifier: LoopQueue] = [:]
        var observers: [UInt64: BusObservation] = [:]
        var requests: [UInt64: PendingRequest] = [:]

        // Of this node's messages.
        var published: [Subject: Published] = [:]
        /// Subjects that were published since the last beat.
        var changed: [Subject] = []
        var publishedTotal: UInt64 = 0
        var beat: UInt64 = 0
        var lastBeatAt: UInt64 = 0
        var isBeatScheduled = false
        /// Marks that the next beat answers, the latest of each node.
        var unansweredMarks: [NodeID: UInt64] = [:]
        var lastMark: UInt64 = 0
        var ticks: UInt32 = 0

        // Of the others'.
        var nodes: [NodeID: RemoteNode] = [:]
        var interests: [UInt64: Interest] = [:]
        var numbers: [SubjectPattern: UInt64] = [:]
        var wildcards: Set<UInt64> = []
        /// Interests that are confirmed and not live yet.
        var pending: Set<UInt64> = []

        // Of what is sealed.
        var senders: [NodeID: Sender] = [:]
        /// Only answers to later marks prove that a sender lives.
        var proofFloor: UInt64 = 0
        var lastChallengeAt: UInt64 = 0
        var isChallengeScheduled = false
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
        /// Nil when the next one will do: this bus was disconnected.
        var beat: UInt64?
        var lastHeard: UInt64
    }

    struct PendingRequest {
        let queue: LoopQueue
        let subject: Subject
        let handler: @Sendable (BusAnswers) -> Void
        var answers: [BusMessage] = []
        var expected: Set<NodeID>
        var silent: Set<NodeID> = []
    }

    /// A pattern that this node subscribes to, once for all its subscriptions.
    final class Interest {
        struct Tracked {
            var sequence: UInt64
            var tick: UInt32
        }
        struct Member {
            let subscription: BusSubscription
            /// It was told once that it is live, so what it is told next is what it may have missed.
            var wasLive: Bool
        }
        let number: UInt64
        let pattern: SubjectPattern
        var members: [Member] = []
        /// The transport delivers.
        var isConfirmed = false
        /// Members were told, and are told of losses.
        var isLive = false
        /// Waits for the beats of ``uncovered`` before it is live.
        var isAwaiting = false
        /// The mark that asks for the state of its subjects.
        var mark: UInt64 = 0
        /// Nodes that have not answered the mark: what it does not know of their subjects was published before it is live.
        var uncovered: Set<NodeID> = []
        var tracked: [NodeID: [Subject: Tracked]] = [:]

        init(number: UInt64, pattern: SubjectPattern) {
            self.number = number
            self.pattern = pattern
        }
    }

    /// - Parameters:
    ///   - isAlone: There are no other nodes and never will be.
    ///   - seal: Encrypts and authenticates; nil where nobody else can be.
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
    /// Of what is sent to this node alone.
    var answersSubject: String { Self.answersSubject(of: node.id) }
    static func answersSubject(of id: NodeID) -> String { "$bus.answer.\(id)" }

    /// Begins to use a transport.
    func start(_ transport: any BusTransport) {
        state.withLock { state in
            state.transport = transport
            transport.listen(to: Self.controlSubject, number: Self.controlNumber)
            transport.listen(to: answersSubject, number: Self.answersNumber)
        }
        tickLater()
    }

    /// Says farewell, and does nothing from now on.
    func close() {
        state.withLock { state in
            guard !state.isClosed else { return }
            if state.connection == .connected, state.transport != nil { sendBeat(&state, isLast: true) }
            state.isClosed = true
            state.transport = nil
            for number in state.requests.keys { finish(number, &state) }
            state.interests.removeAll()
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

    // MARK: The connection

    /// The transport has a connection, by which it does not deliver yet.
    /// - Returns: Its number, for ``confirmed(_:connection:)``.
    func connected() -> Int {
        state.withLock { state in
            guard !state.isClosed else { return 0 }
            // There may have been an end that was not told yet.
            void(&state)
            state.connectionNumber += 1
            state.isSettled = false
            for id in state.nodes.keys { state.nodes[id]?.lastHeard = now() }
            if state.connectionNumber > 1 { metrics.reconnects.add() }
            change(.connected, &state)
            return state.connectionNumber
        }
    }

    /// The transport has none any more.
    /// - Parameter reason: One plain fact.
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

    /// Forgets what was known by a connection.
    private func void(_ state: inout State) {
        for id in state.nodes.keys { state.nodes[id]?.beat = nil }
        for interest in state.interests.values {
            interest.isConfirmed = false
            interest.isLive = false
            interest.isAwaiting = false
            interest.uncovered.removeAll()
            interest.tracked.removeAll()
        }
        state.pending.removeAll()
        state.unansweredMarks.removeAll()
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
        tell(.state(connection), state)
    }

    // MARK: Observers

    func observe(on loop: EventLoop, _ handler: @escaping @Sendable (BusNotice) -> Void) -> BusObservation {
        state.withLock { state in
            state.lastNumber += 1
            let observation = BusObservation(
                id: state.lastNumber, queue: queue(of: loop, &state), handler: handler,
                onCancel: { [weak self] observation in
                    self?.state.withLock { $0.observers[observation.id] = nil }
                })
            if !state.isClosed { state.observers[observation.id] = observation }
            observation.tell(.state(state.connection))
            for remote in state.nodes.values { observation.tell(.joined(remote.node)) }
            return observation
        }
    }

    func tell(_ notice: BusNotice, _ state: State) {
        for observer in state.observers.values { observer.tell(notice) }
    }

    func queue(of loop: EventLoop, _ state: inout State) -> LoopQueue {
        if let queue = state.queues[ObjectIdentifier(loop)] { return queue }
        let queue = LoopQueue(loop: loop)
        state.queues[ObjectIdentifier(loop)] = queue
        return queue
    }

    // MARK: Time

    /// Runs `body` on the home loop, unless the bus is gone by then.
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
