import ArgumentParser
import Bench
import CommandSupport

/// `campanile-bench notices`.
struct NoticesCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "notices",
        abstract: "Broadcast emergencies to 15,000 connections and measure when they arrive.",
        discussion: """
            Each account has a connection and subscribes to its notices. An emergency is published, and the times are
            measured until the first, half, 99 % and the last have received it. The second emergency finds some accounts
            offline, which reconnect later; for the third, all accounts send receipts. Fails if an account misses one,
            receives it twice, or a receipt is not counted.

            Needs ulimit -n 15500, for this process and for the server's.
            """)

    @Option(help: ArgumentHelp("Accounts with a connection each", valueName: "count"))
    var connections = 15_000

    @Option(help: ArgumentHelp("Accounts that are offline during the second emergency", valueName: "percent"))
    var offlinePercent = 20

    @Option(help: ArgumentHelp("Event loops of the server", valueName: "count"))
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
