import ArgumentParser
import EventLoop
import Foundation
import Logging
import Postgres
import Server
import Wire

/// `campanile migrate`.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database's schema up to date; serve does it too.",
        discussion: "Harmless when nothing is to be done. Refuses when an applied migration's file was changed.")

    @OptionGroup var data: DataOptions

    @Flag(help: "Only say which migrations are applied and which are not.")
    var status = false

    func run() async throws {
        do {
            let loop = try EventLoop(label: "command")
            let configuration = try data.configuration()
            let logger = Logger(label: "campanile")
            let access = try await DatabaseAccess.open(
                configuration, loop: loop, migrating: false, joining: true, logger: logger)
            let workers = WorkerPool(label: "migrate", concurrentMax: 1, waitingMax: 8)
            let migrator = access.migrator(configuration, loop: loop, workers: workers, logger: logger)
            do {
                if !status {
                    let applied = try await migrator.apply()
                    Terminal.say(applied.isEmpty ? "Nothing to do" : "Applied \(applied.count)")
                }
                for entry in try await migrator.status() {
                    let when = entry.appliedAt.map { Timestamp(milliseconds: $0).description } ?? "not applied"
                    Terminal.say("\(entry.version)  \(entry.name)  \(when)")
                }
            } catch {
                await access.close()
                throw error
            }
            await access.close()
        } catch {
            throw CommandFailure(error)
        }
    }
}
