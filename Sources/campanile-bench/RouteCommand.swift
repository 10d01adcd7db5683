import ArgumentParser
import Bench
import CommandSupport

/// `campanile-bench route`.
struct RouteCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Measure routes between random points of an OpenStreetMap extract.",
        discussion: """
            Reads the extract, builds the graph, and computes routes with lines and directions on one thread, without a
            server. Measures also search trees, a closure, and new weights for a crowd in all cells. Fails below 5,000
            routes per second of CPU time, or if 1 % of the routes take more than 2 ms of it.

            Asks pgRouting for some of the routes, too, on a private PostgreSQL with the same edges and costs, and fails if
            its costs differ. deploy/setup benches installs it.
            """)

    @Argument(help: ArgumentHelp("An OpenStreetMap extract", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("Measured routes", valueName: "count"))
    var routes = RouteOptions(file: "").routes

    @Option(help: ArgumentHelp("Routes to ask pgRouting for; 0 for none", valueName: "count"))
    var compared = RouteOptions(file: "").compared

    @Flag(help: "One JSON object instead of a table")
    var json = false

    func validate() throws {
        try check("--routes", routes, 100...1_000_000)
        try check("--compared", compared, 0...10_000)
    }

    func run() async throws {
        var options = RouteOptions(file: file)
        options.routes = routes
        options.compared = compared
        do { try show(try await RouteScenario(options).run()) } catch {
            throw CommandFailure(error)
        }
    }
}
