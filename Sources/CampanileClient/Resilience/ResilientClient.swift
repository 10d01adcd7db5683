import EventLoop
import Foundation
import Wire

/// A client that reconnects automatically, repeats `hello` and renews its topic subscriptions, each with a new snapshot.
///
/// The client ends only if a retry cannot help: the token was revoked, or the server reports a fault of the client. It does not
/// repeat requests, because only the caller knows which are idempotent (``TrackUploader`` repeats those of tracking).
///
/// Isolation: an actor on an event loop. It runs from ``start()`` to ``close()``.
public actor ResilientClient {
    /// State of the client's connection.
    public enum State: Sendable {
        /// Connecting.
        case connecting
        /// Connected, and `hello` succeeded.
        case connected(Hello.Result)
        /// The last attempt or connection ended for `reason`. The next attempt follows after `delay`.
        case waiting(delay: Duration, reason: any Error & Sendable)
        /// Closed, or a retry cannot help. Final.
        case ended(any Error & Sendable)
    }

    /// Settings of a client.
    public struct Options: Sendable {
        /// Limits and timeouts of each connection.
        public var connection = CampanileConnection.Options()
        /// Delays between attempts.
        public var backoff = Backoff()
        /// Name of the program, for the account's list of devices.
        public var client: Hello.Params.Client?
        /// A connection that lasted at least this long resets the backoff.
        public var stableAfter = Duration.seconds(5)
        /// Called on the event loop at each change of state. It must be short and must not block.
        ///
        /// It receives every state immediately, while the buffer of ``ResilientClient/states()`` drops the oldest states of a slow
        /// reader.
        public var onState: (@Sendable (State) -> Void)?

        /// Creates the default options.
        public init() {}
    }

    /// Maximum of buffered states per observer. The oldest are dropped.
    static let statesBufferedMax = 64
    /// Close codes after which the client does not reconnect: it is at fault or not permitted (the Protocol article, "Close
    /// codes").
    static let finalCloseCodes = Set(
        APIRegistry.closeCodes.filter { [.never, .afterSignIn].contains($0.reconnection) }.map(\.code))

    public nonisolated let address: ServerAddress
    public nonisolated let options: Options
    package nonisolated let loop: EventLoop
    /// The event loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The current state.
    public private(set) var state = State.connecting
    /// Milliseconds that the server's clock is ahead of this machine's, measured at the last `hello`. The error is at most the
    /// reply's transit time.
    public private(set) var serverClockOffsetMilliseconds: Int64 = 0
    /// Number of connections made after the first.
    public private(set) var reconnections = 0

    private let loops: ClientLoops
    private var token: String?
    private var connection: CampanileConnection?
    /// Callers that wait for a connection, by order of arrival.
    private(set) var connectionWaiters: [Int: CheckedContinuation<CampanileConnection, any Error>] = [:]
    private var lastWaiter = 0
    private var observers: [UUID: AsyncStream<State>.Continuation] = [:]
    private var topics: [String: TopicSink] = [:]
    private let pause: WakeUp
    private var isStarted = false
    private var hasConnected = false

    /// - Parameters:
    ///   - address: The server.
    ///   - token: A token from `account.login` or `account.register`; nil for a guest.
    ///   - loops: The event loops to choose from.
    ///   - options: The client's settings.
    public init(address: ServerAddress, token: String? = nil, loops: ClientLoops, options: Options = Options()) {
        self.address = address
        self.token = token
        self.loops = loops
        self.options = options
        loop = loops.next()
        pause = WakeUp(loop: loop)
    }

    // MARK: Lifecycle

    /// Starts to connect. Later calls do nothing.
    public func start() {
        guard !isStarted, !isEnded else { return }
        isStarted = true
        Task { await run() }
    }

    /// Closes the connection and ends the client. All waiting callers fail with ``ClientError/closed``.
    public func close() async {
        end(ClientError.closed)
        await connection?.close()
    }

    /// The current state and all later ones.
    public func states() -> AsyncStream<State> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: State.self, bufferingPolicy: .bufferingNewest(Self.statesBufferedMax))
        continuation.yield(state)
        guard !isEnded else {
            continuation.finish()
            return stream
        }
        let id = UUID()
        observers[id] = continuation
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            loop.execute { self.assumeIsolated { _ = $0.observers.removeValue(forKey: id) } }
        }
        return stream
    }

    /// Sets the token for the next `hello`, after a sign-in on the current connection.
    public func setToken(_ token: String?) { self.token = token }

    /// Drops the current connection without a close frame, as a network failure does, and reconnects.
    /// - Parameter reason: The reason to report in ``State/waiting(delay:reason:)``.
    public func reconnect(_ reason: String) async { await connection?.abandon(reason) }

    // MARK: Requests

    /// The current connection, or the next one after its `hello`.
    /// - Throws: The error that ended the client, or `CancellationError` if the task was cancelled while waiting.
    public func connected() async throws -> CampanileConnection {
        lastWaiter += 1
        let number = lastWaiter
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                // Check inside the closure: the loop may run another job before a continuation's body.
                if let usable {
                    waiter.resume(returning: usable)
                } else if case .ended(let error) = state {
                    waiter.resume(throwing: error)
                } else if Task.isCancelled {
                    waiter.resume(throwing: CancellationError())
                } else {
                    connectionWaiters[number] = waiter
                }
            }
        } onCancel: {
            loop.execute {
                self.assumeIsolated {
                    $0.connectionWaiters.removeValue(forKey: number)?.resume(throwing: CancellationError())
                }
            }
        }
    }

    private func wakeWaiters(_ result: Result<CampanileConnection, any Error>) {
        let waiters = connectionWaiters.sorted { $0.key < $1.key }
        connectionWaiters = [:]
        for (_, waiter) in waiters { waiter.resume(with: result) }
    }

    /// The current connection, unless it has ended and ``run()`` has not yet noticed. Both are isolated to the same loop.
    private var usable: CampanileConnection? {
        guard let connection, case .connected = state, connection.assumeIsolated({ $0.isOpen }) else { return nil }
        return connection
    }

    /// Sends a request on the current connection, or on the next one.
    /// - Throws: `RPCError`, ``ClientError``, `CancellationError`. After ``ClientError/disconnected(reason:closeCode:)`` and
    ///   ``ClientError/timeout(_:)`` the request may have been executed.
    @discardableResult
    public func call<M: RPCMethod>(
        _ method: M.Type, _ params: M.Params, timeout: Duration? = nil
    ) async throws -> M.Result {
        try await connected().call(method, params, timeout: timeout)
    }

    /// Subscribes to a live topic and renews the subscription after each reconnection, with a new snapshot.
    ///
    /// The stream ends with the client, with the topic, if the server refuses a renewed subscription, and if its reader falls
    /// `topicEventsMax` events behind.
    /// - Throws: `RPCError` if the server refuses, ``ClientError`` if the client has ended.
    public func subscribe<Snapshot, Update>(
        to topic: LiveTopic<Snapshot, Update>, share: String? = nil
    ) async throws -> AsyncStream<LiveEvent<Snapshot, Update>> {
        let (inner, stream, onEnd) = TopicSink.make(
            for: topic, share: share, eventsMax: options.connection.topicEventsMax)
        // A connection finishes its sinks when it ends. This one ignores that, so that the stream outlives the connection.
        let lasting = TopicSink(
            topic: inner.topic, share: inner.share, snapshot: { Self.watch(inner.snapshot($0), inner) },
            update: { Self.watch(inner.update($0), inner) }, finish: {})
        while true {
            let connection = try await connected()
            do {
                try await connection.attach(lasting)
                break
            } catch ClientError.disconnected {
                // Retry on the next connection.
            }
        }
        topics[topic.path] = lasting
        onEnd { [weak self] in
            guard let self else { return }
            loop.execute { self.assumeIsolated { $0.forget(topic.path) } }
        }
        finishers[topic.path] = inner.finish
        return stream
    }

    private var finishers: [String: @Sendable () -> Void] = [:]

    private static func watch(_ outcome: TopicSink.Outcome, _ sink: TopicSink) -> TopicSink.Outcome {
        if case .end = outcome { sink.finish() }
        return outcome
    }

    private func forget(_ topic: String) {
        guard topics.removeValue(forKey: topic) != nil else { return }
        finishers[topic] = nil
        guard let connection else { return }
        Task { await connection.leave(topic) }
    }

    /// Topics that a reader has claimed.
    private(set) var claims: Set<String> = []
    /// Time that a new reader waits for the previous one to release the topic.
    static let claimTimeout = Duration.seconds(2)
    private static let claimInterval = Duration.milliseconds(5)

    /// Claims a topic for one reader; see ``Publications``. `unclaim(_:)` releases it.
    /// - Throws: ``ClientError/alreadyReading(_:)``.
    func claim(_ topic: String) async throws {
        let deadline = EventLoop.nowNanoseconds + UInt64(Self.claimTimeout / .nanoseconds(1))
        while !claims.insert(topic).inserted {
            guard EventLoop.nowNanoseconds < deadline else { throw ClientError.alreadyReading(topic) }
            await loop.wait(for: Self.claimInterval)
        }
    }

    func unclaim(_ topic: String) { claims.remove(topic) }

    // MARK: Connection loop

    private var isEnded: Bool {
        if case .ended = state { true } else { false }
    }

    private func run() async {
        var attempt = 0
        while !isEnded {
            change(to: .connecting)
            var began = EventLoop.nowNanoseconds
            var reason: any Error
            do {
                let made = try await CampanileConnection.connect(
                    to: address, on: loop, loops: loops, options: options.connection)
                began = EventLoop.nowNanoseconds
                reason = try await serve(made)
            } catch {
                reason = error
            }
            connection = nil
            guard !isEnded else { return }
            guard Self.mayTryAgain(after: reason) else { return end(reason) }
            if hasConnected, .nanoseconds(EventLoop.nowNanoseconds - began) >= options.stableAfter { attempt = 0 }
            let delay = wait(after: reason, attempt: attempt)
            attempt += 1
            change(to: .waiting(delay: delay, reason: reason))
            await pause.wait(for: delay)
        }
    }

    /// Sends `hello`, renews the topic subscriptions, and returns when the connection has ended.
    private func serve(_ made: CampanileConnection) async throws -> any Error {
        connection = made
        guard !isEnded else {
            await made.close()
            return ClientError.closed
        }
        do {
            let hello = try await made.hello(token: token, client: options.client)
            // Count before subscribing: the reader of a new snapshot may check the number of reconnections.
            if hasConnected { reconnections += 1 }
            hasConnected = true
            serverClockOffsetMilliseconds = hello.serverTime.milliseconds - Timestamp.now.milliseconds
            for (path, sink) in topics {
                do {
                    try await made.attach(sink)
                } catch let error as RPCError where error.registered?.isRetryable != true {
                    finishers[path]?()
                    forget(path)
                }
            }
            guard !isEnded else { return ClientError.closed }
            change(to: .connected(hello))
            wakeWaiters(.success(made))
        } catch {
            await made.close()
            throw error
        }
        return await made.untilEnded()
    }

    private func wait(after reason: any Error, attempt: Int) -> Duration {
        if let error = reason as? RPCError, let delay = error.retryDelay {
            return options.backoff.delay(askedFor: delay)
        }
        guard case ClientError.disconnected(let text, let code)? = reason as? ClientError else {
            return options.backoff.delay(attempt: attempt)
        }
        return options.backoff.delay(attempt: attempt, closeCode: code, reason: text)
    }

    private static func mayTryAgain(after reason: any Error) -> Bool {
        switch reason {
        case let error as RPCError: error.registered?.isRetryable ?? false
        case ClientError.disconnected(_, let code?): !finalCloseCodes.contains(code)
        case ClientError.protocolViolation, ClientError.closed: false
        default: true
        }
    }

    private func change(to state: State) {
        self.state = state
        options.onState?(state)
        for observer in observers.values { observer.yield(state) }
    }

    private func end(_ error: any Error) {
        guard !isEnded else { return }
        change(to: .ended(error))
        for observer in observers.values { observer.finish() }
        observers.removeAll()
        wakeWaiters(.failure(error))
        for finish in finishers.values { finish() }
        finishers.removeAll()
        topics.removeAll()
        pause.signal()
    }
}
