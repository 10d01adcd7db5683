import CLibpq
import DequeModule
import EventLoop
import Logging

/// One connection to PostgreSQL: non-blocking libpq in pipeline mode (PostgreSQL manual §34.5), on one event loop.
///
/// The connection sends statements without waiting for earlier results, and PostgreSQL answers in order. Each batch ends with a
/// synchronisation point, so an error in one batch does not affect the next. A statement is prepared at its first use and
/// identified by its SQL text. The loop keeps an open connection alive until ``close()`` or until it is lost.
///
/// `@unchecked Sendable`: all mutable properties are confined to `loop`, which `preconditionIsolated` checks at each entry. The
/// public async functions switch to it first.
public final class PostgresConnection: @unchecked Sendable {
    /// Maximum of batches in flight and queued on one connection.
    static let batchesMax = 4096

    enum State {
        case connecting
        case open
        case closed(PostgresError)
    }

    let configuration: PostgresConfiguration
    let loop: EventLoop
    let logger: Logger

    var state = State.connecting
    var handle: OpaquePointer?
    var watch: DescriptorWatch?
    var connected: ((Result<Void, PostgresError>) -> Void)?

    /// Batches not yet passed to libpq, because a script is running or queued before them.
    var waiting = Deque<Batch>()
    /// Batches passed to libpq and not yet answered.
    var inFlight = Deque<Batch>()
    /// Results that libpq will return, in order.
    var expected = Deque<Expectation>()
    var headHasResult = false
    var isRunningScript = false
    var isTimerSet = false
    var prepared = PreparedStatements()

    /// Called once, on the loop, when the connection ends for any reason.
    var onClose: ((PostgresError) -> Void)?
    private var onNotification: (@Sendable (PostgresNotification) -> Void)?

    init(configuration: PostgresConfiguration, loop: EventLoop, logger: Logger) {
        self.configuration = configuration
        self.loop = loop
        self.logger = logger
    }

    deinit {
        // Only a connection that never started or is closed reaches this point: the loop keeps an open one alive.
        if let handle { PQfinish(handle) }
    }

    /// Opens a connection.
    /// - Parameters:
    ///   - configuration: The address and the limits.
    ///   - loop: The loop that the connection is confined to.
    ///   - logger: Receives PostgreSQL's notices.
    /// - Throws: ``PostgresError/unavailable(reason:)``, also if the task is cancelled.
    public static func connect(
        configuration: PostgresConfiguration, loop: EventLoop, logger: Logger = Logger(label: "campanile.postgres")
    ) async throws -> PostgresConnection {
        let connection = PostgresConnection(configuration: configuration, loop: loop, logger: logger)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                loop.execute { connection.start { continuation.resume(with: $0) } }
            }
        } onCancel: {
            connection.close()
        }
        return connection
    }

    /// Runs one statement. Callable from any thread.
    /// - Parameters:
    ///   - sql: One SQL statement with `$1`, `$2` for its parameters.
    ///   - parameters: The values of the placeholders.
    /// - Throws: ``PostgresError``.
    public func query(_ sql: String, _ parameters: [PostgresValue] = []) async throws -> PostgresRows {
        let statement = try EncodedStatement(sql, parameters)
        let outcome = try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                self.submit([statement]) { continuation.resume(with: $0.result) }
            }
        }
        guard let rows = outcome.first else { throw PostgresError.unavailable(reason: "no answer") }
        return rows
    }

    /// Runs several statements separated by semicolons and without parameters, such as a migration. Callable from any thread.
    ///
    /// Statements submitted after the script wait until it has ended.
    /// - Throws: ``PostgresError``.
    public func script(_ sql: String) async throws {
        let statement = try EncodedStatement(sql)
        try await withCheckedThrowingContinuation { continuation in
            loop.execute {
                self.submit(
                    Batch(.script(statement.sql), deadline: self.deadline) {
                        continuation.resume(with: $0.result.map { _ in })
                    })
            }
        }
    }

    /// Sets the handler of notifications, which the connection calls on the loop. Callable from any thread.
    public func setNotificationHandler(_ handler: @escaping @Sendable (PostgresNotification) -> Void) {
        loop.execute { self.onNotification = handler }
    }

    /// Subscribes to a channel with `LISTEN`. Set the handler first. Callable from any thread.
    /// - Throws: ``PostgresError``.
    public func listen(to channel: String) async throws {
        _ = try await query("LISTEN \(quotedIdentifier(channel))")
    }

    /// Closes the connection. Unanswered statements fail with ``PostgresError/unavailable(reason:)``. Callable from any thread.
    public func close() {
        loop.execute { self.close(.unavailable(reason: "the connection was closed")) }
    }

    // MARK: Loop

    /// Submits statements as one batch, which completes with all results or with the first error.
    func submit(_ statements: [EncodedStatement], completion: @escaping (Batch.Outcome) -> Void) {
        submit(Batch(.pipeline(statements), deadline: deadline, completion: completion))
    }

    var deadline: UInt64 { EventLoop.nowNanoseconds &+ configuration.queryTimeout.wholeNanoseconds }

    /// The process ID of the session's backend, as in `pg_stat_activity`; nil while the connection is not open. On the loop.
    var backendProcessID: Int32? {
        guard let handle, isOpen else { return nil }
        return PQbackendPID(handle)
    }

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    func deliverNotifications() {
        while let handle, let notification = PQnotifies(handle) {
            let received = PostgresNotification(
                channel: String(cString: notification.pointee.relname),
                payload: String(cString: notification.pointee.extra),
                processID: notification.pointee.be_pid)
            PQfreemem(notification)
            onNotification?(received)
        }
    }

    /// Closes the connection and completes all unanswered batches: with `timeout` past their deadline, otherwise with `error`.
    func close(_ error: PostgresError) {
        loop.preconditionIsolated()
        if case .closed = state { return }
        state = .closed(error)
        watch?.cancel()
        watch = nil
        if let handle { PQfinish(handle) }
        handle = nil
        let unanswered = inFlight + waiting
        inFlight.removeAll()
        waiting.removeAll()
        expected.removeAll()
        let now = EventLoop.nowNanoseconds
        for batch in unanswered {
            batch.fail(batch.deadline <= now ? .timeout : error)
            batch.complete()
        }
        connected?(.failure(error))
        connected = nil
        onClose?(error)
        onClose = nil
        onNotification = nil
    }
}

/// A message that another session sent with `NOTIFY`.
public struct PostgresNotification: Equatable, Sendable {
    public let channel: String
    /// The payload; empty if there is none, at most 7,999 bytes.
    public let payload: String
    /// The process ID of the sending session's backend.
    public let processID: Int32
}

/// An SQL identifier in double quotes, with any quotes in it escaped.
func quotedIdentifier(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}
