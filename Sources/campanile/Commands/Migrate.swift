import ArgumentParser
import CommandSupport
import Wire

/// `campanile migrate`.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database's schema up to date; serve does it too.",
        discussion: """
            Harmless when nothing is to be done. Refuses when the file of an applied migration was changed; a changed file of functions is \
            applied again.
            """)

    @OptionGroup var data: DataOptions

    @Flag(help: "Only print which files of the schema are applied and which are not.")
    var status = false

    func run() async throws {
        let status = status
        try await CommandDatabase.with(data, for: status ? .existing : .madeIfMissing, command: "migrate") { database in
            Terminal.output("The schema of \(database.access.location)")
            if !status {
                let applied = try await database.migrator.apply()
                Terminal.output(applied.isEmpty ? "Nothing to do" : "Applied \(applied.count)")
            }
            for entry in try await database.migrator.status() {
                let when = entry.appliedAt.map { Timestamp(milliseconds: $0).description } ?? "not applied"
                Terminal.output("\(entry.name)  \(when)")
            }
        }
    }
}
