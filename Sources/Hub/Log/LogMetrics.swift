import Metrics
import Wire

/// Metrics of reliable topics. Atomic; usable from any thread.
public struct LogMetrics: Sendable {
    /// `campanile_log_topics`: reliable topics in memory.
    public let topics: Gauge
    /// `campanile_hub_subscriptions`, topic `reliable`.
    public let subscriptions: Gauge
    /// `campanile_log_published_total`: publications of reliable topics, also of topics without subscribers.
    public let published: Counter
    /// `campanile_log_reads_total`: reads of the store because an offset was missing.
    public let reads: Counter
    private let recoveries: [String: Counter]

    init(_ registry: MetricRegistry) {
        topics = registry.gauge("campanile_log_topics", "Reliable topics in the hub's memory.")
        subscriptions = registry.gauge(
            "campanile_hub_subscriptions", "Subscriptions, by kind of topic.", ["topic": "reliable"])
        published = registry.counter("campanile_log_published_total", "Publications of reliable topics.")
        reads = registry.counter(
            "campanile_log_reads_total", "Reads of the database because an offset was missing in memory.")
        var recoveries: [String: Counter] = [:]
        for outcome in ["snapshot", "recovered", "page"] + RecoveryFailure.allCases.map(\.rawValue) {
            recoveries[outcome] = registry.counter(
                "campanile_log_subscribed_total", "Subscriptions to reliable topics, by outcome of the recovery.",
                ["outcome": outcome])
        }
        self.recoveries = recoveries
    }

    func answered(_ recovery: Recovery, hadPosition: Bool) {
        let outcome =
            !hadPosition ? "snapshot" : recovery.failure?.rawValue ?? (recovery.hasMore ? "page" : "recovered")
        recoveries[outcome]?.add()
    }
}
