import ArgumentParser
import Bench
import CommandSupport

/// `campanile-bench notices`.
struct NoticesCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "notices",
        abstract: "An emergency to 15,000 connections: who has it when.",
        discussion: """
            As many accounts with a connection each listen to their notices. An emergency is published: until the first, half, 99 % and the last
            have it. Then the same while some are away, who come back later; and once more, with everybody saying that they have it. Fails when
            somebody misses it, has it twice, or a receipt is not counted.

            Needs ulimit -n 15500, for this process and for the server's.
            """)

    @Option(help: ArgumentHelp("Accounts with a connection each", valueName: "count"))
    var connections = 15_000

    @Option(help: ArgumentHelp("Of them, those that are away for the second emergency", valueName: "percent"))
    var offlinePercent = 20

    @Option(help: ArgumentHelp("Loops of the server", valueName: "count"))
    var loops = 2

    @Flag(help: "One JSON object instead of a table")
    var json = false

    func validate() throws {
        try check("--connections", connections, 1...60_000)
        try check("--offline-percent", offlinePercent, 0...100)
        try check("--loops", loops, 1...64)
    }

    func run() async throws {
        do {
            var options = NoticeOptions()
            options.connections = connections
            options.offlinePercent = offlinePercent
            options.loops = loops
            try show(try await NoticeScenario(options).run())
        } catch {
            throw CommandFailure(error)
        }
    }
}
