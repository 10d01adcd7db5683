import EventLoop
import WebSocket
import Wire

/// One WebSocket connection to a Campanile server: requests and their replies, live topics, a keep-alive.
///
/// It ends once and stays ended; ``ResilientClient`` makes new ones. Requests may overlap; the server answers them in the
/// order they were sent. An open connection keeps itself alive: ``close()`` it.
///
/// Isolation: an actor on its event loop, so that what arrives is handled without a hop between threads.
public actor CampanileConnection {
    /// The WebSocket subprotocol spoken.
    public static let subprotocol = "campanile.v1"
    /// How long the server may take to answer a close frame before the socket is dropped.
    static let closeTimeout = Duration.seconds(2)
    /// Pings in a row without a sign of life after which the peer is taken for gone.
    static let unansweredPingsMax = 2

    /// Limits and times of a connection.
    public struct Options: Sendable {
        /// For name resolution, TCP, TLS and the WebSocket handshake together.
        public var connectTimeout = Duration.seconds(10)
        /// For a reply, unless the call says otherwise.
        public var callTimeout = Duration.seconds(15)
        /// A ping is sent this often; a peer from which nothing at all came through two of them is taken for gone. A
        /// half-open connection is thus found within three intervals, and a machine that was busy for one is no outage.
        public var keepAliveInterval = Duration.seconds(5)
        /// Bytes of one message from the server.
        public var messageBytesMax = 16 * 1_048_576
        /// Requests that wait for an answer.
        public var callsMax = 256
        /// Events of one live topic that wait for their reader.
        public var topicEventsMax = 256

        /// The defaults above.
        public init() {}
    }

    enum Phase { case connecting, upgrading, open, closing, ended }

    struct PendingCall {
        let timer: LoopTimer
        /// Sent as a binary message, and answered by one.
        var isBinary = false
        /// Runs on the loop, before anything that arrived after the reply.
        let completion: (Result<[UInt8], any Error>) -> Void
    }

    /// Where it leads.
    public nonisolated let address: ServerAddress
    /// The limits and times.
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

    /// Connects: TCP, TLS for a secure address, WebSocket. Say ``hello(token:client:)`` next.
    /// - Parameters:
    ///   - address: The server.
    ///   - loops: Where the connection lives.
    ///   - options: Limits and times.
    /// - Throws: ``ClientError``: `unreachable`, `timeout`, or `protocolViolation` when something else answers there.
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

    /// True until it ends or ``close()`` is called.
    public var isOpen: Bool { phase == .open }

    /// Suspends until the connection has ended and says why.
    @discardableResult
    public func untilEnded() async -> ClientError {
        await withCheckedContinuation { waiter in
            // Looked at in here: the way into a continuation may itself give the loop to another job.
            if phase == .ended { waiter.resume() } else { endWaiters.append(waiter) }
        }
        return ending
    }

    // MARK: Requests

    /// Says who is there: the first request of a connection.
    /// - Parameters:
    ///   - token: From `account.login` or `account.register`; nil for a guest.
    ///   - client: The program, for the list of devices.
    /// - Throws: `RPCError` (1001 when the token is not valid any more), ``ClientError``.
    @discardableResult
    public func hello(token: String? = nil, client: Hello.Params.Client? = nil) async throws -> Hello.Result {
        try await call(Hello.self, Hello.Params(token: token, client: client))
    }

    /// Sends a request and gives back its result.
    /// - Parameters:
    ///   - method: Such as `TrackingStart.self`.
    ///   - params: Its parameters.
    ///   - timeout: Instead of ``Options/callTimeout``. The connection stays open after a timeout.
    /// - Throws: `RPCError` as the server said it, ``ClientError``, or `CancellationError` when the task was cancelled;
    ///   after the last two the request may have been carried out.
    @discardableResult
    public func call<M: RPCMethod>(
        _ method: M.Type, _ params: M.Params, timeout: Duration? = nil
    ) async throws -> M.Result {
        let id = nextCall()
        let frame = try WireJSON.encode(Request(id: .number(id), method: M.name, params: params))
        let reply: [UInt8] = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Cancelled before there was anything to cancel.
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

    /// A request without parameters.
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
    /// The stream begins with a snapshot and then tells what changed, in the order of the wire. It ends with the
    /// connection, with the topic, and when its reader falls ``Options/topicEventsMax`` events behind: subscribe again for
    /// a new snapshot. To leave, stop reading and drop the stream.
    /// - Parameters:
    ///   - topic: Such as `.zone(7)` or `.session(42)`; one subscription per topic and connection.
    ///   - share: A link's token, for a session that is not otherwise shared with the caller.
    /// - Throws: As ``call(_:_:timeout:)``.
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

    /// Subscribes; the snapshot and what follows go to `sink`.
    func attach(_ sink: TopicSink) async throws {
        let params = SubscribeParams(topic: sink.topic, share: sink.share, since: sink.since)
        let id = nextCall()
        let frame = try WireJSON.encode(Request(id: .number(id), method: SubscribeZone.name, params: params))
        let _: Void = try await withCheckedThrowingContinuation { continuation in
            send(frame, id: id, timeout: nil) { reply in
                // Before the continuation, and before any push behind the reply: the order of the wire is kept.
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

    /// Unsubscribes from a topic that is subscribed to.
    func leave(_ topic: String) {
        guard topics[topic] != nil else { return }
        unsubscribe(topic)
    }

    /// Unsubscribes from a topic that may have been asked for: the reply to that may not have come, or too late.
    func unsubscribe(_ topic: String) {
        topics[topic] = nil
        // Whether the server still knew of it does not matter.
        tell(Unsubscribe.self, Unsubscribe.Params(topic: topic))
    }

    /// Sends a request whose answer does not matter, however many others wait for theirs.
    func tell<M: RPCMethod>(_ method: M.Type, _ params: M.Params) {
        guard phase == .open,
            let frame = try? WireJSON.encode(Request(id: .number(nextCall()), method: M.name, params: params))
        else { return }
        socket?.send(FrameEncoder.text(frame, mask: FrameEncoder.randomMask()))
    }
}
