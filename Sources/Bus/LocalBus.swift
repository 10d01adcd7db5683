import Dispatch
import EventLoop
import Logging
import Synchronization

/// Bus within one process. For a campus with a single node, publishing costs nothing, because no other node exists. For tests, a
/// ``LocalNetwork`` connects several instances in one process as nodes of one campus.
public final class LocalBus: Bus {
    private let engine: BusEngine
    private let network: LocalNetwork?

    /// - Parameters:
    ///   - node: This node.
    ///   - loop: Runs the bus's timers, and delivers frames that the network delays.
    ///   - network: Connects the node to others; nil for a node without others.
    ///   - keys: The campus's keys, to encrypt frames as over NATS; nil for plain frames.
    ///   - timing: Intervals and timeouts, the same for all nodes.
    ///   - metrics: Receives the bus's metrics.
    ///   - logger: Receives the bus's log messages.
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

    public var node: BusNode { engine.node }
    public var nodes: [BusNode] { engine.others }
    /// Whether the bus delivers messages now. A node without others is always connected.
    public var state: BusState { engine.connection }

    /// See ``Bus/publish(_:to:)``. A node without others only checks the size.
    @discardableResult
    public func publish(_ bytes: [UInt8], to subject: Subject) throws(BusError) -> Bool {
        guard network != nil else {
            guard bytes.count <= BusLimits.messageBytesMax else { throw .messageTooLarge }
            return true
        }
        return try engine.publish(bytes, to: subject)
    }

    public func subscribe(
        to pattern: SubjectPattern, on loop: EventLoop, _ handler: @escaping @Sendable (BusEvent) -> Void
    ) throws(BusError) -> BusSubscription {
        try engine.subscribe(to: pattern, on: loop, handler)
    }

    public func request(
        _ bytes: [UInt8], of subject: Subject, within limit: Duration, on loop: EventLoop,
        _ handler: @escaping @Sendable (BusReplies) -> Void
    ) throws(BusError) {
        try engine.request(bytes, of: subject, within: limit, on: loop, handler)
    }

    public func reply(to message: BusMessage, with bytes: [UInt8]) throws(BusError) {
        try engine.reply(to: message, with: bytes)
    }

    public func observe(on loop: EventLoop, _ handler: @escaping @Sendable (BusObserverEvent) -> Void) -> BusObservation
    {
        engine.observe(on: loop, handler)
    }

    public func close() async {
        engine.close()
        network?.leave(engine)
        await network?.settle()
    }
}

/// Simulated network between several ``LocalBus`` in one process, with faults: for tests.
///
/// Frames travel one after the other on the network's own queue, encoded and decoded as by any other transport.
public final class LocalNetwork: Sendable {
    /// Fault on the path from one node to another.
    public enum Fault: Sendable, Equatable {
        /// All frames are lost.
        case drop
        /// Frames arrive later by this duration, in order.
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

    public init() {}

    /// Sets the fault on the path from one node to another, or removes it.
    public func setFault(_ fault: Fault?, from: LocalBus, to: LocalBus) {
        state.withLock { $0.faults[Path(from: from.node.id, to: to.node.id)] = fault }
    }

    /// Partitions two groups of nodes: frames between the groups are lost while every node stays connected. ``heal()`` ends the
    /// partition.
    public func part(_ some: [LocalBus], from others: [LocalBus]) {
        for one in some {
            for other in others {
                setFault(.drop, from: one, to: other)
                setFault(.drop, from: other, to: one)
            }
        }
    }

    /// Removes all faults.
    public func heal() {
        state.withLock { $0.faults.removeAll() }
    }

    /// Disconnects a node, which the node notices, or connects it again.
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

    /// Returns when every frame sent before has arrived or is lost, except for delayed frames.
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

    // MARK: Transport

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
