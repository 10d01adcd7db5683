import Campus
import Foundation
import Wire

/// A race: runners that send a fix a second each, and spectators whose maps move. How many positions a CPU-second of the server
/// delivers, how late they are, and what they weigh.
struct SpectatorScenario {
    /// Before the measurement: everyone is on the map, and the server has warmed up.
    private static let warmUpSeconds = 5.0
    /// A slow spectator reads so many bytes a second.
    static let slowBytesPerSecond = 2_000
    /// Of so many spectators, one follows what it is sent exactly, and its latencies count.
    private static let auditedEvery = 50

    private let options: BenchOptions
    private let spectators: Int

    init(_ options: BenchOptions) {
        self.options = options
        spectators = options.connections ?? 2_000
    }

    func run() async throws -> BenchReport {
        let server = try MeasuredServer(options)
        defer { server.stop() }
        try await IdleScenario.makeAccounts(options.runners + spectators, dataDirectory: server.directory + "/data")
        let race = try start(server)
        race.drive(seconds: Self.warmUpSeconds)
        race.beginCounting()
        let before = server.process.privateBytes
        var memory: [Int] = []
        let measured = Measurement.around(server.process) { _ in
            let end = LoadLoop.now + UInt64(options.seconds * 1e9)
            while LoadLoop.now < end {
                race.drive(seconds: min(60, Double(end - min(end, LoadLoop.now)) / 1e9))
                memory.append(server.process.privateBytes)
            }
        }
        return report(race, measured, before: before, memory: memory)
    }

    private func start(_ server: MeasuredServer) throws -> Race {
        let race = Race()
        let slow = Int((Double(spectators) * options.slowPercent / 100).rounded())
        for index in 0..<options.runners {
            let client = try connect(index, server, race.load)
            try race.add(RaceRunner(index: index, of: options.runners, client: client), race.load)
        }
        for index in 0..<spectators {
            let client = try connect(options.runners + index, server, race.load)
            let kind: RaceSpectator.Kind =
                index < slow ? .slow : index % Self.auditedEvery == 0 ? .audited : .counted
            race.add(RaceSpectator(index: index, kind: kind, client: client))
        }
        return race
    }

    private func connect(_ index: Int, _ server: MeasuredServer, _ load: LoadLoop) throws -> RaceClient {
        let isSpectator = index >= options.runners
        let socket = try LoadSocket(port: server.port, tls: server.tls, source: UInt16(1 + index / 1_000))
        try socket.upgrade(path: "/ws")
        let client = RaceClient(socket)
        // Guests and members see different pictures: half are one, half the other.
        let token = isSpectator && index % 2 == 0 ? nil : IdleScenario.token(index)
        client.send(request: Hello.self, .init(token: token, client: .init(name: "campanile bench", version: "1")))
        load.add(socket)
        _ = try client.awaitReply(to: Hello.self, load)
        return client
    }

    private func report(_ race: Race, _ measured: Measurement, before: Int, memory: [Int]) -> BenchReport {
        let what =
            "\(options.runners) runners at 1 Hz, \(spectators) spectators on moving maps"
            + (options.slowPercent > 0 ? ", \(options.slowPercent) % reading \(Self.slowBytesPerSecond) B/s" : "")
        var report = BenchReport(scenario: "spectators", conditions: options.conditions(what))
        let counts = race.counts
        report.add("fixes sent", Double(counts.sent) / measured.seconds, "/s")
        report.add("fixes acknowledged", Double(counts.acknowledged) / measured.seconds, "/s")
        report.add("  after, p50", race.acknowledgement.milliseconds(quantile: 0.5), "ms")
        report.add("  after, p99", race.acknowledgement.milliseconds(quantile: 0.99), "ms")
        report.add("positions delivered", Double(counts.updates) / measured.seconds, "/s")
        report.add(
            "positions delivered per server CPU-second", Double(counts.updates) / measured.serverCPUSeconds, "/s")
        report.add("positions in snapshots", Double(counts.snapshotRunners) / measured.seconds, "/s")
        report.add("maps moved", Double(counts.moves) / measured.seconds, "/s")
        report.add("frames", Double(counts.frames) / measured.seconds, "/s")
        report.add("runners on a map", counts.visible, "")
        report.add("from a runner's send to a spectator, p50", race.latency.milliseconds(quantile: 0.5), "ms")
        report.add("from a runner's send to a spectator, p99", race.latency.milliseconds(quantile: 0.99), "ms")
        report.add("bytes a position, binary", counts.bytesPerUpdate, "B")
        report.add("bytes a position, the same as JSON", counts.jsonBytesPerUpdate, "B")
        report.add("JSON to binary", counts.jsonBytesPerUpdate / counts.bytesPerUpdate, "")
        report.add("spectators that were disconnected", Double(race.lost), "")
        report.add("private memory of the server before", Double(before) / 1e6, "MB")
        for (minute, bytes) in memory.enumerated() where memory.count < 12 || minute % (memory.count / 6) == 0 {
            report.add("  and after minute \(minute + 1)", Double(bytes) / 1e6, "MB")
        }
        report.add("server cores used", measured.serverUse, "")
        report.add("client cores used", measured.clientUse, "")
        if options.slowPercent > 0 {
            report.add("frames a slow spectator got", race.framesOfSlow / measured.seconds, "/s")
        }
        if race.lost > 0 { report.failure = "\(race.lost) spectators were disconnected" }
        if race.refused > 0 { report.failure = "\(race.refused) fixes were refused" }
        if race.errors > 0 { report.failure = "\(race.errors) frames could not be followed" }
        if measured.clientUse > 0.9 {
            report.remarks.append("the client was the bottleneck: latencies are its own as well")
        }
        return report
    }
}
