import EventLoop
import Foundation
import Logging
import Postgres
import Routing

/// The same routes by pgRouting, on a PostgreSQL of its own: what somebody would take who has none of this code.
///
/// The table has the graph's edges with the same costs, so that equal costs prove equal searches.
struct RouteComparison {
    /// A way to ask pgRouting.
    private struct Method {
        var name: String
        /// The query for a pair, with the vertices as `$1` and `$2`.
        var sql: String
    }

    /// Upper bound of the walking speed with which `pgr_astar` estimates, in metres per second. Downhill people walk faster
    /// than on a plane, and a bound that is too low would make its routes longer.
    private static let estimateSpeed = 1.7
    private static let rowsAtOnce = 2_000
    private static let workMax = Duration.seconds(300)
    /// Queries before the measurement, which bring the table into PostgreSQL's memory.
    private static let warmUp = 3

    private static let methods: [Method] = {
        let plain = "SELECT id, source, target, cost FROM route_edges"
        let placed = "SELECT id, source, target, cost, x1, y1, x2, y2 FROM route_edges"
        let factor = String(format: "%.3f", 1000 / estimateSpeed)
        return [
            .init(name: "pgr_dijkstra", sql: "pgr_dijkstra('\(plain)', $1::bigint, $2::bigint)"),
            .init(
                name: "pgr_astar",
                sql: "pgr_astar('\(placed)', $1::bigint, $2::bigint, heuristic => 4, factor => \(factor))"),
            .init(
                name: "pgr_bdAstar",
                sql: "pgr_bdAstar('\(placed)', $1::bigint, $2::bigint, heuristic => 4, factor => \(factor))"),
        ]
    }()

    private let graph: RouteGraph
    private let weights: RouteWeights
    private let pairs: [(from: Int, to: Int)]

    init(_ graph: RouteGraph, pairs: [(from: Int, to: Int)]) {
        (self.graph, self.pairs) = (graph, pairs)
        weights = RouteWeights(graph)
    }

    /// Compares all pairs. Adds a remark instead if pgRouting is not installed.
    func run(_ report: inout BenchReport) async throws {
        let directory = NSTemporaryDirectory() + "campanile-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        // PostgreSQL does not run as root and must reach its files below.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let loop = try EventLoop(label: "bench")
        var logger = Logger(label: "campanile.bench")
        logger.logLevel = .error
        let cluster = PrivateCluster(
            dataDirectory: directory, loop: loop,
            workers: WorkerPool(label: "bench", concurrentMax: 2, waitingMax: 8), extensions: ["postgis", "pgrouting"],
            logger: logger)
        do {
            var access = try await cluster.start().owner
            access.queryTimeout = Self.workMax
            let database = try await PostgresConnection.connect(configuration: access, loop: loop)
            defer { database.close() }
            let installed = try await database.query("SELECT 1 FROM pg_extension WHERE extname = 'pgrouting'")
            if installed.count > 0 {
                try await compare(database, &report)
            } else {
                report.remarks.append("no comparison with pgRouting: install it with deploy/setup benches")
            }
            await cluster.stop()
        } catch {
            await cluster.stop()
            throw error
        }
    }

    private func compare(_ database: PostgresConnection, _ report: inout BenchReport) async throws {
        try await export(database)
        var finder = RouteFinder()
        var costs: [Int64] = []
        let start = LoadLoop.now
        for pair in pairs { costs.append(finder.cost(from: pair.from, to: pair.to, weights) ?? -1) }
        let own = Double(LoadLoop.now - start) / Double(pairs.count)
        report.add("search alone, \(pairs.count) pairs of vertices, mean", own / 1e6, "ms")
        for method in Self.methods {
            let sql = "SELECT COALESCE(max(agg_cost), -1)::bigint AS cost FROM \(method.sql)"
            for pair in pairs.prefix(Self.warmUp) { _ = try await cost(of: pair, sql, database) }
            var (durations, differing, total) = (LatencyHistogram(), 0, UInt64(0))
            for (pair, expected) in zip(pairs, costs) {
                let start = LoadLoop.now
                let cost = try await cost(of: pair, sql, database)
                durations.record(nanoseconds: LoadLoop.now - start)
                total += LoadLoop.now - start
                if cost != expected { differing += 1 }
            }
            let mean = Double(total) / Double(pairs.count)
            report.add("\(method.name), the same pairs, mean", mean / 1e6, "ms")
            report.add("  p99", durations.milliseconds(quantile: 0.99), "ms")
            report.add("  times the search alone", mean / own, "")
            report.add("  other costs", Double(differing), "of \(pairs.count)")
            if differing > 0 { report.failure = "\(method.name) finds other costs for \(differing) of \(pairs.count)" }
        }
        try await compareAtOnce(database, costs, own, &report)
    }

    /// All pairs in one query, so that pgRouting reads the edges once.
    private func compareAtOnce(
        _ database: PostgresConnection, _ costs: [Int64], _ own: Double, _ report: inout BenchReport
    ) async throws {
        try await database.script("CREATE TABLE route_pairs (source bigint, target bigint)")
        let rows = Set(pairs.map { "(\($0.from), \($0.to))" }).sorted().joined(separator: ",")
        try await database.script("INSERT INTO route_pairs VALUES \(rows)")
        let start = LoadLoop.now
        let found = try await database.query(
            """
            SELECT start_vid, end_vid, agg_cost::bigint AS cost FROM pgr_dijkstraCost(
                'SELECT id, source, target, cost FROM route_edges', 'SELECT source, target FROM route_pairs')
            """)
        let mean = Double(LoadLoop.now - start) / Double(pairs.count)
        report.add("pgr_dijkstraCost, all pairs in one query without the paths, for each", mean / 1e6, "ms")
        report.add("  times the search alone", mean / own, "")
        var known: [String: Int64] = [:]
        for row in found { known["\(try row.int("start_vid"))-\(try row.int("end_vid"))"] = try row.int("cost") }
        let differing = zip(pairs, costs).count { known["\($0.from)-\($0.to)"] ?? -1 != $1 }
        if differing > 0 { report.failure = "pgr_dijkstraCost finds other costs for \(differing) of \(pairs.count)" }
    }

    private func cost(of pair: (from: Int, to: Int), _ sql: String, _ database: PostgresConnection) async throws
        -> Int64
    {
        try await database.query(sql, [.int(Int64(pair.from)), .int(Int64(pair.to))])[0].int("cost")
    }

    /// Writes the edges with their costs, in milliseconds, and positions in metres.
    private func export(_ database: PostgresConnection) async throws {
        try await database.script(
            """
            CREATE TABLE route_edges (id bigint PRIMARY KEY, source bigint, target bigint, cost double precision,
                x1 double precision, y1 double precision, x2 double precision, y2 double precision)
            """)
        let positions = (0..<graph.vertexCount).map { graph.position(of: $0)?.point }
        guard let origin = positions.lazy.compactMap({ $0 }).first else { return }
        // A degree of longitude is shortest in the north: with its length there, no distance is too long.
        let north = positions.compactMap { $0?.latitude }.max() ?? origin.latitude
        let (high, wide) = (111_000.0, 111_000 * cos(north * .pi / 180))
        func place(_ vertex: Int) -> String {
            let point = positions[vertex] ?? origin
            return "\((point.longitude - origin.longitude) * wide),\((point.latitude - origin.latitude) * high)"
        }
        var rows: [String] = []
        for (number, edge) in weights.usableEdges.enumerated() {
            rows.append(
                "(\(number + 1),\(edge.source),\(edge.target),\(edge.cost),\(place(edge.source)),\(place(edge.target)))"
            )
            if rows.count == Self.rowsAtOnce {
                try await database.script("INSERT INTO route_edges VALUES \(rows.joined(separator: ","))")
                rows = []
            }
        }
        if !rows.isEmpty { try await database.script("INSERT INTO route_edges VALUES \(rows.joined(separator: ","))") }
        try await database.script("ANALYZE route_edges")
    }
}
