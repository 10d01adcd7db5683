import CampanileClient
import Foundation
import Wire

/// Stops a share repeatedly, with viewers at two nodes that NATS connects, while other clients report positions.
/// Measures the time from `sharing.stop` to the last position at any viewer, and to `closed` at each viewer. Only data
/// read from the viewers' sockets counts.
///
/// Half of the viewers are buddies of the owner, and the others are strangers. A receipt of a share with everybody names buddies only, so
/// the scenario also reads the access log itself, in which no viewer may be missing.
public struct StopScenario {
    /// Maximum time from the stop request to the last position.
    private static let boundSeconds = 1.0
    /// Positions of the owner per second.
    private static let reportsPerSecond = 20.0
    /// Mean time for which a share is watched before it is stopped.
    private static let watchSeconds = 2.0
    private static let openSecondsMax = 60.0
    private static let closeSecondsMax = 20.0
    /// Maximum number of accounts that a receipt lists.
    private static let buddiesMax = 1_000

    private let options: StopOptions

    public init(_ options: StopOptions) { self.options = options }

    /// Runs the scenario; takes a few seconds per stop. Do not call it on an event loop.
    /// - Throws: ``BenchError`` if the environment does not permit the run.
    public func run() async throws -> BenchReport {
        try StormScenario.requireDescriptors(
            options.viewers + options.others + 500, advice: "take fewer with --viewers or --others")
        var report = BenchReport(
            scenario: "stop",
            conditions: """
                \(options.viewers) viewers at two nodes, \(options.others) others who report once a second, \
                \(options.stops) stops, servers with \(options.loops) loops
                """)
        var bench = BenchOptions()
        bench.loops = options.loops
        let nodes = try LossNodes(bench, count: 2, hasNamespaces: false, hasDisk: false)
        defer { nodes.stop() }
        let owner = options.viewers + options.others
        let dataDirectory = nodes.database.directory + "/data"
        try await IdleScenario.makeAccounts(owner + 1, dataDirectory: dataDirectory)
        let database = StopDatabase(dataDirectory: dataDirectory, owner: "bench\(owner)")
        // Viewers connect to the nodes in rotation, so each node has buddies and strangers.
        let buddies = try await database.addBuddies(
            (0..<min((options.viewers + 1) / 2, Self.buddiesMax)).map { "bench\($0)" })
        let connection = try await CampanileConnection.connect(
            to: try ServerAddress(url: "http://127.0.0.1:\(nodes.servers[0].port)"), loops: try ClientLoops(count: 1))
        _ = try await connection.hello(token: IdleScenario.token(owner), client: .init(name: "bench"))
        let ports = nodes.servers.map(\.port)
        let fleet = try ShareFleet(ports: ports, viewers: options.viewers, others: options.others)
        let cpu = nodes.servers.reduce(0.0) { $0 + ($1.process.clock.seconds ?? 0) }
        let began = LoadLoop.now
        var tally = StopTally(buddies: buddies)
        // The first stop is reported separately, because the server is still processing the new connections.
        for _ in 0...options.stops { try await stop(connection, fleet, &tally) }
        let seconds = Double(LoadLoop.now - began) / 1e9
        let used = nodes.servers.reduce(0.0) { $0 + ($1.process.clock.seconds ?? 0) } - cpu
        await connection.close()
        tally.unlogged = options.viewers * (options.stops + 1) - (try await database.completeEntries())
        tally.add(to: &report, bound: Self.boundSeconds)
        report.add("server cores used, both nodes", used / seconds, "")
        if fleet.lost > 0 { report.failure = "\(fleet.lost) connections were lost" }
        return report
    }

    /// Starts a share, lets all viewers watch it, and stops it.
    private func stop(
        _ connection: CampanileConnection, _ fleet: ShareFleet, _ tally: inout StopTally
    ) async throws {
        let share = try await connection.call(
            SharingStart.self,
            .init(clientId: UUID().uuidString, audience: .campus, precision: .exact, expiresIn: 600)
        ).share.id
        let reporting = Task {
            var step = 0.0
            while !Task.isCancelled {
                step += 1
                _ = try? await connection.call(
                    LocationReport.self, .init(lat: 42, lon: step / 1_000, accuracy: 5, source: .gps))
                try? await Task.sleep(for: .seconds(1 / Self.reportsPerSecond))
            }
        }
        try await Self.onThread {
            fleet.watch(share)
            try fleet.drive(seconds: Self.openSecondsMax) { fleet.haveLocation == fleet.viewers.count }
            guard fleet.haveLocation == fleet.viewers.count else {
                throw BenchError(
                    description:
                        "only \(fleet.haveLocation) of \(fleet.viewers.count) viewers got a position: \(fleet.trouble)")
            }
            try fleet.drive(seconds: Self.watchSeconds * Double.random(in: 0.5...1.5))
        }
        let sent = LoadLoop.now
        let stopping = Task {
            let receipt = try await connection.call(SharingStop.self, ShareParams(share: share))
            return (receipt, LoadLoop.now)
        }
        try await Self.onThread {
            try fleet.drive(seconds: Self.closeSecondsMax) { fleet.haveClosed == fleet.viewers.count }
            // Anything that arrives after this point is too late.
            try fleet.drive(seconds: Self.boundSeconds)
        }
        let (receipt, answered) = try await stopping.value
        reporting.cancel()
        await reporting.value
        tally.take(fleet.viewers, sent: sent, answered: answered, receipt: receipt, bound: Self.boundSeconds)
    }

    private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            Thread { done.resume(with: Result { try body() }) }.start()
        }
    }
}

/// The results of all stops.
private struct StopTally {
    /// Latency of `closed` and of the answer at the first stop.
    private var first: (closed: Double, answer: Double)?
    private var lastPositions: [Double] = []
    private var closes: [Double] = []
    private var answers: [Double] = []
    private var late = 0
    private var afterClosed = 0
    private var afterAnswer = 0
    private var unclosed = 0
    private var receipts: ReceiptAudit
    /// Number of viewers, of all stops, without a correct entry in the access log.
    var unlogged = 0

    init(buddies: Set<Int64>) { receipts = ReceiptAudit(buddies: buddies) }

    mutating func take(
        _ viewers: [ShareWatcher], sent: UInt64, answered: UInt64, receipt: SharingReceipt, bound: Double
    ) {
        func milliseconds(_ time: UInt64) -> Double { time <= sent ? 0 : Double(time - sent) / 1e6 }
        let last = viewers.map(\.lastLocation).max() ?? 0
        lastPositions.append(milliseconds(last))
        let closed = viewers.filter { $0.closedAt > 0 }.map { milliseconds($0.closedAt) }
        if first == nil {
            first = (closed.max() ?? 0, milliseconds(answered))
        } else {
            closes += closed
            answers.append(milliseconds(answered))
        }
        late += viewers.count { milliseconds($0.lastLocation) > bound * 1_000 }
        afterClosed += viewers.count { $0.closedAt > 0 && $0.lastLocation > $0.closedAt }
        afterAnswer += viewers.count { $0.lastLocation > answered }
        unclosed += viewers.count { $0.closedAt == 0 }
        receipts.check(receipt)
    }

    func add(to report: inout BenchReport, bound: Double) {
        func add(_ name: String, _ values: [Double]) {
            let sorted = values.sorted()
            guard let longest = sorted.last else { return }
            for (what, part) in [("p50", 0.5), ("p99", 0.99)] {
                report.add("\(name): \(what)", sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))], "ms")
            }
            report.add("\(name): max", longest, "ms")
        }
        add("from the stop to the last position at any viewer", lastPositions)
        add("from the stop to closed at each viewer", closes)
        add("from the stop to its answer", answers)
        if let first {
            report.add("the first stop, when all have just connected: closed, at most", first.closed, "ms")
            report.add("the first stop: its answer", first.answer, "ms")
        }
        report.add("positions later than \(Int(bound)) s", Double(late), "")
        report.add("positions after closed", Double(afterClosed), "")
        report.add("viewers whose last position was read after the answer", Double(afterAnswer), "")
        report.add("viewers without closed", Double(unclosed), "")
        report.add("buddies missing in the receipt", Double(receipts.missing), "")
        report.add("strangers in the receipt", Double(receipts.strangers), "")
        report.add("viewers missing in the access log", Double(unlogged), "")
        var wrong: [String] = []
        if late > 0 { wrong.append("\(late) positions came later than \(Int(bound)) s") }
        if afterClosed > 0 { wrong.append("\(afterClosed) positions came after closed") }
        if unclosed > 0 { wrong.append("\(unclosed) viewers did not receive closed") }
        if receipts.missing > 0 { wrong.append("\(receipts.missing) buddies are missing in receipts") }
        if receipts.strangers > 0 { wrong.append("receipts have \(receipts.strangers) lines about strangers") }
        if receipts.miscounted > 0 {
            wrong.append(
                "\(receipts.miscounted) receipts do not count \(receipts.buddies.count) viewers, one for each buddy")
        }
        if unlogged > 0 { wrong.append("\(unlogged) viewers have no single, complete entry in the access log") }
        if !wrong.isEmpty { report.failure = wrong.joined(separator: "; ") }
    }
}
