import Metrics

/// Metrics of live sessions. Atomic; usable from any thread.
struct SessionMetrics: Sendable {
    /// `campanile_hub_sessions`: unfinished sessions that the hub keeps.
    let sessions: Gauge
    /// `campanile_hub_shown_sessions`: sessions that the map shows to all signed-in viewers.
    let shownSessions: Gauge
    /// `campanile_hub_subscriptions`, topic `zone`.
    let zoneSubscriptions: Gauge
    /// `campanile_hub_subscriptions`, topic `cell`.
    let cellSubscriptions: Gauge
    /// `campanile_hub_subscriptions`, topic `session`.
    let sessionSubscriptions: Gauge
    /// `campanile_nodes_sessions`: copies of sessions that are owned by other nodes.
    let remoteSessions: Gauge

    /// Registers the metrics.
    init(_ registry: MetricRegistry) {
        sessions = registry.gauge("campanile_hub_sessions", "Unfinished sessions in the hub.")
        shownSessions = registry.gauge(
            "campanile_hub_shown_sessions", "Unfinished sessions that the map shows to all signed-in viewers.")
        let help = "Subscriptions, by kind of topic."
        zoneSubscriptions = registry.gauge("campanile_hub_subscriptions", help, ["topic": "zone"])
        cellSubscriptions = registry.gauge("campanile_hub_subscriptions", help, ["topic": "cell"])
        sessionSubscriptions = registry.gauge("campanile_hub_subscriptions", help, ["topic": "session"])
        remoteSessions = registry.gauge(
            "campanile_nodes_sessions", "Copies of sessions that are owned by other nodes and viewed here.")
    }
}
