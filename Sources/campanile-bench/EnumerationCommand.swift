import ArgumentParser
import Bench
import CommandSupport

/// `campanile-bench enumeration`.
struct EnumerationCommand: BenchCommand {
    static let configuration = CommandConfiguration(
        commandName: "enumeration",
        abstract: "Try to find out who has an account by the answers to strangers and by their times.",
        discussion: """
            Sends wrong log-ins, requests for a reset and registrations, by turns with an address that an account owns and one that
            none owns. Fails if the answers differ, or if their times differ more than by chance.

            Needs python3-aiosmtpd.
            """)

    @Option(help: ArgumentHelp("Addresses with an account, and as many without", valueName: "count"))
    var addresses = 100

    @Flag(help: "One JSON object instead of a table")
    var json = false

    func validate() throws { try check("--addresses", addresses, 10...5_000) }

    func run() async throws {
        do {
            var options = EnumerationOptions()
            options.addresses = addresses
            try show(try await EnumerationScenario(options).run())
        } catch {
            throw CommandFailure(error)
        }
    }
}
