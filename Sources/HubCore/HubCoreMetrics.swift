import Metrics

/// Metrics of the hub's core. Atomic; usable from any thread.
package struct HubCoreMetrics: Sendable {
    /// `campanile_hub_tick_duration_seconds`: time to encode and hand over all changes; its count is the number of ticks.
    let ticks: Histogram
    /// `campanile_nodes_others`: other nodes that are alive.
    let otherNodes: Gauge
    /// `campanile_nodes_doubts_total`: times that PostgreSQL was read because the bus may have lost messages.
    let inDoubtCount: Counter
    /// `campanile_nodes_unreadable_total`: messages that this version cannot decode.
    package let unreadable: Counter

    /// Registers the metrics.
    package init(_ registry: MetricRegistry) {
        ticks = registry.histogram(
            "campanile_hub_tick_duration_seconds", "Time a tick takes to encode and hand over all changes.",
            buckets: .latency)
        otherNodes = registry.gauge("campanile_nodes_others", "Other nodes of the campus that are alive.")
        inDoubtCount = registry.counter(
            "campanile_nodes_doubts_total", "Times that PostgreSQL was read because the bus may have lost messages.")
        unreadable = registry.counter(
            "campanile_nodes_unreadable_total", "Messages of other nodes that this version cannot decode.")
    }
}
