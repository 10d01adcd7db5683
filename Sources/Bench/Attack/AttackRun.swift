import Campus
import EventLoop
import Foundation
import Glibc
import Logging
import Postgres
import Server
import Services
import Synchronization

/// The results of an attack.
public struct AttackReport: Codable, Sendable {
    /// The latency that the bystanders measured, in milliseconds.
    public struct Service: Codable, Sendable {
        public let p50: Double
        /// 99 % were faster.
        public let p99: Double
        public let max: Double
        /// The number of measurements.
        public let count: Int

        init(_ latency: LatencyHistogram) {
            p50 = latency.milliseconds(quantile: 0.5)
            p99 = latency.milliseconds(quantile: 0.99)
            max = Double(latency.maximum) / 1e6
            count = latency.count
        }
    }

    /// The attack's name, such as `slow-headers`.
    public let attack: String
    public let summary: String
    /// The server's reactions to the attackers.
    public internal(set) var answers: [AttackAnswer] = []
    /// Latency of the bystanders' requests before the attack.
    public let before: Service
    /// Latency of the bystanders' requests during the attack.
    public internal(set) var during: Service
    /// Age of the pushes that the bystanders received before the attack, accurate to a millisecond.
    public let pushesBefore: Service
    /// Age of the pushes during the attack.
    public internal(set) var pushesDuring: Service
    /// Number of bystanders that lost their connection.
    public internal(set) var lost = 0
    /// The server's private memory before the attack, in megabytes.
    public let memoryBefore: Double
    /// The server's maximum private memory during the attack, in megabytes.
    public internal(set) var memoryHighest = 0.0
    /// Duration of the attack in seconds.
    public internal(set) var seconds = 0.0
    /// Cores that the server used during the attack.
    public internal(set) var serverCores = 0.0
    /// Violated expectations; empty if the server withstood the attack.
    public internal(set) var failures: [String] = []

    /// The report as text lines.
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
        return (lines + (failures.isEmpty ? ["  PASSED"] : failures.map { "  FAILED: " + $0 })).joined(separator: "\n")
    }
}

/// One attack with its server, bystanders and measurements.
struct AttackRun {
    /// Maximum ratio of the bystanders' p99 during the attack to that before it.
    static let p99FactorMax = 3.0
    /// Alternatively, maximum increase of the p99 in milliseconds; the larger bound applies, because on two cores
    /// attacker and server share a processor.
    static let p99MillisecondsMoreMax = 20.0
    /// Number of the attackers' accounts.
    static let attackersMax = 100
    /// Pause before the first measurement.
    private static let settleSeconds = 2.0
    /// Interval between two readings of the server's memory.
    private static let memoryCheckMicroseconds: UInt32 = 250_000
    /// Niceness of the attackers, so that they leave the processor to server and bystanders; on a real network they
    /// would use other machines.
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

    /// Runs the script on a thread of its own and measures the server meanwhile.
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
            usleep(Self.memoryCheckMicroseconds)
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
            if visitor.statuses != [200] { report.failures.append("afterwards a visitor received \(visitor.answer)") }
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

    // MARK: Preparation

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

    /// Waits for the campus, because the server checks for a new one every few seconds.
    private static func untilThereIsACampus(_ body: () throws -> Bystanders) async throws -> Bystanders {
        for _ in 0..<20 {
            if let made = try? body() { return made }
            rest(0.5)
        }
        return try body()
    }
}

/// CPU priorities of threads. Dispatch sets those of the server's threads, and PostgreSQL's processes inherit theirs.
/// They are left unchanged, so that they share the processor as in production.
enum Niceness {
    /// The niceness with which this program was started.
    static var own: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid())) }

    /// Sets the niceness of the calling thread; does nothing without the permission.
    static func set(_ niceness: Int32) { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
}
