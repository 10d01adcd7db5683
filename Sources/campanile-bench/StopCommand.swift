import ArgumentParser
import Bench
import CommandSupport

/// `campanile-bench stop`.
struct StopCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop a location share with 1,000 viewers at two nodes, and measure the deliveries after that.",
        discussion: """
            Two servers share one PostgreSQL, with NATS between them. Viewers watch a share over both, while other
            clients report positions. The share is stopped, and the times are measured until the last position reaches
            any viewer, until each receives closed, and until the owner has the receipt. Fails if a position arrives
            later than a second or after closed, or if a viewer does not receive closed or is missing in the access log. Half
            of the viewers are buddies of the owner; fails also if a receipt leaves out a buddy or discloses a stranger.

            Needs nats-server, and ulimit -n 2500.
            """)

    @Option(help: ArgumentHelp("Connections that watch the share", valueName: "count"))
    var viewers = 1_000

    @Option(help: ArgumentHelp("Other clients that report a position once a second", valueName: "count"))
    var others = 1_000

    @Option(help: ArgumentHelp("Number of stops, after a first one that is reported separately", valueName: "count"))
    var stops = 20

    @Option(help: ArgumentHelp("Event loops of each server", valueName: "count"))
    var loops = 1

    @Flag(help: "One JSON object instead of a table")
    var json = false

    func validate() throws {
        try check("--viewers", viewers, 1...20_000)
        try check("--others", others, 0...20_000)
        try check("--stops", stops, 1...10_000)
        try check("--loops", loops, 1...64)
    }

    func run() async throws {
        do {
            var options = StopOptions()
            options.viewers = viewers
            options.others = others
            options.stops = stops
            options.loops = loops
            try show(try await StopScenario(options).run())
        } catch {
            throw CommandFailure(error)
        }
    }
}
