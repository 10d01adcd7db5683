import ArgumentParser
import Bench
import CommandSupport

extension StormOptions.Drop: ExpressibleByArgument {}

/// `campanile-bench storm`.
struct StormCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm",
        abstract: "Drop 10,000 clients at once, and measure how they reconnect.",
        discussion: """
            Signed-in clients subscribe to a reliable topic, some with a map, while a publisher never stops. All are
            dropped at once, reconnect by the policy of the Protocol article, and resume from their positions. Measures
            the duration, the cost for the server, and a bystander's latency. Fails if a publication is lost, duplicated
            or out of order, or a client does not come back.

              network  the sockets are closed without a close frame; the server keeps running
              kill     kill -9 of the server, and a start with the same data
              restart  stop and start: the server sends each client a time to reconnect

            Needs ulimit -n 10500.
            """)

    @Argument(help: "network, kill, restart; all three unless given")
    var drops: [StormOptions.Drop] = []

    @Option(help: ArgumentHelp("Clients", valueName: "count"))
    var clients = 10_000

    @Option(help: ArgumentHelp("Clients that also view a map", valueName: "count"))
    var views = 1_000

    @Option(help: ArgumentHelp("Publications a second; each goes to all clients", valueName: "count"))
    var rate = 5.0

    @Option(help: ArgumentHelp("Event loops of the server", valueName: "count"))
    var loops = 2

    @Flag(
        help:
            "Connect all clients from one address, with the server's per-address limits: a campus behind one NAT; at most 8,000 clients"
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
