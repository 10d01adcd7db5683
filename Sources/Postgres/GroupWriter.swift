import DequeModule
import EventLoop
import Logging
import Synchronization

/// Durable writes, grouped: many writers share one `COMMIT`, which is what a disk can do only so often.
///
/// What arrives while a group is in flight, or within `groupWindow`, becomes one transaction, sent in one go on a
/// connection of its own. A write is answered after the commit. When a statement fails, the group is rolled back and each
/// of its writes gets a transaction of its own, so only the culprit learns of the error. When the connection is lost, the
/// outcome of what is in flight is unknown: everything waiting fails with ``PostgresError/unavailable(reason:)``, and
/// writers send again, which is why a write must be harmless when repeated.
///
/// Close a writer that is no longer needed: one that is only dropped keeps its connection.
///
/// `@unchecked Sendable`: every mutable property but the atomic is touched on `loop` only.
public final class GroupWriter: @unchecked Sendable {
    /// How long ``close()`` waits for writes that are not answered.
    static let closeTimeout: Duration = .seconds(5)

    private struct Write {
        let statements: [EncodedStatement]
        let arrival: UInt64
        let completion: @Sendable (Result<[PostgresRows], any Error>) -> Void
    }

    /// Where to, and the limits.
    public let configuration: PostgresConfiguration
    private let loop: EventLoop
    private let keeper: ConnectionKeeper
    private let metrics: PostgresMetrics
    private var waiting = Deque<Write>()
    /// Writes that were sent and not answered.
    private var inFlightCount = 0
    private var isWindowOpen = false
    private var isTimerSet = false
    private var isStarted = false
    private var isClosing = false
    private var closed: [CheckedContinuation<Void, Never>] = []
    private let open = Atomic<Bool>(false)

    /// Starts to connect.
    /// - Parameters:
    ///   - configuration: Where to, and the limits `groupWindow`, `groupWritesMax` and `waitingWritesMax`.
    ///   - loop: The loop that the connection lives on.
    ///   - metrics: Counts groups and losses.
    ///   - logger: Takes losses, reconnections and PostgreSQL's notices.
    ///   - atOnce: False waits for the first write: a connection less while nobody has any.
    public init(
        configuration: PostgresConfiguration, loop: EventLoop, metrics: PostgresMetrics = PostgresMetrics(),
        logger: Logger = Logger(label: "campanile.postgres"), atOnce: Bool = true
    ) {
        self.metrics = metrics
        self.configuration = configuration
        self.loop = loop
        keeper = ConnectionKeeper(configuration: configuration, loop: loop, logger: logger)
        if atOnce { loop.execute { self.start() } }
    }

    /// The connection is open. From any context.
    public var isReady: Bool { open.load(ordering: .relaxed) }

    /// Writes, and returns once it is committed. From any context; writers are answered in the order they came in.
    /// - Parameter statements: They are committed together or not at all. Harmless when repeated.
    /// - Returns: One answer for each statement.
    /// - Throws: ``PostgresError``: `server` when this write is at fault, `unavailable` when the outcome is unknown,
    ///   `overloaded` when too many wait and nothing was sent.
    public func write(_ statements: [PostgresStatement]) async throws -> [PostgresRows] {
        try await withCheckedThrowingContinuation { continuation in
            write(statements) { continuation.resume(with: $0) }
        }
    }

    /// The same for who does not wait in a task; on the writer's loop, what can be sent is sent when this returns.
    /// - Parameter completion: Called on the loop, later or now.
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

    /// Refuses new writes, commits those that wait (at most 5 s), and closes. From any context.
    public func close() async {
        await withCheckedContinuation { continuation in
            loop.execute { self.beginClosing(continuation) }
        }
    }

    // MARK: On the loop

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
        // PostgreSQL answers ROLLBACK to the COMMIT of a failed transaction. An earlier error would have told; trust no one.
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

    /// The group failed and left an aborted transaction. Everything is sent at once: a rollback, then each write in a
    /// transaction of its own with a rollback behind it, which does nothing after a commit.
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

    /// No write is at fault: none would be taken alone either.
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
        // First, as who is told may write again. A timeout too leaves the outcome open.
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

    /// Writes that came while the database is away wait for it, but not for ever.
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
