import ArgumentParser
import CampanileClient
import CommandSupport
import Foundation
import Server
import Wire

/// `campanile replay`.
struct Replay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replay recorded runs (GPX) as live clients: one runner for each file.",
        discussion: """
            Every file is read and checked before anything is sent. Each then becomes an account, a WebSocket and a session, \
            and its points are sent at the recording's pace, or --speed times that. Points that the server did not \
            acknowledge, because it or its database was away, are sent again. At the end a table compares the distance in \
            the file with the one the server counted.

            A sped-up replay does not weaken the time rules for real runners: points on a recording's own clock are taken \
            from simulated accounts only. Those need the operator's simulation key (the file simulation.key, mode 0600, in \
            the server's data directory, or CAMPANILE_SIMULATION_KEY) and are labelled as simulated wherever they are shown.

            Exit codes: 0 everything was stored, 64 wrong usage, 65 a file cannot be used or the server refused points \
            of it, 69 the server cannot be reached or has no zones to watch, 73 the ledger cannot be written, 75 not finished: try again.
            """)

    @Argument(help: ArgumentHelp("GPX files with recorded tracks.", valueName: "gpx"))
    var files: [String]

    @Flag(help: "Start all runs at the same time instead of one after another.")
    var together = false

    @Option(help: ArgumentHelp("Speed relative to the recording, 0.1 to 1000.", valueName: "number"))
    var speed = 1.0

    @Option(help: ArgumentHelp("Address of the server.", valueName: "url"))
    var server = "http://127.0.0.1:8080"

    @Option(
        help: ArgumentHelp(
            "Longest wait of the replay; the recorded times are not changed.", valueName: "seconds")
    )
    var longestWait = 30.0

    @Option(help: ArgumentHelp("Audience of the runs: public, campus or private.", valueName: "audience"))
    var audience = Audience.public

    @Option(
        name: [.customLong("data"), .customLong("data-directory")],
        help: ArgumentHelp(
            "The server's data directory, to find the key in (CAMPANILE_DATA); or set CAMPANILE_SIMULATION_KEY.",
            valueName: "dir"))
    var data: String?

    @Option(help: ArgumentHelp("Activity of the runs: run or cycle.", valueName: "activity"))
    var activity = Activity.run

    @Option(
        help: ArgumentHelp("Stop a runner after this time without an acknowledgement.", valueName: "seconds"))
    var giveUpAfter = 120.0

    @Option(
        help: ArgumentHelp(
            "Append `session seq lat lon time` for each point as it is acknowledged.", valueName: "file"))
    var ledger: String?

    @Flag(help: "Watch all zones as a guest and measure the time from sending a point to receiving its position.")
    var spectate = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    func validate() throws {
        guard data?.isEmpty != true else { throw ValidationError("--data must name a directory") }
        guard !files.isEmpty else { throw ValidationError("name at least one GPX file") }
        guard (0.1...1_000).contains(speed) else { throw ValidationError("--speed must be 0.1 to 1000") }
        guard longestWait > 0, longestWait.isFinite else { throw ValidationError("--longest-wait must be above 0") }
        guard giveUpAfter > 0, giveUpAfter.isFinite else { throw ValidationError("--give-up-after must be above 0") }
        guard !spectate || audience == .public else {
            throw ValidationError("--spectate watches as a guest, who sees public runs only: use --audience public")
        }
        do {
            _ = try ServerAddress(url: server)
        } catch {
            throw ValidationError("--server: \(error)")
        }
    }

    func run() async throws {
        let plans = try files.map(ReplayPlan.load)
        let settings = try ReplaySettings(
            address: ServerAddress(url: server), key: key(), speed: speed,
            longestWait: longestWait, audience: audience, activity: activity, giveUpAfter: .seconds(giveUpAfter),
            isTogether: together)
        let ledger = try self.ledger.map(ReplayLedger.init)
        let report = try await ReplayRun(plans: plans, settings: settings, ledger: ledger, spectates: spectate).run()
        Terminal.output(json ? try report.json() : report.table())
        if let problem = ledger?.problem { throw CommandFailure(.cannotCreate, problem) }
        if let reason = report.unfinishedReason { throw CommandFailure(.tryAgain, reason) }
        if let reason = report.refusedReason { throw CommandFailure(.dataError, reason) }
    }

    /// - Throws: ``CommandFailure`` with what to do if there is no key.
    private func key() throws -> String {
        if let key = try SecretInput.value("CAMPANILE_SIMULATION_KEY", DataOptions.environment) { return key }
        let directory = data ?? DataOptions.environment["CAMPANILE_DATA"] ?? DataOptions.defaultDirectory
        if let key = SimulationKey.read(in: directory) { return key }
        throw CommandFailure(
            .usage,
            "no simulation key in \(directory) that this user can read: give --data-directory or CAMPANILE_SIMULATION_KEY"
        )
    }
}

extension Audience: ExpressibleByArgument {}
extension Activity: ExpressibleByArgument {}
