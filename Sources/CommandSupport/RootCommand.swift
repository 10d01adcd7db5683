import ArgumentParser
import EventLoop
import Foundation

extension ParsableCommand {
    /// Runs the program: prepares the process, parses the command line, runs the command, and exits with the code of its failure.
    /// - Parameter prepare: Sets up logging and checks the arguments, before they are parsed.
    public static func runProgram(prepare: @Sendable (_ arguments: [String]) throws -> Void) async {
        // A write to a peer that went away must fail with an error, not end the process.
        signal(SIGPIPE, SIG_IGN)
        // Keys, tokens and passwords are in memory and environment: other processes of the same user must not read them there.
        Confinement.hideOwnMemory()
        let program = configuration.commandName ?? "campanile"
        do {
            do {
                // The server checks again when it knows its number of loops.
                try ThreadCheck.run(count: ThreadCheck.threads(loops: 1))
            } catch {
                throw CommandFailure(.unavailable, "\(error)")
            }
            try prepare(Array(CommandLine.arguments.dropFirst()))
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            exit(failure, of: program)
        } catch {
            // Help and versions, which were asked for, are no failures.
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            exit(
                CommandFailure(parsing: message(for: error), whole: fullMessage(for: error), program: program),
                of: program)
        }
    }

    private static func exit(_ failure: CommandFailure, of program: String) -> Never {
        failure.report(program: program)
        Foundation.exit(failure.code.rawValue)
    }
}
