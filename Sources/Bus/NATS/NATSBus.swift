import EventLoop
import Logging
import Synchronization

/// The bus of a campus that several processes serve, by NATS (nats.io; core NATS only, nothing is kept there).
///
/// What a node publishes travels as `campanile.<campus>.<subject>`, encrypted and authenticated (``BusSeal``): NATS and whoever else
/// reaches it sees subjects, sizes and times, and can keep messages back, but neither read nor make them. It connects by itself, again
/// and again, and is usable before it has.
public final class NATSBus: Bus {
    private let engine: BusEngine
    private let transport: NATSTransport

    /// - Parameters:
    ///   - configuration: Where NATS is.
    ///   - keys: Those of the campus.
    ///   - campus: Part of all subjects, so that several campuses may share NATS: the text of a token, see ``Subject``.
    ///   - node: This node.
    ///   - loop: Where its timers are.
    ///   - timing: As all nodes of the campus have it.
    ///   - metrics: What it counts into.
    ///   - logger: Where it logs.
    /// - Throws: ``NATSConfiguration/Invalid`` for options that cannot be used, ``BusError/invalidSubject(_:)`` for a campus that is
    ///   no token.
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

    /// This node.
    public var node: BusNode { engine.node }
    /// The other nodes that are known to live.
    public var nodes: [BusNode] { engine.others }
    /// Whether messages go through now.
    public var state: BusState { engine.connection }

    /// See ``Bus/publish(_:to:)``.
    @discardableResult
    public func publish(_ bytes: [UInt8], to subject: Subject) throws(BusError) -> Bool {
        try engine.publish(bytes, to: subject)
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
        await withCheckedContinuation { continuation in
            let once = Once { continuation.resume() }
            engine.after(engine.timing.farewellMax) { _ in once.run() }
            transport.close { once.run() }
        }
    }
}

/// Runs a body for the first of those who ask.
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
