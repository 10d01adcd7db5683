import EventLoop
import Logging
import Synchronization

/// Rate limit for log messages: the same message at most once per ``intervalNanoseconds``.
///
/// A lasting failure affects every connection, and each would log it. Callable from any thread.
public final class LogRateLimit: Sendable {
    /// Minimum interval between two equal messages.
    public static let intervalNanoseconds: UInt64 = 30_000_000_000
    /// Number of messages remembered; the oldest one is forgotten first.
    static let linesMax = 64

    /// The process-wide instance: all connections to one database share the limit.
    static let shared = LogRateLimit()

    private let last = Mutex<[String: UInt64]>([:])

    public init() {}

    /// Whether a message is due. A message that is due counts as logged.
    /// - Parameter now: Monotonic nanoseconds.
    public func isDue(_ words: String, now: UInt64 = EventLoop.nowNanoseconds) -> Bool {
        last.withLock { last in
            if let before = last[words], now < before &+ Self.intervalNanoseconds { return false }
            last[words] = now
            if last.count > Self.linesMax, let oldest = last.min(by: { $0.value < $1.value }) { last[oldest.key] = nil }
            return true
        }
    }

    /// Logs a message unless it was logged less than ``intervalNanoseconds`` ago.
    public func log(_ words: String, level: Logger.Level, logger: Logger, now: UInt64 = EventLoop.nowNanoseconds) {
        if isDue(words, now: now) { logger.log(level: level, "\(words)") }
    }
}
