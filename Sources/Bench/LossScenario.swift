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
    /// Several servers have a network of their own each, which is cut; without, what passes between them and NATS is swallowed.
    public var hasNamespaces = false

    /// The defaults.
    public init() {}
}

/// The loss checker: subscribers that vanish at random, publishers that send again until they are acknowledged, and a server,
/// now and then its PostgreSQL, that is killed under them with kill -9. In the end everybody must have been given everything
/// that is in the table, once, in order (B-6).
public struct LossScenario {
    /// As the Protocol article says.
    static let recoveryPublicationsMax: Int64 = 5_000
    /// The server may take so long to be gone and to come back.
    private static let exitSecondsMax = 10.0
    /// How long subscribers may take to come as far as the table in the end.
    private static let settleSecondsMax = 60.0
    /// How long a node is cut off from NATS.
    private static let partitionSeconds = 20.0

    private let options: LossOptions

    /// A run.
    public init(_ options: LossOptions) { self.options = options }

    /// Runs it; takes a little longer than ``LossOptions/seconds``. Call it off the loops.
    /// - Throws: ``BenchError`` saying what could not be had.
    public func run() async throws -> BenchReport {
        var bench = BenchOptions()
        bench.loops = options.loops
        let nodes = try LossNodes(bench, count: options.nodes, hasNamespaces: options.hasNamespaces)
        defer { nodes.stop() }
        let fleet = LossFleet(
            addresses: try nodes.servers.enumerated().map {
                try ServerAddress(url: "http://\(nodes.host(of: $0.offset)):\($0.element.port)")
            },
            loops: try ClientLoops(count: 1),
            subscribers: options.clients, publishers: options.publishers, topics: options.topics,
            publicationsPerSecond: options.publicationsPerSecond)
        let started = LoadLoop.now
        fleet.start()
        let kills = try await disturb(nodes, until: started + UInt64(options.seconds * 1e9))
        await fleet.stopPublishing()
        let seconds = Double(LoadLoop.now - started) / 1e9
        fleet.settle()
        let data = nodes.database.directory + "/data"
        let audit = try await LossAudit.read(dataDirectory: data)
        let all = fleet.ledgers.flatMap(\.self)
        let deadline = LoadLoop.now + UInt64(Self.settleSecondsMax * 1e9)
        while !audit.isReached(by: all), LoadLoop.now < deadline { try await Task.sleep(for: .milliseconds(50)) }
        // Whatever comes although everybody has everything is one too many.
        try await Task.sleep(for: .seconds(1))
        let settleSeconds = Double(LoadLoop.now - started) / 1e9 - seconds
        await fleet.stop()
        return report(fleet, audit, kills, seconds: seconds, settleSeconds: settleSeconds)
    }

    // MARK: Kills

    private struct Kills {
        var server = 0
        var database = 0
        var nats = 0
        var partitions = 0
        var all: Int { server + database + nats + partitions }
    }

    private enum Disturbance { case server, database, nats, partition }

    /// In turn, so that each comes in a short run as well.
    private var disturbances: [Disturbance] {
        options.nodes > 1
            ? [.nats, .server, .partition, .database, .server] : [.server, .server, .database]
    }

    private func disturb(_ nodes: LossNodes, until end: UInt64) async throws -> Kills {
        var kills = Kills()
        while LoadLoop.now < end {
            let left = Double(end - LoadLoop.now) / 1e9
            guard options.killEverySeconds > 0, left > options.killEverySeconds else {
                try await Task.sleep(for: .seconds(left))
                break
            }
            try await Task.sleep(for: .seconds(options.killEverySeconds * Double.random(in: 0.5...1.5)))
            switch disturbances[kills.all % disturbances.count] {
            case .database:
                try killDatabase(nodes.database)
                kills.database += 1
            case .server:
                try await killServer(nodes.servers[kills.server % nodes.servers.count])
                kills.server += 1
            case .nats:
                try nodes.restartNATS()
                kills.nats += 1
            case .partition:
                let link = nodes.links[kills.partitions % nodes.links.count]
                link.setCut(true)
                try await Task.sleep(for: .seconds(Self.partitionSeconds))
                link.setCut(false)
                kills.partitions += 1
            }
        }
        return kills
    }

    private func killServer(_ server: MeasuredServer) async throws {
        // It is waited for: nothing else touches it meanwhile.
        nonisolated(unsafe) let server = server
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        server.process.signal(SIGKILL)
                        try server.process.waitUntilExit(secondsMax: Self.exitSecondsMax)
                        try server.startAgain()
                        _ = try server.process.readPort()
                    })
            }
        }
    }

    /// The server starts it again.
    private func killDatabase(_ server: MeasuredServer) throws {
        let file = server.directory + "/data/postgres/data/postmaster.pid"
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let process = text.split(separator: "\n").first.flatMap({ pid_t($0) }), process > 1
        else { throw BenchError(description: "the server's PostgreSQL has no process number") }
        kill(process, SIGKILL)
    }

    // MARK: The report

    private func report(
        _ fleet: LossFleet, _ audit: LossAudit, _ kills: Kills, seconds: Double, settleSeconds: Double
    ) -> BenchReport {
        let state = fleet.tally.snapshot
        let ledgers = fleet.ledgers.flatMap(\.self)
        let given = ledgers.map(\.snapshot)
        let lost = ledgers.reduce(0) { $0 + audit.lost($1) }
        let unjustified = state.unrecovered.count { !audit.isJustified($0) }
        let missing = audit.missing(state.acknowledged)
        let networks = options.hasNamespaces ? " in networks of their own" : ""
        let servers = options.nodes > 1 ? "\(options.nodes) servers\(networks)" : "server"
        var report = BenchReport(
            scenario: "loss",
            conditions:
                "\(options.clients) subscribers on \(options.topics) topics, \(options.publishers) publishers, "
                + "\(Int(seconds)) s, \(servers) with \(options.loops) loops")
        func add(_ name: String, _ value: Int) { report.add(name, Double(value), "") }
        add("kill -9 of the server", kills.server)
        add("kill -9 of PostgreSQL", kills.database)
        if options.nodes > 1 {
            add("kill -9 of NATS", kills.nats)
            add("cuts between a node and NATS, \(Int(Self.partitionSeconds)) s", kills.partitions)
        }
        for (place, histogram) in [("the same", state.sameNode), ("another", state.otherNode)]
        where options.nodes > 1 {
            for quantile in [0.5, 0.99] {
                report.add(
                    "pushed at \(place) node p\(Int(quantile * 100))", histogram.milliseconds(quantile: quantile), "ms")
            }
        }
        add("connections dropped by subscribers", state.drops)
        add("connections made by subscribers", state.connections)
        add("publications acknowledged", state.acknowledged.count)
        report.add("publications acknowledged per second", Double(state.acknowledged.count) / seconds, "/s")
        report.add("acknowledgement p50", state.latency.milliseconds(quantile: 0.5), "ms")
        report.add("acknowledgement p99", state.latency.milliseconds(quantile: 0.99), "ms")
        add("publications sent again", state.resends)
        add("deliveries, in order", given.reduce(0) { $0 + $1.hashes.count })
        add("subscriptions recovered", state.recovered)
        add("publications given by recovery", state.recoveredPublications)
        add("pages of long recoveries", state.pages)
        report.add("until everybody had everything", settleSeconds, "s")
        for reason in RecoveryFailure.allCases {
            add("recovered: false, \(reason.rawValue)", state.unrecovered.count { $0.reason == reason })
        }
        add("recovered: false, not justified", unjustified)
        add("made-up positions", state.probes)
        add("made-up positions called recovered", state.falseProbes)
        add("acknowledged and not in the table", missing)
        add("in the table and not acknowledged", audit.unacknowledged(state.acknowledged))
        add("stored twice", audit.storedTwice + state.movedResends)
        add("lost by subscribers", lost)
        add("duplicated for subscribers", given.reduce(0) { $0 + $1.duplicated })
        add("out of order for subscribers", given.reduce(0) { $0 + $1.outOfOrder })
        for (trouble, count) in state.troubles { report.remarks.append("\(trouble) (\(count) times)") }
        if !state.closeCodes.isEmpty {
            let codes = state.closeCodes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            report.remarks.append("connections closed by code: \(codes.joined(separator: ", "))")
        }
        let wrong = [
            lost, given.reduce(0) { $0 + $1.duplicated + $1.outOfOrder }, unjustified, state.falseProbes, missing,
            audit.storedTwice, state.movedResends, audit.gaps, state.unacknowledged, state.troubles.count,
        ]
        if wrong.contains(where: { $0 > 0 }) {
            report.failure = "something was lost, doubled, out of order or not told truthfully"
        } else if state.acknowledged.isEmpty || given.allSatisfy(\.hashes.isEmpty) {
            report.failure = "nothing was published or given: the run shows nothing"
        }
        return report
    }
}
