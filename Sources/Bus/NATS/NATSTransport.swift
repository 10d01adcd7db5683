import CNats
import Dispatch
import EventLoop
import Glibc
import Logging
import Synchronization

/// Transport over a connection of the NATS library.
///
/// The library holds one lock while it connects (up to ``NATSConfiguration/connectTimeout`` for each attempt) and while it writes
/// (up to ``NATSConfiguration/writeTimeout``), and blocks every caller meanwhile. Therefore only two queues call it:
/// - `writer`, behind a ``SendQueue`` whose overflow counts as loss.
/// - `confirmer`, which waits until the server has confirmed new subscriptions.
///
/// `@unchecked Sendable`: mutable state is used on `writer` only, or is behind a mutex.
final class NATSTransport: BusTransport, @unchecked Sendable {

    /// Timeout for the server's confirmation of subscriptions. The confirmer asks again afterwards.
    static let confirmMilliseconds: Int64 = 2_000
    static let confirmAgainDelay = DispatchTimeInterval.milliseconds(500)

    private let prefix: String
    private let logger: Logger
    private let metrics: BusMetrics
    private let options: NATSOptions
    private let queue: SendQueue
    private let writer = DispatchQueue(label: "campanile.bus.nats")
    private let confirmer = DispatchQueue(label: "campanile.bus.nats.confirm")
    private let confirming = Mutex(Confirming())
    private struct Confirming {
        var numbers: [UInt64] = []
        var connection = 0
        var isScheduled = false
    }

    /// Set once, before the transport starts.
    private(set) weak var engine: BusEngine?

    /// Changed on the writer queue only.
    private let current = Mutex<NATSConnection?>(nil)
    private var link: NATSConnection? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    // On the writer queue only.
    private var subject: [CChar] = []
    private var isClosed = false

    init(
        options: NATSOptions, prefix: String, engine: BusEngine, metrics: BusMetrics, logger: Logger
    ) {
        self.options = options
        self.prefix = prefix
        self.engine = engine
        self.metrics = metrics
        self.logger = logger
        queue = SendQueue(metrics: metrics)
    }

    // MARK: Calls from the engine

    func send(_ frame: [UInt8], to subject: String, isVital: Bool) -> Bool {
        enqueue(.publish(frame, subject: subject), isVital: isVital)
    }

    func listen(to pattern: String, number: UInt64) { enqueue(.listen(pattern: pattern, number: number)) }

    func ignore(number: UInt64) { enqueue(.ignore(number: number)) }

    func connect() { enqueue(.run { $0.makeLink() }) }

    /// Sends the queued messages, closes the connection, and then calls `done`.
    func close(_ done: @escaping @Sendable () -> Void) {
        enqueue(
            .run { transport in
                transport.isClosed = true
                transport.link?.flush()
                transport.dropLink()
                done()
            })
    }

    @discardableResult
    private func enqueue(_ command: SendQueue.Command, isVital: Bool = true) -> Bool {
        switch queue.append(command, isVital: isVital) {
        case .full: return false
        case .queued: return true
        case .first:
            writer.async { self.drain() }
            return true
        }
    }

    // MARK: Writer queue

    private func drain() {
        var batch: [SendQueue.Command] = []
        while let next = queue.take(after: batch) {
            batch = next
            var listened: [UInt64] = []
            var isDeaf = false
            for command in batch {
                switch command {
                case .publish(let frame, let subject): publish(frame, to: subject)
                case .listen(let pattern, let number):
                    switch link?.subscribe(to: prefix + pattern, number: number) {
                    case .made: listened.append(number)
                    case .refused: isDeaf = true
                    case .known, nil: break
                    }
                case .ignore(let number): link?.unsubscribe(number: number)
                case .run(let body): body(self)
                }
            }
            if let link, isDeaf || link.isBroken { replace(link, isDeaf ? Self.refusal : "a write to NATS failed") }
            if !listened.isEmpty, let engine { confirm(listened, connection: engine.connectionNumber) }
        }
    }

    private func publish(_ frame: [UInt8], to subject: String) {
        guard let link else { return metrics.drop(.disconnected) }
        self.subject.removeAll(keepingCapacity: true)
        for text in [prefix, subject] { for byte in text.utf8 { self.subject.append(CChar(bitPattern: byte)) } }
        self.subject.append(0)
        switch link.publish(frame, to: self.subject) {
        case NATS_OK: break
        case NATS_INSUFFICIENT_BUFFER, NATS_CONNECTION_DISCONNECTED, NATS_CONNECTION_CLOSED:
            metrics.drop(.disconnected)
        case NATS_TIMEOUT, NATS_IO_ERROR, NATS_SSL_ERROR:
            // Part of a message may have been written, so no further message can follow on this connection.
            metrics.drop(.refused)
            replace(link, "a write to NATS failed")
        case let status:
            metrics.drop(.refused)
            logger.error(
                "NATS refuses a message",
                metadata: ["reason": "\(String(cString: natsStatus_GetText(status)))", "bytes": "\(frame.count)"])
        }
    }

    private func makeLink() {
        guard !isClosed, link == nil, let engine else { return }
        do {
            let made = try NATSConnection.connect(options, transport: self)
            link = made
            for (number, pattern) in engine.listening() {
                guard made.subscribe(to: prefix + pattern, number: number) != .refused else {
                    engine.disconnected(Self.refusal)
                    dropLink()
                    return connectLater()
                }
            }
            connected()
        } catch {
            engine.disconnected("no connection to NATS: \(error.reason)")
            connectLater()
        }
    }

    private func connected() {
        guard let engine else { return }
        confirm(engine.listening().map(\.number), connection: engine.connected())
    }

    private func dropLink() {
        link?.end()
        link = nil
    }

    /// A connection that lacks a subscription would lose its messages unnoticed.
    private static let refusal = "NATS refuses a subscription"

    /// Replaces a connection that does not write, has written part of a message, or lacks a subscription.
    private func replace(_ broken: NATSConnection, _ reason: String) {
        guard broken === link else { return }
        engine?.disconnected(reason)
        dropLink()
        makeLink()
    }

    private func connectLater() {
        let delay = options.reconnectMilliseconds.randomElement() ?? 0
        writer.asyncAfter(deadline: .now() + .milliseconds(delay)) { [weak self] in self?.connect() }
    }

    // MARK: Callbacks from the library's threads

    /// Handles an automatic reconnection.
    func returned(_ number: UInt64) {
        enqueue(.run { transport in if transport.link?.number == number { transport.connected() } })
    }

    func lost(_ number: UInt64) {
        // Not queued: the sooner the engine knows, the fewer messages it publishes into a dead connection. The lock keeps the writer
        // from connecting anew in between, after which the engine would take the new connection for lost.
        current.withLock { link in
            if link?.number == number { engine?.disconnected("the connection to NATS was lost") }
        }
    }

    /// Handles the final close of a connection. The library gives up when the server refuses it twice.
    func ended(_ number: UInt64, _ reason: String) {
        enqueue(
            .run { transport in
                guard transport.link?.number == number else { return }
                transport.engine?.disconnected("NATS has ended the connection: \(reason)")
                transport.dropLink()
                transport.connectLater()
            })
    }

    func failed(_ status: natsStatus, _ subscription: OpaquePointer?) {
        if status == NATS_SLOW_CONSUMER, let subscription, let link {
            engine?.dropped(link.number(of: subscription))
        } else {
            logger.error(
                "NATS reports an error", metadata: ["reason": "\(String(cString: natsStatus_GetText(status)))"])
        }
    }

    func received(_ message: OpaquePointer, _ number: UInt64) {
        guard let engine, let subject = natsMsg_GetSubject(message) else { return }
        let frame = UnsafeRawBufferPointer(start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message)))
        engine.received(number, subject: { String(cString: subject + prefix.utf8.count) }, frame: frame)
    }

    // MARK: Confirmation

    /// Notifies the engine when the subscriptions are in effect: the server has answered a ping sent after them.
    private func confirm(_ numbers: [UInt64], connection: Int) {
        let mustSchedule = confirming.withLock { confirming in
            // A retry for a former connection may come after the first attempt for the next one.
            guard connection >= confirming.connection else { return false }
            if connection > confirming.connection { confirming.numbers.removeAll() }
            confirming.connection = connection
            confirming.numbers += numbers
            defer { confirming.isScheduled = true }
            return !confirming.isScheduled
        }
        if mustSchedule { confirmer.async { self.flush() } }
    }

    private func flush() {
        let (numbers, connection) = confirming.withLock { confirming in
            confirming.isScheduled = false
            defer { confirming.numbers.removeAll() }
            return (confirming.numbers, confirming.connection)
        }
        guard let engine, connection == engine.connectionNumber, engine.connection == .connected,
            let link
        else { return }
        if link.flush(milliseconds: Self.confirmMilliseconds) == NATS_OK {
            engine.confirmed(numbers, connection: connection)
        } else {
            confirmer.asyncAfter(deadline: .now() + Self.confirmAgainDelay) { [weak self] in
                guard let self, let engine = self.engine, connection == engine.connectionNumber else { return }
                self.confirm(numbers, connection: connection)
            }
        }
    }
}
