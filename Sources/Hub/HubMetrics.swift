import Metrics

/// What the hub counts. Atomic; from any thread.
public struct HubMetrics: Sendable {
    /// `campanile_hub_sessions`: unfinished sessions that the hub keeps.
    public let sessions: Gauge
    /// `campanile_hub_subscriptions`, topic `zone`.
    public let zoneSubscriptions: Gauge
    /// `campanile_hub_subscriptions`, topic `cell`.
    public let cellSubscriptions: Gauge
    /// `campanile_hub_subscriptions`, topic `session`.
    public let sessionSubscriptions: Gauge
    /// `campanile_hub_tick_duration_seconds`: encoding and handing over all that changed; its count is the number of ticks.
    public let ticks: Histogram
    /// Of reliable topics.
    public let log: LogMetrics

    /// Counts that nobody reads.
    public init() { self.init(MetricRegistry()) }

    /// Registers them.
    public init(_ registry: MetricRegistry) {
        sessions = registry.gauge("campanile_hub_sessions", "Unfinished sessions in the hub.")
        let help = "Subscriptions, by kind of topic."
        zoneSubscriptions = registry.gauge("campanile_hub_subscriptions", help, ["topic": "zone"])
        cellSubscriptions = registry.gauge("campanile_hub_subscriptions", help, ["topic": "cell"])
        sessionSubscriptions = registry.gauge("campanile_hub_subscriptions", help, ["topic": "session"])
        ticks = registry.histogram(
            "campanile_hub_tick_duration_seconds", "Time a tick takes to encode and hand over what changed.",
            buckets: .latency)
        log = LogMetrics(registry)
    }
}
