import Metrics

/// What is counted of what is committed in groups. Atomic; from any thread.
public struct CommitMetrics: Sendable {
    /// What is new; the outcome's name differs.
    public let fresh: Counter
    /// Outcome `repeated`: sent again, and there already.
    public let repeated: Counter
    /// Outcome `refused`: too many waited.
    public let refused: Counter
    /// Outcome `failed`: the database was away, or refused it.
    public let failed: Counter
    /// What shared a transaction.
    public let groups: Histogram
    /// A group, until its commit was answered.
    public let commits: Histogram

    /// Registers `campanile_<name>_group_size` and `campanile_<name>_commit_duration_seconds`.
    /// - Parameters:
    ///   - total: The counter by outcome.
    ///   - what: Such as `messages`.
    ///   - freshName: The outcome of what is new.
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

    /// Of reliable topics' publications. Nobody reads them unless a registry is given.
    public static func publications(_ registry: MetricRegistry = MetricRegistry()) -> CommitMetrics {
        CommitMetrics(
            registry, name: "publication", total: "campanile_publications_total", what: "publications",
            freshName: "published")
    }

    /// Of conversations' messages. Nobody reads them unless a registry is given.
    public static func messages(_ registry: MetricRegistry = MetricRegistry()) -> CommitMetrics {
        CommitMetrics(
            registry, name: "chat", total: "campanile_chat_messages_total", what: "messages", freshName: "sent")
    }

    /// Of what says that somebody has a notice. Nobody reads them unless a registry is given.
    public static func receipts(_ registry: MetricRegistry = MetricRegistry()) -> CommitMetrics {
        CommitMetrics(
            registry, name: "notice_receipt", total: "campanile_notice_receipts_total", what: "receipts of notices",
            freshName: "stored")
    }

    /// - Parameters:
    ///   - fresh: How many were new.
    ///   - accepted: How many are there now, those included.
    ///   - count: How many the group had.
    func committed(fresh: Int, accepted: Int, of count: Int, nanoseconds: UInt64) {
        self.fresh.add(fresh)
        repeated.add(max(0, accepted - fresh))
        groups.observe(UInt64(count))
        commits.observe(nanoseconds)
    }
}
