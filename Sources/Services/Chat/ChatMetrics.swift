import Metrics
import Wire

/// What is counted of conversations. Atomic; from any thread.
public struct ChatMetrics: Sendable {
    /// `campanile_chat_messages_total`, outcome `sent`.
    public let sent: Counter
    /// Outcome `repeated`: sent again, and there already.
    public let repeated: Counter
    /// Outcome `refused`: too many waited.
    public let refused: Counter
    /// Outcome `failed`: the database was away, or refused it.
    public let failed: Counter
    /// `campanile_chat_group_size`: messages that shared a transaction.
    public let groups: Histogram
    /// `campanile_chat_commit_duration_seconds`: a group, until its commit was answered.
    public let commits: Histogram

    /// Counts that nobody reads.
    public init() { self.init(MetricRegistry()) }

    /// Registers them.
    public init(_ registry: MetricRegistry) {
        func counter(_ outcome: String) -> Counter {
            registry.counter(
                "campanile_chat_messages_total", "Messages that were to be sent, by outcome.", ["outcome": outcome])
        }
        sent = counter("sent")
        repeated = counter("repeated")
        refused = counter("refused")
        failed = counter("failed")
        groups = registry.histogram(
            "campanile_chat_group_size", "Messages that shared one transaction.", buckets: .counts)
        commits = registry.histogram(
            "campanile_chat_commit_duration_seconds", "Time to commit a group of messages.", buckets: .latency)
    }

    func committed(_ outcome: MessageGroup.Outcome, of count: Int, nanoseconds: UInt64) {
        let fresh = outcome.news.values.reduce(0) { $0 + $1.publications.count }
        sent.add(fresh)
        repeated.add(max(0, outcome.places.count { if case .success = $0 { true } else { false } } - fresh))
        groups.observe(UInt64(count))
        commits.observe(nanoseconds)
    }
}
