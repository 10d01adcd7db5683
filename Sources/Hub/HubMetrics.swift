import Metrics

/// Metrics of the hub. Atomic; usable from any thread.
public struct HubMetrics: Sendable {
    /// `campanile_hub_sessions`: unfinished sessions that the hub keeps.
    public let sessions: Gauge
    /// `campanile_hub_shown_sessions`: sessions that the map shows to all signed-in viewers.
    public let shownSessions: Gauge
    /// `campanile_hub_subscriptions`, topic `zone`.
    public let zoneSubscriptions: Gauge
    /// `campanile_hub_subscriptions`, topic `cell`.
    public let cellSubscriptions: Gauge
    /// `campanile_hub_subscriptions`, topic `session`.
    public let sessionSubscriptions: Gauge
    /// `campanile_hub_tick_duration_seconds`: time to encode and hand over all changes; its count is the number of ticks.
    public let ticks: Histogram
    /// `campanile_nodes_sessions`: copies of sessions that are owned by other nodes.
    public let remoteSessions: Gauge
    /// `campanile_nodes_others`: other nodes that are alive.
    public let otherNodes: Gauge
    /// `campanile_nodes_doubts_total`: times that PostgreSQL was read because the bus may have lost messages.
    public let doubts: Counter
    /// `campanile_nodes_unreadable_total`: messages that this version cannot decode.
    public let unreadable: Counter
    /// Metrics of reliable topics.
    public let log: LogMetrics
    /// Metrics of notices.
    public let notices: NoticeMetrics

    /// Metrics that are not exported.
    public init() { self.init(MetricRegistry()) }

    /// Registers the metrics.
    public init(_ registry: MetricRegistry) {
        sessions = registry.gauge("campanile_hub_sessions", "Unfinished sessions in the hub.")
        shownSessions = registry.gauge(
            "campanile_hub_shown_sessions", "Unfinished sessions that the map shows to all signed-in viewers.")
        let help = "Subscriptions, by kind of topic."
        zoneSubscriptions = registry.gauge("campanile_hub_subscriptions", help, ["topic": "zone"])
        cellSubscriptions = registry.gauge("campanile_hub_subscriptions", help, ["topic": "cell"])
        sessionSubscriptions = registry.gauge("campanile_hub_subscriptions", help, ["topic": "session"])
        ticks = registry.histogram(
            "campanile_hub_tick_duration_seconds", "Time a tick takes to encode and hand over all changes.",
            buckets: .latency)
        remoteSessions = registry.gauge(
            "campanile_nodes_sessions", "Copies of sessions that are owned by other nodes and viewed here.")
        otherNodes = registry.gauge("campanile_nodes_others", "Other nodes of the campus that are alive.")
        doubts = registry.counter(
            "campanile_nodes_doubts_total", "Times that PostgreSQL was read because the bus may have lost messages.")
        unreadable = registry.counter(
            "campanile_nodes_unreadable_total", "Messages of other nodes that this version cannot decode.")
        log = LogMetrics(registry)
        notices = NoticeMetrics(registry)
    }
}
