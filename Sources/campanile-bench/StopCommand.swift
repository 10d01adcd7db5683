import ArgumentParser
import Bench
import CommandSupport

/// `campanile-bench stop`.
struct StopCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "A share of a location with 1,000 viewers at two nodes is stopped: what comes after that.",
        discussion: """
            Two servers over one PostgreSQL with NATS between them. A share with everybody is watched over both, while others report where they
            are. It is stopped: until the last position comes to any viewer, until each is told that it is closed, until the owner has the
            receipt. Fails when a position comes later than a second, or behind the word that it is closed, when a viewer is not told, or not in
            the receipt.

            Needs nats-server, and ulimit -n 2500.
            """)

    @Option(help: ArgumentHelp("Connections that watch the share", valueName: "count"))
    var viewers = 1_000

    @Option(help: ArgumentHelp("Others who report where they are, once a second each", valueName: "count"))
    var others = 1_000

    @Option(help: ArgumentHelp("How often it is stopped; once more before, told apart", valueName: "count"))
    var stops = 20

    @Option(help: ArgumentHelp("Loops of each server", valueName: "count"))
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
