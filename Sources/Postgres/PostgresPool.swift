import DequeModule
import EventLoop
import Logging
import Metrics
import Synchronization

/// A few connections on one loop, shared by everybody who asks.
///
/// Statements go to the least busy connection and are pipelined; transactions have a connection for themselves. Who
/// cannot be served waits in one bounded queue, first come first served. Connections come back by themselves after the
/// database was away.
///
/// Close a pool that is no longer needed: one that is only dropped keeps its connections.
///
/// `@unchecked Sendable`: `openCount` is atomic; every other mutable property is touched on `loop` only.
public final class PostgresPool: @unchecked Sendable {
    /// How long ``close()`` waits for statements in flight.
    static let closeTimeout: Duration = .seconds(5)
    /// How often a statement or a transaction that PostgreSQL rolled back in favour of another is begun again.
    public static let rolledBackRetriesMax = 3
    /// How long until then, at random, and longer each time, so that the same two do not meet again.
    static let retryDelayMilliseconds = 5...40

    /// A connection of the pool. On the loop only.
    final class Slot {
        let keeper: ConnectionKeeper
        var inFlight = 0
        /// A transaction has it, with this connection; nil when it is shared.
        var lease: PostgresConnection?
        init(keeper: ConnectionKeeper) { self.keeper = keeper }
    }

    private struct Waiter {
        let deadline: UInt64
        let needsLease: Bool
        let body: (Result<Slot, PostgresError>) -> Void
    }

    /// Where to, and the limits.
    public let configuration: PostgresConfiguration
    /// The loop that the connections live on.
    public let loop: EventLoop
    private let logger: Logger
    private let metrics: PostgresMetrics
    private var slots: [Slot] = []
    private var waiters = Deque<Waiter>()
    private var isTimerSet = false
    private var isClosing = false
    private var closed: [CheckedContinuation<Void, Never>] = []
    private let openCount = Atomic<Int>(0)

    /// Starts to connect at once.
    /// - Parameters:
    ///   - configuration: Where to, and the limits.
    ///   - loop: The loop that the connections live on.
    ///   - metrics: Counts statements and losses.
    ///   - logger: Takes losses, reconnections and PostgreSQL's notices.
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

    /// At least one connection is open. From any context.
    public var isReady: Bool { openCount.load(ordering: .relaxed) > 0 }

    /// Asks the database for an answer. From any context.
    /// - Throws: ``PostgresError``.
    public func ping() async throws {
        _ = try await query("SELECT 1")
    }

    /// Runs one statement, which is a transaction of its own; again when PostgreSQL rolled it back in favour of another. From any
    /// context.
    /// - Parameters:
    ///   - sql: One SQL statement with `$1`, `$2` for its parameters.
    ///   - parameters: Their values.
    /// - Throws: ``PostgresError``; `overloaded` when too many wait, or no connection became free in time.
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

    /// Runs a transaction on a connection of its own: `COMMIT` when `body` returns, `ROLLBACK` when it throws. One that PostgreSQL
    /// rolled back in favour of another (``PostgresError/isRolledBack``) is begun again, so `body` does nothing but by its
    /// transaction. Whether to try again after other errors is the caller's decision (``PostgresError/isRetryable``). From any context.
    /// - Throws: What `body` throws, or ``PostgresError``.
    public func transaction<T: Sendable>(
        _ body: @Sendable (PostgresTransaction) async throws -> T
    ) async throws -> T {
        try await retryingRolledBack { try await self.transactOnce(body) }
    }

    /// Nothing of a try that was rolled back has happened: the next one is the first. After ``rolledBackRetriesMax`` the error is
    /// the caller's.
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

    /// Refuses new statements, waits for those in flight (at most 5 s), and closes. From any context.
    public func close() async {
        await withCheckedContinuation { continuation in
            loop.execute { self.beginClosing(continuation) }
        }
    }

    /// Writes down how busy the pool is, for a scraper. From any context.
    public func report() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.metrics.inUse.set(self.slots.count { $0.lease != nil || $0.inFlight > 0 })
                self.metrics.waiting.set(self.waiters.count)
                continuation.resume()
            }
        }
    }

    // MARK: On the loop

    private func open() {
        for _ in 0..<max(1, configuration.connectionsMax) {
            let keeper = ConnectionKeeper(configuration: configuration, loop: loop, logger: logger)
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

    /// First come first served, also when a later one would fit: a transaction must not wait for ever.
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
            // Who waited behind an expired transaction may fit.
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
        isClosing = true
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
