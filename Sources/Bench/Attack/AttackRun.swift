import Campus
import EventLoop
import Foundation
import Glibc
import Logging
import Postgres
import Server
import Services
import Synchronization

/// What an attack came to.
public struct AttackReport: Codable, Sendable {
    /// How the bystanders were served, in milliseconds.
    public struct Service: Codable, Sendable {
        /// The median.
        public let p50: Double
        /// One in a hundred waited longer.
        public let p99: Double
        /// The longest.
        public let max: Double
        /// How many there were.
        public let count: Int

        init(_ latency: LatencyHistogram) {
            p50 = latency.milliseconds(quantile: 0.5)
            p99 = latency.milliseconds(quantile: 0.99)
            max = Double(latency.maximum) / 1e6
            count = latency.count
        }
    }

    /// Such as `slow-headers`.
    public let attack: String
    /// What it does.
    public let summary: String
    /// What the attackers were answered.
    public internal(set) var answers: [AttackAnswer] = []
    /// The bystanders' service before it.
    public let before: Service
    /// And during it.
    public internal(set) var during: Service
    /// How old the pushes were that told them of a runner before it, exact to a millisecond.
    public let pushesBefore: Service
    /// And during it.
    public internal(set) var pushesDuring: Service
    /// Bystanders that lost their connection.
    public internal(set) var lost = 0
    /// The server's private memory before it, in megabytes.
    public let memoryBefore: Double
    /// The most it had during it.
    public internal(set) var memoryHighest = 0.0
    /// How many seconds it lasted.
    public internal(set) var seconds = 0.0
    /// Cores the server used during it.
    public internal(set) var serverCores = 0.0
    /// What was not as it should be; empty when the server stood it.
    public internal(set) var failures: [String] = []

    /// Lines for a person.
    public var table: String {
        func line(_ name: String, _ service: Service) -> String {
            String(
                format: "  bystanders' %@: p50 %.2f ms, p99 %.2f ms, max %.1f ms (%d)", name, service.p50, service.p99,
                service.max, service.count)
        }
        var lines = ["\(attack)  (\(summary))"]
        for answer in answers {
            lines.append("  \(answer.isExpected ? "ok" : "NOT AS EXPECTED")  \(answer.tried)")
            lines.append("      expected \(answer.expected)")
            lines.append("      seen     \(answer.seen.isEmpty ? "nothing" : answer.seen)")
        }
        lines += [line("requests before", before), line("requests during", during)]
        lines += [line("pushes before", pushesBefore), line("pushes during", pushesDuring)]
        lines.append(
            String(
                format: "  server: %.2f cores for %.1f s, private memory %.1f MB before, at most %.1f MB", serverCores,
                seconds, memoryBefore, memoryHighest))
        return (lines + (failures.isEmpty ? ["  STOOD"] : failures.map { "  FAILED: " + $0 })).joined(separator: "\n")
    }
}

/// One attack with everything around it: the server, the bystanders, the clocks.
struct AttackRun {
    /// The bystanders' p99 during the attack may be this many times the one before it,
    static let p99FactorMax = 3.0
    /// or this many milliseconds more, whichever is larger: on two cores attacker and server share a processor.
    static let p99MillisecondsMoreMax = 20.0
    /// Accounts of the attackers.
    static let attackersMax = 100
    /// Rest before the first measurement.
    private static let settleSeconds = 2.0
    /// Between two readings of the server's memory.
    private static let memoryLookMicroseconds: UInt32 = 250_000
    /// Attackers leave the processor to server and bystanders: on a real network they bring their own.
    private static let attackersNicer: Int32 = 5

    private let attack: Attack
    private let script: any AttackScript
    private let seconds: Double
    private let loops: Int

    init(_ attack: Attack, seconds: Double, loops: Int) {
        self.attack = attack
        self.seconds = seconds
        self.loops = loops
        script = attack.script
    }

    func run() async throws -> AttackReport {
        var options = BenchOptions()
        options.loops = loops
        options.tls = script.usesTLS
        let server = try MeasuredServer(
            options, arguments: script.serverArguments, descriptorsMax: script.descriptorsMax)
        defer { server.stop() }
        let accounts = Bystanders.count + Self.attackersMax + 1
        try await IdleScenario.makeAccounts(accounts, dataDirectory: server.directory + "/data")
        try await Self.makeCampus(dataDirectory: server.directory + "/data")
        let tokens = (0..<accounts).map(IdleScenario.token)
        let bystanders = try await Self.untilThereIsACampus {
            try Bystanders(
                port: server.port, tls: server.tls, tokens: Array(tokens[..<Bystanders.count]),
                runnersToken: tokens[accounts - 1])
        }
        bystanders.start()
        Self.rest(Self.settleSeconds)
        _ = bystanders.takeSight()
        Self.rest(seconds)
        let sightBefore = bystanders.takeSight()
        let before = AttackReport.Service(sightBefore.latency)
        let pushesBefore = AttackReport.Service(sightBefore.pushes)
        var report = AttackReport(
            attack: attack.rawValue, summary: script.summary, before: before, during: before,
            pushesBefore: pushesBefore, pushesDuring: pushesBefore,
            memoryBefore: Double(server.process.privateBytes) / 1e6)
        let target = AttackTarget(
            port: server.port, tls: server.tls, processID: server.process.processID,
            end: LoadLoop.now + UInt64(seconds * 1e9),
            zones: bystanders.zones, tokens: Array(tokens[Bystanders.count..<accounts - 1]))
        try launch(target, server.process, &report)
        let sight = bystanders.takeSight()
        report.during = AttackReport.Service(sight.latency)
        report.pushesDuring = AttackReport.Service(sight.pushes)
        report.lost = sight.lost
        bystanders.stop()
        judge(&report, server)
        return report
    }

    /// Runs the script on a thread of its own and watches the server meanwhile.
    private func launch(_ target: AttackTarget, _ process: MeasuredProcess, _ report: inout AttackReport) throws {
        final class Outcome: Sendable {
            let result = Mutex<Result<[AttackAnswer], any Error>?>(nil)
        }
        let outcome = Outcome()
        let (start, cpu) = (LoadLoop.now, process.cpuSeconds)
        let thread = Thread { [script] in
            Niceness.set(Niceness.own + Self.attackersNicer)
            let result = Result { try script.run(target) }
            outcome.result.withLock { $0 = result }
        }
        thread.name = "attackers"
        thread.start()
        var highest = 0
        var result: Result<[AttackAnswer], any Error>?
        while result == nil {
            usleep(Self.memoryLookMicroseconds)
            highest = max(highest, process.privateBytes)
            result = outcome.result.withLock { $0 }
        }
        report.seconds = Double(LoadLoop.now - start) / 1e9
        report.serverCores = (process.cpuSeconds - cpu) / report.seconds
        report.memoryHighest = Double(highest) / 1e6
        report.answers = try result?.get() ?? []
    }

    private func judge(_ report: inout AttackReport, _ server: MeasuredServer) {
        for answer in report.answers where !answer.isExpected {
            report.failures.append("\(answer.tried): expected \(answer.expected), seen \(answer.seen)")
        }
        if report.lost > 0 { report.failures.append("\(report.lost) bystanders lost their connection") }
        judge("requests", report.before, report.during, &report)
        judge("pushes", report.pushesBefore, report.pushesDuring, &report)
        let grown = report.memoryHighest - report.memoryBefore
        if grown * 1e6 > Double(script.memoryGrowthBytesMax) {
            report.failures.append(
                String(
                    format: "the server's memory grew by %.0f MB, more than %.0f MB", grown,
                    Double(script.memoryGrowthBytesMax) / 1e6))
        }
        if let most = script.serverUseMax, report.serverCores > most {
            report.failures.append(
                String(format: "the server used %.2f cores, more than %.2f", report.serverCores, most))
        }
        guard server.process.isRunning else { return report.failures.append("the server has ended") }
        do {
            let visitor = try Attacker(port: server.port, tls: server.tls, source: 0)
            visitor.send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            visitor.wait(seconds: 5)
            if visitor.statuses != [200] { report.failures.append("afterwards a visitor was told \(visitor.answer)") }
        } catch {
            report.failures.append("afterwards a visitor could not connect: \(error)")
        }
    }

    private func judge(
        _ name: String, _ before: AttackReport.Service, _ during: AttackReport.Service, _ report: inout AttackReport
    ) {
        guard during.count > 0 else { return report.failures.append("the bystanders' \(name) were not answered") }
        let limit = max(before.p99 * Self.p99FactorMax, before.p99 + Self.p99MillisecondsMoreMax)
        guard during.p99 > limit else { return }
        report.failures.append(
            String(format: "the bystanders' %@ have a p99 of %.1f ms, more than %.1f ms", name, during.p99, limit))
    }

    // MARK: What is needed

    private static func rest(_ seconds: Double) { usleep(UInt32(seconds * 1e6)) }

    static func makeCampus(
        _ document: CampusDocument = SampleCampus.document, dataDirectory: String
    ) async throws {
        let loop = try EventLoop(label: "attack")
        let configuration = ServerConfiguration(dataDirectory: dataDirectory, resources: try Resources.find())
        let access = try await DatabaseAccess.open(
            configuration, loop: loop, migrating: false, joining: true, logger: Logger(label: "campanile.bench"))
        let pool = PostgresPool(configuration: access.owner, loop: loop)
        _ = try await CampusStore(database: pool).store(document, name: nil)
        await pool.close()
        await access.close()
    }

    /// The server looks for a new campus every few seconds.
    private static func untilThereIsACampus(_ body: () throws -> Bystanders) async throws -> Bystanders {
        for _ in 0..<20 {
            if let made = try? body() { return made }
            rest(0.5)
        }
        return try body()
    }
}

/// How much of the processor threads get. Dispatch sets that of the server's own threads, and PostgreSQL's processes inherit
/// theirs: these stay as they are, so that they share as in earnest.
enum Niceness {
    /// What this program was started with.
    static var own: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid())) }

    /// Of the calling thread. Without the right to it, it stays as it is.
    static func set(_ niceness: Int32) { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
}
