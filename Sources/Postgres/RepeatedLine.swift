import EventLoop
import Logging
import Synchronization

/// Keeps a trouble that lasts, and that every connection meets, to one line in ``intervalNanoseconds``. From any thread.
public final class RepeatedLine: Sendable {
    /// Between two lines of the same words.
    public static let intervalNanoseconds: UInt64 = 30_000_000_000
    /// Different lines that are remembered; with more, the oldest is forgotten.
    static let linesMax = 64

    /// Of this process: all connections to one database share their lines.
    static let shared = RepeatedLine()

    private let last = Mutex<[String: UInt64]>([:])

    /// Remembers nothing yet.
    public init() {}

    /// Whether a line with these words is due; it counts as logged then.
    /// - Parameter now: Monotonic nanoseconds.
    public func isDue(_ words: String, now: UInt64 = EventLoop.nowNanoseconds) -> Bool {
        last.withLock { last in
            if let before = last[words], now < before &+ Self.intervalNanoseconds { return false }
            last[words] = now
            if last.count > Self.linesMax, let oldest = last.min(by: { $0.value < $1.value }) { last[oldest.key] = nil }
            return true
        }
    }

    /// Logs the words unless that was done a short time ago.
    public func log(_ words: String, level: Logger.Level, logger: Logger, now: UInt64 = EventLoop.nowNanoseconds) {
        if isDue(words, now: now) { logger.log(level: level, "\(words)") }
    }
}
