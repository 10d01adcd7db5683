import Campus
import Foundation
import Routing
import Wire

/// Options of ``RouteScenario``.
public struct RouteOptions: Sendable {
    /// An OpenStreetMap extract.
    public var file: String
    /// Number of measured routes.
    public var routes = 20_000
    /// Number of routes that pgRouting finds, too.
    public var compared = 100
    /// Minimum routes per second on one core.
    public var routesPerSecondMin = 5_000.0
    /// Maximum CPU time of 99 % of the routes, in milliseconds.
    public var millisecondsMax = 2.0

    public init(file: String) { self.file = file }
}

/// Measures routes with lines and directions between random points of an extract, on one thread and without a server:
/// import, graph, single searches, search trees, a lift out of order, and a crowd in all cells.
public struct RouteScenario {
    private static let seed: UInt64 = 25
    /// Routes before the measurement.
    private static let warmUp = 500
    /// Number of measured weights and trees.
    private static let repetitions = 50
    /// Maximum attempts to find a pair of points with a route, for each route.
    private static let attemptsMax = 20

    private let options: RouteOptions

    public init(_ options: RouteOptions) { self.options = options }

    public func run() async throws -> BenchReport {
        var report = BenchReport(
            scenario: "route",
            conditions: "\(options.routes) routes between random points of \(options.file), one thread")
        let before = Self.residentBytes
        var start = LoadLoop.now
        let network = RouteNetwork(try OSMImport().readObjects(URL(fileURLWithPath: options.file)))
        report.add("import", Double(LoadLoop.now - start) / 1e9, "s")
        start = LoadLoop.now
        let graph = try RouteGraph(network)
        report.add("graph built in", Double(LoadLoop.now - start) / 1e9, "s")
        report.add("vertices", Double(graph.vertexCount), "")
        report.add("edges", Double(graph.edgeCount), "")
        report.add("graph", Double(graph.approximateBytes) / 1e6, "MB")
        report.add("process grew by", Double(max(0, Self.residentBytes - before)) / 1e6, "MB")
        let pairs = pairs(graph)
        guard !pairs.isEmpty else {
            report.failure = "no pair of points has a route"
            return report
        }
        measureRoutes(graph, pairs, RouteProfile(), "", &report)
        measureRoutes(graph, pairs, RouteProfile(isStepFree: true), ", step-free", &report)
        measureWeights(graph, pairs, &report)
        let compared = vertexPairs(graph)
        if !compared.isEmpty { try await RouteComparison(graph, pairs: compared).run(&report) }
        return report
    }

    /// Pairs of vertices with a way between them.
    private func vertexPairs(_ graph: RouteGraph) -> [(from: Int, to: Int)] {
        var (generator, finder) = (SplitMix(Self.seed + 1), RouteFinder())
        let weights = RouteWeights(graph)
        var pairs: [(from: Int, to: Int)] = []
        for _ in 0..<options.compared * Self.attemptsMax where pairs.count < options.compared {
            let from = Int(generator.uniform() * Double(graph.vertexCount))
            let to = Int(generator.uniform() * Double(graph.vertexCount))
            if from != to, finder.cost(from: from, to: to, weights) != nil { pairs.append((from, to)) }
        }
        return pairs
    }

    /// Pairs of points with a route by default.
    private func pairs(_ graph: RouteGraph) -> [(from: RouteEnd, to: RouteEnd)] {
        var generator = SplitMix(Self.seed)
        func end() -> RouteEnd? {
            let vertex = Int(generator.uniform() * Double(graph.vertexCount))
            return graph.position(of: vertex).map { .point($0.point, level: $0.level) }
        }
        let weights = RouteWeights(graph)
        var finder = RouteFinder()
        var pairs: [(from: RouteEnd, to: RouteEnd)] = []
        for _ in 0..<options.routes * Self.attemptsMax where pairs.count < options.routes {
            guard let from = end(), let to = end(), (try? finder.route(from: from, to: to, weights)) != nil else {
                continue
            }
            pairs.append((from, to))
        }
        return pairs
    }

    private func measureRoutes(
        _ graph: RouteGraph, _ pairs: [(from: RouteEnd, to: RouteEnd)], _ profile: RouteProfile, _ suffix: String,
        _ report: inout BenchReport
    ) {
        let weights = RouteWeights(graph, profile: profile)
        var finder = RouteFinder()
        for pair in pairs.prefix(Self.warmUp) { _ = try? finder.route(from: pair.from, to: pair.to, weights) }
        var (durations, work, directions, found) = (LatencyHistogram(), LatencyHistogram(), 0, 0)
        let (wall, cpu) = (LoadLoop.now, Self.threadSeconds)
        for pair in pairs {
            let (start, worked) = (LoadLoop.now, Self.threadSeconds)
            if let route = try? finder.route(from: pair.from, to: pair.to, weights) {
                found += 1
                directions += route.legs.reduce(0) { $0 + ($1.text.isEmpty ? 0 : 1) }
            }
            work.record(nanoseconds: UInt64(max(0, Self.threadSeconds - worked) * 1e9))
            durations.record(nanoseconds: LoadLoop.now - start)
        }
        let perSecond = Double(pairs.count) / (Self.threadSeconds - cpu)
        report.add("routes per second of CPU time\(suffix)", perSecond, "/s")
        report.add("routes per second\(suffix)", Double(pairs.count) / (Double(LoadLoop.now - wall) / 1e9), "/s")
        report.add("p50\(suffix)", durations.milliseconds(quantile: 0.5), "ms")
        report.add("p99\(suffix)", durations.milliseconds(quantile: 0.99), "ms")
        report.add("p99 of the CPU time\(suffix)", work.milliseconds(quantile: 0.99), "ms")
        report.add("found\(suffix)", Double(found) / Double(pairs.count) * 100, "%")
        report.add("directions of a route\(suffix)", Double(directions) / Double(max(1, found)), "")
        guard suffix.isEmpty else { return }
        if perSecond < options.routesPerSecondMin {
            report.failure = "fewer than \(options.routesPerSecondMin) routes per second"
        }
        // Other work on the machine delays routes, but costs them no CPU time.
        if work.milliseconds(quantile: 0.99) > options.millisecondsMax {
            report.failure = "1 % of the routes took more than \(options.millisecondsMax) ms of CPU time"
        }
    }

    private func measureWeights(
        _ graph: RouteGraph, _ pairs: [(from: RouteEnd, to: RouteEnd)], _ report: inout BenchReport
    ) {
        let cells = Set(
            (0..<graph.vertexCount).compactMap { graph.position(of: $0) }.map { HeatmapPlace(containing: $0.point) })
        let crowd = RouteCrowd(cells.map { HeatCell(x: $0.x, y: $0.y, people: 120) })
        let profile = RouteProfile(avoidsCrowds: true)
        let weights = RouteWeights(graph, profile: profile)
        let lift = graph.features.first { $0.kind == .lift }?.sourceID ?? graph.features.first?.sourceID ?? ""
        let actions: [(name: String, body: (Int) -> Void)] = [
            (
                "crowd in \(cells.count) cells, all edges",
                { _ in _ = RouteWeights(graph, profile: profile, crowd: crowd) }
            ),
            ("one closure", { _ in _ = weights.closing([lift]) }),
            ("search tree of a destination", { _ = try? RouteTree(to: pairs[$0 % pairs.count].to, weights) }),
        ]
        for action in actions {
            var durations = LatencyHistogram()
            for index in 0..<Self.repetitions {
                let start = LoadLoop.now
                action.body(index)
                durations.record(nanoseconds: LoadLoop.now - start)
            }
            report.add("\(action.name), p50", durations.milliseconds(quantile: 0.5), "ms")
        }
        measureDuringCrowd(graph, pairs, crowd, profile, &report)
    }

    /// Durations of routes while another thread weighs all edges again and again, as it does when the heatmap changes.
    private func measureDuringCrowd(
        _ graph: RouteGraph, _ pairs: [(from: RouteEnd, to: RouteEnd)], _ crowd: RouteCrowd, _ profile: RouteProfile,
        _ report: inout BenchReport
    ) {
        let weights = RouteWeights(graph, profile: profile)
        let background = BackgroundWeights(graph, profile, crowd)
        var (finder, durations) = (RouteFinder(), LatencyHistogram())
        for pair in pairs {
            let start = LoadLoop.now
            _ = try? finder.route(from: pair.from, to: pair.to, weights)
            durations.record(nanoseconds: LoadLoop.now - start)
        }
        report.add("p99 while all edges are weighed in the background", durations.milliseconds(quantile: 0.99), "ms")
        report.add("weighed meanwhile", Double(background.stop()), "times")
    }

    // MARK: Process

    private static var threadSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static var residentBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let fields = text.split(separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE))
    }
}
