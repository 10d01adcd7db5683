import Metrics

/// Metrics of live groups. Atomic; usable from any thread.
struct LiveGroupMetrics: Sendable {
    /// `campanile_live_groups`: groups in memory.
    let groups: Gauge
    /// `campanile_hub_subscriptions`, topic `workout`.
    let subscriptions: Gauge
    /// `campanile_live_group_updates_total`.
    let updates: Counter
    /// `campanile_live_group_publications_total`.
    let publications: Counter
    /// `campanile_live_group_deliveries_total`.
    let deliveries: Counter

    /// Registers the metrics.
    init(_ registry: MetricRegistry) {
        groups = registry.gauge("campanile_live_groups", "Live groups in memory.")
        subscriptions = registry.gauge(
            "campanile_hub_subscriptions", "Subscriptions, by kind of topic.", ["topic": "workout"])
        updates = registry.counter("campanile_live_group_updates_total", "Accepted updates of progress in live groups.")
        publications = registry.counter(
            "campanile_live_group_publications_total", "Publications to live groups, one for each rendition.")
        deliveries = registry.counter(
            "campanile_live_group_deliveries_total", "Publications to live groups, one for each subscriber.")
    }
}
