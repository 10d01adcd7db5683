import DequeModule
import EventLoop
import Logging
import Metrics
import Synchronization

/// A small pool of connections on one loop.
///
/// The pool sends a statement to the least busy connection and pipelines it; a transaction gets exclusive use of a connection.
/// Requests without a free connection wait in one bounded FIFO queue. The pool reconnects automatically after an outage.
///
/// Call ``close()`` on a pool that is no longer needed: releasing it does not close its connections.
///
/// `@unchecked Sendable`: `openCount` is atomic; all other mutable properties are confined to `loop`.
public final class PostgresPool: @unchecked Sendable {
    /// Time that ``close()`` waits for statements in flight.
    static let closeTimeout: Duration = .seconds(5)
    /// Retries of a statement or transaction that PostgreSQL rolled back in favour of another one.
    public static let rolledBackRetriesMax = 3
    /// Range of the random delay before a retry, multiplied by the retry's number so that the same two transactions do not collide
    /// again.
    static let retryDelayMilliseconds = 5...40

    /// One connection of the pool. Confined to the loop.
    final class Slot {
        let keeper: ReconnectingConnection
        var inFlight = 0
        /// The connection while a transaction has exclusive use of it; nil while statements share it.
        var lease: PostgresConnection?
        init(keeper: ReconnectingConnection) { self.keeper = keeper }
    }

    private struct Waiter {
        let deadline: UInt64
        let needsLease: Bool
        let body: (Result<Slot, PostgresError>) -> Void
    }

    /// Address of the database, and the limits.
    public let configuration: PostgresConfiguration
    /// The loop that the connections are confined to.
    public let loop: EventLoop
    private let logger: Logger
    private let metrics: PostgresMetrics
    private var slots: [Slot] = []
    private var waiters = Deque<Waiter>()
    private var isTimerSet = false
    private let closing = Atomic<Bool>(false)
    private var closed: [CheckedContinuation<Void, Never>] = []
    private let openCount = Atomic<Int>(0)

    /// Creates a pool and starts to connect.
    /// - Parameters:
    ///   - configuration: The address and the limits.
    ///   - loop: The loop that the connections are confined to.
    ///   - metrics: Counts statements and lost connections.
    ///   - logger: Receives lost connections, reconnections and PostgreSQL's notices.
    public init(
        configuration: PostgresConfiguration, loop: EventLoop, metrics: PostgresMetrics = PostgresMetrics(),
        logger: Logger = Logger(label: "campanile.postgres")
    ) {
        self.metrics = metrics
        self.configuration = configuration
        self.loop = loop
        self.logger = logger
        loop.execute { self.open() }
    }

    /// Whether at least one connection is open. Callable from any thread.
    public var isReady: Bool { openCount.load(ordering: .relaxed) > 0 }

    /// Checks that the database answers. Callable from any thread.
    /// - Throws: ``PostgresError``.
    public func ping() async throws {
        _ = try await query("SELECT 1")
    }

    /// Runs one statement as a transaction of its own, and retries it if PostgreSQL rolled it back in favour of another
    /// transaction. Callable from any thread.
    /// - Parameters:
    ///   - sql: One SQL statement with `$1`, `$2` for its parameters.
    ///   - parameters: The values of the placeholders.
    /// - Throws: ``PostgresError``; `overloaded` if the queue is full, or no connection became free in time.
    public func query(_ sql: String, _ parameters: [PostgresValue] = []) async throws -> PostgresRows {
        let statement = try EncodedStatement(sql, parameters)
        return try await retryingRolledBack { try await self.runOnce(statement) }
    }

    private func runOnce(_ statement: EncodedStatement) async throws -> PostgresRows {
        let started = EventLoop.nowNanoseconds
        let rows = try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                self.run([statement]) { result in
                    self.metrics.queries.observe(EventLoop.nowNanoseconds &- started)
                    if case .failure(let error) = result { self.metrics.failed(error) }
                    continuation.resume(with: result)
                }
            }
        }
        guard let first = rows.first else { throw PostgresError.unavailable(reason: "no answer") }
        return first
    }

    /// Runs a transaction with exclusive use of a connection: `COMMIT` when `body` returns, `ROLLBACK` when it throws.
    ///
    /// The pool runs `body` again if PostgreSQL rolled the transaction back in favour of another one
    /// (``PostgresError/isRolledBack``), so `body` must have no effects outside of its transaction. After other errors the caller
    /// decides whether to retry (``PostgresError/isRetryable``). Callable from any thread.
    /// - Throws: The error that `body` throws, or ``PostgresError``.
    public func transaction<T: Sendable>(
        _ body: @Sendable (PostgresTransaction) async throws -> T
    ) async throws -> T {
        try await retryingRolledBack { try await self.transactOnce(body) }
    }

    /// Runs `body` again after a rollback, up to ``rolledBackRetriesMax`` times; the last error goes to the caller.
    ///
    /// A rolled-back attempt has no effects, so a retry is safe.
    private func retryingRolledBack<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        for retry in 1...Self.rolledBackRetriesMax {
            do {
                return try await body()
            } catch let error as PostgresError where error.isRolledBack {
                metrics.rolledBack.add()
                await loop.sleep(for: .milliseconds(retry * Int.random(in: Self.retryDelayMilliseconds)))
            }
        }
        return try await body()
    }

    private func transactOnce<T: Sendable>(
        _ body: @Sendable (PostgresTransaction) async throws -> T
    ) async throws -> T {
        let transaction = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<PostgresTransaction, any Error>) in
            loop.execute {
                self.acquire(needsLease: true) { result in
                    continuation.resume(with: result.flatMap(self.lease))
                }
            }
        }
        do {
            let value = try await body(transaction)
            try await transaction.commit()
            return value
        } catch {
            await transaction.rollback()
            throw error
        }
    }

    /// Rejects new statements, waits at most 5 s for those in flight, and closes the connections. Callable from any thread.
    public func close() async {
        await withCheckedContinuation { continuation in
            loop.execute { self.beginClosing(continuation) }
        }
    }

    /// Updates the gauges of busy connections and queued requests before a scrape. Callable from any thread.
    public func report() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.metrics.inUse.set(self.slots.count { $0.lease != nil || $0.inFlight > 0 })
                self.metrics.waiting.set(self.waiters.count)
                continuation.resume()
            }
        }
    }

    // MARK: Loop

    private func open() {
        for _ in 0..<max(1, configuration.connectionsMax) {
            let keeper = ReconnectingConnection(configuration: configuration, loop: loop, logger: logger)
            let slot = Slot(keeper: keeper)
            keeper.onOpen = { [weak self] _ in
                self?.openCount.add(1, ordering: .relaxed)
                self?.metrics.open.add(1)
                self?.serve()
            }
            keeper.onLost = { [weak self] _ in
                guard let self else { return }
                openCount.subtract(1, ordering: .relaxed)
                metrics.open.add(-1)
                if !isClosing { metrics.lost.add() }
            }
            slots.append(slot)
            keeper.start()
        }
    }

    private func run(
        _ statements: [EncodedStatement], completion: @escaping (Result<[PostgresRows], PostgresError>) -> Void
    ) {
        acquire(needsLease: false) { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let slot):
                guard let connection = slot.keeper.connection else {
                    return completion(.failure(slot.keeper.lastFailure))
                }
                slot.inFlight += 1
                connection.submit(statements) { [self] outcome in
                    slot.inFlight -= 1
                    completion(outcome.result)
                    serve()
                }
            }
        }
    }

    /// Whether the pool closes or is closed, so that its queries fail because the server stops. From any thread.
    public var isClosing: Bool { closing.load(ordering: .relaxed) }

    private func acquire(needsLease: Bool, _ body: @escaping (Result<Slot, PostgresError>) -> Void) {
        guard !isClosing else { return body(.failure(.unavailable(reason: "the pool is closed"))) }
        if waiters.isEmpty, let slot = freeSlot(needsLease: needsLease) { return body(.success(slot)) }
        guard waiters.count < configuration.waitingQueriesMax else { return body(.failure(.overloaded)) }
        let deadline = EventLoop.nowNanoseconds &+ configuration.acquireTimeout.wholeNanoseconds
        waiters.append(Waiter(deadline: deadline, needsLease: needsLease, body: body))
        setTimer()
    }

    private func freeSlot(needsLease: Bool) -> Slot? {
        let limit = needsLease ? 1 : max(1, configuration.pipelinedQueriesMax)
        var best: Slot?
        for slot in slots where slot.lease == nil && slot.inFlight < (best?.inFlight ?? limit) {
            if slot.keeper.connection?.isOpen == true { best = slot }
        }
        return best
    }

    /// Serves queued requests in strict order, even when a later one would fit: otherwise a transaction could wait indefinitely.
    private func serve() {
        while let first = waiters.first, let slot = freeSlot(needsLease: first.needsLease) {
            waiters.removeFirst()
            first.body(.success(slot))
        }
        if isClosing { finishClosing() }
    }

    private func setTimer() {
        guard !isTimerSet, let first = waiters.first else { return }
        isTimerSet = true
        let now = EventLoop.nowNanoseconds
        let delay = Duration.nanoseconds(Int64(clamping: first.deadline > now ? first.deadline - now : 0))
        loop.schedule(after: delay) { [weak self] in
            guard let self else { return }
            isTimerSet = false
            let now = EventLoop.nowNanoseconds
            while let first = waiters.first, first.deadline <= now {
                waiters.removeFirst()
                first.body(.failure(isReady ? .overloaded : lastFailure))
            }
            // Removing an expired transaction may unblock the requests behind it.
            serve()
            setTimer()
        }
    }

    private var lastFailure: PostgresError {
        slots.first?.keeper.lastFailure ?? .unavailable(reason: "not connected yet")
    }

    private func lease(_ slot: Slot) -> Result<PostgresTransaction, PostgresError> {
        guard let connection = slot.keeper.connection else { return .failure(slot.keeper.lastFailure) }
        slot.lease = connection
        return .success(
            PostgresTransaction(connection: connection) { [self] in
                slot.lease = nil
                serve()
            })
    }

    private func beginClosing(_ continuation: CheckedContinuation<Void, Never>) {
        closed.append(continuation)
        guard !isClosing else { return finishClosing() }
        closing.store(true, ordering: .relaxed)
        let unserved = waiters
        waiters.removeAll()
        for waiter in unserved { waiter.body(.failure(.unavailable(reason: "the pool is closed"))) }
        loop.schedule(after: Self.closeTimeout) { [self] in finishClosing(isForced: true) }
        finishClosing()
    }

    private func finishClosing(isForced: Bool = false) {
        guard isForced || slots.allSatisfy({ $0.inFlight == 0 && $0.lease == nil }) else { return }
        for slot in slots { slot.keeper.stop() }
        slots.removeAll()
        let closed = self.closed
        self.closed.removeAll()
        for continuation in closed { continuation.resume() }
    }
}
