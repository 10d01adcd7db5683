import ArgumentParser
import Bench
import CommandSupport

extension StormOptions.Drop: ExpressibleByArgument {}

/// `campanile-bench storm`.
struct StormCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm",
        abstract: "Drop 10,000 clients at once, and see how they come back.",
        discussion: """
            Signed-in clients of a reliable topic, some with a map, while a publisher never stops. All are dropped at once, come back as the
            policy of the Protocol article says, and go on where they were: how long that takes, what it costs the server, and what a bystander
            feels of it. Fails when a publication is lost, doubled or out of order, or somebody does not come back.

              network  their sockets are closed without a goodbye; the server runs on
              kill     kill -9 of the server, and a start on the same data
              restart  stop and start: everybody is told when to come back

            Needs ulimit -n 10500.
            """)

    @Argument(help: "network, kill, restart; all three unless given")
    var drops: [StormOptions.Drop] = []

    @Option(help: ArgumentHelp("Clients", valueName: "count"))
    var clients = 10_000

    @Option(help: ArgumentHelp("Clients that look at a map, too", valueName: "count"))
    var views = 1_000

    @Option(help: ArgumentHelp("Publications a second; each goes to all clients", valueName: "count"))
    var rate = 5.0

    @Option(help: ArgumentHelp("Loops of the server", valueName: "count"))
    var loops = 2

    @Flag(
        help:
            "All from one address, and the server's bounds for addresses hold: a campus behind one NAT; at most 8,000 clients"
    )
    var oneAddress = false

    @Flag(help: "One JSON object instead of a table")
    var json = false

    func validate() throws {
        try check("--clients", clients, 1...60_000)
        guard (0...clients).contains(views) else { throw ValidationError("--views must be 0 to --clients") }
        guard !oneAddress || clients <= 8_000 else {
            throw ValidationError(
                "--one-address takes at most 8,000 --clients: an address may have 8,192 connections open")
        }
        try check("--rate", rate, 0.1...1_000)
        try check("--loops", loops, 1...64)
    }

    func run() async throws {
        do {
            var options = StormOptions()
            options.clients = clients
            options.views = views
            options.publicationsPerSecond = rate
            options.loops = loops
            options.isBehindOneAddress = oneAddress
            if !drops.isEmpty { options.drops = drops }
            try show(try await StormScenario(options).run())
        } catch {
            throw CommandFailure(error)
        }
    }
}
