import EventLoop
import Logging

/// Logs the lock that a connection waits for and the sessions that hold it, so that a waiting start does not appear to hang.
struct LockReport: Sendable {
    /// Delay before the first check.
    static let firstAfter = Duration.seconds(2)
    /// Interval between two reports.
    static let interval = Duration.seconds(30)

    private let connection: PostgresConnection
    private let configuration: PostgresConfiguration
    private let logger: Logger

    /// - Parameter configuration: Settings of the second connection, which queries the locks.
    init(of connection: PostgresConnection, configuration: PostgresConfiguration, logger: Logger) {
        self.connection = connection
        self.configuration = configuration
        self.logger = logger
    }

    /// Starts the reports, which continue until the task is cancelled.
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

    /// A log message in the style of PostgreSQL's `log_lock_waits`, or nil if the session does not wait for a lock.
    private func waiting(_ processID: Int32) async throws -> String? {
        let monitor = try await PostgresConnection.connect(
            configuration: configuration, loop: connection.loop, logger: logger)
        defer { monitor.close() }
        let row = try await monitor.query(
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
