import DequeModule
import EventLoop
import Logging
import Synchronization

/// Durable writes with group commit: many writes share one `COMMIT`, because a disk completes only a limited number per second.
///
/// Writes that arrive while a group is in flight, or within `groupWindow`, form the next group. A group is one transaction, sent in
/// one batch on a dedicated connection. The writer completes a write after the commit.
///
/// When a statement fails, the writer rolls the group back and sends each of its writes in a transaction of its own. Only the
/// faulty write fails then. When the connection is lost, the outcome of the group in flight is in doubt. All pending writes fail
/// with ``PostgresError/unavailable(reason:)`` and callers send them again, so a write must be idempotent.
///
/// Call ``close()`` on a writer that is no longer needed: releasing it does not close its connection.
///
/// `@unchecked Sendable`: all mutable properties except the atomic are confined to `loop`.
public final class GroupWriter: @unchecked Sendable {
    /// Time that ``close()`` waits for unanswered writes.
    static let closeTimeout: Duration = .seconds(5)

    private struct Write {
        let statements: [EncodedStatement]
        let arrival: UInt64
        let completion: @Sendable (Result<[PostgresRows], any Error>) -> Void
    }

    /// Address of the database, and the limits.
    public let configuration: PostgresConfiguration
    private let loop: EventLoop
    private let keeper: ReconnectingConnection
    private let metrics: PostgresMetrics
    private var waiting = Deque<Write>()
    /// Writes that were sent and are not answered yet.
    private var inFlightCount = 0
    private var isWindowOpen = false
    private var isTimerSet = false
    private var isStarted = false
    private var isClosing = false
    private var closed: [CheckedContinuation<Void, Never>] = []
    private let open = Atomic<Bool>(false)

    /// Creates a writer and starts to connect.
    /// - Parameters:
    ///   - configuration: The address, and the limits `groupWindow`, `groupWritesMax` and `waitingWritesMax`.
    ///   - loop: The loop that the connection is confined to.
    ///   - metrics: Counts groups and lost connections.
    ///   - logger: Receives lost connections, reconnections and PostgreSQL's notices.
    ///   - atOnce: False delays connecting until the first write, which saves a connection while there are no writes.
    public init(
        configuration: PostgresConfiguration, loop: EventLoop, metrics: PostgresMetrics = PostgresMetrics(),
        logger: Logger = Logger(label: "campanile.postgres"), atOnce: Bool = true
    ) {
        self.metrics = metrics
        self.configuration = configuration
        self.loop = loop
        keeper = ReconnectingConnection(configuration: configuration, loop: loop, logger: logger)
        if atOnce { loop.execute { self.start() } }
    }

    /// Whether the connection is open. Callable from any thread.
    public var isReady: Bool { open.load(ordering: .relaxed) }

    /// Executes the statements and returns after their commit. Callable from any thread. Writes complete in the order of the calls.
    /// - Parameter statements: Statements that are committed together or not at all. They must be idempotent.
    /// - Returns: One result for each statement.
    /// - Throws: ``PostgresError``: `server` if this write is at fault, `unavailable` if the outcome is in doubt, `overloaded` if
    ///   the queue is full and nothing was sent.
    public func write(_ statements: [PostgresStatement]) async throws -> [PostgresRows] {
        try await withCheckedThrowingContinuation { continuation in
            write(statements) { continuation.resume(with: $0) }
        }
    }

    /// Variant of `write(_:)` for callers outside of a task. On the writer's loop, it sends inline if the connection is free.
    /// - Parameter completion: Called on the loop, possibly before this call returns.
    public func write(
        _ statements: [PostgresStatement], completion: @escaping @Sendable (Result<[PostgresRows], any Error>) -> Void
    ) {
        let encoded: [EncodedStatement]
        do { encoded = try statements.map { try EncodedStatement($0) } } catch { return complete(.failure(error)) }
        guard !encoded.isEmpty else { return complete(.success([])) }
        let write = Write(statements: encoded, arrival: EventLoop.nowNanoseconds, completion: completion)
        if loop.isCurrent { accept(write) } else { loop.execute { self.accept(write) } }

        func complete(_ result: Result<[PostgresRows], any Error>) {
            if loop.isCurrent { completion(result) } else { loop.execute { completion(result) } }
        }
    }

    /// Rejects new writes, commits the queued ones for at most 5 s, and closes the connection. Callable from any thread.
    public func close() async {
        await withCheckedContinuation { continuation in
            loop.execute { self.beginClosing(continuation) }
        }
    }

    // MARK: Loop

    private func start() {
        guard !isStarted else { return }
        isStarted = true
        keeper.onOpen = { [weak self] _ in
            self?.open.store(true, ordering: .relaxed)
            self?.metrics.open.add(1)
            self?.sendGroup()
        }
        keeper.onLost = { [weak self] error in
            guard let self else { return }
            open.store(false, ordering: .relaxed)
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
        guard inFlightCount == 0 else { return }
        if waiting.count >= configuration.groupWritesMax { return sendGroup() }
        guard configuration.groupWindow > .zero else { return sendGroup() }
        guard !isWindowOpen else { return }
        isWindowOpen = true
        loop.schedule(after: configuration.groupWindow) { [weak self] in
            self?.isWindowOpen = false
            self?.sendGroup()
        }
    }

    private func sendGroup() {
        guard inFlightCount == 0, !waiting.isEmpty, let connection = keeper.connection else { return finishClosing() }
        let count = min(waiting.count, max(1, configuration.groupWritesMax))
        let group = Array(waiting.prefix(count))
        waiting.removeFirst(count)
        inFlightCount = count
        metrics.groups.observe(UInt64(count))
        let sent = EventLoop.nowNanoseconds
        connection.submit(Self.transaction(of: group)) { [self] outcome in
            metrics.commits.observe(EventLoop.nowNanoseconds &- sent)
            if case .failure(let error) = outcome.result { metrics.failed(error) }
            switch outcome.result {
            case .success(let answers): succeed(group, answers, connection)
            case .failure(let error) where connection.isOpen && error.outage?.needsOperator == true:
                refuse(group, error, connection)
            case .failure(.server) where connection.isOpen: retryEach(group, connection)
            case .failure(let error): lose(group, error, connection)
            }
        }
    }

    private static func transaction(of writes: [Write]) -> [EncodedStatement] {
        [PostgresTransaction.begin] + writes.flatMap(\.statements) + [PostgresTransaction.commit]
    }

    private func succeed(_ group: [Write], _ answers: [PostgresRows], _ connection: PostgresConnection) {
        // PostgreSQL answers `ROLLBACK` to the COMMIT of a failed transaction. An error should have come first, but check it
        // anyway.
        guard answers.last?.commandTag == "COMMIT" else {
            return lose(group, .unavailable(reason: "a group was not committed"), connection)
        }
        var next = 1
        for write in group {
            write.completion(.success(Array(answers[next..<next + write.statements.count])))
            next += write.statements.count
        }
        inFlightCount = 0
        sendGroup()
    }

    /// Sends each write of a failed group in a transaction of its own.
    ///
    /// The failed group left an aborted transaction. One batch of messages rolls it back, then runs each write followed by a
    /// rollback, which does nothing after a commit.
    private func retryEach(_ group: [Write], _ connection: PostgresConnection) {
        rollBack(connection)
        for write in group {
            connection.submit(Self.transaction(of: [write])) { [self] outcome in
                switch outcome.result {
                case .success(let answers): write.completion(.success(Array(answers.dropFirst().dropLast())))
                case .failure(let error): write.completion(.failure(error))
                }
                inFlightCount -= 1
                if inFlightCount == 0 { sendGroup() }
            }
            rollBack(connection)
        }
    }

    /// Fails the whole group because of an outage. No write is at fault, so each would also fail alone.
    private func refuse(_ group: [Write], _ error: PostgresError, _ connection: PostgresConnection) {
        rollBack(connection)
        inFlightCount = 0
        for write in group { write.completion(.failure(error)) }
        sendGroup()
    }

    private func rollBack(_ connection: PostgresConnection) {
        connection.submit([PostgresTransaction.rollback]) { outcome in
            guard case .failure(let error) = outcome.result else { return }
            connection.close(error)
        }
    }

    private func lose(_ group: [Write], _ error: PostgresError, _ connection: PostgresConnection) {
        // Close first: a failed write's completion may write again. A timeout also leaves the outcome in doubt.
        connection.close(error)
        inFlightCount = 0
        for write in group { write.completion(.failure(error)) }
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
        sendGroup()
    }

    private func finishClosing(isForced: Bool = false) {
        guard isClosing, isForced || (inFlightCount == 0 && waiting.isEmpty) else { return }
        keeper.stop()
        let closed = self.closed
        self.closed.removeAll()
        for continuation in closed { continuation.resume() }
    }
}
