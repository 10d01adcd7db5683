import CampanileClient
import Foundation
import Glibc
import Wire

/// Options of a loss run.
public struct LossOptions: Sendable {
    /// Number of subscribing clients.
    public var clients = 200
    /// Number of publishing clients.
    public var publishers = 40
    /// Number of topics.
    public var topics = 10
    /// Target rate of all publishers together.
    public var publicationsPerSecond = 120.0
    /// Duration of publishing, in seconds.
    public var seconds = 600.0
    /// Mean seconds between two kills; 0 for none.
    public var killEverySeconds = 20.0
    /// Event loops of the server.
    public var loops = 2
    /// Servers that share one PostgreSQL, with NATS between them if there are several.
    public var nodes = 1
    /// Uses conversations instead of `test/<n>`: accounts, devices, groups of ten.
    public var isChat = false
    /// Fills the database's disk now and then; needs root.
    public var hasFullDisk = false
    /// Gives each of several servers a network namespace, which is cut; needs root. Otherwise a relay between each
    /// server and NATS holds back the data.
    public var hasNamespaces = false

    public init() {}
}

/// The loss checker. Subscribers disconnect at random, and writers resend until they are acknowledged. Meanwhile the
/// server and sometimes its PostgreSQL are killed with kill -9, or the disk is full. In the end every subscriber must
/// have received everything in the table, once and in order (B-6).
public struct LossScenario {
    /// Maximum time for subscribers to reach the table's head at the end.
    private static let settleSecondsMax = 60.0

    private let options: LossOptions

    public init(_ options: LossOptions) { self.options = options }

    /// Runs the checker; takes a little longer than ``LossOptions/seconds``. Do not call it on an event loop.
    /// - Throws: ``BenchError`` if the environment does not permit the run.
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
        // Anything that arrives after this point is a duplicate.
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
