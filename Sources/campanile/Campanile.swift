import ArgumentParser
import CommandSupport
import Server

/// The command line. Each command only checks its arguments, calls a library, and prints the result.
@main
struct Campanile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campanile",
        abstract: "One server a whole campus listens to: live runs on a map, over WebSocket.",
        discussion: """
            To look around:         campanile demo
            To run it for real:     campanile import campus.osm, then campanile serve
            To see what is wrong:   campanile doctor

            Without DATABASE_URL, Campanile starts a PostgreSQL of its own in its data directory and stops it on exit.
            Exit codes follow sysexits.h: 64 wrong usage, 65 wrong input, 69 something needed is missing or away,
            70 our fault, 73 a file or port cannot be had, 75 not finished: try again.
            """,
        version: ServerConfiguration.version,
        subcommands: [
            Serve.self, Import.self, ExerciseCommand.self, Migrate.self, Backup.self, Restore.self, User.self,
            Replay.self, Demo.self,
            Doctor.self,
        ])

    static func main() async {
        await runProgram { arguments in
            try LogOptions.bootstrap(arguments)
            try SecretInput.check(arguments)
        }
    }
}
