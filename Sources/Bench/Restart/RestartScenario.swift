import CampanileClient
import EventLoop
import Foundation
import Logging
import Postgres
import Server
import Synchronization

/// Restarts the server under thousands of clients, once with each method. Measures how long until all have reconnected
/// and how fast they reconnect, and checks whether acknowledged data was lost.
///
/// There is no baseline: the figures are what users would experience.
struct RestartScenario {
    /// The methods of restarting, see the Upgrades article.
    private enum Way: String, CaseIterable {
        case handOver = "hand-over"
        case stopAndStart = "stop, start"
    }

    private static let runnersMax = 50
    /// One runner in this many stops its session while disconnected.
    private static let stoppingOneOf = 5
    private static let clientLoops = 2
    private static let serverLoopsMin = 2
    /// Duration of tracking before the restart and after all clients are back.
    private static let settleSeconds = 5.0
    /// Maximum time until all clients are back; missing ones count as lost.
    private static let backSecondsMax = 120.0
    private static let finishSecondsMax = 60.0
    /// Maximum time for the server to end after SIGTERM.
    private static let stopSecondsMax = 60.0

    private let options: BenchOptions
    private let connections: Int
    private let runners: Int

    init(_ options: BenchOptions) {
        var options = options
        options.loops = max(Self.serverLoopsMin, options.loops)
        self.options = options
        connections = max(2, options.connections ?? 5_000)
        runners = min(Self.runnersMax, max(1, connections / 10))
    }

    func run() async throws -> BenchReport {
        var report = BenchReport(
            scenario: "restart",
            conditions:
                "\(connections) clients, \(runners) of them tracking at \(RestartFleet.pointsPerSecond) points/s, "
                + "\(options.tls ? "TLS 1.3" : "plain"), server with \(options.loops) loops")
        var lost: [String] = []
        for way in Way.allCases { try await run(way, into: &report, &lost) }
        if !lost.isEmpty { report.failure = lost.joined(separator: "; ") }
        return report
    }

    private func run(_ way: Way, into report: inout BenchReport, _ lost: inout [String]) async throws {
        let server = try MeasuredServer(options)
        defer { server.stop() }
        try await IdleScenario.makeAccounts(connections, dataDirectory: server.directory + "/data")
        let loops = try ClientLoops(
            count: Self.clientLoops, authorityFile: options.tls ? server.directory + "/cert.pem" : nil)
        let address = try ServerAddress(
            url: options.tls ? "https://localhost:\(server.port)" : "http://127.0.0.1:\(server.port)")
        let fleet = RestartFleet(
            address: address, loops: loops, connections: connections, runners: runners,
            stoppingRunners: runners / Self.stoppingOneOf)
        try await fleet.start()
        let recording = Task { await fleet.record() }
        try await Task.sleep(for: .seconds(Self.settleSeconds))

        let cpu = RestartCPU(server.process.clock)
        let clientBefore = LoadLoop.cpuSeconds
        fleet.tally.beginRestart()
        let listensAt = try await restart(server, way, cpu)
        _ = await Self.wait(secondsMax: Self.backSecondsMax) { fleet.tally.backCount == connections }
        cpu.stop()
        let clientCPU = LoadLoop.cpuSeconds - clientBefore
        let seconds = fleet.tally.restart.map { Double(LoadLoop.now - $0.orderedAt) / 1e9 } ?? 0

        try await Task.sleep(for: .seconds(Self.settleSeconds))
        guard let restart = fleet.tally.restart else { return }
        recording.cancel()
        await recording.value
        // A client that never comes back must not block the scenario.
        let finishing = Task { await fleet.finish() }
        _ = await Self.wait(secondsMax: Self.finishSecondsMax) {
            fleet.tally.finishCount == fleet.spectatorCount && fleet.tally.haveRunnersFinished
        }
        let audit = try await RestartAudit.run(fleet.tally.ledgers, dataDirectory: server.directory + "/data")
        await fleet.close()
        await finishing.value

        add(way, restart, listensAt, to: &report)
        report.add("\(way.rawValue): server CPU until all were back", cpu.seconds, "s")
        report.add("\(way.rawValue): server cores used meanwhile", cpu.seconds / seconds, "")
        report.add("\(way.rawValue): client cores used meanwhile", clientCPU / seconds, "")
        if restart.failures.count + restart.closeCodes.count > 0 { remark(way, restart, &report) }
        judge(way, restart, fleet, audit, &report, &lost)
    }

    // MARK: Restart

    /// - Returns: The time at which the new server announced its port.
    private func restart(_ server: MeasuredServer, _ way: Way, _ cpu: RestartCPU) async throws -> UInt64 {
        try await Self.blocking {
            let old = server.process
            switch way {
            case .handOver:
                try server.startAgain(["--take-over"])
                cpu.add(server.process.clock)
                _ = try server.process.readPort()
                let listensAt = LoadLoop.now
                try old.waitUntilExit(secondsMax: Self.stopSecondsMax)
                return listensAt
            case .stopAndStart:
                old.signal(SIGTERM)
                try old.waitUntilExit(secondsMax: Self.stopSecondsMax)
                try server.startAgain()
                cpu.add(server.process.clock)
                _ = try server.process.readPort()
                return LoadLoop.now
            }
        }
    }

    /// Runs a blocking `body` on a Dispatch thread, because the clients' tasks need the cooperative pool.
    private static func blocking<T: Sendable>(_ body: @escaping () throws -> T) async throws -> T {
        // Safe, because the caller waits and nothing else uses the captured state meanwhile.
        nonisolated(unsafe) let body = body
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }

    private static func wait(secondsMax: Double, until condition: () -> Bool) async -> Bool {
        let deadline = LoadLoop.now + UInt64(secondsMax * 1e9)
        while !condition() {
            guard LoadLoop.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }

    // MARK: Report

    private func add(
        _ way: Way, _ restart: RestartTally.Restart, _ listensAt: UInt64, to report: inout BenchReport
    ) {
        func add(_ name: String, _ value: Double, _ unit: String) {
            report.add("\(way.rawValue): \(name)", value, unit)
        }
        add("first client disconnected", restart.secondsUntilFirstLeft, "s")
        add("the new server listens", Double(listensAt - restart.orderedAt) / 1e9, "s")
        add("50 % of the clients back", restart.seconds(untilBack: 0.5), "s")
        add("99 % of the clients back", restart.seconds(untilBack: 0.99), "s")
        add("all clients back", restart.seconds(untilBack: 1), "s")
        add("one client's time away, median", restart.secondsAway(quantile: 0.5), "s")
        add("one client's time away, longest", restart.secondsAway(quantile: 1), "s")
        add("connection attempts", Double(restart.attempts.count), "")
        add("connection attempts refused", Double(restart.refused), "")
        add("connection attempts that failed otherwise", Double(restart.failures.values.reduce(0, +)), "")
        add("reconnects per second, peak of 100 ms", RestartTally.Restart.peak(restart.backAt, milliseconds: 100), "/s")
        add("reconnects per second, peak of 1 s", RestartTally.Restart.peak(restart.backAt, milliseconds: 1_000), "/s")
        add("attempts per second, peak of 100 ms", RestartTally.Restart.peak(restart.attempts, milliseconds: 100), "/s")
        add("attempts per second, peak of 1 s", RestartTally.Restart.peak(restart.attempts, milliseconds: 1_000), "/s")
        let delay = restart.delayMax.components
        add(
            "longest wait of a point for its acknowledgement", Double(delay.seconds) + Double(delay.attoseconds) / 1e18,
            "s")
    }

    private func remark(_ way: Way, _ restart: RestartTally.Restart, _ report: inout BenchReport) {
        func list(_ counts: [String: Int]) -> String {
            counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        }
        report.remarks.append("\(way.rawValue): connections closed by code: \(list(restart.closeCodes))")
        guard !restart.failures.isEmpty else { return }
        report.remarks.append("\(way.rawValue): attempts that failed otherwise: \(list(restart.failures))")
    }

    private func judge(
        _ way: Way, _ restart: RestartTally.Restart, _ fleet: RestartFleet, _ audit: RestartAudit,
        _ report: inout BenchReport, _ lost: inout [String]
    ) {
        func add(_ name: String, _ value: Int) { report.add("\(way.rawValue): \(name)", Double(value), "") }
        func must(_ isSo: Bool, _ otherwise: String) { if !isSo { lost.append("\(way.rawValue): \(otherwise)") } }
        let tally = fleet.tally
        add("points acknowledged", audit.acknowledged)
        add("points sent again that were stored already", tally.ledgers.values.reduce(0) { $0 + $1.duplicates })
        add("acknowledged points missing", audit.missing)
        add("acknowledged points changed", audit.changed)
        add("points stored or acknowledged twice", audit.doubled)
        add("points stored but never acknowledged", audit.unacknowledged)
        add("sessions unfinished or with wrong sums", audit.wrongSessions)
        add("spectators notified of the finish by a push", tally.finishCount(.push))
        add("spectators notified of the finish by a snapshot", tally.finishCount(.snapshot))
        add("spectators not notified of the finish", fleet.spectatorCount - tally.finishCount)
        must(restart.backCount == connections, "\(connections - restart.backCount) clients did not come back")
        must(way == .stopAndStart || restart.refused == 0, "\(restart.refused) connections were refused")
        must(audit.acknowledged > 0 && tally.ledgers.count == runners, "runners had nothing acknowledged")
        must(audit.isClean, "the points in the database are not those acknowledged, once each")
        must(tally.ledgers.values.allSatisfy { $0.refused == 0 }, "points were refused")
        must(tally.finishCount == fleet.spectatorCount, "spectators were not notified that a session is finished")
        for (trouble, count) in tally.troubles { must(false, "\(trouble) (\(count) times)") }
        if tally.slowReaders > 0 {
            report.remarks.append(
                "\(way.rawValue): the client was too slow for \(tally.slowReaders) streams and subscribed again")
        }
    }
}

/// CPU seconds of the old and the new server of a restart. The clock of a process vanishes when it ends, so the clocks
/// are read continuously.
final class RestartCPU: Sendable {
    private struct Clock {
        let clock: CPUClock
        let first: Double
        var last: Double
    }
    private static let sampleInterval = Duration.milliseconds(10)

    private let clocks: Mutex<[Clock]>
    private let sampling = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter old: The clock of the running server; its earlier use does not count.
    init(_ old: CPUClock) {
        let now = old.seconds ?? 0
        clocks = Mutex([Clock(clock: old, first: now, last: now)])
        let task = Task { [weak self] in
            while !Task.isCancelled {
                self?.sample()
                try? await Task.sleep(for: Self.sampleInterval)
            }
        }
        sampling.withLock { $0 = task }
    }

    /// Adds a newly started server.
    func add(_ new: CPUClock) { clocks.withLock { $0.append(Clock(clock: new, first: 0, last: new.seconds ?? 0)) } }

    func stop() {
        sample()
        sampling.withLock { $0?.cancel() }
    }

    var seconds: Double { clocks.withLock { $0.reduce(0) { $0 + $1.last - $1.first } } }

    private func sample() {
        clocks.withLock { clocks in
            for index in clocks.indices { clocks[index].last = clocks[index].clock.seconds ?? clocks[index].last }
        }
    }
}
