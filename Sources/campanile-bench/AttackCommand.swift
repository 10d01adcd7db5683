import ArgumentParser
import Bench
import CommandSupport
import Foundation

/// `campanile-bench attack`.
struct AttackCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "attack",
        abstract: "Attack a server and measure the service of well-behaved clients meanwhile.",
        discussion: """
            A hundred signed-in clients send requests five times a second and watch a runner, before and during each
            attack. The command fails if the server does not react as expected, uses too much memory, or serves the
            hundred too slowly. All attacks take a quarter of an hour.

            \(attackList)
            """)

    /// One line for each attack: its name and summary.
    private static var attackList: String {
        Attack.allCases.map { "  " + $0.rawValue.padding(toLength: 17, withPad: " ", startingAt: 0) + $0.summary }
            .joined(separator: "\n")
    }

    @Argument(help: "Names of attacks, or all")
    var names: [String] = ["all"]

    @Option(help: ArgumentHelp("Seconds measured before, and at least during, each attack", valueName: "seconds"))
    var seconds = 8.0

    @Option(help: ArgumentHelp("Event loops of the server", valueName: "count"))
    var loops = 2

    @Flag(help: "One JSON object a line instead of a table")
    var json = false

    func validate() throws {
        for name in names where name != "all" && Attack(rawValue: name) == nil {
            throw ValidationError(
                "there is no attack \(name): \(Attack.allCases.map(\.rawValue).joined(separator: ", ")), all")
        }
        try check("--seconds", seconds, 1...600)
        try check("--loops", loops, 1...64)
    }

    func run() async throws {
        var failed: [String] = []
        do {
            for attack in names.contains("all") ? Attack.allCases : names.compactMap(Attack.init(rawValue:)) {
                let report = try await attack.run(seconds: seconds, loops: loops)
                try show(report, table: report.table)
                if !report.failures.isEmpty { failed.append(report.attack) }
            }
        } catch {
            throw CommandFailure(error)
        }
        guard failed.isEmpty else {
            throw CommandFailure(.software, "the server failed under: \(failed.joined(separator: ", "))")
        }
    }
}
