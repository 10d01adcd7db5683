import Bus
import EventLoop
import Hub
import Metrics
import Postgres
import Services
import Wire

/// All metrics of one server and the registry that scrapers read. Immutable; the counters are atomic.
struct ServerMetrics: Sendable {
    let registry: MetricRegistry
    let transport: TransportMetrics
    let http: HTTPMetrics
    let rpc: RPCMetrics
    let limits: LimitMetrics
    let postgres: PostgresMetrics
    let publications: CommitMetrics
    let receipts: CommitMetrics
    let chat: CommitMetrics
    let bus: BusMetrics
    let pictures: PictureMetrics
    let reminders: ReminderMetrics
    let accountMail: AccountMailMetrics
    let routes: RouteMetrics

    /// Registers all metrics except those of the loops, which are added one by one: `LoopMetrics(registry, loop:)`.
    init(_ registry: MetricRegistry = MetricRegistry()) {
        self.registry = registry
        transport = TransportMetrics(registry, closeCodes: APIRegistry.closeCodes.map(\.code))
        http = HTTPMetrics(registry)
        rpc = RPCMetrics(registry)
        limits = LimitMetrics(registry)
        postgres = PostgresMetrics(registry)
        publications = CommitMetrics.publications(registry)
        receipts = CommitMetrics.receipts(registry)
        chat = CommitMetrics.messages(registry)
        bus = BusMetrics(registry)
        pictures = PictureMetrics(registry)
        reminders = ReminderMetrics(registry)
        accountMail = AccountMailMetrics(registry)
        routes = RouteMetrics(registry)
        registry.gaugeFunction(
            "campanile_build_info", "Always 1; the labels contain the version.",
            ["version": ServerConfiguration.version]
        ) { 1 }
        ProcessMetrics.register(in: registry)
    }
}

/// HTTP responses by class of status.
struct HTTPMetrics: Sendable {
    private let answers: [Counter]
    /// Time from the last byte of a request to its response.
    let duration: Histogram

    init(_ registry: MetricRegistry) {
        answers = (1...5).map { digit in
            registry.counter(
                "campanile_http_requests_total", "HTTP requests answered, upgrades among them, by class of status.",
                ["status": "\(digit)xx"])
        }
        duration = registry.histogram(
            "campanile_http_request_duration_seconds", "Time from a request's last byte until its answer is queued.",
            buckets: .latency)
    }

    func answered(_ status: Int) { answers[min(max(status / 100, 1), 5) - 1].add() }
}

/// JSON-RPC requests by method and outcome, over WebSocket and HTTP.
struct RPCMetrics: Sendable {
    enum Outcome: String, CaseIterable {
        /// A result.
        case ok
        /// An error that the caller caused.
        case refused
        /// The error `rateLimited`.
        case limited
        /// An error of the server: `internalError`, `unavailable`, `storageFull`.
        case failed

        init(_ error: RPCError) {
            switch error.registered {
            case .rateLimited: self = .limited
            case .internalError, .unavailable, .storageFull: self = .failed
            default: self = .refused
            }
        }
    }

    /// Metrics of one method.
    struct Method: Sendable {
        private let outcomes: [Outcome: Counter]
        private let duration: Histogram

        init(_ registry: MetricRegistry, _ name: String) {
            outcomes = Dictionary(
                uniqueKeysWithValues: Outcome.allCases.map { outcome in
                    (
                        outcome,
                        registry.counter(
                            "campanile_rpc_requests_total", "JSON-RPC requests, by method and outcome.",
                            ["method": name, "outcome": outcome.rawValue])
                    )
                })
            duration = registry.histogram(
                "campanile_rpc_request_duration_seconds", "Time to answer a JSON-RPC request, by method.",
                ["method": name], buckets: .latency)
        }

        func finished(_ outcome: Outcome, startedAt: UInt64) {
            outcomes[outcome]?.add()
            duration.observe(EventLoop.nowNanoseconds &- startedAt)
        }
    }

    let registry: MetricRegistry
    /// Metrics for unknown methods and invalid requests. Their names are chosen by callers and therefore not used as labels.
    let unknown: Method

    init(_ registry: MetricRegistry) {
        self.registry = registry
        unknown = Method(registry, "unknown")
    }

    func method(_ name: String) -> Method { Method(registry, name) }
}

/// Requests refused by rate limits.
struct LimitMetrics: Sendable {
    private let refused: [RateLimitName: Counter]
    /// Number of callers whose connection was closed.
    let cutOff: Counter

    init(_ registry: MetricRegistry) {
        func counter(_ name: RateLimitName) -> Counter {
            registry.counter(
                "campanile_rate_limited_total", "Requests refused by a rate limit, by limit.", ["limit": name.rawValue])
        }
        var refused: [RateLimitName: Counter] = [:]
        for name in RateLimitName.allCases where name.countedAs == name { refused[name] = counter(name) }
        for name in RateLimitName.allCases { refused[name] = refused[name.countedAs] }
        self.refused = refused
        cutOff = registry.counter(
            "campanile_flood_cutoffs_total",
            "Callers whose connection was closed because they continued after rateLimited errors.")
    }

    /// Counter of the requests that a limit refused.
    func refusals(_ name: RateLimitName) -> Counter {
        // The initialiser has added a counter for each case.
        refused[name]!
    }
}

extension RateLimitName {
    /// Label under which refusals are counted: sign-ins and lists have one each.
    fileprivate var countedAs: RateLimitName {
        switch self {
        case .device: .login
        case .guestList: .list
        case .guestFind: .find
        default: self
        }
    }
}
