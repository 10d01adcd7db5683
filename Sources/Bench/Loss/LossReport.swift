import Wire

/// The results of a loss run.
struct LossReport {
    private let options: LossOptions
    private let audit: LossAudit
    private let state: LossTally.State
    private var report: BenchReport
    /// Figures that must be 0.
    private var wrong: [Int] = []

    /// The complete report, with a failure if a figure is wrong or the run proves nothing.
    var finished: BenchReport {
        var report = report
        if wrong.contains(where: { $0 > 0 }) {
            report.failure = "something was lost, doubled, out of order or reported incorrectly"
        } else if state.acknowledged.isEmpty || delivered == 0 {
            report.failure = "nothing was published or delivered: the run proves nothing"
        } else if options.hasFullDisk, state.storageFull == 0 {
            report.failure = "no write was refused for lack of space: the run does not prove anything about a full disk"
        }
        return report
    }
    private let delivered: Int

    init(
        _ options: LossOptions, _ fleet: LossFleet, _ audit: LossAudit, _ counts: LossDisturbances.Counts,
        seconds: Double, settleSeconds: Double
    ) {
        (self.options, self.audit, state) = (options, audit, fleet.tally.snapshot)
        let given = fleet.ledgers.map(\.snapshot)
        delivered = given.reduce(0) { $0 + $1.hashes.count }
        let networks = options.hasNamespaces ? " in networks of their own" : ""
        let servers = options.nodes > 1 ? "\(options.nodes) servers\(networks)" : "server"
        let topics = options.isChat ? "\(audit.topics.count) conversations" : "\(options.topics) topics"
        report = BenchReport(
            scenario: "loss",
            conditions:
                "\(options.clients) subscribers on \(topics), \(options.publishers) publishers, "
                + "\(Int(seconds)) s, \(servers) with \(options.loops) loops")
        addDisturbances(counts)
        addTraffic(fleet, seconds: seconds)
        report.add("until all subscribers had received everything", settleSeconds, "s")
        addRecoveries(fleet)
        addVerdicts(fleet, given)
        addRemarks()
    }

    private mutating func add(_ name: String, _ value: Int) { report.add(name, Double(value), "") }

    /// Adds a figure that must be 0.
    private mutating func demandNone(_ name: String, _ value: Int) {
        add(name, value)
        wrong.append(value)
    }

    private mutating func addDisturbances(_ counts: LossDisturbances.Counts) {
        add("kill -9 of the server", counts.server)
        add("kill -9 of PostgreSQL", counts.database)
        add("kill -9 of a session of PostgreSQL", counts.backend)
        if options.nodes > 1 {
            add("kill -9 of NATS", counts.nats)
            add("cuts between a node and NATS, \(Int(LossDisturbances.partitionSeconds)) s", counts.partitions)
        }
        if options.hasFullDisk {
            add("full disks, \(Int(LossDisturbances.fullDiskSeconds)) s", counts.fullDisks)
            add("PostgreSQL panicked on a full disk", counts.panics)
            report.add("stored again after the disk had space, at the latest", counts.roomSecondsMax, "s")
            add("refused for lack of space, with the required message", state.storageFull)
        }
    }

    private mutating func addTraffic(_ fleet: LossFleet, seconds: Double) {
        for (node, histogram) in [("the same", state.sameNode), ("another", state.otherNode)]
        where options.nodes > 1 {
            for quantile in [0.5, 0.99] {
                report.add(
                    "pushed at \(node) node p\(Int(quantile * 100))", histogram.milliseconds(quantile: quantile), "ms")
            }
        }
        let things = fleet.traffic.things
        add("connections dropped by subscribers", state.drops)
        add("connections made by subscribers", state.connections)
        add("\(things) acknowledged", state.acknowledged.count)
        report.add("\(things) acknowledged per second", Double(state.acknowledged.count) / seconds, "/s")
        report.add("acknowledgement p50", state.latency.milliseconds(quantile: 0.5), "ms")
        report.add("acknowledgement p99", state.latency.milliseconds(quantile: 0.99), "ms")
        add("sent again", state.resends)
        add("deliveries, in order", delivered)
    }

    private mutating func addRecoveries(_ fleet: LossFleet) {
        add("subscriptions recovered", state.recovered)
        add("delivered by recovery", state.recoveredPublications)
        add("pages of long recoveries", state.pages)
        for reason in RecoveryFailure.allCases {
            add("recovered: false, \(reason.rawValue)", state.unrecovered.count { $0.reason == reason })
        }
        let most = fleet.traffic.recoveryMax
        demandNone(
            "recovered: false, not justified",
            state.unrecovered.count { !audit.isJustified($0, recoveryMax: most) })
        add("impossible positions", state.probes)
        demandNone("impossible positions reported as recovered", state.falseProbes)
    }

    private mutating func addVerdicts(_ fleet: LossFleet, _ given: [LossLedger.State]) {
        demandNone("acknowledged and not in the table", audit.missing(state.acknowledged))
        add("in the table and not acknowledged", audit.unacknowledged(state.acknowledged))
        demandNone("never acknowledged", state.unacknowledged)
        demandNone("stored twice", audit.storedTwice + state.movedResends)
        demandNone("logs with gaps", audit.gaps)
        demandNone("lost by subscribers", fleet.ledgers.reduce(0) { $0 + audit.lost($1) })
        demandNone("duplicated for subscribers", given.reduce(0) { $0 + $1.duplicated })
        demandNone("out of order for subscribers", given.reduce(0) { $0 + $1.outOfOrder })
        guard options.isChat else { return }
        add("signals to accounts", state.signals)
        demandNone("signals doubled", state.doubledSignals)
        add("requests for another account's data", state.foreignRequests)
        demandNone("delivered to an account without access", state.foreign)
        demandNone("delivered to an account that had left", fleet.ledgers.reduce(0) { $0 + audit.leaked($1) })
    }

    private mutating func addRemarks() {
        for (trouble, count) in state.troubles { report.remarks.append("\(trouble) (\(count) times)") }
        wrong.append(state.troubles.count)
        for (message, count) in state.internalErrors {
            report.remarks.append("internal errors: \(message) (\(count) times)")
        }
        if !state.closeCodes.isEmpty {
            let codes = state.closeCodes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            report.remarks.append("connections closed by code: \(codes.joined(separator: ", "))")
        }
    }

    /// Compares the server's own lists with the run.
    mutating func inspect(_ fleet: LossFleet) async throws {
        wrong.append(
            try await fleet.traffic.inspect(state, audit, report: &report) {
                try await fleet.connect(to: 0, token: $0)
            })
    }
}
