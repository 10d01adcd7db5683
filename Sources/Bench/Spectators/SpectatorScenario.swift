import Campus
import Foundation
import Wire

/// Measures a race: runners that each send one fix per second, and spectators with moving maps. The results are the
/// positions delivered per CPU second of the server, their latency and their size.
struct SpectatorScenario {
    /// Warm-up before the measurement, until all runners are on the map.
    private static let warmUpSeconds = 5.0
    /// Bytes per second that a slow spectator reads.
    static let slowBytesPerSecond = 2_000
    /// One spectator in this many decodes its feeds, and only its latencies count.
    private static let auditedEvery = 50

    private let options: BenchOptions
    let spectators: Int

    init(_ options: BenchOptions) {
        self.options = options
        spectators = options.connections ?? 2_000
    }

    func run() async throws -> BenchReport {
        let server = try MeasuredServer(options)
        defer { server.stop() }
        try await IdleScenario.makeAccounts(options.runners + spectators, dataDirectory: server.directory + "/data")
        let race = try start(server)
        race.spreadRunners(milliseconds: options.arrivalMilliseconds)
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
        let counts = race.counts
        let floor = try Self.floorCPU(
            sockets: spectators, perSecond: max(1, Double(counts.reads) / measured.seconds / Double(spectators)),
            bytes: max(1, counts.updateBytes / max(1, counts.reads)))
        return report(race, measured, before: before, memory: memory, floor: floor)
    }

    /// CPU seconds per second of the baseline server, for the same number of bytes, sends and connections.
    static func floorCPU(sockets count: Int, perSecond: Double, bytes: Int) throws -> Double {
        let floor = try MeasuredFloor(messageBytesIn: 1, messageBytesOut: bytes)
        defer { floor.stop() }
        let load = LoadLoop()
        let sockets = try (0..<count).map { index in
            let socket = try LoadSocket(port: floor.port, source: UInt16(1 + index / 1_000))
            socket.write([UInt8(ascii: "s")])
            load.add(socket)
            return socket
        }
        let publisher = try LoadSocket(port: floor.port)
        publisher.write([UInt8(ascii: "p")])
        usleep(200_000)
        let measured = Measurement.around(floor.process) { _ in
            let start = LoadLoop.now
            var sent = 0.0
            while LoadLoop.now - start < Self.floorNanoseconds {
                if sent < Double(LoadLoop.now - start) / 1e9 * perSecond {
                    publisher.write([0])
                    sent += 1
                }
                usleep(Race.pauseMicroseconds)
                load.pollAll { $0.receiveOnce(load.buffer) { _ in } }
            }
        }
        withExtendedLifetime(sockets) {}
        return measured.serverCPUSeconds / measured.seconds
    }

    private static let floorNanoseconds: UInt64 = 5_000_000_000

    func start(_ server: MeasuredServer) throws -> Race {
        let race = Race()
        let slow = Int((Double(spectators) * options.slowPercent / 100).rounded())
        for index in 0..<options.runners {
            let client = try connect(index, server, race.load)
            try race.add(RaceRunner(client: client), race.load)
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
        // Half of the spectators are guests and half are members, because they receive different area feeds.
        let token = isSpectator && index % 2 == 0 ? nil : IdleScenario.token(index)
        client.send(request: Hello.self, .init(token: token, client: .init(name: "campanile bench", version: "1")))
        load.add(socket)
        _ = try client.awaitReply(to: Hello.self, load)
        return client
    }

    private func report(
        _ race: Race, _ measured: Measurement, before: Int, memory: [Int], floor: Double
    ) -> BenchReport {
        let what =
            "\(options.runners) runners at 1 Hz, within \(options.arrivalMilliseconds) ms of each second, "
            + "\(spectators) spectators on moving maps"
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
        let atFloor = Double(counts.updates) / measured.seconds / max(floor, .ulpOfOne)
        report.add("floor: as many bytes in as many sends, per CPU-second", atFloor, "/s")
        report.add(
            "ratio to the floor", Double(counts.updates) / measured.serverCPUSeconds / atFloor, "")
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
        for (how, count) in race.endings { report.remarks.append("\(how) (\(count) times)") }
        if race.lost > 0 { report.failure = "\(race.lost) spectators were disconnected" }
        if race.refused > 0 { report.failure = "\(race.refused) fixes were refused" }
        if race.brokenFeeds > 0 { report.failure = "\(race.brokenFeeds) area feeds were left with a gap" }
        // Fixes in flight at the end do not count as missing.
        if Double(counts.acknowledged) < Double(counts.sent) * 0.99 - Double(options.runners) * 2 {
            report.failure = "\(counts.sent - counts.acknowledged) fixes were not acknowledged"
        }
        if counts.updates == 0 || race.latency.count == 0 { report.failure = "no positions arrived" }
        if counts.unmatched * 100 > race.latency.count {
            report.failure = "\(counts.unmatched) positions are none of the last forty that their runners sent"
        }
        if race.errors > 0 { report.failure = "\(race.errors) frames could not be decoded" }
        if measured.clientUse > 0.9 {
            report.remarks.append("the client was the bottleneck: latencies are its own as well")
        }
        return report
    }
}
