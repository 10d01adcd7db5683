import EventLoop
import Logging

/// Logs which lock a connection waits for, and which sessions hold it: a start that waits in silence looks like one that hangs.
struct LockReport: Sendable {
    /// How long a connection may wait before it is reported.
    static let firstAfter = Duration.seconds(2)
    /// Between two reports.
    static let interval = Duration.seconds(30)

    private let connection: PostgresConnection
    private let configuration: PostgresConfiguration
    private let logger: Logger

    /// - Parameter configuration: Another connection looks.
    init(of connection: PostgresConnection, configuration: PostgresConfiguration, logger: Logger) {
        self.connection = connection
        self.configuration = configuration
        self.logger = logger
    }

    /// Reports until the task is cancelled.
    func start() -> Task<Void, Never> {
        Task {
            var pause = Self.firstAfter
            while !Task.isCancelled {
                do { try await Task.sleep(for: pause) } catch { return }
                if await report() { pause = Self.interval }
            }
        }
    }

    /// - Returns: Whether the connection waits for a lock.
    private func report() async -> Bool {
        let loop = connection.loop
        let processID = await withCheckedContinuation { continuation in
            loop.execute { [connection] in continuation.resume(returning: connection.backendProcessID) }
        }
        guard let processID, let words = try? await waiting(processID) else { return false }
        logger.notice("\(words)")
        return true
    }

    /// What the session waits for, in the words of PostgreSQL's `log_lock_waits`; nil when it does not.
    private func waiting(_ processID: Int32) async throws -> String? {
        let looking = try await PostgresConnection.connect(
            configuration: configuration, loop: connection.loop, logger: logger)
        defer { looking.close() }
        let row = try await looking.query(
            """
            SELECT format('process %s still waiting for %s on %s%s', l.pid, l.mode,
                    CASE WHEN l.relation IS NULL THEN l.locktype || ' lock' ELSE 'relation ' || l.relation::regclass END,
                    coalesce('; held by ' || (SELECT string_agg(format('process %s (%s)', b.pid, concat_ws(', ',
                            nullif(a.application_name, ''), a.usename, a.state)), ', ')
                        FROM unnest(pg_blocking_pids(l.pid)) AS b (pid) LEFT JOIN pg_stat_activity a ON a.pid = b.pid), ''))
                AS words
            FROM pg_locks l WHERE l.pid = $1 AND NOT l.granted LIMIT 1
            """, [.int(Int64(processID))]
        ).first
        return try row.map { "the schema's migration waits for the database: \(try $0.text("words"))" }
    }
}
