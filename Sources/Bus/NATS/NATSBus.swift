import EventLoop
import Logging
import Synchronization

/// Bus between several processes over NATS (nats.io). Uses core NATS only, which stores no messages.
///
/// The bus publishes to `campanile.<campus>.<subject>`, encrypted and authenticated (``BusSeal``). The NATS server and its other
/// clients see subjects, sizes and times, and can withhold messages, but can neither read nor forge them. The bus connects by
/// itself and retries without limit. It can be used before it is connected.
public final class NATSBus: Bus {
    private let engine: BusEngine
    private let transport: NATSTransport

    /// - Parameters:
    ///   - configuration: Addresses and credentials of NATS.
    ///   - keys: The campus's keys.
    ///   - campus: Part of all subjects, so that several campuses can share NATS: the text of a token, see ``Subject``.
    ///   - node: This node.
    ///   - loop: Runs the bus's timers.
    ///   - timing: Intervals and timeouts, the same for all nodes of the campus.
    ///   - metrics: Receives the bus's metrics.
    ///   - logger: Receives the bus's log messages.
    /// - Throws: ``NATSConfiguration/Invalid`` for invalid options, ``BusError/invalidSubject(_:)`` for a campus that is not a
    ///   valid token.
    public init(
        _ configuration: NATSConfiguration, keys: BusKeyring, campus: String, node: BusNode, loop: EventLoop,
        timing: BusTiming = BusTiming(), metrics: BusMetrics = BusMetrics(),
        logger: Logger = Logger(label: "campanile.bus")
    ) throws {
        let prefix = "campanile.\(try Subject([campus]).description)."
        engine = BusEngine(
            node: node, loop: loop, timing: timing, metrics: metrics, logger: logger,
            seal: BusSeal(keys, node: node.id, campus: campus))
        transport = NATSTransport(
            options: try NATSOptions(configuration, name: "campanile \(node.name)"), prefix: prefix, engine: engine,
            metrics: metrics, logger: engine.logger)
        engine.start(transport)
        transport.connect()
    }

    deinit {
        engine.close()
        transport.close {}
    }

    public var node: BusNode { engine.node }
    public var nodes: [BusNode] { engine.others }
    public var state: BusState { engine.connection }

    @discardableResult
    public func publish(_ bytes: [UInt8], to subject: Subject) throws(BusError) -> Bool {
        try engine.publish(bytes, to: subject)
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
        await withCheckedContinuation { continuation in
            let once = Once { continuation.resume() }
            engine.after(engine.timing.farewellMax) { _ in once.run() }
            transport.close { once.run() }
        }
    }
}

/// Runs a body once, on the first call.
private final class Once: Sendable {
    private let body: Mutex<(@Sendable () -> Void)?>

    init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }

    func run() {
        let body = body.withLock { body in
            defer { body = nil }
            return body
        }
        body?()
    }
}
