import EventLoop
import Logging
import Postgres
import Synchronization
import Wire

/// The server's wall clock, and whether services may trust it more than a device's clock. All services of a server share one instance.
public final class ServerClock: Sendable {
    /// Seconds by which a position's time may be ahead of the server's clock, to allow for inexact clocks and network delay.
    static let aheadSecondsMax = 30.0
    static let inDoubt = RPCError(
        .unavailable, "the server's clock is being checked: keep the data and send it again", field: "serverTime",
        retryAfter: ClockTrust.retrySeconds)

    /// Largest duration of a comparison with the database whose result is used, in seconds.
    private static let answerSecondsMax = 5.0
    private static let words = LogRateLimit()

    let now: @Sendable () -> Timestamp
    /// The monotonic clock, nanoseconds.
    let uptime: @Sendable () -> UInt64
    private let isSynchronised: @Sendable () -> Bool
    private let logger: Logger
    private let trust = Mutex(ClockTrust())

    /// - Parameter isSynchronised: Whether the kernel reports a synchronised clock.
    public init(
        now: @escaping @Sendable () -> Timestamp = { .now },
        uptime: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds },
        isSynchronised: @escaping @Sendable () -> Bool = { KernelClock.isSynchronised },
        logger: Logger = Logger(label: "campanile.clock")
    ) {
        self.now = now
        self.uptime = uptime
        self.isSynchronised = isSynchronised
        self.logger = logger
    }

    /// Records times that a device sends as it measures them.
    func note(_ times: [Timestamp], of account: Int64, now: Timestamp) {
        let uptime = uptime()
        trust.withLock { $0.note(times, of: account, now: now, uptime: uptime) }
    }

    /// Records times like `note` and checks them.
    /// - Throws: ``Wire/RPCError`` `unavailable` if a time is in the future and the server's clock is not trusted.
    func check(_ times: [Timestamp], of account: Int64, now: Timestamp) throws {
        let uptime = uptime()
        let isTrusted = trust.withLock { trust in
            trust.note(times, of: account, now: now, uptime: uptime)
            return trust.isTrusted(uptime: uptime)
        }
        guard !isTrusted, times.contains(where: { $0.seconds(since: now) > Self.aheadSecondsMax }) else { return }
        log()
        throw Self.inDoubt
    }

    /// Reads the kernel's synchronisation state and compares the clock with the database's. Call it periodically.
    public func compare(with database: PostgresPool) async throws {
        let isSynchronised = isSynchronised()
        trust.withLock { $0.note(isSynchronised: isSynchronised) }
        let before = now()
        let row = try await database.query(
            """
            SELECT clock_timestamp() AS at,
                inet_server_addr() IS NULL OR inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1' AS is_here
            """
        ).first
        let after = now()
        guard let row, after.seconds(since: before) < Self.answerSecondsMax else { return }
        let middle = (before.milliseconds + after.milliseconds) / 2
        let ahead = Double(try row.timestamp("at") - middle) / 1_000
        let isHere = try row.bool("is_here")
        trust.withLock { $0.note(databaseAheadSeconds: isHere ? nil : ahead) }
        log()
    }

    /// Warning for the operator; nil while the clock seems right.
    public var warning: String? {
        let uptime = uptime()
        return trust.withLock { $0.warning(uptime: uptime) }
    }

    private func log() {
        if let warning { Self.words.log(warning, level: .warning, logger: logger) }
    }
}
