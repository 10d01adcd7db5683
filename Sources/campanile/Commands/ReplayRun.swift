import CampanileClient
import CommandSupport
import Dispatch
import Foundation
import Wire

/// Settings of a replay.
struct ReplaySettings: Sendable {
    let address: ServerAddress
    let key: String
    let speed: Double
    /// Seconds.
    let longestWait: Double
    let audience: Audience
    let activity: Activity
    let giveUpAfter: Duration
    let isTogether: Bool
}

/// All runners of a replay, their progress and the report.
struct ReplayRun: Sendable {
    let plans: [ReplayPlan]
    let settings: ReplaySettings
    let ledger: ReplayLedger?
    let spectates: Bool

    /// Time limit for a server to load a recently imported campus, which it polls every few seconds.
    static let zonesWaitMax = Duration.seconds(10)
    static let zonesPollInterval = Duration.milliseconds(500)

    /// - Throws: ``CommandFailure``: 69 if the server is unreachable or has no zones to watch, 64 if it has another key.
    func run() async throws -> ReplayReport {
        let loops = try ClientLoops(count: 1)
        let campus = try await spectates ? campusWithZones(loops) : campus(loops)
        let tally = ReplayTally(plans: plans, remembersSends: spectates)
        let runners = plans.indices.map { index in
            ReplayRunner(
                index: index, plan: plans[index], settings: settings, tally: tally, ledger: ledger,
                client: ResilientClient(address: settings.address, loops: loops, options: ReplayRunner.clientOptions))
        }
        let progress = Task { await ReplayProgress(tally: tally).show() }
        defer { progress.cancel() }
        let spectator = spectates ? ReplaySpectator(address: settings.address, loops: loops, tally: tally) : nil
        try await spectator?.start(zones: campus.zones)
        let begin = ContinuousClock.now
        let outcomes = settings.isTogether ? try await together(runners) : try await inTurn(runners)
        let took = ContinuousClock.now - begin
        if spectator != nil { try? await Task.sleep(for: .seconds(1)) }
        await spectator?.stop()
        return ReplayReport(outcomes: outcomes, tally: tally, spectator: spectator, took: took)
    }

    private func campusWithZones(_ loops: ClientLoops) async throws -> CampusInfo {
        let deadline = ContinuousClock.now + Self.zonesWaitMax
        while true {
            let campus = try await campus(loops)
            guard campus.zones.isEmpty else { return campus }
            guard ContinuousClock.now < deadline else {
                throw CommandFailure(
                    .unavailable, "\(settings.address) has no zones to watch: import a campus, or leave --spectate out")
            }
            try await Task.sleep(for: Self.zonesPollInterval)
        }
    }

    /// Checks that the server is reachable before anything is created on it.
    private func campus(_ loops: ClientLoops) async throws -> CampusInfo {
        do {
            let connection = try await CampanileConnection.connect(to: settings.address, loops: loops)
            let hello = try await connection.hello(client: ReplayRunner.clientName)
            await connection.close()
            return hello.campus
        } catch {
            throw CommandFailure(.unavailable, "\(settings.address): \(error): is it running?")
        }
    }

    private func inTurn(_ runners: [ReplayRunner]) async throws -> [ReplayOutcome] {
        var outcomes: [ReplayOutcome] = []
        for runner in runners {
            let registered = try await runner.register()
            outcomes.append(await runner.run(isRegistered: registered))
        }
        return outcomes
    }

    /// Creates all accounts before the first runner starts, because registering takes long (passwords are hashed slowly).
    private func together(_ runners: [ReplayRunner]) async throws -> [ReplayOutcome] {
        let registered = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            for runner in runners { group.addTask { (runner.index, try await runner.register()) } }
            return try await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
        }
        return await withTaskGroup(of: ReplayOutcome.self) { group in
            for runner in runners {
                group.addTask { await runner.run(isRegistered: registered[runner.index] ?? false) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.index < $1.index }
        }
    }
}

/// Monotonic clock in nanoseconds.
func nowNanoseconds() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// Text of a number with a fixed number of decimals.
func fixed(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }

/// Progress of the replay on standard error: one line that is overwritten on a terminal, otherwise a line every few seconds.
struct ReplayProgress: Sendable {
    private static let terminalInterval = Duration.milliseconds(250)
    private static let plainInterval = Duration.seconds(5)

    let tally: ReplayTally

    func show() async {
        let isTerminal = isatty(STDERR_FILENO) != 0
        while true {
            do {
                try await Task.sleep(for: isTerminal ? Self.terminalInterval : Self.plainInterval)
            } catch {
                if isTerminal { Terminal.progress("") }
                return
            }
            if isTerminal {
                // Returns to the start of the line, and clears it to the end.
                FileHandle.standardError.write(Data("\r\(line)\u{1B}[K".utf8))
            } else {
                Terminal.progress(line)
            }
        }
    }

    private var line: String {
        let state = tally.snapshot
        let active = state.runners.count { $0.isActive }
        let acknowledged = state.runners.reduce(0) { $0 + $1.acknowledged }
        let latency = LatencySummary(nanoseconds: state.latencies.suffix(ReplayTally.recentMax))
        return "\(active) running, \(acknowledged)/\(tally.pointsTotal) points acknowledged, \(state.retries) retries"
            + (latency.map { ", \($0.text)" } ?? "")
    }
}
