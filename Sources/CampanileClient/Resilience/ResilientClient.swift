import EventLoop
import Foundation
import Wire

/// A client that stays connected: it connects again when a connection ends, says hello again, and takes its live topics up
/// again, each with a new snapshot.
///
/// It gives up only when trying again cannot help: the token was revoked, or the server says that this client is at fault.
/// Requests are not repeated by it: only the caller knows which are harmless to send twice (``TrackUploader`` does for
/// tracking).
///
/// Isolation: an actor on an event loop. It runs from ``start()`` to ``close()``.
public actor ResilientClient {
    /// Where the client stands.
    public enum State: Sendable {
        /// A connection is being made.
        case connecting
        /// Hello was said.
        case connected(Hello.Result)
        /// The last attempt or connection ended for `reason`; the next attempt comes after `delay`.
        case waiting(delay: Duration, reason: any Error & Sendable)
        /// Closed, or trying again cannot help. Final.
        case ended(any Error & Sendable)
    }

    /// Who one is and how patient.
    public struct Options: Sendable {
        /// Limits and times of each connection.
        public var connection = CampanileConnection.Options()
        /// The waits between attempts.
        public var backoff = Backoff()
        /// The program, for the list of devices.
        public var client: Hello.Params.Client?
        /// A connection that lasted this long starts the waits anew when it ends.
        public var stableAfter = Duration.seconds(5)
        /// Told of each state the moment it begins, on the event loop: must be short and must not block. Unlike
        /// ``ResilientClient/states()`` none is ever dropped, and none comes late because a reader was busy.
        public var onState: (@Sendable (State) -> Void)?

        /// The defaults above.
        public init() {}
    }

    /// The states that wait for one slow observer; the oldest are dropped.
    static let statesBufferedMax = 64
    /// After these close codes the client must be mended, or must not come back (the Protocol article, "Close codes").
    static let finalCloseCodes: Set<UInt16> = [1002, 1003, 1007, 1008, 1009, 4003]

    /// The server.
    public nonisolated let address: ServerAddress
    /// Who one is and how patient.
    public nonisolated let options: Options
    nonisolated let loop: EventLoop
    /// The event loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Where the client stands.
    public private(set) var state = State.connecting
    /// Milliseconds that the server's clock is ahead of this machine's, from the last hello; exact to the hello's way back.
    public private(set) var serverClockOffsetMilliseconds: Int64 = 0
    /// The times a connection was made after the first.
    public private(set) var reconnections = 0

    private let loops: ClientLoops
    private var token: String?
    private var connection: CampanileConnection?
    /// By their order.
    private(set) var connectionWaiters: [Int: CheckedContinuation<CampanileConnection, any Error>] = [:]
    private var lastWaiter = 0
    private var observers: [UUID: AsyncStream<State>.Continuation] = [:]
    private var topics: [String: TopicSink] = [:]
    private let pause: WakeUp
    private var isStarted = false
    private var hasConnected = false

    /// - Parameters:
    ///   - address: The server.
    ///   - token: From an earlier `account.login` or `account.register`; nil for a guest.
    ///   - loops: Where it lives.
    ///   - options: Who one is and how patient.
    public init(address: ServerAddress, token: String? = nil, loops: ClientLoops, options: Options = Options()) {
        self.address = address
        self.token = token
        self.loops = loops
        self.options = options
        loop = loops.next()
        pause = WakeUp(loop: loop)
    }

    // MARK: Life

    /// Begins to connect. Later calls do nothing.
    public func start() {
        guard !isStarted, !isEnded else { return }
        isStarted = true
        Task { await run() }
    }

    /// Closes the connection and ends the client: everything that waits fails with ``ClientError/closed``.
    public func close() async {
        end(ClientError.closed)
        await connection?.close()
    }

    /// The states from now on, the present one first.
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

    /// The token that the next hello says, after a sign-in on the present connection.
    public func setToken(_ token: String?) { self.token = token }

    /// Drops the present connection, as a phone in a tunnel does; the client connects again.
    /// - Parameter reason: For the state.
    public func reconnect(_ reason: String) async { await connection?.abandon(reason) }

    // MARK: Requests

    /// The present connection, as soon as hello was said on one.
    /// - Throws: The error the client ended with, or `CancellationError` when the task was cancelled while there was none.
    public func connected() async throws -> CampanileConnection {
        lastWaiter += 1
        let number = lastWaiter
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                // Looked at in here: the way into a continuation may itself give the loop to another job.
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

    /// The connection, unless it has just ended and ``run()`` has not noticed yet; both live on this loop.
    private var usable: CampanileConnection? {
        guard let connection, case .connected = state, connection.assumeIsolated({ $0.isOpen }) else { return nil }
        return connection
    }

    /// Sends a request on the present connection, or on the next one when there is none.
    /// - Throws: `RPCError`, ``ClientError``, `CancellationError`. After ``ClientError/disconnected(reason:closeCode:)`` and
    ///   ``ClientError/timeout(_:)`` the request may have been carried out.
    @discardableResult
    public func call<M: RPCMethod>(
        _ method: M.Type, _ params: M.Params, timeout: Duration? = nil
    ) async throws -> M.Result {
        try await connected().call(method, params, timeout: timeout)
    }

    /// Subscribes to a live topic and stays subscribed over reconnections, each of which brings a new snapshot.
    ///
    /// The stream ends with the client, with the topic, when the server refuses the subscription (after a reconnection), and
    /// when its reader falls `topicEventsMax` events behind.
    /// - Throws: `RPCError` when the server refuses, ``ClientError`` when the client has ended.
    public func subscribe<Snapshot, Update>(
        to topic: LiveTopic<Snapshot, Update>, share: String? = nil
    ) async throws -> AsyncStream<LiveEvent<Snapshot, Update>> {
        let (inner, stream, onEnd) = TopicSink.make(
            for: topic, share: share, eventsMax: options.connection.topicEventsMax)
        // A connection finishes its sinks when it ends; this stream must outlive it.
        let lasting = TopicSink(
            topic: inner.topic, share: inner.share, snapshot: { Self.watch(inner.snapshot($0), inner) },
            update: { Self.watch(inner.update($0), inner) }, finish: {})
        while true {
            let connection = try await connected()
            do {
                try await connection.attach(lasting)
                break
            } catch ClientError.disconnected {
                // Again on the next connection.
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

    /// Topics that are being read.
    private(set) var claims: Set<String> = []
    /// A reader that has just left may take so long to be gone.
    static let claimPatience = Duration.seconds(2)
    private static let claimInterval = Duration.milliseconds(5)

    /// Takes a topic for one reader; see ``Publications``. It is given back by `unclaim(_:)`.
    /// - Throws: ``ClientError/alreadyReading(_:)``.
    func claim(_ topic: String) async throws {
        let deadline = EventLoop.nowNanoseconds + UInt64(Self.claimPatience / .nanoseconds(1))
        while !claims.insert(topic).inserted {
            guard EventLoop.nowNanoseconds < deadline else { throw ClientError.alreadyReading(topic) }
            await loop.wait(for: Self.claimInterval)
        }
    }

    func unclaim(_ topic: String) { claims.remove(topic) }

    // MARK: The loop

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

    /// Says hello, takes the topics up again and stays until the connection ends.
    private func serve(_ made: CampanileConnection) async throws -> any Error {
        connection = made
        guard !isEnded else {
            await made.close()
            return ClientError.closed
        }
        do {
            let hello = try await made.hello(token: token, client: options.client)
            // Before the topics: whoever sees a new snapshot may ask how often the client reconnected.
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
