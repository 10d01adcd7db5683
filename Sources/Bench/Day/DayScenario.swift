import Campus
import Foundation
import Wire

/// How a day is measured.
public struct DayOptions: Sendable {
    /// People on campus.
    public var people = 30_000
    /// Of them, those with a connection of their own; the others report by `POST /rpc`. A process may have so many files open.
    public var connections = 15_000
    /// Guests who look at the heatmap.
    public var watchers = 200
    /// Hours of the day.
    public var from = 8.5
    /// Hours of the day.
    public var until = 9.5
    /// Seconds of the day in a second.
    public var speed = 10.0
    /// The server's loops.
    public var loops = 2
    /// The campus, an OpenStreetMap extract; nil for the sample campus.
    public var file: String?

    /// The defaults.
    public init() {}
}

/// A day of people who move on a campus and report where they are at a phone's rate: what the server takes, and how late it is.
public struct DayScenario {
    /// Reported accuracies, in metres.
    private static let accuracies = [5, 8, 12, 20]
    private static let importSecondsMax = 120.0
    /// A step of the day whose reports are sent together, in seconds of the day.
    private static let behindSecondsMax = 60.0

    private let options: DayOptions

    /// A measurement.
    public init(_ options: DayOptions) { self.options = options }

    /// Takes as long as the part of the day at its speed. Call it off the loops.
    /// - Throws: ``BenchError`` saying what could not be had.
    public func run() async throws -> BenchReport {
        try StormScenario.requireDescriptors(options.connections + options.watchers + 500)
        let campus = try campus()
        let day = try CampusDay(campus, people: options.people)
        var bench = BenchOptions()
        bench.loops = options.loops
        // All phones come from a handful of addresses here.
        let server = try MeasuredServer(bench)
        defer { server.stop() }
        if let file = options.file { try importCampus(file, server) }
        try await IdleScenario.makeAccounts(options.people, dataDirectory: server.directory + "/data")
        let fleet = DayFleet(port: server.port)
        let empty = server.process.privateBytes
        try fleet.connect(min(options.connections, options.people))
        try fleet.watchHeatmap(options.watchers)
        let connected = server.process.privateBytes
        var report = BenchReport(
            scenario: "day",
            conditions: "\(options.people) people, \(min(options.connections, options.people)) with a connection, "
                + "from \(options.from) to \(options.until) o'clock at \(options.speed)-fold speed, "
                + "\(options.loops) loops, \(campus.ways.count) ways")
        var busiest = 0
        var behind = 0.0
        let measured = Measurement.around(server.process) { _ in
            (busiest, behind) = drive(day, fleet)
        }
        try? fleet.settle()
        report.add("reports", Double(fleet.sent) / measured.seconds, "/s")
        report.add("reports answered", Double(fleet.answered) / measured.seconds, "/s")
        report.add("  in the busiest second of the day", Double(busiest), "")
        report.add("  after, p50", fleet.answers.milliseconds(quantile: 0.5), "ms")
        report.add("  after, p99", fleet.answers.milliseconds(quantile: 0.99), "ms")
        report.add("server cores used", measured.serverUse, "")
        report.add("server CPU a report", measured.serverCPUSeconds / Double(max(1, fleet.answered)) * 1e6, "us")
        report.add("client cores used", measured.clientUse, "")
        report.add("the client was behind by at most", behind, "s of the day")
        report.add("heatmap pushes", Double(fleet.heatmapPushes), "")
        report.add("private memory of the server, nobody there", Double(empty) / 1e6, "MB")
        report.add("  with everybody connected", Double(connected) / 1e6, "MB")
        report.add("  at the end", Double(server.process.privateBytes) / 1e6, "MB")
        if fleet.lost > 0 { report.failure = "\(fleet.lost) requests or connections were lost" }
        if fleet.refused > 0 {
            report.failure = "\(fleet.refused) reports were refused, the first with \(fleet.refusal ?? "")"
        }
        if measured.clientUse > 0.9 {
            report.remarks.append("the client was the bottleneck: latencies are its own as well")
        }
        if behind > Self.behindSecondsMax {
            report.remarks.append("the day ran slower than asked for: server or client is at its limit")
        }
        return report
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
        try importing.waitUntilExit(secondsMax: Self.importSecondsMax)
    }

    /// - Returns: Reports of the busiest second, and seconds of the day that the client was behind at most.
    private func drive(_ day: CampusDay, _ fleet: DayFleet) -> (busiest: Int, behind: Double) {
        let (first, last) = (Int(options.from * 3_600), Int(options.until * 3_600))
        var reports = DayReports(day, from: first)
        let began = LoadLoop.now
        var (busiest, behind) = (0, 0.0)
        for second in first..<last {
            // When the second begins, the day running at its speed.
            let due = began + UInt64(Double(second - first) / options.speed * 1e9)
            while LoadLoop.now < due { fleet.drive(milliseconds: 1) }
            behind = max(behind, Double(LoadLoop.now - due) / 1e9 * options.speed)
            var count = 0
            reports.take(second) { person, point, _ in
                fleet.report(
                    person, latitude: point.latitude, longitude: point.longitude,
                    accuracy: Self.accuracies[person % Self.accuracies.count])
                count += 1
                if count % 64 == 0 { fleet.drive(milliseconds: 0) }
            }
            busiest = max(busiest, count)
        }
        return (busiest, behind)
    }
}
