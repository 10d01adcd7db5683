import EventLoop
import Foundation
import Logging
import Postgres
import Server
import Wire

/// Measures chat between buddies: the time until a message arrives at the other side at a steady rate, and the number
/// of durable messages acknowledged per second. The latter is compared with PostgreSQL's own commit rate in the same
/// run.
struct ChatScenario {
    /// Warm-up before each measurement.
    private static let warmUpSeconds = 2.0
    /// Number of pgbench clients, equal to the senders of the first throughput round.
    private static let clients = 32
    /// Wait for outstanding messages after a round.
    private static let restSeconds = 3.0

    private let options: BenchOptions
    private let conversations: Int

    init(_ options: BenchOptions) {
        self.options = options
        conversations = options.connections ?? 500
    }

    func run() async throws -> BenchReport {
        let server = try MeasuredServer(options, arguments: ["--rate-limit", "off"], isPinned: false)
        defer { server.stop() }
        try await IdleScenario.makeAccounts(conversations * 2, dataDirectory: server.directory + "/data")
        let cluster = try await prepare(server.directory + "/data")
        let fleet = try ChatFleet(conversations: cluster.conversations, server)
        var report = BenchReport(
            scenario: "chat",
            conditions: options.conditions(
                "\(conversations) conversations of two, each with the conversation and its own signals open"))
        measurePace(fleet, server, &report)
        var committed = try measureThroughput("each shown to both sides", fleet, server, cluster, &report)
        try fleet.stopListening()
        committed = try measureThroughput("without subscribers", fleet, server, cluster, &report) ?? committed
        audit(fleet, try await storedMessages(server.directory + "/data"), &report)
        if let failure = committed { report.failure = failure }
        return report
    }

    // MARK: Steady rate

    private func measurePace(_ fleet: ChatFleet, _ server: MeasuredServer, _ report: inout BenchReport) {
        fleet.write(perSecond: options.messagesPerSecond, seconds: Self.warmUpSeconds)
        fleet.wait(seconds: Self.restSeconds)
        fleet.beginCounting()
        let measured = Measurement.around(server.process) { _ in
            fleet.write(perSecond: options.messagesPerSecond, seconds: options.seconds * Double(options.rounds))
        }
        fleet.wait(seconds: Self.restSeconds)
        let counts = fleet.counts
        report.add("at a steady rate: messages sent", Double(counts.sent) / measured.seconds, "/s")
        report.add("  acknowledged after, p50", fleet.acknowledgement.milliseconds(quantile: 0.5), "ms")
        report.add("  acknowledged after, p99", fleet.acknowledgement.milliseconds(quantile: 0.99), "ms")
        report.add("  on the other side after, p50", fleet.latency.milliseconds(quantile: 0.5), "ms")
        report.add("  on the other side after, p99", fleet.latency.milliseconds(quantile: 0.99), "ms")
        report.add("  on the other side after, at most", Double(fleet.latency.maximum) / 1e6, "ms")
        report.add("  server CPU per message", measured.serverCPUSeconds / Double(max(1, counts.sent)) * 1e6, "µs")
        report.add("  server cores used, without PostgreSQL", measured.serverUse, "")
        report.add("  client cores used", measured.clientUse, "")
        if counts.shown < counts.sent { report.failure = "\(counts.sent - counts.shown) messages were not shown" }
    }

    // MARK: Throughput

    /// Alternates chat and pgbench, so that other load on the machine affects both.
    /// - Returns: A failure message, or nil.
    private func measureThroughput(
        _ name: String, _ fleet: ChatFleet, _ server: MeasuredServer, _ cluster: Cluster,
        _ report: inout BenchReport
    ) throws -> String? {
        var rates: [Int: [Double]] = [:]
        var floors: [Double] = []
        var serverUse = 0.0
        var clientUse = 0.0
        let crowds = [Self.clients, fleet.count]
        for _ in 0..<options.rounds {
            floors.append(try cluster.pgbench(clients: Self.clients, seconds: options.seconds))
            for crowd in crowds {
                fleet.beginCounting()
                let measured = Measurement.around(server.process) { _ in
                    fleet.writeWithoutPause(senders: crowd, seconds: options.seconds)
                }
                rates[crowd, default: []].append(Double(fleet.counts.acknowledged) / measured.seconds)
                (serverUse, clientUse) = (measured.serverUse, measured.clientUse)
                fleet.wait(seconds: Self.restSeconds)
            }
        }
        let floor = Self.median(floors)
        report.add("as fast as it goes, \(name):", Double(options.rounds), "stretches")
        report.add("  pgbench, one row a commit, \(Self.clients) clients", floor, "/s")
        for crowd in crowds {
            let rate = Self.median(rates[crowd] ?? [])
            report.add("  durable, acknowledged messages, \(crowd) senders", rate, "/s")
            report.add("    ratio to pgbench", rate / floor, "")
        }
        report.add("  server cores used, without PostgreSQL", serverUse, "")
        report.add("  client cores used", clientUse, "")
        return fleet.counts.refused > 0 ? "\(fleet.counts.refused) messages were refused" : nil
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    private func audit(_ fleet: ChatFleet, _ stored: Int, _ report: inout BenchReport) {
        report.add("messages acknowledged in all", Double(fleet.acknowledgedInAll), "")
        report.add("messages stored", Double(stored), "")
        if stored != fleet.acknowledgedInAll {
            report.failure = "\(fleet.acknowledgedInAll) messages were acknowledged and \(stored) are stored"
        }
        if fleet.outOfOrder > 0 { report.failure = "\(fleet.outOfOrder) messages came out of order or twice" }
    }

    // MARK: Database

    /// The server's private PostgreSQL.
    struct Cluster {
        let conversations: [Int64]
        let socketDirectory: String
        let user: String
        let database: String
        let passwordFile: String

        /// - Returns: Commits per second.
        func pgbench(clients: Int, seconds: Double) throws -> Double {
            let script = NSTemporaryDirectory() + "campanile-pgbench-\(UUID().uuidString).sql"
            try "INSERT INTO bench_rows (body) VALUES (repeat('x', 100));\n".write(
                toFile: script, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(atPath: script) }
            // Not with Foundation: pgbench ends by a signal, which is blocked in children of Dispatch's threads.
            let finished = try ChildProcess.run(
                [
                    "/usr/lib/postgresql/15/bin/pgbench", "-n", "-c", "\(clients)", "-j", "2", "-T",
                    "\(max(1, Int(seconds.rounded())))", "-f", script, "-h", socketDirectory, "-U", user, database,
                ], environment: ["PGPASSFILE": passwordFile])
            let text = finished.output
            guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
                let rate = Double(line.dropFirst("tps = ".count).prefix { $0 != " " })
            else { throw BenchError(description: "pgbench printed no rate: \(text)") }
            return rate
        }
    }

    private func prepare(_ dataDirectory: String) async throws -> Cluster {
        try await withDatabase(dataDirectory) { database, configuration in
            try await database.script(
                "CREATE TABLE bench_rows (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL)")
            let rows = try await database.query(
                """
                SELECT chat_open_direct(a.id, b.id, now()) AS id FROM accounts a JOIN accounts b ON b.id = a.id + 1
                WHERE a.username ~ '^bench[0-9]*[02468]$' ORDER BY a.id
                """)
            return Cluster(
                conversations: try rows.map { try $0.int("id") }, socketDirectory: configuration.host ?? "",
                user: configuration.user ?? "", database: configuration.database ?? "",
                passwordFile: "\(dataDirectory)/postgres/pgpass")
        }
    }

    private func storedMessages(_ dataDirectory: String) async throws -> Int {
        try await withDatabase(dataDirectory) { database, _ in
            let rows = try await database.query("SELECT count(*) AS count FROM chat_log WHERE kind = 'message'")
            return Int(try rows.first?.int("count") ?? 0)
        }
    }

    private func withDatabase<T>(
        _ dataDirectory: String, _ body: (PostgresConnection, PostgresConfiguration) async throws -> T
    ) async throws -> T {
        let loop = try EventLoop(label: "bench")
        let configuration = ServerConfiguration(dataDirectory: dataDirectory, resources: try Resources.find())
        let access = try await DatabaseAccess.open(
            configuration, loop: loop, migrating: false, joining: true, logger: Logger(label: "campanile.bench"))
        let database = try await PostgresConnection.connect(configuration: access.owner, loop: loop)
        let result = try await body(database, access.owner)
        database.close()
        await access.close()
        return result
    }
}
