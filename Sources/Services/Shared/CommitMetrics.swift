import Metrics
import Wire

/// Counters and histograms of one kind of group commit. Atomic; usable from any thread.
public struct CommitMetrics: Sendable {
    /// Items stored for the first time; the `outcome` label's value depends on the kind.
    public let fresh: Counter
    /// Outcome `repeated`: items that were stored already.
    public let repeated: Counter
    /// Outcome `refused`: items rejected because the queue was full.
    public let refused: Counter
    /// Outcome `failed`: items whose group failed in the database.
    public let failed: Counter
    /// Number of items per transaction.
    public let groups: Histogram
    /// Time from writing a group to the answer of its commit.
    public let commits: Histogram

    /// Registers `campanile_<name>_group_size` and `campanile_<name>_commit_duration_seconds`.
    /// - Parameters:
    ///   - total: Name of the counter by outcome.
    ///   - what: Plural name of the items, such as `messages`.
    ///   - freshName: Value of `outcome` for items stored for the first time.
    private init(_ registry: MetricRegistry, name: String, total: String, what: String, freshName: String) {
        func counter(_ outcome: String) -> Counter {
            registry.counter(
                total, "\(what.prefix(1).uppercased())\(what.dropFirst()) that came to this server, by outcome.",
                ["outcome": outcome])
        }
        fresh = counter(freshName)
        repeated = counter("repeated")
        refused = counter("refused")
        failed = counter("failed")
        groups = registry.histogram(
            "campanile_\(name)_group_size",
            "\(what.prefix(1).uppercased())\(what.dropFirst()) that shared one transaction.",
            buckets: .counts)
        commits = registry.histogram(
            "campanile_\(name)_commit_duration_seconds", "Time to commit a group of \(what).", buckets: .latency)
    }

    /// Metrics of publications on reliable topics. The default registry is not exported.
    public static func publications(_ registry: MetricRegistry = MetricRegistry()) -> CommitMetrics {
        CommitMetrics(
            registry, name: "publication", total: "campanile_publications_total", what: "publications",
            freshName: "published")
    }

    /// Metrics of chat messages. The default registry is not exported.
    public static func messages(_ registry: MetricRegistry = MetricRegistry()) -> CommitMetrics {
        CommitMetrics(
            registry, name: "chat", total: "campanile_chat_messages_total", what: "messages", freshName: "sent")
    }

    /// Metrics of notice receipts. The default registry is not exported.
    public static func receipts(_ registry: MetricRegistry = MetricRegistry()) -> CommitMetrics {
        CommitMetrics(
            registry, name: "notice_receipt", total: "campanile_notice_receipts_total", what: "receipts of notices",
            freshName: "stored")
    }

    /// Seconds after which a sender may retry when the queue is full.
    private static let overloadRetrySeconds = 1.0

    /// Counts an item that was rejected because the queue is full, and makes its error.
    func refuse() -> any Error {
        refused.add()
        return RPCError(
            .unavailable, "too many messages wait: send again in a second", retryAfter: Self.overloadRetrySeconds)
    }

    /// Records a committed group.
    /// - Parameters:
    ///   - fresh: Number of items stored for the first time.
    ///   - accepted: Number of items stored now, including `fresh`.
    ///   - count: Number of items in the group.
    func committed(fresh: Int, accepted: Int, of count: Int, nanoseconds: UInt64) {
        self.fresh.add(fresh)
        repeated.add(max(0, accepted - fresh))
        groups.observe(UInt64(count))
        commits.observe(nanoseconds)
    }
}
