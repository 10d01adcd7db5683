import ArgumentParser
import CommandSupport
import Postgres
import Server

/// `campanile backup`.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Save the whole database in one file; a running server is not interrupted.",
        discussion: """
            The file holds one moment of the database, in the custom format of pg_dump, with mode 0600: it has everything that people \
            wrote and where they ran. The data directory's simulation.key and tls/ are not in it; both are made again when they are \
            missing.
            """)

    @OptionGroup var data: DataOptions

    @Argument(help: ArgumentHelp("The file to write; it must not exist.", valueName: "file"))
    var file: String

    func run() async throws {
        let file = file
        try await CommandDatabase.with(data, for: .existing, command: "backup") { database in
            let bytes = try await database.backup.write(to: file)
            Terminal.output("Saved \(database.access.location) in \(file) (\(bytes) bytes)")
        }
    }
}

/// `campanile restore`.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring a backup back, and mark everything in it as restored.",
        discussion: """
            Stop the servers first. Into an empty database; with --replace a private PostgreSQL keeps what it has under another name, \
            and has it as its database until the backup is restored and complete. \
            Clients load everything anew, nothing that was due before the restore is sent again, and people sign in \
            again; links, shares, calendar addresses and browser notifications are made anew. What people revoked after the \
            backup would be valid again otherwise. Blocks, private zones, roles, passwords, and mail addresses and telephone numbers for \
            reminders are as they were at the backup.
            """)

    @OptionGroup var data: DataOptions

    @Flag(help: "Put the backup in the place of the private PostgreSQL's data, which is kept under another name.")
    var replace = false

    @Argument(help: ArgumentHelp("A file that campanile backup wrote.", valueName: "file"))
    var file: String

    func run() async throws {
        let (file, replace) = (file, replace)
        try await CommandDatabase.with(data, for: .alone(restoresReplacedDatabase: replace), command: "restore") {
            database in
            try await Self.restore(file, database, replace: replace)
        }
    }

    private static func restore(_ file: String, _ database: CommandDatabase, replace: Bool) async throws {
        let access = database.access
        let summary = try await database.backup.inspect(file)
        Terminal.output("Restoring into \(access.location)")
        if try await database.backup.isEmpty() {
            try await database.backup.restore(file, summary, migrator: database.migrator)
        } else {
            guard replace, access.isPrivate else {
                throw BackupError.notEmpty(database: access.owner.database ?? "", isPrivate: access.isPrivate)
            }
            try await access.replace { made in
                let tools = database.tools(for: made)
                try await tools.backup.restore(file, summary, migrator: tools.migrator)
            } willKeep: { name in
                Terminal.output("The old database is kept as \(name): drop it when it is not needed")
            }
        }
        Terminal.output("Restored \(file)\(summary.made.isEmpty ? "" : ", made on \(summary.made)")")
        Terminal.output(
            "Everybody signs in again. Passwords, roles, blocks and private zones are as they were at the backup")
    }
}
