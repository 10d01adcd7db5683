import ArgumentParser
import Bench
import CommandSupport

/// `campanile-bench day`.
struct DayCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "day",
        abstract: "A part of a day of 30,000 people who move on a campus and report where they are.",
        discussion: """
            Each has a home, lectures and a meal, walks from one to the other on the campus's ways, and reports every 5 s while walking and
            every 60 s while not, in seconds of the day or, with --phone-pace, of the clock. The first have a connection each, the others
            report by POST /rpc. Some share where they are with somebody who looks, half of all count in the heatmap, at which guests look,
            and a fifth keeps visits. Fails when a report is refused or lost.

            Needs ulimit -n 18500, for this process and for the server's.
            """)

    /// Who walks reports every 5 s of the day, and a server takes two reports a second of each account.
    private static let speedMax = 8

    @Argument(help: ArgumentHelp("An OpenStreetMap extract; the sample campus without", valueName: "file"))
    var file: String?

    @Option(help: ArgumentHelp("People on campus", valueName: "count"))
    var people = DayOptions().people

    @Option(help: ArgumentHelp("Of them, those with a connection of their own", valueName: "count"))
    var connections = DayOptions().connections

    @Option(help: ArgumentHelp("Of those, who share where they are with somebody who looks", valueName: "count"))
    var shares = DayOptions().shares

    @Option(help: ArgumentHelp("Guests who look at the heatmap", valueName: "count"))
    var watchers = DayOptions().watchers

    @Option(help: ArgumentHelp("From this hour of the day on", valueName: "hour"))
    var from = DayOptions().from

    @Option(help: ArgumentHelp("Until this hour", valueName: "hour"))
    var until = DayOptions().until

    @Option(help: ArgumentHelp("Seconds of the day in a second", valueName: "factor"))
    var speed = DayOptions().speed

    @Flag(help: "Phones report as often as real ones do, however fast the day is")
    var phonePace = false

    @Option(help: ArgumentHelp("Loops of the server", valueName: "count"))
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
        guard phonePace || speed <= Self.speedMax else {
            throw ValidationError(
                "--speed above \(Self.speedMax) has phones report more often than the server takes: add --phone-pace")
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
            try show(try await DayScenario(options).run())
        } catch {
            throw CommandFailure(error)
        }
    }
}
