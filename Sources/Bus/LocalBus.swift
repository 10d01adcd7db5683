import Dispatch
import EventLoop
import Logging
import Synchronization

/// The bus of a campus that one process serves: there is nobody to tell, so publishing costs nothing. Joined by a ``LocalNetwork``,
/// several in one process are nodes to each other, for tests.
public final class LocalBus: Bus {
    private let engine: BusEngine
    private let network: LocalNetwork?

    /// - Parameters:
    ///   - node: This node.
    ///   - loop: Where its timers are, and its frames wait when the network delays them.
    ///   - network: What joins it to others; nil for a node that is alone.
    ///   - keys: Those of the campus, for messages that are sealed as over NATS; nil for plain ones.
    ///   - timing: As the others'.
    ///   - metrics: What it counts into.
    ///   - logger: Where it logs.
    public init(
        node: BusNode, loop: EventLoop, network: LocalNetwork? = nil, keys: BusKeyring? = nil,
        timing: BusTiming = BusTiming(),
        metrics: BusMetrics = BusMetrics(), logger: Logger = Logger(label: "campanile.bus")
    ) {
        self.network = network
        engine = BusEngine(
            node: node, loop: loop, timing: timing, metrics: metrics, logger: logger, isAlone: network == nil,
            seal: keys.map { BusSeal($0, node: node.id, campus: "local") })
        network?.join(engine)
    }

    /// This node.
    public var node: BusNode { engine.node }
    /// The other nodes that are known to live.
    public var nodes: [BusNode] { engine.others }
    /// Whether messages go through now; a node that is alone is connected.
    public var state: BusState { engine.connection }

    /// See ``Bus/publish(_:to:)``. A node that is alone looks at the size, and that is all.
    @discardableResult
    public func publish(_ bytes: [UInt8], to subject: Subject) throws(BusError) -> Bool {
        guard network != nil else {
            guard bytes.count <= BusLimits.messageBytesMax else { throw .messageTooLarge }
            return true
        }
        return try engine.publish(bytes, to: subject)
    }

    /// See ``Bus/subscribe(to:on:_:)``.
    public func subscribe(
        to pattern: SubjectPattern, on loop: EventLoop, _ handler: @escaping @Sendable (BusEvent) -> Void
    ) throws(BusError) -> BusSubscription {
        try engine.subscribe(to: pattern, on: loop, handler)
    }

    /// See ``Bus/request(_:of:within:on:_:)``.
    public func request(
        _ bytes: [UInt8], of subject: Subject, within limit: Duration, on loop: EventLoop,
        _ handler: @escaping @Sendable (BusAnswers) -> Void
    ) throws(BusError) {
        try engine.request(bytes, of: subject, within: limit, on: loop, handler)
    }

    /// See ``Bus/answer(_:with:)``.
    public func answer(_ message: BusMessage, with bytes: [UInt8]) throws(BusError) {
        try engine.answer(message, with: bytes)
    }

    /// See ``Bus/observe(on:_:)``.
    public func observe(on loop: EventLoop, _ handler: @escaping @Sendable (BusNotice) -> Void) -> BusObservation {
        engine.observe(on: loop, handler)
    }

    /// See ``Bus/close()``.
    public func close() async {
        engine.close()
        network?.leave(engine)
        await network?.settle()
    }
}

/// Joins several ``LocalBus`` in one process, and does to what they say to each other what networks do: for tests.
///
/// Frames travel one after the other on a queue of the network's own, encoded and read as any other transport's.
public final class LocalNetwork: Sendable {
    /// What happens to what one node says to another.
    public enum Fault: Sendable, Equatable {
        /// It is lost.
        case drop
        /// It comes so much later, in order.
        case delay(Duration)
    }
    private struct Member {
        let engine: BusEngine
        var isConnected = true
        var patterns: [UInt64: SubjectPattern] = [:]
    }
    private struct Path: Hashable {
        let from: NodeID
        let to: NodeID
    }
    private struct State {
        var members: [NodeID: Member] = [:]
        var faults: [Path: Fault] = [:]
    }
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "campanile.bus.local")

    /// A network without nodes and faults.
    public init() {}

    /// Has everything that one node says to another meet a fault, or nothing any more.
    public func setFault(_ fault: Fault?, from: LocalBus, to: LocalBus) {
        state.withLock { $0.faults[Path(from: from.node.id, to: to.node.id)] = fault }
    }

    /// Parts two groups of nodes, which stay connected to what joins each; ``heal()`` ends it.
    public func part(_ some: [LocalBus], from others: [LocalBus]) {
        for one in some {
            for other in others {
                setFault(.drop, from: one, to: other)
                setFault(.drop, from: other, to: one)
            }
        }
    }

    /// Ends all faults.
    public func heal() {
        state.withLock { $0.faults.removeAll() }
    }

    /// Takes a node's connection away, which it notices, or gives it back.
    public func setConnected(_ isConnected: Bool, _ bus: LocalBus) {
        queue.async {
            let member: Member? = self.state.withLock { state in
                guard state.members[bus.node.id]?.isConnected == !isConnected else { return nil }
                state.members[bus.node.id]?.isConnected = isConnected
                return state.members[bus.node.id]
            }
            guard let member else { return }
            if isConnected {
                member.engine.confirmed(Array(member.patterns.keys), connection: member.engine.connected())
            } else {
                member.engine.disconnected("the connection was taken away")
            }
        }
    }

    /// Returns when everything that was said before has arrived or is lost, but for what is delayed.
    public func settle() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    func join(_ engine: BusEngine) {
        state.withLock { $0.members[engine.node.id] = Member(engine: engine) }
        _ = engine.connected()
        engine.start(LocalTransport(network: self, id: engine.node.id))
    }

    func leave(_ engine: BusEngine) {
        queue.async { self.state.withLock { $0.members[engine.node.id] = nil } }
    }

    // MARK: The transport

    fileprivate func send(_ frame: [UInt8], to subject: Subject, from sender: NodeID) {
        queue.async {
            let receivers = self.state.withLock { state in
                guard state.members[sender]?.isConnected == true else { return [(Member, Fault?)]() }
                return state.members.values.filter { $0.engine.node.id != sender && $0.isConnected }.map {
                    ($0, state.faults[Path(from: sender, to: $0.engine.node.id)])
                }
            }
            for (member, fault) in receivers {
                let numbers = member.patterns.filter { $0.value.matches(subject) }.keys.sorted()
                guard !numbers.isEmpty else { continue }
                let deliver: @Sendable () -> Void = {
                    for number in numbers {
                        frame.withUnsafeBytes {
                            member.engine.received(number, subject: { subject.description }, frame: $0)
                        }
                    }
                }
                switch fault {
                case nil: deliver()
                case .drop: break
                case .delay(let delay): member.engine.after(delay) { _ in deliver() }
                }
            }
        }
    }

    fileprivate func listen(_ id: NodeID, to pattern: String, number: UInt64) {
        queue.async {
            let member: Member? = self.state.withLock { state in
                state.members[id]?.patterns[number] = SubjectPattern(spelled: pattern)
                return state.members[id]
            }
            guard let member, member.isConnected else { return }
            member.engine.confirmed([number], connection: member.engine.connectionNumber)
        }
    }

    fileprivate func ignore(_ id: NodeID, number: UInt64) {
        queue.async { self.state.withLock { $0.members[id]?.patterns[number] = nil } }
    }
}

private final class LocalTransport: BusTransport {
    private let network: LocalNetwork
    private let id: NodeID

    init(network: LocalNetwork, id: NodeID) {
        self.network = network
        self.id = id
    }

    func send(_ frame: [UInt8], to subject: String, isVital: Bool) -> Bool {
        network.send(frame, to: Subject(spelled: subject), from: id)
        return true
    }

    func listen(to pattern: String, number: UInt64) {
        network.listen(id, to: pattern, number: number)
    }

    func ignore(number: UInt64) { network.ignore(id, number: number) }
}
