import Campus
import Foundation
import Wire

/// Options of the day scenario.
public struct DayOptions: Sendable {
    /// People on campus.
    public var people = 30_000
    /// Number of people with a connection of their own; the others report by `POST /rpc`. The limit of open files of
    /// the process bounds it.
    public var connections = 15_000
    /// Number of people, among those with a connection, who share their location with a viewer. Each viewer subscribes
    /// all the time, over one more connection.
    public var shares = 1_500
    /// Guests that subscribe to the heatmap.
    public var watchers = 200
    /// Start of the simulated period, in hours of the day.
    public var from = 8.5
    /// End of the simulated period, in hours of the day.
    public var until = 9.5
    /// Simulated seconds per real second.
    public var speed = 4
    /// Whether phones report at their real rate per real second, regardless of ``speed``.
    public var isAtPhonePace = false
    /// The server's event loops.
    public var loops = 2
    /// The campus, as an OpenStreetMap extract; nil for the sample campus.
    public var file: String?

    public init() {}
}

/// Simulates a day of people who move on a campus and report their positions at a phone's rate. Measures the server's
/// throughput and latency.
public struct DayScenario {
    /// Reported accuracies, in metres.
    private static let accuracies = [5, 8, 12, 20]
    private static let importSecondsMax = 120.0
    /// Maximum delay of the client, in real seconds.
    private static let behindSecondsMax = 2.0

    private let options: DayOptions

    public init(_ options: DayOptions) { self.options = options }

    /// Runs the scenario. Takes as long as the simulated period at its speed. Do not call it on an event loop.
    /// - Throws: ``BenchError`` if the environment does not permit the run.
    public func run() async throws -> BenchReport {
        let connections = min(options.connections, options.people)
        let shares = min(options.shares, connections)
        try StormScenario.requireDescriptors(
            connections + shares + options.watchers + DayFleet.sharedMax + 500,
            advice: "take fewer with --connections or --shares")
        let campus = try campus()
        let day = try CampusDay(campus, people: options.people)
        var bench = BenchOptions()
        bench.loops = options.loops
        // All phones connect from loopback addresses, to which the server's per-address limits do not apply.
        let server = try MeasuredServer(bench)
        defer { server.stop() }
        if let file = options.file { try importCampus(file, server) }
        try await IdleScenario.makeAccounts(options.people + shares, dataDirectory: server.directory + "/data")
        try await optIn(server)
        let fleet = DayFleet(port: server.port)
        var memory = [server.process.privateBytes]
        try fleet.connect(connections)
        try fleet.share(shares, with: options.people)
        try fleet.watchHeatmap(options.watchers)
        memory.append(server.process.privateBytes)
        var report = BenchReport(
            scenario: "day",
            conditions: """
                \(options.people) people, \(connections) with a connection, \(shares) share with a viewer, \
                from \(options.from) \
                to \(options.until) o'clock at \(options.speed)-fold speed, \
                reports at \(options.isAtPhonePace ? "a phone's pace" : "that speed"), \
                \(options.loops) loops, \(campus.ways.count) ways
                """)
        var course = DayCourse(server.process)
        fleet.startAgain()
        let measured = Measurement.around(server.process) { _ in drive(day, fleet, &course) }
        try? fleet.settle()
        memory.append(server.process.privateBytes)
        add(fleet, measured, course, to: &report)
        for (name, bytes) in zip(["before connections", "with all connections", "at the end"], memory) {
            report.add("private memory of the server, \(name)", Double(bytes) / 1e6, "MB")
        }
        if fleet.lost + fleet.viewers.lost > 0 {
            report.failure = "\(fleet.lost + fleet.viewers.lost) requests or connections were lost"
        }
        if fleet.refused > 0 {
            report.failure = "\(fleet.refused) reports were refused, the first with \(fleet.refusal ?? "")"
        }
        return report
    }

    private func add(
        _ fleet: DayFleet, _ measured: Measurement, _ course: DayCourse, to report: inout BenchReport
    ) {
        report.add("reports answered", Double(fleet.answered) / measured.seconds, "/s")
        report.add("  in the busiest ten seconds", course.busiestReports, "/s")
        report.add("  after, p50", fleet.answers.milliseconds(quantile: 0.5), "ms")
        report.add("  after, p99", fleet.answers.milliseconds(quantile: 0.99), "ms")
        report.add("pushes of shares", Double(fleet.viewers.pushes) / measured.seconds, "/s")
        report.add(
            "  an exact report reaches its viewer after, p50", fleet.viewers.delays.milliseconds(quantile: 0.5), "ms")
        report.add("  after, p99", fleet.viewers.delays.milliseconds(quantile: 0.99), "ms")
        report.add("  after, at most", Double(fleet.viewers.delays.maximum) / 1e6, "ms")
        report.add("  exact reports received", Double(fleet.viewers.delays.count), "")
        report.add("pushes of the heatmap", Double(fleet.heatmapPushes), "")
        report.add("server cores used", measured.serverUse, "")
        report.add("  in the busiest ten seconds", course.busiestUse, "")
        report.add(
            "server CPU a report, in total", measured.serverCPUSeconds / Double(max(1, fleet.answered)) * 1e6, "us")
        report.add("client cores used", measured.clientUse, "")
        report.add("the client was behind by at most", course.behind, "s of the day")
        if measured.clientUse > 0.9 {
            report.remarks.append("the client was the bottleneck: latencies are its own as well")
        }
        if course.behind > Self.behindSecondsMax * Double(options.speed) {
            report.remarks.append("the day ran slower than asked for: server or client is at its limit")
        }
    }

    /// Lets every other account count in the heatmap, and every fifth record visits.
    private func optIn(_ server: MeasuredServer) async throws {
        try await BenchDatabase.with(server.directory + "/data") { database in
            try await database.script(
                """
                INSERT INTO privacy_settings (account_id, heatmap, visits)
                SELECT id, id % 2 = 0, id % 5 = 0 FROM accounts WHERE username LIKE 'bench%' AND (id % 2 = 0 OR id % 5 = 0)
                """)
        }
    }

    private func campus() throws -> CampusDocument {
        guard let file = options.file else { return SampleCampus.document }
        do {
            return try OSMImport().read(URL(fileURLWithPath: file))
        } catch {
            throw BenchError(description: "\(error)")
        }
    }

    private func importCampus(_ file: String, _ server: MeasuredServer) throws {
        let importing = try MeasuredProcess(["import", "--data", server.directory + "/data", file], isPinned: false)
        do {
            try importing.waitUntilExit(secondsMax: Self.importSecondsMax)
        } catch {
            importing.stop()
            throw error
        }
        guard importing.exitStatus == 0 else {
            throw BenchError(description: "\(file) was not imported: try campanile import with it")
        }
    }

    private func drive(_ day: CampusDay, _ fleet: DayFleet, _ course: inout DayCourse) {
        let (first, last) = (Int(options.from * 3_600), Int(options.until * 3_600))
        var reports = DayReports(day, from: first, stretch: options.isAtPhonePace ? options.speed : 1)
        let began = LoadLoop.now
        for second in first..<last {
            // The real time at which the simulated second begins.
            let due = began + UInt64(Double(second - first) / Double(options.speed) * 1e9)
            while LoadLoop.now < due { fleet.drive(milliseconds: 1) }
            course.behind = max(course.behind, Double(LoadLoop.now - due) / 1e9 * Double(options.speed))
            var count = 0
            reports.take(second) { person, point, _ in
                fleet.report(
                    person, latitude: point.latitude, longitude: point.longitude,
                    accuracy: Self.accuracies[person % Self.accuracies.count])
                count += 1
                if count % 64 == 0 { fleet.drive(milliseconds: 0) }
            }
            course.record(reports: count)
        }
    }
}

/// The course of a day, in steps of ten real seconds.
private struct DayCourse {
    private static let stepSeconds = 10.0

    private let server: MeasuredProcess
    private var began = LoadLoop.now
    private var cpu: Double
    private var reports = 0
    /// Reports per second.
    private(set) var busiestReports = 0.0
    /// Cores used by the server.
    private(set) var busiestUse = 0.0
    /// Maximum delay of the client, in simulated seconds.
    var behind = 0.0

    init(_ server: MeasuredProcess) {
        self.server = server
        cpu = server.cpuSeconds
    }

    mutating func record(reports count: Int) {
        reports += count
        let seconds = Double(LoadLoop.now - began) / 1e9
        guard seconds >= Self.stepSeconds else { return }
        let now = server.cpuSeconds
        busiestReports = max(busiestReports, Double(reports) / seconds)
        busiestUse = max(busiestUse, (now - cpu) / seconds)
        (began, cpu, reports) = (LoadLoop.now, now, 0)
    }
}
