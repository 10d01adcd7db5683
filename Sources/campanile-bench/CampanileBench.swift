import ArgumentParser
import CommandSupport
import Logging
import Server

/// `campanile-bench`: load, attack and fault scenarios. A separate product, so that the server's binary contains none
/// of them.
@main
struct CampanileBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campanile-bench",
        abstract: "Measure a build of campanile on this machine, or attack it.",
        discussion: """
            Starts the server executable beside it, or the one in CAMPANILE_SERVER. Build both for a measurement:
            swift build -c release --product campanile, and --product campanile-bench.
            """,
        version: ServerConfiguration.version,
        subcommands: [
            ScenarioCommand.self, AttackCommand.self, DayCommand.self, LossCommand.self, NoticesCommand.self,
            EnumerationCommand.self, StopCommand.self, StormCommand.self, RouteCommand.self, SearchCommand.self,
            FloorCommand.self,
        ],
        defaultSubcommand: ScenarioCommand.self)

    static func main() async {
        await runProgram { _ in
            LoggingSystem.bootstrap { LineLogHandler(label: $0, level: .notice, format: .text) }
        }
    }
}
