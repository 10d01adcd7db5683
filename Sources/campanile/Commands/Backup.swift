import ArgumentParser
import EventLoop
import Logging
import Postgres
import Server

/// `campanile backup`.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Save the whole database in one file; a running server goes on.",
        discussion: """
            The file holds one moment of the database, in the custom format of pg_dump, with mode 0600: it has everything that people \
            wrote and where they ran. The data directory's simulation.key and tls/ are not in it; both are made again when they are \
            missing.
            """)

    @OptionGroup var data: DataOptions

    @Argument(help: ArgumentHelp("The file to write; it must not exist.", valueName: "file"))
    var file: String

    func run() async throws {
        do {
            let loop = try EventLoop(label: "command")
            let workers = WorkerPool(label: "backup", concurrentMax: 1, waitingMax: 8)
            let access = try await DatabaseAccess.open(
                try data.configuration(), loop: loop, migrating: false, joining: true,
                logger: Logger(label: "campanile"))
            do {
                let bytes = try await access.backup(loop: loop, workers: workers).write(to: file)
                Terminal.say("Saved the database in \(file) (\(bytes) bytes)")
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

/// `campanile restore`.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring a backup back, and mark everything in it as restored.",
        discussion: """
            Stop the servers first. Into an empty database; with --replace a private PostgreSQL keeps what it has under another name. \
            Clients load everything anew, nothing that was due before the restore is sent again, and every grant ends: people sign in \
            again, and links, shares, calendar addresses and browser notifications are made anew. What people revoked after the \
            backup would be valid again otherwise. Blocks, private zones, roles and passwords are as they were at the backup.
            """)

    @OptionGroup var data: DataOptions

    @Flag(help: "Put the backup in the place of the private PostgreSQL's data, which is kept under another name.")
    var replace = false

    @Argument(help: ArgumentHelp("A file that campanile backup wrote.", valueName: "file"))
    var file: String

    func run() async throws {
        do {
            let loop = try EventLoop(label: "command")
            let workers = WorkerPool(label: "restore", concurrentMax: 1, waitingMax: 8)
            let configuration = try data.configuration()
            let logger = Logger(label: "campanile")
            // Not beside a running server, which would go on with what it has in memory.
            let access = try await DatabaseAccess.open(configuration, loop: loop, migrating: false, logger: logger)
            do {
                let backup = access.backup(loop: loop, workers: workers)
                let migrator = access.migrator(configuration, loop: loop, workers: workers, logger: logger)
                try await restore(access, backup, migrator)
            } catch {
                await access.close()
                throw error
            }
            await access.close()
        } catch {
            throw CommandFailure(error)
        }
    }

    private func restore(_ access: DatabaseAccess, _ backup: DatabaseBackup, _ migrator: Migrator) async throws {
        let summary = try await backup.inspect(file)
        var kept: String?
        if try await !backup.isEmpty() {
            guard replace, access.isPrivate else {
                throw BackupError.notEmpty(database: access.owner.database ?? "", isPrivate: access.isPrivate)
            }
            kept = try await access.setAside()
        }
        do {
            try await backup.restore(file, summary, migrator: migrator)
        } catch {
            if let kept { try await access.bringBack(kept) }
            throw error
        }
        Terminal.say("Restored \(file)\(summary.made.isEmpty ? "" : ", made on \(summary.made)")")
        if let kept {
            Terminal.say("What was there before is kept as the database \(kept): drop it when it is not needed")
        }
        Terminal.say(
            "Everybody signs in again. Passwords, roles, blocks and private zones are as they were at the backup")
    }
}
