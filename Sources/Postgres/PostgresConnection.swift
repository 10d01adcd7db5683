import CLibpq
import DequeModule
import EventLoop
import Logging

/// One connection to PostgreSQL: libpq without blocking, in pipeline mode (PostgreSQL manual §34.5), on one loop.
///
/// Statements are sent at once, however many are unanswered, and answered in order. Each batch ends with a
/// synchronisation point, so an error in one batch does not touch the next. A statement is prepared the first time it is
/// seen and found again by its SQL. An open connection stays alive until ``close()`` or until it is lost.
///
/// `@unchecked Sendable`: every mutable property is touched on `loop` only, which `preconditionIsolated` checks at each
/// entry; the public async functions go there first.
public final class PostgresConnection: @unchecked Sendable {
    /// Batches that may be unanswered or waiting on one connection.
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

    /// Batches not yet given to libpq, because a script has the connection or waits for it.
    var waiting = Deque<Batch>()
    /// Batches given to libpq and not answered.
    var inFlight = Deque<Batch>()
    /// What libpq will answer next, in order.
    var expected = Deque<Expectation>()
    var headHasAnswered = false
    var isRunningScript = false
    var isTimerSet = false
    var prepared = PreparedStatements()

    /// Called once, on the loop, when the connection ends for whatever reason.
    var onClose: ((PostgresError) -> Void)?
    private var onNotification: (@Sendable (PostgresNotification) -> Void)?

    init(configuration: PostgresConfiguration, loop: EventLoop, logger: Logger) {
        self.configuration = configuration
        self.loop = loop
        self.logger = logger
    }

    deinit {
        // Only a connection that was never started or was closed gets here: the loop keeps an open one alive.
        if let handle { PQfinish(handle) }
    }

    /// Connects.
    /// - Parameters:
    ///   - configuration: Where to, and the limits.
    ///   - loop: The loop that the connection lives on.
    ///   - logger: Takes PostgreSQL's notices.
    /// - Throws: ``PostgresError/unavailable(reason:)``, also when the task is cancelled meanwhile.
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

    /// Runs one statement. From any context.
    /// - Parameters:
    ///   - sql: One SQL statement with `$1`, `$2` for its parameters.
    ///   - parameters: Their values.
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

    /// Runs several statements that are separated by semicolons and take no parameters, such as a migration. Statements
    /// submitted meanwhile wait for it. From any context.
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

    /// Sets what is called, on the loop, for each notification. From any context.
    public func setNotificationHandler(_ handler: @escaping @Sendable (PostgresNotification) -> Void) {
        loop.execute { self.onNotification = handler }
    }

    /// Subscribes to a channel. Set the handler first. From any context.
    /// - Throws: ``PostgresError``.
    public func listen(to channel: String) async throws {
        _ = try await query("LISTEN \(quotedIdentifier(channel))")
    }

    /// Ends the connection; what is unanswered fails with ``PostgresError/unavailable(reason:)``. From any context.
    public func close() {
        loop.execute { self.close(.unavailable(reason: "the connection was closed")) }
    }

    // MARK: On the loop

    /// Statements that one batch holds are answered together: all, or the first error.
    func submit(_ statements: [EncodedStatement], completion: @escaping (Batch.Outcome) -> Void) {
        submit(Batch(.pipeline(statements), deadline: deadline, completion: completion))
    }

    var deadline: UInt64 { EventLoop.nowNanoseconds &+ configuration.queryTimeout.wholeNanoseconds }

    /// The process that serves this session, as `pg_stat_activity` names it; nil while there is none. On the loop.
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

    /// Ends the connection and answers everybody: the statements that ran out of time with `timeout`, the others with
    /// `error`.
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
    /// The channel.
    public let channel: String
    /// The payload, empty when there is none; at most 7,999 bytes.
    public let payload: String
    /// The process of the sending session.
    public let processID: Int32
}

/// An identifier as SQL takes it, whatever it contains.
func quotedIdentifier(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}
