import ArgumentParser
import Bench
import CommandSupport
import Foundation

/// `campanile-bench echo` and the other scenarios.
struct ScenarioCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario",
        abstract: "Measure this build. The name of a scenario suffices, as in: campanile-bench echo.",
        discussion: """
            Each scenario starts a server and, alternating with it, a baseline: the simplest program that makes the same
            system calls. Ratios to this floor can be compared between machines and days; the other figures cannot.

              echo        every connection sends a message and waits for its echo
              fanout      one message to 1,000 subscribers, then the next
              burst       50 publishers, 500 subscribers, many messages at once
              idle        18,000 signed-in connections: memory of each, CPU of all (needs ulimit -n 19000)
              connect     repeated connecting and upgrading
              restart     a restart under 5,000 clients, 50 of them tracking: by hand-over, and by stop and start.
                          No floor; fails if anything acknowledged is missing (needs ulimit -n 6000)
              spectators  1,000 runners, 2,000 spectators with moving maps (needs ulimit -n 4000)
              together    500 live groups of 4 with an update a second each, beside 1,000 runners and 2,000 spectators; the race
                          alone comes first (needs ulimit -n 6000)
              chat        500 conversations: delivery times at 1,000 messages a second, then the maximum rate, compared with
                          pgbench with 32 clients and one row per commit (needs ulimit -n 2000)
              map         the web app's map with 1,500 moving runners in a headless Chromium of a phone's size: frames while
                          panning, long tasks, memory. No floor; panning lasts --seconds x --rounds; fails if the map does not
                          show them individually (needs ulimit -n 2000)
              matching    suggestions for 200 people among 10,000 profiles; the floor is a plain scan of their table. Fails if the
                          preferred gender does not come first. Only --profiles applies
              heatmap     results of attacks on the heatmap, compared with simpler methods, and the CPU of counting 10,000 moving
                          people. No server, no floor; no option applies
              privacy     the published attacks on private zones and on plain circles, and the averaging of coarse positions.
                          No server and no time. Fails if the attack does not work on plain circles. Only --homes, --commutes
                          and --map apply
              lift        10,000 walkers with live routes, a lift breaks and is repaired: time from the acknowledged click until the
                          last affected walker has a new route. Each publication is checked; fails if one is wrong, missing or
                          needless. No floor (needs ulimit -n 12000)
            """)

    private static let names = Scenario.allCases.map(\.rawValue).joined(separator: ", ")

    @Argument(help: ArgumentHelp(stringLiteral: "\(names), or all"))
    var scenario = "all"

    @Option(help: ArgumentHelp("Connections, instead of the scenario's default", valueName: "count"))
    var connections: Int?

    @Option(help: ArgumentHelp("Bytes of one message's payload, 1 to 1,000,000", valueName: "bytes"))
    var messageBytes = 100

    @Option(help: ArgumentHelp("Seconds of each round", valueName: "seconds"))
    var seconds = 3.0

    @Option(help: ArgumentHelp("Rounds of server and of floor", valueName: "count"))
    var rounds = 5

    @Option(help: ArgumentHelp("Messages that each publisher of burst sends at once", valueName: "count"))
    var burst = 20

    @Option(help: ArgumentHelp("Event loops of the measured server", valueName: "count"))
    var loops = 1

    @Option(help: ArgumentHelp("Duration of idle's CPU measurement", valueName: "seconds"))
    var idleSeconds = 60.0

    @Option(help: ArgumentHelp("Runners of spectators", valueName: "count"))
    var runners = 1_000

    @Option(help: ArgumentHelp("Spectators that read only 2 kB a second", valueName: "percent"))
    var slowPercent = 0.0

    @Option(help: ArgumentHelp("Profiles of matching", valueName: "count"))
    var profiles = 10_000

    @Option(help: ArgumentHelp("People of privacy", valueName: "count"))
    var homes = 200

    @Option(help: ArgumentHelp("Commutes of each of them", valueName: "count"))
    var commutes = 20

    @Option(
        help: ArgumentHelp("OpenStreetMap extract with the streets for privacy", valueName: "file"),
        transform: { URL(fileURLWithPath: $0) })
    var map: URL?

    @Option(
        name: .customLong("arrival-milliseconds"),
        help: ArgumentHelp(
            "Milliseconds of each second in which the fixes of spectators arrive",
            discussion: "Satellite receivers measure at full seconds, so fixes of real phones arrive together.",
            valueName: "milliseconds"))
    var arrivalMilliseconds = BenchOptions.arrivalMillisecondsDefault

    @Option(
        name: .customLong("messages-per-second"), help: ArgumentHelp("Messages per second of chat", valueName: "count"))
    var messagesPerSecond = 1_000.0

    @Flag(help: "Use TLS 1.3")
    var tls = false

    @Flag(help: "Use permessage-deflate; messages below 200 bytes are not compressed, so set --message-bytes too")
    var deflate = false

    @Flag(help: "One JSON object a line instead of a table")
    var json = false

    func validate() throws {
        guard scenario == "all" || Scenario(rawValue: scenario) != nil else {
            throw ValidationError("there is no scenario \(scenario): \(Self.names), all")
        }
        try check("--connections", connections ?? 1, 1...60_000)
        try check("--message-bytes", messageBytes, 1...1_000_000)
        try check("--seconds", seconds, 0.1...3_600)
        try check("--rounds", rounds, 1...1_000)
        try check("--burst", burst, 1...10_000)
        try check("--loops", loops, 1...64)
        try check("--runners", runners, 1...20_000)
        try check("--profiles", profiles, 10...1_000_000)
        try check("--homes", homes, 1...10_000)
        try check("--commutes", commutes, 3...1_000)
        try check("--slow-percent", slowPercent, 0...100)
        try check("--arrival-milliseconds", arrivalMilliseconds, 1...1_000)
        try check("--messages-per-second", messagesPerSecond, 1...100_000)
        try check("--idle-seconds", idleSeconds, 1...86_400)
    }

    func run() async throws {
        do {
            var options = BenchOptions()
            options.connections = connections
            options.messageBytes = messageBytes
            options.seconds = seconds
            options.rounds = rounds
            options.burst = burst
            options.loops = loops
            options.runners = runners
            options.slowPercent = slowPercent
            options.profiles = profiles
            options.homes = homes
            options.commutes = commutes
            options.map = map
            options.arrivalMilliseconds = arrivalMilliseconds
            options.idleSeconds = idleSeconds
            options.messagesPerSecond = messagesPerSecond
            options.tls = tls
            options.deflate = deflate
            for scenario in Scenario(rawValue: scenario).map({ [$0] }) ?? Scenario.allCases.filter(\.isPossible) {
                try show(try await scenario.run(options))
            }
        } catch {
            throw CommandFailure(error)
        }
    }
}
