import ArgumentParser
import Bench
import CommandSupport
import Foundation

/// `campanile-bench attack`.
struct AttackCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "attack",
        abstract: "Attack a server of its own, and see how well-behaved clients are served meanwhile.",
        discussion: """
            A hundred signed-in clients ask five times a second and watch somebody run, before the attack and during it. The exit code tells whether
            the server answered as it should, kept its memory, and served and kept the hundred. All of them take a quarter of an hour.

            \(Attack.allCases.map { "  " + $0.rawValue.padding(toLength: 17, withPad: " ", startingAt: 0) + $0.summary }.joined(separator: "\n"))
            """)

    @Argument(help: "Names of attacks, or all")
    var names: [String] = ["all"]

    @Option(help: ArgumentHelp("Seconds measured before, and at least during, each attack", valueName: "seconds"))
    var seconds = 8.0

    @Option(help: ArgumentHelp("Loops of the server", valueName: "count"))
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
            throw CommandFailure(.software, "the server did not stand: \(failed.joined(separator: ", "))")
        }
    }
}
