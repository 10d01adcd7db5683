import Metrics

/// What the pool and the writer count. Atomic; from any thread.
public struct PostgresMetrics: Sendable {
    /// `campanile_database_connections_open`: of pool and writer.
    public let open: Gauge
    /// `campanile_database_connections_in_use`: of the pool, with a statement unanswered or a transaction.
    public let inUse: Gauge
    /// `campanile_database_waiting`: statements and transactions that wait for a connection of the pool.
    public let waiting: Gauge
    /// `campanile_database_query_duration_seconds`: statements of the pool, waiting included.
    public let queries: Histogram
    /// `campanile_database_group_writes`: writes that shared a transaction.
    public let groups: Histogram
    /// `campanile_database_commit_duration_seconds`: a group, from its first byte sent to its commit answered.
    public let commits: Histogram
    /// `campanile_database_lost_total`: connections that were open and ended unasked.
    public let lost: Counter
    /// `campanile_database_rolled_back_total`: statements and transactions of the pool that PostgreSQL ended in favour of others.
    public let rolledBack: Counter
    /// `campanile_database_errors_total`: statements and groups that failed, kind `unavailable`.
    public let unavailable: Counter
    /// Kind `timeout`.
    public let timeouts: Counter
    /// Kind `overloaded`.
    public let overloaded: Counter
    /// Kind `server`: PostgreSQL refused the statement.
    public let refused: Counter

    /// Counts that nobody reads.
    public init() { self.init(MetricRegistry()) }

    /// Registers them.
    public init(_ registry: MetricRegistry) {
        open = registry.gauge("campanile_database_connections_open", "Open connections to PostgreSQL.")
        inUse = registry.gauge("campanile_database_connections_in_use", "Connections of the pool that are at work.")
        waiting = registry.gauge("campanile_database_waiting", "Statements that wait for a connection.")
        queries = registry.histogram(
            "campanile_database_query_duration_seconds", "Time of a statement of the pool, waiting included.",
            buckets: .latency)
        groups = registry.histogram(
            "campanile_database_group_writes", "Writes that shared one transaction.", buckets: .counts)
        commits = registry.histogram(
            "campanile_database_commit_duration_seconds", "Time from sending a group of writes to its commit.",
            buckets: .latency)
        lost = registry.counter("campanile_database_lost_total", "Connections to PostgreSQL that were lost.")
        rolledBack = registry.counter(
            "campanile_database_rolled_back_total", "Transactions that PostgreSQL rolled back, begun again.")
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
