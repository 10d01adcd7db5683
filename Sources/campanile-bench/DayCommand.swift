import ArgumentParser
import Bench
import CommandSupport

/// `campanile-bench day`.
struct DayCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "day",
        abstract: "Simulate a part of a day of 30,000 people who move on a campus and report their positions.",
        discussion: """
            Each person has a home, lectures and a meal, and walks between them on the campus's ways. A phone reports
            every 5 s while walking and every 60 s otherwise, in simulated seconds or, with --phone-pace, in real
            seconds. The first phones have a connection each, the others report by POST /rpc. Some people share their
            location with a viewer, half of all count in the heatmap, to which guests subscribe, and a fifth record
            visits. Fails if a report is refused or lost.

            With --routes there is no server. The same people walk by routes and slow each other down, while nobody, half
            or all of them avoid crowds by the published heatmap. Prints how long they walk, and how long in crowds.

            Needs ulimit -n 18500, for this process and for the server's.
            """)

    /// Walking people report every 5 simulated seconds, and the server accepts two reports per second and account.
    private static let speedMax = 8

    @Argument(help: ArgumentHelp("An OpenStreetMap extract; the sample campus without", valueName: "file"))
    var file: String?

    @Option(help: ArgumentHelp("People on campus", valueName: "count"))
    var people = DayOptions().people

    @Option(help: ArgumentHelp("People with a connection of their own", valueName: "count"))
    var connections = DayOptions().connections

    @Option(help: ArgumentHelp("Connected people who share their location with a viewer", valueName: "count"))
    var shares = DayOptions().shares

    @Option(help: ArgumentHelp("Guests that subscribe to the heatmap", valueName: "count"))
    var watchers = DayOptions().watchers

    @Option(help: ArgumentHelp("Start, as an hour of the day", valueName: "hour"))
    var from = DayOptions().from

    @Option(help: ArgumentHelp("End, as an hour of the day", valueName: "hour"))
    var until = DayOptions().until

    @Option(help: ArgumentHelp("Simulated seconds per real second", valueName: "factor"))
    var speed = DayOptions().speed

    @Flag(help: "Phones report at their real rate, regardless of --speed")
    var phonePace = false

    @Flag(help: "Measure routes that avoid crowds, without a server")
    var routes = false

    @Option(help: ArgumentHelp("Event loops of the server", valueName: "count"))
    var loops = DayOptions().loops

    @Flag(help: "One JSON object instead of a table")
    var json = false

    func validate() throws {
        try check("--people", people, 1...100_000)
        try check("--connections", connections, 0...60_000)
        try check("--shares", shares, 0...20_000)
        try check("--watchers", watchers, 0...4_000)
        try check("--from", from, 0...24)
        try check("--until", until, 0...24)
        try check("--speed", speed, 1...1_000)
        try check("--loops", loops, 1...64)
        guard from < until else { throw ValidationError("--from must be before --until") }
        guard phonePace || routes || speed <= Self.speedMax else {
            throw ValidationError(
                "--speed above \(Self.speedMax) exceeds the rate of reports that the server accepts: add --phone-pace")
        }
    }

    func run() async throws {
        do {
            var options = DayOptions()
            options.people = people
            options.connections = connections
            options.shares = shares
            options.watchers = watchers
            options.from = from
            options.until = until
            options.speed = speed
            options.isAtPhonePace = phonePace
            options.loops = loops
            options.file = file
            try show(try routes ? CrowdDayScenario(options).run() : await DayScenario(options).run())
        } catch {
            throw CommandFailure(error)
        }
    }
}
