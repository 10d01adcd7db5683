import Logging

/// Says that connections are refused, and how many, without a line for each. On the accepting loop only.
final class RefusalLog {
    /// At most one line in this time for each reason.
    static let interval = Duration.seconds(5)

    private let loop: EventLoop
    private let logger: Logger
    private var unsaid: [String: Int] = [:]

    init(loop: EventLoop, logger: Logger) {
        self.loop = loop
        self.logger = logger
    }

    /// - Parameter reason: One plain fact and what to do; one of a few.
    func note(_ reason: String) {
        if let count = unsaid[reason] {
            unsaid[reason] = count + 1
            return
        }
        say(reason, 1)
    }

    private func say(_ reason: String, _ count: Int) {
        logger.error("connections are refused: \(reason)", metadata: ["count": "\(count)"])
        unsaid[reason] = 0
        loop.schedule(after: Self.interval) { [weak self] in
            guard let self, let count = unsaid.removeValue(forKey: reason), count > 0 else { return }
            say(reason, count)
        }
    }
}
