import ArgumentParser
import Bench
import CommandSupport
import Foundation

/// Runs the baseline server in a process of its own, for ``ScenarioCommand``.
struct FloorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "floor", shouldDisplay: false)

    @Argument var messageBytesIn: Int
    @Argument var messageBytesOut: Int

    func run() throws {
        // The parent may have blocked signals, and the baseline server must not outlive an interrupted measurement.
        var signals = sigset_t()
        sigfillset(&signals)
        sigprocmask(SIG_UNBLOCK, &signals, nil)
        try FloorServer.run(messageBytesIn: messageBytesIn, messageBytesOut: messageBytesOut) {
            Terminal.output("floor at \($0)")
        }
    }
}
