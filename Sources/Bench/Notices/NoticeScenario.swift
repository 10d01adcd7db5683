import CampanileClient
import Foundation
import Wire

/// Options of the notice scenario.
public struct NoticeOptions: Sendable {
    /// Accounts, each with a connection.
    public var connections = 15_000
    /// Percentage of accounts that are offline during the second emergency.
    public var offlinePercent = 20
    /// Event loops of the server.
    public var loops = 2

    public init() {}
}

/// Broadcasts emergencies to all accounts and measures when the first and the last receive them, and whether any
/// account misses one or receives it twice. The second emergency finds some accounts offline, which reconnect later.
/// For the third, all clients send receipts.
public struct NoticeScenario {
    private static let arrivalsPerSecond = 1_500.0
    private static let arriveSecondsMax = 120.0
    private static let settleSeconds = 3.0
    private static let publishSecondsMax = 30.0
    private static let receiptSecondsMax = 60.0

    private let options: NoticeOptions

    public init(_ options: NoticeOptions) { self.options = options }

    /// Runs the scenario; takes about a minute. Do not call it on an event loop.
    /// - Throws: ``BenchError`` if the environment does not permit the run.
    public func run() async throws -> BenchReport {
        try StormScenario.requireDescriptors(options.connections + 500, advice: "take fewer with --connections")
        var report = BenchReport(
            scenario: "notices",
            conditions: "\(options.connections) accounts with a connection each, server with \(options.loops) loops")
        var bench = BenchOptions()
        bench.loops = options.loops
        let server = try MeasuredServer(bench)
        defer { server.stop() }
        try await IdleScenario.makeAccounts(options.connections + 1, dataDirectory: server.directory + "/data")
        let sender = options.connections
        try await BenchDatabase.with(server.directory + "/data") { database in
            try await database.script(
                "UPDATE accounts SET role = 'admin' WHERE username = 'bench\(sender)'; ANALYZE accounts")
        }
        let admin = ResilientClient(
            address: try ServerAddress(url: "http://127.0.0.1:\(server.port)"),
            token: IdleScenario.token(sender), loops: try ClientLoops(count: 1))
        await admin.start()
        let fleet = NoticeFleet(count: options.connections, port: server.port)
        try await Self.onThread {
            try fleet.connect(fleet.clients, perSecond: Self.arrivalsPerSecond, secondsMax: Self.arriveSecondsMax)
            try fleet.drive(seconds: Self.settleSeconds)
        }
        var wrong: [String] = []
        try await publish("all online", to: fleet.clients, fleet, admin, server, &report, &wrong)
        try await publishToSome(fleet, admin, server, &report, &wrong)
        for client in fleet.clients { client.acknowledges = true }
        let last = try await publish("with receipts", to: fleet.clients, fleet, admin, server, &report, &wrong)
        try await count(last, fleet, admin, &report, &wrong)
        await admin.close()
        if !wrong.isEmpty { report.failure = wrong.joined(separator: "; ") }
        return report
    }

    /// Sends an emergency, and waits until the given clients have received it.
    @discardableResult
    private func publish(
        _ name: String, to clients: [NoticeClient], _ fleet: NoticeFleet, _ admin: ResilientClient,
        _ server: MeasuredServer, _ report: inout BenchReport, _ wrong: inout [String]
    ) async throws -> (number: Int64, began: UInt64) {
        let cpu = server.process.clock.seconds ?? 0
        let clientCPU = LoadLoop.cpuSeconds
        let began = LoadLoop.now
        let publishing = Task {
            let sent = try await admin.publish(
                title: "Leave the library at once", body: "By the stairs. This is not an exercise.", to: .campus,
                level: .emergency)
            return (sent, LoadLoop.now)
        }
        nonisolated(unsafe) let expected = clients
        let known = Set(clients.first?.arrivals.keys.map { $0 } ?? [])
        try await Self.onThread {
            try fleet.drive(seconds: Self.publishSecondsMax) { expected.allSatisfy { $0.arrivals.count > known.count } }
        }
        let all = LoadLoop.now
        let used = (server.process.clock.seconds ?? 0) - cpu
        let clientUsed = LoadLoop.cpuSeconds - clientCPU
        let (sent, acknowledged) = try await publishing.value
        // Anything that arrives after this point is a duplicate.
        try await Self.onThread { try fleet.drive(seconds: 1) }
        let number = sent.notice.number
        let times = clients.compactMap { $0.arrivals[number] }.map { Double($0 - began) / 1e6 }.sorted()
        func add(_ what: String, _ value: Double, _ unit: String = "") { report.add("\(name): \(what)", value, unit) }
        add("the sender receives the answer after", Double(acknowledged - began) / 1e6, "ms")
        if !times.isEmpty {
            for (what, part) in [("received by the first after", 0.0), ("50 %", 0.5), ("99 %", 0.99), ("the last", 1)] {
                add(what, times[min(times.count - 1, Int(Double(times.count) * part))], "ms")
            }
        }
        add("server CPU meanwhile", used, "s")
        add("client cores used meanwhile", clientUsed / (Double(all - began) / 1e9))
        settle(name, number, clients, &report, &wrong)
        return (number, began)
    }

    private func settle(
        _ name: String, _ number: Int64, _ clients: [NoticeClient], _ report: inout BenchReport,
        _ wrong: inout [String]
    ) {
        let missed = clients.count { $0.arrivals[number] == nil }
        let doubled = clients.reduce(0) { $0 + $1.doubled }
        report.add("\(name): missed", Double(missed), "")
        report.add("\(name): received twice", Double(doubled), "")
        if missed > 0 { wrong.append("\(name): \(missed) clients missed it") }
        if doubled > 0 { wrong.append("\(name): \(doubled) clients received it twice") }
    }

    /// Sends an emergency while some clients are offline, then reconnects them.
    private func publishToSome(
        _ fleet: NoticeFleet, _ admin: ResilientClient, _ server: MeasuredServer, _ report: inout BenchReport,
        _ wrong: inout [String]
    ) async throws {
        let percent = options.offlinePercent
        // Every n-th client, so that they are spread over the server's loops.
        let away = fleet.clients.filter { $0.index * percent / 100 != ($0.index + 1) * percent / 100 }
        guard !away.isEmpty else { return }
        let isAway = Set(away.map(\.index))
        for client in away { client.disconnect(fleet.load) }
        try await Self.onThread { try fleet.drive(seconds: Self.settleSeconds) }
        let online = fleet.clients.filter { !isAway.contains($0.index) }
        let name = "\(percent) % offline"
        let notice = try await publish("\(name), those online", to: online, fleet, admin, server, &report, &wrong)
        let began = LoadLoop.now
        nonisolated(unsafe) let returning = away
        try await Self.onThread {
            try fleet.connect(returning, perSecond: Self.arrivalsPerSecond, secondsMax: Self.arriveSecondsMax)
            try fleet.drive(seconds: 1)
        }
        let last = away.compactMap { $0.arrivals[notice.number] }.max() ?? .max
        report.add("\(name), back: received by the last after", Double(last &- began) / 1e9, "s")
        settle("\(name), back", notice.number, fleet.clients, &report, &wrong)
    }

    /// Waits until all receipts are counted.
    private func count(
        _ notice: (number: Int64, began: UInt64), _ fleet: NoticeFleet, _ admin: ResilientClient,
        _ report: inout BenchReport, _ wrong: inout [String]
    ) async throws {
        // The server reports receipt counts in multiples of five.
        let wanted = Int64(options.connections) / 5 * 5
        let counting = Task {
            let deadline = LoadLoop.now + UInt64(Self.receiptSecondsMax * 1e9)
            var received: Int64 = 0
            while received < wanted, LoadLoop.now < deadline {
                let connection = try await admin.connected()
                received =
                    try await connection.call(NoticesStatus.self, NoticeParams(notice: notice.number)).received ?? 0
                try await Task.sleep(for: .milliseconds(100))
            }
            return (received, LoadLoop.now)
        }
        try await Self.onThread { try fleet.drive(seconds: 4) }
        let (received, ended) = try await counting.value
        report.add("with receipts: received", Double(received), "")
        report.add("with receipts: all counted after", Double(ended - notice.began) / 1e9, "s")
        if received != wanted { wrong.append("\(received) of \(wanted) receipts were counted") }
    }

    /// Runs `body` on a thread of its own, because driving the fleet blocks.
    private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            Thread { done.resume(with: Result { try body() }) }.start()
        }
    }
}
