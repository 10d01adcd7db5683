import Logging

/// Rate-limited log of refused connections, with their number. On the accepting loop only.
final class RefusalLog {
    /// Minimum time between two log lines for the same reason.
    static let interval = Duration.seconds(5)

    private let loop: EventLoop
    private let logger: Logger
    private var suppressedCounts: [String: Int] = [:]

    init(loop: EventLoop, logger: Logger) {
        self.loop = loop
        self.logger = logger
    }

    /// Logs a refusal, or counts it for the next log line.
    /// - Parameter reason: What is wrong and what to do. There must be few distinct reasons.
    func note(_ reason: String) {
        if let count = suppressedCounts[reason] {
            suppressedCounts[reason] = count + 1
            return
        }
        write(reason, 1)
    }

    private func write(_ reason: String, _ count: Int) {
        logger.error("connections are refused: \(reason)", metadata: ["count": "\(count)"])
        suppressedCounts[reason] = 0
        loop.schedule(after: Self.interval) { [weak self] in
            guard let self, let count = suppressedCounts.removeValue(forKey: reason), count > 0 else { return }
            write(reason, count)
        }
    }
}
