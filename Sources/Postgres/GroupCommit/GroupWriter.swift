import EventLoop
import Logging

/// Group commit of lists of statements: writes that arrive within `groupWindow`, or while a group is in flight, are one transaction. Each
/// write gets the answers of its own statements after the commit.
///
/// Call ``close()`` on a writer that is no longer needed: releasing it does not close its connection.
public final class GroupWriter: Sendable {
    /// The connection, for groups that are formed otherwise.
    public let transactions: TransactionWriter
    private let loop: EventLoop
    private let groups: GroupCommit<[EncodedStatement], [PostgresRows]>

    /// Creates a writer. It connects at the first write.
    /// - Parameters:
    ///   - configuration: The address, and the limits `groupWindow`, `groupWritesMax` and `waitingWritesMax`.
    ///   - loop: The loop that the connection is confined to.
    ///   - metrics: Counts groups and lost connections.
    ///   - logger: Receives lost connections, reconnections and PostgreSQL's notices.
    public init(
        configuration: PostgresConfiguration, loop: EventLoop, metrics: PostgresMetrics = PostgresMetrics(),
        logger: Logger = Logger(label: "campanile.postgres")
    ) {
        self.loop = loop
        let transactions = TransactionWriter(
            configuration: configuration, loop: loop, metrics: metrics, logger: logger)
        self.transactions = transactions
        groups = GroupCommit(
            loop: loop,
            limits: .init(
                window: configuration.groupWindow, groupItemsMax: max(1, configuration.groupWritesMax),
                groupSizeMax: .max, waitingItemsMax: configuration.waitingWritesMax, waitingSizeMax: .max),
            refuse: { PostgresError.overloaded },
            write: { writes, arrival, completion in
                transactions.write(
                    writes.flatMap(\.self), items: writes.count, arrival: arrival, completion: completion)
            },
            read: { writes, answers, _ in
                var rest = answers[...]
                return .init(
                    answers: writes.map { write in
                        defer { rest = rest.dropFirst(write.count) }
                        return .success(Array(rest.prefix(write.count)))
                    })
            })
    }

    /// Executes the statements and returns after their commit. Callable from any thread. Writes complete in the order of the calls.
    /// - Parameter statements: Statements that are committed together or not at all. They must be idempotent.
    /// - Returns: One result for each statement.
    /// - Throws: ``PostgresError``: `server` if this write is at fault, or if PostgreSQL rejects every write
    ///   (``PostgresError/isStorageFull``, ``DatabaseOutage/needsOperator``); `unavailable` if the outcome is in doubt; `overloaded` if the
    ///   queue is full and nothing was sent.
    public func write(_ statements: [PostgresStatement]) async throws -> [PostgresRows] {
        try await withCheckedThrowingContinuation { continuation in
            write(statements) { continuation.resume(with: $0) }
        }
    }

    /// Variant of `write(_:)` for callers outside of a task.
    /// - Parameter completion: Called on the loop, possibly before this call returns.
    public func write(
        _ statements: [PostgresStatement], completion: @escaping @Sendable (Result<[PostgresRows], any Error>) -> Void
    ) {
        let submit: @Sendable () -> Void = { [groups] in
            do {
                let encoded = try statements.map { try EncodedStatement($0) }
                guard !encoded.isEmpty else { return completion(.success([])) }
                groups.submit(encoded, size: 1, completion: completion)
            } catch {
                completion(.failure(error))
            }
        }
        if loop.isCurrent { submit() } else { loop.execute(submit) }
    }

    /// Rejects new writes, commits the waiting ones for at most ``TransactionWriter/closeTimeout``, and closes the connection. Callable
    /// from any thread.
    public func close() async {
        let forced = Task { [loop, transactions] in
            await loop.sleep(for: TransactionWriter.closeTimeout)
            if !Task.isCancelled { await transactions.close() }
        }
        await transactions.failIfDisconnected()
        await groups.close()
        forced.cancel()
        await transactions.close()
    }
}
