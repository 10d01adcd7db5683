import CampanileClient
import Foundation
import Glibc
import Wire

/// How a loss run is made.
public struct LossOptions: Sendable {
    /// Clients that subscribe.
    public var clients = 200
    /// Clients that publish.
    public var publishers = 40
    /// Topics that they publish on.
    public var topics = 10
    /// Publications of all publishers together, wanted.
    public var publicationsPerSecond = 120.0
    /// How long they publish.
    public var seconds = 600.0
    /// Between two kills; 0 for none.
    public var killEverySeconds = 20.0
    /// Loops of the server.
    public var loops = 2
    /// Servers over one PostgreSQL, with NATS between them when there are several.
    public var nodes = 1
    /// Conversations instead of `test/<n>`: accounts, devices, groups of ten.
    public var isChat = false
    /// The database's disk is full now and then; needs root.
    public var hasFullDisk = false
    /// Several servers have a network of their own each, which is cut; without, what passes between them and NATS is swallowed.
    public var hasNamespaces = false

    /// The defaults.
    public init() {}
}

/// The loss checker: subscribers that vanish at random, writers that send again until they are acknowledged, and a server,
/// now and then its PostgreSQL, that is killed under them with kill -9, or has no room on its disk. In the end everybody must have
/// been given everything that is in the table, once, in order (B-6).
public struct LossScenario {
    /// How long subscribers may take to come as far as the table in the end.
    private static let settleSecondsMax = 60.0

    private let options: LossOptions

    /// A run.
    public init(_ options: LossOptions) { self.options = options }

    /// Runs it; takes a little longer than ``LossOptions/seconds``. Call it off the loops.
    /// - Throws: ``BenchError`` saying what could not be had.
    public func run() async throws -> BenchReport {
        var bench = BenchOptions()
        bench.loops = options.loops
        let nodes = try LossNodes(
            bench, count: options.nodes, hasNamespaces: options.hasNamespaces, hasDisk: options.hasFullDisk)
        defer { nodes.stop() }
        let data = nodes.database.directory + "/data"
        let addresses = try nodes.servers.enumerated().map {
            try ServerAddress(url: "http://\(nodes.host(of: $0.offset)):\($0.element.port)")
        }
        let loops = try ClientLoops(count: 1)
        let traffic = try await traffic(addresses[0], loops, dataDirectory: data)
        let fleet = LossFleet(
            traffic, addresses: addresses, loops: loops, writesPerSecond: options.publicationsPerSecond)
        let started = LoadLoop.now
        fleet.start(seconds: options.seconds)
        var disturbances = LossDisturbances(options, nodes, fleet.tally)
        try await disturbances.run(until: started + UInt64(options.seconds * 1e9))
        await fleet.stopWriting()
        let seconds = Double(LoadLoop.now - started) / 1e9
        fleet.settle()
        let audit = try await LossAudit.read(traffic, dataDirectory: data)
        let deadline = LoadLoop.now + UInt64(Self.settleSecondsMax * 1e9)
        while !audit.isReached(by: fleet.ledgers), LoadLoop.now < deadline {
            try await Task.sleep(for: .milliseconds(50))
        }
        // Whatever comes although everybody has everything is one too many.
        try await Task.sleep(for: .seconds(1))
        let settleSeconds = Double(LoadLoop.now - started) / 1e9 - seconds
        await fleet.stop()
        var report = LossReport(
            options, fleet, audit, disturbances.counts, seconds: seconds, settleSeconds: settleSeconds)
        try await report.inspect(fleet)
        return report.finished
    }

    private func traffic(
        _ address: ServerAddress, _ loops: ClientLoops, dataDirectory: String
    ) async throws -> any LossTraffic {
        guard options.isChat else { return LossTopics(options) }
        return try await LossChat.make(options, dataDirectory: dataDirectory) {
            try await LossFleet.connect(to: address, loops: loops, token: $0)
        }
    }
}
