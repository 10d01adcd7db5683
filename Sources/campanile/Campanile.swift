import ArgumentParser
import EventLoop
import Foundation
import Server

/// The command line. Thin: each command checks its arguments, calls a room below, and says what happened.
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
            Serve.self, Import.self, Migrate.self, Backup.self, Restore.self, User.self, Replay.self, Demo.self,
            Doctor.self,
            BenchCommand.self, BenchFloor.self,
        ])

    static func main() async {
        // A peer that went away is told by the write's error, not by a signal that ends the process.
        signal(SIGPIPE, SIG_IGN)
        // Keys, tokens and passwords are in memory and environment: processes of the same user do not read them there.
        Confinement.hideOwnMemory()
        do {
            do {
                // A server asks again, when it knows how many loops it is to have.
                try ThreadCheck.run(count: ThreadCheck.threads(loops: 1))
            } catch {
                throw CommandFailure(.unavailable, "\(error)")
            }
            try LogOptions.bootstrap(Array(CommandLine.arguments.dropFirst()))
            try SecretInput.check(Array(CommandLine.arguments.dropFirst()))
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            failure.report()
            Foundation.exit(failure.code.rawValue)
        } catch {
            // Help and versions, which were asked for, are no failures.
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            let failure = CommandFailure(parsing: message(for: error), whole: fullMessage(for: error))
            failure.report()
            Foundation.exit(failure.code.rawValue)
        }
    }
}
