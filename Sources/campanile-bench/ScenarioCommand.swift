import ArgumentParser
import Bench
import CommandSupport
import Foundation

/// `campanile-bench echo` and the like.
struct ScenarioCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario",
        abstract: "Measure this build; the name of a scenario alone does, as in: campanile-bench echo.",
        discussion: """
            Each scenario starts a server of its own and, by turns with it, a floor: the plainest program that makes the
            same system calls. Ratios to the floor can be compared between machines and days; the rest cannot.

              echo        every connection sends a message and waits for it to come back
              fanout      one message to 1,000 subscribers, then the next
              burst       50 publishers, 500 subscribers, many messages at once
              idle        18,000 signed-in connections: memory of each, CPU of all (needs ulimit -n 19000)
              connect     connecting and upgrading, again and again
              restart     5,000 clients, 50 of them tracking, and a restart under them: by hand-over, and by stop and start.
                          No floor; fails when anything that was acknowledged is missing (needs ulimit -n 6000)
              spectators  1,000 runners, 2,000 spectators whose maps move (needs ulimit -n 4000)
              chat        500 conversations: from send to the other side at 1,000 messages a second; then as fast as it goes, beside
                          pgbench with 32 clients and a row a commit (needs ulimit -n 2000)
              map         the web app's map with 1,500 moving runners in a headless Chromium of a phone's size: frames while
                          panning, long tasks, memory. No floor; panning lasts --seconds x --rounds; fails when the map does not
                          show them one by one (needs ulimit -n 2000)
              matching    suggestions for 200 people among 10,000 profiles; the floor is a plain scan of their table. Fails when the
                          preferred gender does not come first. Only --profiles counts
              heatmap     what attacks on the heatmap find out, beside the same on plainer rules, and the CPU of counting 10,000 people
                          who move. No server, no floor; no option counts
              privacy     the published attacks on private zones, on ours and on plain circles, and what averages of coarse positions
                          give; no server and no time. Fails when the attack does not work on plain circles. --homes, --commutes
                          and --map count
            """)

    private static let names = Scenario.allCases.map(\.rawValue).joined(separator: ", ")

    @Argument(help: ArgumentHelp(stringLiteral: "\(names), or all"))
    var scenario = "all"

    @Option(help: ArgumentHelp("Connections instead of the scenario's own number", valueName: "count"))
    var connections: Int?

    @Option(help: ArgumentHelp("Bytes of one message's payload, 1 to 1,000,000", valueName: "bytes"))
    var messageBytes = 100

    @Option(help: ArgumentHelp("Seconds of each stretch", valueName: "seconds"))
    var seconds = 3.0

    @Option(help: ArgumentHelp("Stretches of server and of floor", valueName: "count"))
    var rounds = 5

    @Option(help: ArgumentHelp("Messages each publisher of burst sends at once", valueName: "count"))
    var burst = 20

    @Option(help: ArgumentHelp("Event loops of the measured server", valueName: "count"))
    var loops = 1

    @Option(help: ArgumentHelp("How long idle watches the CPU", valueName: "seconds"))
    var idleSeconds = 60.0

    @Option(help: ArgumentHelp("Runners of spectators", valueName: "count"))
    var runners = 1_000

    @Option(help: ArgumentHelp("Of a hundred spectators, so many read 2 kB a second", valueName: "percent"))
    var slowPercent = 0.0

    @Option(help: ArgumentHelp("Profiles of matching", valueName: "count"))
    var profiles = 10_000

    @Option(help: ArgumentHelp("People of privacy", valueName: "count"))
    var homes = 200

    @Option(help: ArgumentHelp("Commutes of each of them", valueName: "count"))
    var commutes = 20

    @Option(
        help: ArgumentHelp("OpenStreetMap extract whose streets privacy walks", valueName: "file"),
        transform: { URL(fileURLWithPath: $0) })
    var map: URL?

    @Option(
        name: .customLong("arrival-milliseconds"),
        help: ArgumentHelp(
            "Fixes of spectators come within so many milliseconds of each second",
            discussion: "Receivers of satellites measure at full seconds, so that those of real phones come together.",
            valueName: "milliseconds"))
    var arrivalMilliseconds = BenchOptions.arrivalMillisecondsDefault

    @Option(
        name: .customLong("messages-per-second"), help: ArgumentHelp("Messages a second of chat", valueName: "count"))
    var messagesPerSecond = 1_000.0

    @Flag(help: "Over TLS 1.3")
    var tls = false

    @Flag(help: "With permessage-deflate; messages below 200 bytes are not compressed, so set --message-bytes too")
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
