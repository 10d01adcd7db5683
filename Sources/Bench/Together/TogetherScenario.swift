import Foundation
import Wire

/// Measures live groups beside a race: 500 groups of 4 people, each with one update a second, while runners and spectators go on as in
/// ``SpectatorScenario``. The race runs alone first, so that the difference is the cost of the groups.
struct TogetherScenario {
    private static let groups = 500
    private static let warmUpSeconds = 5.0

    private let options: BenchOptions
    private let race: SpectatorScenario

    init(_ options: BenchOptions) {
        self.options = options
        race = SpectatorScenario(options)
    }

    func run() async throws -> BenchReport {
        let server = try MeasuredServer(options)
        defer { server.stop() }
        let others = options.runners + race.spectators
        let people = Self.groups * TogetherFleet.membersPerGroup
        try await IdleScenario.makeAccounts(others + people, dataDirectory: server.directory + "/data")
        let groups = (0..<Self.groups).map { _ in UUID() }
        try await makeGroups(groups, from: others, dataDirectory: server.directory + "/data")
        let load = try race.start(server)
        load.spreadRunners(milliseconds: options.arrivalMilliseconds)
        load.drive(seconds: Self.warmUpSeconds)
        load.beginCounting()
        let alone = Measurement.around(server.process) { _ in load.drive(seconds: options.seconds) }
        let latencyAlone = load.latency.milliseconds(quantile: 0.99)

        let fleet = TogetherFleet()
        for (number, group) in groups.enumerated() {
            for position in 0..<TogetherFleet.membersPerGroup {
                try fleet.add(
                    port: server.port, account: others + number * TogetherFleet.membersPerGroup + position,
                    group: group,
                    position: position)
            }
        }
        fleet.begin()
        load.spreadRunners(milliseconds: options.arrivalMilliseconds)
        load.alongside = { fleet.step($0) }
        load.drive(seconds: Self.warmUpSeconds)
        load.beginCounting()
        fleet.beginCounting()
        let both = Measurement.around(server.process) { _ in load.drive(seconds: options.seconds) }
        let floor = try SpectatorScenario.floorCPU(
            sockets: fleet.count, perSecond: Double(fleet.deliveries) / both.seconds / Double(fleet.count),
            bytes: fleet.deliveredBytes / max(1, fleet.deliveries))
        return report(load, fleet, alone: alone, latencyAlone: latencyAlone, both: both, floor: floor)
    }

    /// Groups whose first member is the host; all have joined and share the zone.
    private func makeGroups(_ groups: [UUID], from first: Int, dataDirectory: String) async throws {
        let size = TogetherFleet.membersPerGroup
        let values = groups.enumerated().map { "('\($1.uuidString)'::uuid, \(first + $0 * size))" }.joined(
            separator: ", ")
        try await BenchDatabase.with(dataDirectory) { database in
            try await database.script(
                """
                CREATE TEMP TABLE bench_groups AS SELECT g.id, g.first FROM (VALUES \(values)) g (id, first);
                INSERT INTO live_groups (id, host_id, workout_id, plan, exercises, created_at, active_at)
                SELECT g.id, a.id, gen_random_uuid(), '{"title":"Bench"}', ARRAY['\(TogetherFleet.exercise)'], now(), now()
                FROM bench_groups g JOIN accounts a ON a.username = 'bench' || g.first;
                INSERT INTO live_group_members (group_id, account_id, state, shares_zone, since)
                SELECT g.id, a.id, 'joined', true, now() FROM bench_groups g CROSS JOIN generate_series(0, \(size - 1)) n
                JOIN accounts a ON a.username = 'bench' || (g.first + n);
                ANALYZE live_groups; ANALYZE live_group_members
                """)
        }
    }

    private func report(
        _ load: Race, _ fleet: TogetherFleet, alone: Measurement, latencyAlone: Double, both: Measurement, floor: Double
    ) -> BenchReport {
        let what =
            "\(Self.groups) groups of \(TogetherFleet.membersPerGroup) at 1 Hz beside \(options.runners) runners at 1 Hz and "
            + "\(race.spectators) spectators on moving maps"
        var report = BenchReport(scenario: "together", conditions: options.conditions(what))
        let cores = both.serverUse - alone.serverUse
        report.add("updates sent", Double(fleet.sent) / both.seconds, "/s")
        report.add("updates acknowledged", Double(fleet.acknowledged) / both.seconds, "/s")
        report.add("publications delivered to members", Double(fleet.deliveries) / both.seconds, "/s")
        report.add("  bytes of each", Double(fleet.deliveredBytes) / Double(max(1, fleet.deliveries)), "B")
        report.add("from an update to a buddy, p50", fleet.latency.milliseconds(quantile: 0.5), "ms")
        report.add("from an update to a buddy, p99", fleet.latency.milliseconds(quantile: 0.99), "ms")
        report.add("server cores used by race and groups", both.serverUse, "")
        report.add("server cores used by the race alone", alone.serverUse, "")
        report.add("difference", cores, "")
        report.add("floor: cores for as many bytes in as many sends", floor, "")
        report.add("race: positions delivered", Double(load.counts.updates) / both.seconds, "/s")
        report.add("race: from a runner's send to a spectator, p99", load.latency.milliseconds(quantile: 0.99), "ms")
        report.add("race: the same, alone", latencyAlone, "ms")
        report.add("client cores used", both.clientUse, "")
        if fleet.lost + load.lost > 0 { report.failure = "\(fleet.lost + load.lost) connections were ended" }
        if fleet.errors > 0 { report.failure = "\(fleet.errors) answers are errors" }
        if fleet.unmatched > 0 { report.failure = "\(fleet.unmatched) positions are none that a member sent" }
        if fleet.latency.count == 0 { report.failure = "no progress arrived" }
        // Updates in flight at the end do not count as missing.
        if Double(fleet.acknowledged) < Double(fleet.sent) * 0.99 - Double(fleet.count) {
            report.failure = "\(fleet.sent - fleet.acknowledged) updates were not acknowledged"
        }
        if both.clientUse > 0.9 {
            report.remarks.append("the client was the bottleneck: latencies are its own as well")
        }
        return report
    }
}
