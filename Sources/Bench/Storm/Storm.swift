import Foundation
import Glibc

/// One reconnection storm, from the clients' arrival until all have resumed, with its measurements.
///
/// `@unchecked Sendable`: one thread drives the fleet at a time, and its caller waits for it. The thread that restarts
/// the server touches only the server, whose clock is read after the restart.
final class Storm: @unchecked Sendable {
    struct Outcome {
        /// Time by which a percentage of the clients had resumed, in seconds.
        var resumed: [(part: Int, seconds: Double)] = []
        var resumedPerSecondPeak = 0.0
        var cpu: StormCPU
        var clientUse = 0.0
        var calm = LatencyHistogram()
        var bystander = LatencyHistogram()
        /// Requests of the bystander that were sent again.
        var bystanderFailures = 0
        /// Publications that were sent again.
        var resends = 0
        var acknowledgement = LatencyHistogram()
        var tally = StormFleet.Tally()
        /// Time from the drop until a new server listened.
        var downSeconds: Double?
    }

    private static let stopSecondsMax = 60.0

    private let fleet: StormFleet
    private let traffic: StormTraffic
    private let server: MeasuredServer
    private let drop: StormOptions.Drop

    init(fleet: StormFleet, traffic: StormTraffic, server: MeasuredServer, drop: StormOptions.Drop) {
        (self.fleet, self.traffic, self.server, self.drop) = (fleet, traffic, server, drop)
    }

    func run(
        arriveSecondsMax: Double, settleSeconds: Double, resumeSecondsMax: Double
    ) async throws -> Outcome {
        try await Self.onThread { [self] in
            fleet.drive(seconds: arriveSecondsMax) { [fleet] in fleet.resumedCount == fleet.clients.count }
            guard fleet.resumedCount == fleet.clients.count else {
                throw BenchError(
                    description: "only \(fleet.resumedCount) clients could connect: \(fleet.tally.refused)")
            }
            traffic.beginCounting()
            fleet.drive(seconds: settleSeconds)
            var outcome = Outcome(cpu: StormCPU(server.process.clock))
            outcome.calm = traffic.bystanderLatency
            traffic.beginCounting()
            fleet.beginCounting()
            try raise(&outcome, resumeSecondsMax: resumeSecondsMax)
            outcome.bystander = traffic.bystanderLatency
            outcome.bystanderFailures = traffic.bystanderFailures
            outcome.acknowledgement = traffic.acknowledgement
            outcome.resends = traffic.resends
            outcome.tally = fleet.tally
            fleet.drive(seconds: settleSeconds)
            return outcome
        }
    }

    /// Drives the fleet.
    func drive(seconds: Double, until isDone: @escaping () -> Bool = { false }) async {
        nonisolated(unsafe) let isDone = isDone
        try? await Self.onThread { [self] in fleet.drive(seconds: seconds, until: isDone) }
    }

    private func raise(_ outcome: inout Outcome, resumeSecondsMax: Double) throws {
        let began = LoadLoop.now
        let clientBefore = LoadLoop.cpuSeconds
        let start = Start()
        if drop == .network { fleet.dropAll() } else { restart(start) }
        var isStarted = drop == .network
        fleet.drive(seconds: resumeSecondsMax) { [fleet] in
            isStarted && fleet.clients.allSatisfy { $0.phase == .resumed && $0.resumedAt >= began }
        } onCheck: { [server] in
            if !isStarted, start.isLaunched {
                outcome.cpu.add(server.process.clock)
                isStarted = true
            }
            outcome.cpu.sample()
        }
        outcome.cpu.sample(force: true)
        if let error = start.error { throw error }
        outcome.clientUse = (LoadLoop.cpuSeconds - clientBefore) / (Double(LoadLoop.now - began) / 1e9)
        outcome.resumedPerSecondPeak = fleet.resumedPerSecondPeak
        outcome.resumed = [50, 99, 100].map { part in
            (
                part,
                fleet.nanoseconds(from: began, untilResumed: Double(part) / 100).map { Double($0) / 1e9 } ?? .infinity
            )
        }
        if let listening = start.listeningAt { outcome.downSeconds = Double(listening - began) / 1e9 }
    }

    // MARK: Server

    /// The progress of a restart. Thread-safe.
    private final class Start: @unchecked Sendable {
        private let lock = NSLock()
        private var state: (isLaunched: Bool, listeningAt: UInt64?, error: (any Error)?) = (false, nil, nil)

        var isLaunched: Bool { lock.withLock { state.isLaunched } }
        var listeningAt: UInt64? { lock.withLock { state.listeningAt } }
        var error: (any Error)? { lock.withLock { state.error } }
        func launched() { lock.withLock { state.isLaunched = true } }
        func listens() { lock.withLock { state.listeningAt = LoadLoop.now } }
        func failed(_ error: any Error) { lock.withLock { state.error = error } }
    }

    private func restart(_ start: Start) {
        let signal = drop == .kill ? SIGKILL : SIGTERM
        DispatchQueue.global().async { [self] in
            do {
                server.process.signal(signal)
                try server.process.waitUntilExit(secondsMax: Self.stopSecondsMax)
                try server.startAgain()
                start.launched()
                _ = try server.process.readPort()
                start.listens()
            } catch {
                start.failed(error)
            }
        }
    }

    /// Runs a blocking `body` on a Dispatch thread.
    private static func onThread<T: Sendable>(_ body: @escaping () throws -> T) async throws -> T {
        // Safe, because the caller waits and nothing else uses the captured state meanwhile.
        nonisolated(unsafe) let body = body
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }
}
