import DequeModule
import EventLoop
import Logging

/// Durable transactions on a connection of their own, one after the other. ``GroupCommit`` forms the transactions.
///
/// The writer completes a transaction after its commit. When a statement fails, the writer rolls the transaction back. When the connection
/// is lost, the outcome of the transaction in flight is in doubt. It and all waiting ones fail with
/// ``PostgresError/unavailable(reason:)``, and callers send them again, so a transaction must be idempotent.
///
/// Call ``close()`` on a writer that is no longer needed: releasing it does not close its connection.
///
/// `@unchecked Sendable`: all mutable properties are confined to `loop`.
public final class TransactionWriter: @unchecked Sendable {
    /// Time that ``close()`` waits for unanswered transactions.
    static let closeTimeout: Duration = .seconds(5)

    private struct Write {
        let statements: [EncodedStatement]
        let items: Int
        /// Monotonic nanoseconds.
        let arrival: UInt64
        let completion: @Sendable (Result<[PostgresRows], any Error>) -> Void
    }

    /// Address of the database, and the limits.
    public let configuration: PostgresConfiguration
    private let loop: EventLoop
    private let keeper: ReconnectingConnection
    private let metrics: PostgresMetrics
    private var waiting = Deque<Write>()
    private var isInFlight = false
    private var isTimerSet = false
    private var isStarted = false
    private var isClosing = false
    private var closed: [CheckedContinuation<Void, Never>] = []

    /// Creates a writer. It connects at the first write, which saves a connection while there are no writes.
    /// - Parameters:
    ///   - configuration: The address, and the limits `acquireTimeout` and `waitingWritesMax`.
    ///   - loop: The loop that the connection is confined to.
    ///   - metrics: Counts commits and lost connections.
    ///   - logger: Receives lost connections, reconnections and PostgreSQL's notices.
    public init(
        configuration: PostgresConfiguration, loop: EventLoop, metrics: PostgresMetrics = PostgresMetrics(),
        logger: Logger = Logger(label: "campanile.postgres")
    ) {
        self.metrics = metrics
        self.configuration = configuration
        self.loop = loop
        keeper = ReconnectingConnection(configuration: configuration, loop: loop, logger: logger)
    }

    /// Commits the statements in one transaction. On the writer's loop, it sends inline if the connection is free. Callable from any
    /// thread; transactions are sent in the order of the calls.
    /// - Parameters:
    ///   - statements: They must be idempotent.
    ///   - items: Number of grouped items in the transaction, for the metric of group sizes.
    ///   - arrival: When the oldest part of the transaction arrived, monotonic nanoseconds: it fails `acquireTimeout` later if there is no
    ///     connection.
    ///   - completion: Called on the loop with one result for each statement, possibly before this call returns. Errors are
    ///     ``PostgresError``: `server` if PostgreSQL rejected the transaction, for a faulty statement or because it rejects every write
    ///     (a full disk); `unavailable` if the outcome is in doubt; `overloaded` if nothing was sent because the queue is full.
    public func write(
        _ statements: [PostgresStatement], items: Int = 1, arrival: UInt64 = EventLoop.nowNanoseconds,
        completion: @escaping @Sendable (Result<[PostgresRows], any Error>) -> Void
    ) {
        do {
            write(
                try statements.map { try EncodedStatement($0) }, items: items, arrival: arrival, completion: completion)
        } catch {
            if loop.isCurrent { completion(.failure(error)) } else { loop.execute { completion(.failure(error)) } }
        }
    }

    func write(
        _ statements: [EncodedStatement], items: Int, arrival: UInt64,
        completion: @escaping @Sendable (Result<[PostgresRows], any Error>) -> Void
    ) {
        let write = Write(statements: statements, items: items, arrival: arrival, completion: completion)
        if loop.isCurrent { accept(write) } else { loop.execute { self.accept(write) } }
    }

    /// Rejects new transactions, commits the waiting ones for at most ``closeTimeout``, and closes the connection. Without a connection,
    /// also before the first one is open, the waiting ones fail. Callable from any thread.
    public func close() async {
        await withCheckedContinuation { continuation in
            loop.execute { self.beginClosing(continuation) }
        }
    }

    /// Fails what waits for a connection, because the server stops.
    func failIfDisconnected() async {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                if keeper.connection == nil { failWaiting(keeper.lastFailure) }
                continuation.resume()
            }
        }
    }

    // MARK: Loop

    private func start() {
        guard !isStarted else { return }
        isStarted = true
        keeper.onOpen = { [weak self] _ in
            self?.metrics.open.add(1)
            self?.sendNext()
        }
        keeper.onLost = { [weak self] error in
            guard let self else { return }
            metrics.open.add(-1)
            if !isClosing { metrics.lost.add() }
            failWaiting(error)
        }
        keeper.start()
    }

    private func accept(_ write: Write) {
        guard !isClosing else {
            return write.completion(.failure(PostgresError.unavailable(reason: "the writer is closed")))
        }
        guard waiting.count < configuration.waitingWritesMax else {
            return write.completion(.failure(PostgresError.overloaded))
        }
        waiting.append(write)
        start()
        guard keeper.connection != nil else { return setTimer() }
        sendNext()
    }

    private func sendNext() {
        guard !isInFlight, let connection = keeper.connection, let next = waiting.popFirst() else {
            return finishClosing()
        }
        isInFlight = true
        metrics.groups.observe(UInt64(next.items))
        let sent = EventLoop.nowNanoseconds
        let batch = [PostgresTransaction.begin] + next.statements + [PostgresTransaction.commit]
        connection.submit(batch) { [self] outcome in
            metrics.commits.observe(EventLoop.nowNanoseconds &- sent)
            if case .failure(let error) = outcome.result { metrics.failed(error) }
            switch outcome.result {
            case .success(let answers): succeed(next, answers, connection)
            case .failure(.server(let state, let message, let constraint)) where connection.isOpen:
                rollBack(connection)
                complete(next, .failure(.server(sqlState: state, message: message, constraint: constraint)))
            case .failure(let error): lose(next, error, connection)
            }
        }
    }

    private func complete(_ write: Write, _ result: Result<[PostgresRows], PostgresError>) {
        isInFlight = false
        write.completion(result.mapError { $0 })
        sendNext()
    }

    private func succeed(_ write: Write, _ answers: [PostgresRows], _ connection: PostgresConnection) {
        // PostgreSQL answers `ROLLBACK` to the COMMIT of a failed transaction. An error should have come first, but check it
        // anyway.
        guard answers.last?.commandTag == "COMMIT" else {
            return lose(write, .unavailable(reason: "a transaction was not committed"), connection)
        }
        complete(write, .success(Array(answers.dropFirst().dropLast())))
    }

    private func rollBack(_ connection: PostgresConnection) {
        connection.submit([PostgresTransaction.rollback]) { outcome in
            guard case .failure(let error) = outcome.result else { return }
            connection.close(error)
        }
    }

    private func lose(_ write: Write, _ error: PostgresError, _ connection: PostgresConnection) {
        // Close first: a failed write's completion may write again. A timeout also leaves the outcome in doubt.
        connection.close(error)
        isInFlight = false
        write.completion(.failure(error))
        failWaiting(error)
        finishClosing()
    }

    private func failWaiting(_ error: PostgresError) {
        let failed = waiting
        waiting.removeAll()
        for write in failed { write.completion(.failure(error)) }
    }

    /// Sets the timer that fails writes after `acquireTimeout` without a connection.
    private func setTimer() {
        guard !isTimerSet, let first = waiting.first else { return }
        isTimerSet = true
        let patience = configuration.acquireTimeout.wholeNanoseconds
        let now = EventLoop.nowNanoseconds
        let deadline = first.arrival &+ patience
        loop.schedule(after: .nanoseconds(Int64(clamping: deadline > now ? deadline - now : 0))) { [weak self] in
            guard let self else { return }
            isTimerSet = false
            guard keeper.connection == nil else { return }
            let now = EventLoop.nowNanoseconds
            while let first = waiting.first, first.arrival &+ patience <= now {
                waiting.removeFirst()
                first.completion(.failure(keeper.lastFailure))
            }
            setTimer()
        }
    }

    private func beginClosing(_ continuation: CheckedContinuation<Void, Never>) {
        closed.append(continuation)
        if !isClosing { loop.schedule(after: Self.closeTimeout) { [self] in finishClosing(isForced: true) } }
        isClosing = true
        if keeper.connection == nil { failWaiting(keeper.lastFailure) }
        sendNext()
    }

    private func finishClosing(isForced: Bool = false) {
        guard isClosing, isForced || (!isInFlight && waiting.isEmpty) else { return }
        keeper.stop()
        let closed = self.closed
        self.closed.removeAll()
        for continuation in closed { continuation.resume() }
    }
}
