import ArgumentParser
import Bench
import CommandSupport

/// `campanile-bench search`.
struct SearchCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Measure the search for names while somebody types.",
        discussion: """
            Makes up a campus, types names of it key by key, and searches at each key press on one thread, without a
            server. Fails if 1 % of the key presses take more than 20 ms of CPU time.
            """)

    @Option(help: ArgumentHelp("Buildings and rooms", valueName: "count"))
    var destinations = SearchOptions().destinations

    @Option(help: ArgumentHelp("Typed names", valueName: "count"))
    var typed = SearchOptions().typed

    @Flag(help: "One JSON object instead of a table")
    var json = false

    func validate() throws {
        try check("--destinations", destinations, 100...1_000_000)
        try check("--typed", typed, 1...100_000)
    }

    func run() async throws {
        var options = SearchOptions()
        options.destinations = destinations
        options.typed = typed
        var scenario = SearchScenario(options)
        do { try show(scenario.run()) } catch { throw CommandFailure(error) }
    }
}
