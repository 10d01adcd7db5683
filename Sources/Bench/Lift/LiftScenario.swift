import Campus
import EventLoop
import Foundation
import Routing
import Wire

/// Measures how long walkers wait for their new route after a lift broke: the time from the acknowledged click of the admin until the last
/// affected walker has it, over sockets. Each broadcast is checked: who must receive something, and what.
struct LiftScenario {
    private static let walkersDefault = 10_000
    /// Connections of one source address, as the limits for guests count by address.
    private static let walkersPerAddress = 900
    /// Longest wait for the publications of one click.
    private static let patienceNanoseconds: UInt64 = 10_000_000_000
    /// Time without a publication after which a round is over.
    private static let quietNanoseconds: UInt64 = 500_000_000
    private static let readyAttemptsMax = 240

    private let options: BenchOptions
    private let walkers: Int

    init(_ options: BenchOptions) {
        var options = options
        // The figure is for two cores.
        options.loops = max(2, options.loops)
        self.options = options
        walkers = options.connections ?? Self.walkersDefault
    }

    /// The times of the clicks of one kind.
    private struct Times {
        var last: [Double] = []
        var fromClick: [Double] = []
        var affected: [Int] = []
    }

    func run() async throws -> BenchReport {
        // The admin of the measurement has no second factor.
        let server = try MeasuredServer(options, arguments: ["--admin-second-factor", "optional"], isPinned: false)
        defer { server.stop() }
        try await IdleScenario.makeAccounts(1, dataDirectory: server.directory + "/data")
        try await BenchDatabase.with(server.directory + "/data") {
            try await $0.script("UPDATE accounts SET role = 'admin'")
        }
        try await AttackRun.makeCampus(dataDirectory: server.directory + "/data")
        let load = LoadLoop()
        let admin = try connect(server, load, token: IdleScenario.token(0), source: 1)
        let crowd = try LiftCrowd(load)
        try await untilReady(admin, load, crowd)
        for index in 0..<walkers {
            let client = try connect(server, load, token: nil, source: UInt16(2 + index / Self.walkersPerAddress))
            try crowd.add(client)
        }
        var (breaks, repairs) = (Times(), Times())
        var violations: [String: Int] = [:]
        let measured = Measurement.around(server.process) { _ in
            for _ in 0..<options.rounds {
                for lift in crowd.lifts {
                    let id = UUID().uuidString.lowercased()
                    let closed = click(crowd, lift, isBreak: true, &breaks) {
                        admin.send(
                            request: AdminSaveClosure.self, .init(id: id, object: lift.object, reason: "Out of order"))
                    } receive: {
                        admin.receive(load.buffer, $0)
                    }
                    let opened = click(crowd, lift, isBreak: false, &repairs) {
                        admin.send(request: AdminEndClosure.self, .init(closure: id))
                    } receive: {
                        admin.receive(load.buffer, $0)
                    }
                    for kind in closed + opened { violations[kind, default: 0] += 1 }
                }
            }
        }
        return report(crowd, measured, breaks, repairs, violations)
    }

    /// One click, and all that follows it.
    /// - Returns: Violations, by kind.
    private func click(
        _ crowd: LiftCrowd, _ lift: LiftCrowd.Lift, isBreak: Bool, _ times: inout Times, _ send: () -> Void,
        receive: ((WebSocketEventHandler) -> Void)
    ) -> [String] {
        let expected = isBreak ? crowd.expectBreak(of: lift) : crowd.expectRepair(of: lift)
        crowd.beginRound()
        let sentAt = LoadLoop.now
        var acknowledgedAt: UInt64?
        var wasRefused = false
        send()
        while LoadLoop.now - sentAt < Self.patienceNanoseconds {
            receive { event in
                guard case .text(let json) = event else { return }
                acknowledgedAt = acknowledgedAt ?? LoadLoop.now
                wasRefused = wasRefused || String(decoding: json.prefix(200), as: UTF8.self).contains("\"error\"")
            }
            crowd.receive()
            let last = max(crowd.lastAt, acknowledgedAt ?? .max)
            if acknowledgedAt != nil, crowd.updateCount >= expected.count,
                LoadLoop.now - min(last, LoadLoop.now) > Self.quietNanoseconds
            {
                break
            }
        }
        guard let acknowledgedAt, !wasRefused else { return ["the click was not acknowledged"] }
        let last = crowd.updateCount > 0 ? crowd.lastAt : acknowledgedAt
        if !expected.isEmpty {
            times.last.append(Double(last - min(last, acknowledgedAt)) / 1e6)
            times.fromClick.append(Double(last - min(last, sentAt)) / 1e6)
            times.affected.append(expected.count)
        }
        return crowd.check(expected, lift, isBreak: isBreak)
    }

    private func connect(_ server: MeasuredServer, _ load: LoadLoop, token: String?, source: UInt16) throws
        -> RaceClient
    {
        let socket = try LoadSocket(port: server.port, tls: server.tls, source: source)
        try socket.upgrade(path: "/ws")
        let client = RaceClient(socket)
        client.send(request: Hello.self, .init(token: token, client: .init(name: "campanile bench", version: "1")))
        load.add(socket)
        _ = try client.awaitReply(to: Hello.self, load)
        return client
    }

    /// Waits until the server has read the campus and built the graph.
    private func untilReady(_ admin: RaceClient, _ load: LoadLoop, _ crowd: LiftCrowd) async throws {
        for _ in 0..<Self.readyAttemptsMax {
            admin.send(request: AdminClosable.self, .init(text: "lift"))
            if let found = try? admin.awaitReply(to: AdminClosable.self, load), !found.objects.isEmpty {
                return try crowd.setLifts(found.objects)
            }
            usleep(500_000)
        }
        throw BenchError(description: "the server has no paths for routes")
    }

    private func report(
        _ crowd: LiftCrowd, _ measured: Measurement, _ breaks: Times, _ repairs: Times, _ violations: [String: Int]
    ) -> BenchReport {
        var report = BenchReport(
            scenario: "lift",
            conditions:
                "\(walkers) walkers with live routes, half of them step-free, \(crowd.lifts.count) lifts of the sample campus, "
                + "\(options.rounds) breaks and repairs of each, server with \(options.loops) loops")
        for (name, times) in [("break", breaks), ("repair", repairs)] {
            report.add(
                "affected walkers of a \(name), mean",
                Double(times.affected.reduce(0, +)) / Double(max(1, times.affected.count)), "")
            report.add("affected walkers of a \(name), most", Double(times.affected.max() ?? 0), "")
            report.add("from the acknowledged \(name) to the last walker, p50", Self.quantile(times.last, 0.5), "ms")
            report.add("from the acknowledged \(name) to the last walker, p99", Self.quantile(times.last, 0.99), "ms")
            report.add("from the click of a \(name) to the last walker, p50", Self.quantile(times.fromClick, 0.5), "ms")
            report.add(
                "from the click of a \(name) to the last walker, p99", Self.quantile(times.fromClick, 0.99), "ms")
        }
        report.add("violations", Double(violations.values.reduce(0, +)), "")
        report.add("server cores used", measured.serverUse, "")
        report.add("client cores used", measured.clientUse, "")
        for (kind, count) in violations.sorted(by: { $0.key < $1.key }) {
            report.remarks.append("\(kind) (\(count) times)")
        }
        if !violations.isEmpty { report.failure = "\(violations.values.reduce(0, +)) violations" }
        if breaks.affected.isEmpty || repairs.affected.isEmpty { report.failure = "no walker was affected" }
        if crowd.lost > 0 { report.failure = "\(crowd.lost) walkers were disconnected" }
        return report
    }

    private static func quantile(_ values: [Double], _ quantile: Double) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        return sorted[
            min(sorted.count - 1, Int((Double(sorted.count) * quantile).rounded(.up)) - (quantile < 1 ? 1 : 0))]
    }
}
