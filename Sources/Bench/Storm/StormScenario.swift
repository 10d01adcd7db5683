import CampanileClient
import Foundation
import Glibc
import Wire

/// Options of the storm scenario.
public struct StormOptions: Sendable {
    /// The event that disconnects all clients at once.
    public enum Drop: String, CaseIterable, Sendable {
        /// The clients' network fails: their sockets are closed without a close frame, and the server keeps running.
        case network
        /// The server is killed with kill -9 and started again with the same data.
        case kill
        /// The server is stopped and started again. It sends each client a time to reconnect.
        case restart
    }

    /// Signed-in and subscribed clients.
    public var clients = 10_000
    /// Number of clients that also view a map.
    public var views = 1_000
    /// Publications per second.
    public var publicationsPerSecond = 5.0
    /// Kinds of drop, run one after the other with a new server each.
    public var drops = Drop.allCases
    /// Event loops of the server.
    public var loops = 2
    /// Lets all clients connect from one address, to which the server's per-address limits apply, like a campus behind
    /// one NAT.
    public var isBehindOneAddress = false

    public init() {}
}

/// Drops ten thousand clients of a reliable topic at once. They reconnect by the policy and resume from their positions
/// (B-7, B-6). Measures the duration, the cost for the server and the latency of a bystander, and checks whether a
/// publication was lost, duplicated or out of order.
public struct StormScenario {
    private static let topic = "test/1"
    /// Rate of the first connections.
    private static let arrivalsPerSecond = 1_500.0
    /// The sustained rate that one address may have, so that its burst is still available when the storm begins.
    private static let arrivalsPerSecondOfOneAddress = 190.0
    /// Pause before and after the storm.
    private static let settleSeconds = 5.0
    private static let arriveSecondsMax = 120.0
    /// Time after which a client that has not resumed counts as lost.
    private static let resumeSecondsMax = 120.0
    /// Maximum time until all clients have the last publication.
    private static let lastSecondsMax = 30.0

    private let options: StormOptions

    public init(_ options: StormOptions) { self.options = options }

    /// Runs the scenario; takes about a minute for each kind. Do not call it on an event loop.
    /// - Throws: ``BenchError`` if the environment does not permit the run.
    public func run() async throws -> BenchReport {
        try Self.requireDescriptors(options.clients + 500, advice: "take fewer with --clients")
        var report = BenchReport(
            scenario: "storm",
            conditions:
                "\(options.clients) signed-in clients of a reliable topic, \(options.views) with a map, "
                + (options.isBehindOneAddress ? "all from one address, " : "")
                + "\(options.publicationsPerSecond) publications/s, server with \(options.loops) loops")
        var wrong: [String] = []
        for drop in options.drops { try await run(drop, into: &report, &wrong) }
        if !wrong.isEmpty { report.failure = wrong.joined(separator: "; ") }
        return report
    }

    /// Checks the limit of open files.
    /// - Parameters:
    ///   - count: Number of files that are opened together.
    ///   - advice: Remedy if the hard limit is lower.
    /// - Throws: ``BenchError`` if the limit is too low.
    static func requireDescriptors(_ count: Int, advice: String) throws {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < count else {
            return
        }
        guard limit.rlim_max >= count else {
            throw BenchError(
                description: "the hard limit of open files is \(limit.rlim_max): \(advice)")
        }
        throw BenchError(description: "the limit of open files is \(limit.rlim_cur): ulimit -n \(count)")
    }

    private func run(
        _ drop: StormOptions.Drop, into report: inout BenchReport, _ wrong: inout [String]
    ) async throws {
        var bench = BenchOptions()
        bench.loops = options.loops
        let server = try MeasuredServer(bench, arguments: options.isBehindOneAddress ? ["--limit-loopback"] : [])
        defer { server.stop() }
        try await IdleScenario.makeAccounts(options.clients + 2, dataDirectory: server.directory + "/data")
        let traffic = StormTraffic(
            address: try ServerAddress(url: "http://127.0.0.1:\(server.port)"), loops: try ClientLoops(count: 1),
            tokens: (IdleScenario.token(options.clients), IdleScenario.token(options.clients + 1)))
        await traffic.start(topic: Self.topic, perSecond: options.publicationsPerSecond)
        let fleet = StormFleet(
            count: options.clients, views: options.views, port: server.port, topic: Self.topic,
            isBehindOneAddress: options.isBehindOneAddress,
            spreadSeconds: Double(options.clients)
                / (options.isBehindOneAddress ? Self.arrivalsPerSecondOfOneAddress : Self.arrivalsPerSecond))
        let storm = Storm(fleet: fleet, traffic: traffic, server: server, drop: drop)
        let outcome = try await storm.run(
            arriveSecondsMax: Self.arriveSecondsMax, settleSeconds: Self.settleSeconds,
            resumeSecondsMax: Self.resumeSecondsMax)
        // Nothing else drives the fleet meanwhile.
        await traffic.stop()
        await storm.drive(seconds: Self.lastSecondsMax) { fleet.hasEverything(of: traffic.published) }
        // Anything that arrives after this point is a duplicate.
        await storm.drive(seconds: 1)
        self.report(drop, outcome, fleet, traffic, &report, &wrong)
    }

    private func report(
        _ drop: StormOptions.Drop, _ outcome: Storm.Outcome, _ fleet: StormFleet, _ traffic: StormTraffic,
        _ report: inout BenchReport, _ wrong: inout [String]
    ) {
        func add(_ name: String, _ value: Double, _ unit: String = "") {
            report.add("\(drop.rawValue): \(name)", value, unit)
        }
        func must(_ isSo: Bool, _ otherwise: String) { if !isSo { wrong.append("\(drop.rawValue): \(otherwise)") } }
        let tally = outcome.tally
        let losses = fleet.losses(traffic.published)
        if let down = outcome.downSeconds { add("the new server listens after", down, "s") }
        for (part, seconds) in outcome.resumed { add("\(part) % of the clients have resumed", seconds, "s") }
        add("resumed per second, peak of 1 s", outcome.resumedPerSecondPeak, "/s")
        add("server CPU, peak of 250 ms", outcome.cpu.peak, "cores")
        add("server CPU until all had resumed", outcome.cpu.seconds, "s")
        add("client cores used meanwhile", outcome.clientUse)
        add("a bystander's request before, p99", outcome.calm.milliseconds(quantile: 0.99), "ms")
        add("a bystander's request meanwhile, p50", outcome.bystander.milliseconds(quantile: 0.5), "ms")
        add("a bystander's request meanwhile, p99", outcome.bystander.milliseconds(quantile: 0.99), "ms")
        add("  and those that failed and were sent again", Double(outcome.bystanderFailures))
        add("publications acknowledged meanwhile, p99", outcome.acknowledgement.milliseconds(quantile: 0.99), "ms")
        add("  and those that were sent again", Double(outcome.resends))
        add("attempts refused", Double(tally.refused.values.reduce(0, +)))
        add("attempts that failed otherwise", Double(tally.failed.values.reduce(0, +)))
        add("recovered", Double(tally.recovered))
        add("  and publications delivered by that", Double(tally.recoveredPublications))
        add("recovered: false", Double(tally.unrecovered.values.reduce(0, +)))
        add("publications acknowledged", Double(traffic.published.count))
        add("publications delivered", Double(losses.given))
        add("publications lost", Double(losses.lost))
        add("publications doubled", Double(losses.doubled))
        add("publications out of order or not as published", Double(losses.wrong))
        for (kind, counts) in [
            ("refused", tally.refused), ("failed", tally.failed), ("recovered: false", tally.unrecovered),
        ] where !counts.isEmpty {
            let list = counts.sorted { $0.value > $1.value }.prefix(6).map { "\($0.key): \($0.value)" }
            report.remarks.append("\(drop.rawValue): \(kind): \(list.joined(separator: ", "))")
        }
        if outcome.clientUse > 0.9 { report.remarks.append("\(drop.rawValue): the clients' thread was the bottleneck") }
        must(
            outcome.resumed.allSatisfy(\.seconds.isFinite),
            "some clients had not resumed after \(Int(Self.resumeSecondsMax)) s")
        must(fleet.resumedCount == options.clients, "\(options.clients - fleet.resumedCount) clients did not resume")
        must(tally.unrecovered.isEmpty, "clients did not receive what they had missed")
        must(losses.lost + losses.doubled + losses.wrong == 0, "publications were lost, doubled or out of order")
        must(traffic.published.count > 0 && losses.given > 0, "nothing was published: the run proves nothing")
        for (trouble, count) in traffic.troubles { must(false, "\(trouble) (\(count) times)") }
    }
}

extension StormFleet {
    /// Numbers of incorrect publications, over all clients.
    struct Losses {
        var given = 0
        var lost = 0
        var doubled = 0
        var wrong = 0
    }

    /// Whether every client has reached the last acknowledged offset.
    func hasEverything(of published: [Published]) -> Bool {
        guard let last = published.last else { return true }
        return clients.allSatisfy { ($0.ledger.position?.offset ?? 0) >= last.offset }
    }

    func losses(_ published: [Published]) -> Losses {
        var losses = Losses()
        let last = published.last?.offset ?? 0
        for client in clients {
            let ledger = client.ledger
            losses.given += ledger.given
            losses.lost += ledger.lost + Int(max(0, last - (ledger.position?.offset ?? 0)))
            losses.doubled += ledger.doubled
            losses.wrong += ledger.outOfOrder
        }
        losses.wrong += book.contradictions
        // A publication that was stored twice occupies another one's offset.
        for (number, position) in published.enumerated() where book.numbers.indices.contains(Int(position.offset) - 1) {
            let seen = book.numbers[Int(position.offset) - 1]
            if seen != -1, seen != Int64(number) { losses.wrong += 1 }
        }
        if zip(published, published.dropFirst()).contains(where: { $1.offset != $0.offset + 1 }) { losses.wrong += 1 }
        return losses
    }
}
