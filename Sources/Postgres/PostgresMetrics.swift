import Metrics

/// Metrics of the pool and the group writer. Atomic: callable from any thread.
public struct PostgresMetrics: Sendable {
    /// `campanile_database_connections_open`: of the pool and the writer.
    public let open: Gauge
    /// `campanile_database_connections_in_use`: pool connections with a statement in flight or a transaction.
    public let inUse: Gauge
    /// `campanile_database_waiting`: statements and transactions that wait for a pool connection.
    public let waiting: Gauge
    /// `campanile_database_query_duration_seconds`: statements of the pool, including the wait for a connection.
    public let queries: Histogram
    /// `campanile_database_group_writes`: writes per group.
    public let groups: Histogram
    /// `campanile_database_commit_duration_seconds`: from sending a group to the result of its commit.
    public let commits: Histogram
    /// `campanile_database_lost_total`: open connections that ended unexpectedly.
    public let lost: Counter
    /// `campanile_database_rolled_back_total`: retries after PostgreSQL rolled back a statement or transaction of the pool.
    public let rolledBack: Counter
    /// `campanile_database_errors_total`: failed statements and groups of kind `unavailable`.
    public let unavailable: Counter
    /// Kind `timeout`.
    public let timeouts: Counter
    /// Kind `overloaded`.
    public let overloaded: Counter
    /// Kind `server`: PostgreSQL rejected the statement.
    public let refused: Counter

    /// Creates metrics in a registry of their own, which is never exported.
    public init() { self.init(MetricRegistry()) }

    /// Registers the metrics.
    public init(_ registry: MetricRegistry) {
        open = registry.gauge("campanile_database_connections_open", "Open connections to PostgreSQL.")
        inUse = registry.gauge(
            "campanile_database_connections_in_use", "Pool connections with a statement in flight or a transaction.")
        waiting = registry.gauge(
            "campanile_database_waiting", "Statements and transactions that wait for a pool connection.")
        queries = registry.histogram(
            "campanile_database_query_duration_seconds", "Time of a pool statement, including its wait.",
            buckets: .latency)
        groups = registry.histogram(
            "campanile_database_group_writes", "Writes that shared one transaction.", buckets: .counts)
        commits = registry.histogram(
            "campanile_database_commit_duration_seconds", "Time from sending a group of writes to its commit.",
            buckets: .latency)
        lost = registry.counter("campanile_database_lost_total", "Connections to PostgreSQL that were lost.")
        rolledBack = registry.counter(
            "campanile_database_rolled_back_total", "Retries of transactions that PostgreSQL rolled back.")
        func error(_ kind: String) -> Counter {
            registry.counter(
                "campanile_database_errors_total", "Statements and groups that failed, by kind.", ["kind": kind])
        }
        unavailable = error("unavailable")
        timeouts = error("timeout")
        overloaded = error("overloaded")
        refused = error("server")
    }

    func failed(_ failure: PostgresError) {
        switch failure {
        case .unavailable: unavailable.add()
        case .timeout: timeouts.add()
        case .overloaded: overloaded.add()
        default: refused.add()
        }
    }
}
