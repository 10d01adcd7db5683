import Metrics

/// Routes of this server. Atomic; usable from any thread.
public struct RouteMetrics: Sendable {
    /// Routes found for requests.
    let found: Counter
    /// Requests for which there is no route.
    let missing: Counter
    /// Publications to walks, by reason.
    let updates: [RouteUpdateReason: Counter]
    /// Present walks.
    let walks: Gauge
    /// Time from a changed closure or heatmap until the last affected walk has its publication.
    let rerouting: Histogram
    /// Vertices of the graph.
    let vertices: Gauge

    enum RouteUpdateReason: String, CaseIterable { case closed, opened, crowd, end }

    /// Registers the metrics. The default registry is not exported.
    public init(_ registry: MetricRegistry = MetricRegistry()) {
        found = registry.counter("campanile_routes_total", "Requests for routes, by outcome.", ["outcome": "found"])
        missing = registry.counter("campanile_routes_total", "Requests for routes, by outcome.", ["outcome": "none"])
        updates = Dictionary(
            uniqueKeysWithValues: RouteUpdateReason.allCases.map { reason in
                (
                    reason,
                    registry.counter(
                        "campanile_route_updates_total", "New routes published to walks, by reason.",
                        ["reason": reason.rawValue])
                )
            })
        walks = registry.gauge("campanile_walks", "Live routes.")
        rerouting = registry.histogram(
            "campanile_rerouting_duration_seconds",
            "Time from a changed closure or heatmap until the last affected walk has its new route.", buckets: .latency)
        vertices = registry.gauge("campanile_route_graph_vertices", "Points of the route graph; 0 without one.")
    }
}
