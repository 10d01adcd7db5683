import EventLoop
import WebSocket
import Wire

/// One WebSocket connection to a Campanile server: requests and replies, live topics, and keep-alive.
///
/// The connection ends once; ``ResilientClient`` makes new ones. Requests may overlap, and the server replies in the order of
/// sending. An open connection keeps itself alive, so call ``close()``.
///
/// Isolation: an actor on its event loop, so that received data needs no switch of threads.
public actor CampanileConnection {
    /// The WebSocket subprotocol.
    public static let subprotocol = "campanile.v1"
    /// Time that the server has to answer a close frame before the socket is dropped.
    static let closeTimeout = Duration.seconds(2)
    /// Pings without any received data after which the peer counts as gone.
    static let unansweredPingsMax = 2

    /// Limits and timeouts of a connection.
    public struct Options: Sendable {
        /// Timeout of name resolution, TCP, TLS and the WebSocket handshake together.
        public var connectTimeout = Duration.seconds(10)
        /// Default timeout of a reply.
        public var callTimeout = Duration.seconds(15)
        /// Interval between pings. A peer that sends nothing during two of them counts as gone.
        ///
        /// Detection of a half-open connection thus takes at most three intervals, and a machine that is busy for one is not
        /// disconnected.
        public var keepAliveInterval = Duration.seconds(5)
        /// Maximum bytes of a message from the server.
        public var messageBytesMax = 16 * 1_048_576
        /// Maximum of requests in flight.
        public var callsMax = 256
        /// Maximum of buffered events per live topic.
        public var topicEventsMax = 256

        /// Creates the default options.
        public init() {}
    }

    enum Phase { case connecting, upgrading, open, closing, ended }

    struct PendingCall {
        let timer: LoopTimer
        /// Whether the request and its reply are binary messages.
        var isBinary = false
        /// Called on the loop, before any later message is handled.
        let completion: (Result<[UInt8], any Error>) -> Void
    }

    public nonisolated let address: ServerAddress
    public nonisolated let options: Options
    nonisolated let loop: EventLoop
    /// The event loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    var phase = Phase.connecting
    var ending = ClientError.closed
    var socket: SocketConnection?
    var handshake: ClientHandshake
    var parser = HTTPResponseParser()
    var websocket: WebSocketConnection
    var calls: [Int64: PendingCall] = [:]
    var lastCall: Int64 = 0
    var topics: [String: TopicSink] = [:]
    var positionSink: PositionSink?
    var opening: CheckedContinuation<Void, any Error>?
    var endWaiters: [CheckedContinuation<Void, Never>] = []
    var connectTimer: LoopTimer?
    var keepAliveTimer: LoopTimer?
    var closeTimer: LoopTimer?
    var unansweredPings = 0

    init(address: ServerAddress, loop: EventLoop, options: Options) {
        self.address = address
        self.loop = loop
        self.options = options
        handshake = ClientHandshake(
            host: address.hostField, path: address.path, subprotocols: [Self.subprotocol])
        websocket = WebSocketConnection(
            role: .client,
            limits: WebSocketLimits(messageBytesMax: options.messageBytesMax, frameBytesMax: options.messageBytesMax))
    }

    /// Connects: TCP, TLS for a secure address, and the WebSocket handshake. The next request must be ``hello(token:client:)``.
    /// - Parameters:
    ///   - address: The server.
    ///   - loops: The event loops to choose from.
    ///   - options: Limits and timeouts.
    /// - Throws: ``ClientError``: `unreachable`, `timeout`, or `protocolViolation` if the peer is not a Campanile server.
    public static func connect(
        to address: ServerAddress, loops: ClientLoops, options: Options = Options()
    ) async throws -> CampanileConnection {
        try await connect(to: address, on: loops.next(), loops: loops, options: options)
    }

    static func connect(
        to address: ServerAddress, on loop: EventLoop, loops: ClientLoops, options: Options
    ) async throws -> CampanileConnection {
        let connection = CampanileConnection(address: address, loop: loop, options: options)
        try await connection.open(loops)
        return connection
    }

    /// Whether the connection is open: false after it ended or ``close()`` was called.
    public var isOpen: Bool { phase == .open }

    /// Waits until the connection has ended, and returns the reason.
    @discardableResult
    public func untilEnded() async -> ClientError {
        await withCheckedContinuation { waiter in
            // Check inside the closure: the loop may run another job before a continuation's body.
            if phase == .ended { waiter.resume() } else { endWaiters.append(waiter) }
        }
        return ending
    }

    // MARK: Requests

    /// Authenticates the connection. This must be its first request.
    /// - Parameters:
    ///   - token: A token from `account.login` or `account.register`; nil for a guest.
    ///   - client: Name of the program, for the account's list of devices.
    /// - Throws: `RPCError` (1001 if the token is no longer valid), ``ClientError``.
    @discardableResult
    public func hello(token: String? = nil, client: Hello.Params.Client? = nil) async throws -> Hello.Result {
        try await call(Hello.self, Hello.Params(token: token, client: client, protocolVersion: ProtocolVersion.current))
    }

    /// Sends a request and returns its result.
    /// - Parameters:
    ///   - method: The method's type, such as `TrackingStart.self`.
    ///   - params: Its parameters.
    ///   - timeout: Overrides ``Options/callTimeout``. The connection stays open after a timeout.
    /// - Throws: `RPCError` from the server, ``ClientError``, or `CancellationError` if the task was cancelled. After the last two,
    ///   the request may have been executed.
    @discardableResult
    public func call<M: RPCMethod>(
        _ method: M.Type, _ params: M.Params, timeout: Duration? = nil
    ) async throws -> M.Result {
        let id = nextCall()
        let frame = try WireJSON.encode(Request(id: .number(id), method: M.name, params: params))
        let reply: [UInt8] = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The task was cancelled before the request was registered.
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                send(frame, id: id, timeout: timeout) { continuation.resume(with: $0) }
            }
        } onCancel: {
            loop.execute { self.assumeIsolated { $0.finishCall(id, .failure(CancellationError())) } }
        }
        do {
            return try WireJSON.decode(Success<M.Result>.self, from: reply).result
        } catch {
            throw ClientError.protocolViolation("the reply to \(M.name) cannot be read (\(error))")
        }
    }

    /// Sends a request without parameters.
    @discardableResult
    public func call<M: RPCMethod>(
        _ method: M.Type, timeout: Duration? = nil
    ) async throws -> M.Result where M.Params == Empty {
        try await call(method, Empty(), timeout: timeout)
    }

    func nextCall() -> Int64 {
        lastCall += 1
        return lastCall
    }

    func send(
        _ payload: [UInt8], id: Int64, timeout: Duration?,
        completion: @escaping (Result<[UInt8], any Error>) -> Void
    ) {
        send(
            frame: FrameEncoder.text(payload, mask: FrameEncoder.randomMask()), id: id, timeout: timeout,
            isBinary: false, completion: completion)
    }

    func send(
        frame: [UInt8], id: Int64, timeout: Duration?, isBinary: Bool,
        completion: @escaping (Result<[UInt8], any Error>) -> Void
    ) {
        guard phase == .open, let socket else {
            return completion(.failure(phase == .ended ? ending : ClientError.closed))
        }
        guard calls.count < options.callsMax else {
            return completion(.failure(ClientError.tooManyCalls(options.callsMax)))
        }
        let limit = timeout ?? options.callTimeout
        let timer = loop.schedule(after: limit) { self.finishCall(id, .failure(ClientError.timeout(limit))) }
        calls[id] = PendingCall(timer: timer, isBinary: isBinary, completion: completion)
        socket.send(frame)
    }

    func finishCall(_ id: Int64, _ result: Result<[UInt8], any Error>) {
        guard let call = calls.removeValue(forKey: id) else { return }
        call.timer.cancel()
        call.completion(result)
    }

    // MARK: Live topics

    /// Subscribes to a live topic.
    ///
    /// The stream begins with a snapshot and continues with changes, in the order of sending. It ends with the connection, with the
    /// topic, and if its reader falls ``Options/topicEventsMax`` events behind. Subscribe again for a new snapshot. Releasing the
    /// stream unsubscribes.
    /// - Parameters:
    ///   - topic: A topic such as `.zone(7)` or `.session(42)`. Each allows one subscription per connection.
    ///   - share: A link's token, for a session that is not otherwise shared with the caller.
    /// - Throws: The errors of ``call(_:_:timeout:)``.
    public func subscribe<Snapshot, Update>(
        to topic: LiveTopic<Snapshot, Update>, share: String? = nil
    ) async throws -> AsyncStream<LiveEvent<Snapshot, Update>> {
        let (sink, stream, onEnd) = TopicSink.make(for: topic, share: share, eventsMax: options.topicEventsMax)
        try await attach(sink)
        onEnd { [weak self] in
            guard let self else { return }
            loop.execute { self.assumeIsolated { $0.leave(topic.path) } }
        }
        return stream
    }

    /// Subscribes; the snapshot and the pushes go to `sink`.
    func attach(_ sink: TopicSink) async throws {
        let params = SubscribeParams(topic: sink.topic, share: sink.share, since: sink.since)
        let id = nextCall()
        let frame = try WireJSON.encode(Request(id: .number(id), method: Subscribe.name, params: params))
        let _: Void = try await withCheckedThrowingContinuation { continuation in
            send(frame, id: id, timeout: nil) { reply in
                // Handle the reply before the continuation resumes and before any later push, which preserves the order of sending.
                if case .success(let bytes) = reply {
                    self.topics[sink.topic] = sink
                    self.take(sink.snapshot(bytes), of: sink)
                }
                continuation.resume(with: reply.map { _ in })
            }
        }
    }

    func take(_ outcome: TopicSink.Outcome, of sink: TopicSink) {
        guard case .end = outcome else { return }
        sink.finish()
        leave(sink.topic)
    }

    /// Unsubscribes from a topic if it is subscribed to.
    func leave(_ topic: String) {
        guard topics[topic] != nil else { return }
        unsubscribe(topic)
    }

    /// Unsubscribes from a topic whose subscription may still be in flight.
    func unsubscribe(_ topic: String) {
        topics[topic] = nil
        // The result does not matter: the server may have ended the subscription already.
        sendIgnoringReply(Unsubscribe.self, Unsubscribe.Params(topic: topic))
    }

    /// Sends a request and ignores its reply. It does not count towards ``Options/callsMax``.
    func sendIgnoringReply<M: RPCMethod>(_ method: M.Type, _ params: M.Params) {
        guard phase == .open,
            let frame = try? WireJSON.encode(Request(id: .number(nextCall()), method: M.name, params: params))
        else { return }
        socket?.send(FrameEncoder.text(frame, mask: FrameEncoder.randomMask()))
    }
}
