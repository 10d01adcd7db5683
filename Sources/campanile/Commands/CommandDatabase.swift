import CommandSupport
import EventLoop
import Logging
import Postgres
import Server

/// The database of a command that works on the complete database, as the role that owns the schema.
struct CommandDatabase: Sendable {
    /// Requirements of a command.
    enum Use: Sendable {
        /// An existing database, also one that a running server uses.
        case existing
        /// An existing database, or a new private cluster if there is none.
        case madeIfMissing
        /// A database that no server uses, because the command changes data that a server holds in memory.
        /// - Parameter restoresReplacedDatabase: See ``PrivateCluster/start(restoresReplacedDatabase:)``.
        case alone(restoresReplacedDatabase: Bool)
    }

    let access: DatabaseAccess
    let migrator: Migrator
    let backup: DatabaseBackup
    private let migratorOfAnother: @Sendable (DatabaseAccess) -> Migrator
    private let backupOfAnother: @Sendable (DatabaseAccess) -> DatabaseBackup

    /// Backup and migrator for another database of the cluster.
    func tools(for other: DatabaseAccess) -> (backup: DatabaseBackup, migrator: Migrator) {
        (backupOfAnother(other), migratorOfAnother(other))
    }

    /// Opens the database and closes it in any case. SIGINT or SIGTERM cancels `body`.
    /// - Parameter command: Name of the command for messages.
    /// - Throws: ``CommandFailure``.
    static func with(
        _ options: DataOptions, for use: Use, command: String,
        _ body: @escaping @Sendable (CommandDatabase) async throws -> Void
    ) async throws {
        do {
            let configuration = try options.configuration()
            let stop = StopSignal { Terminal.progress("Stopping") }
            let done: Void? = try await stop.whileRunning(command) {
                let database = try await open(configuration, use, label: command)
                do {
                    try await body(database)
                } catch {
                    await database.access.close()
                    throw error
                }
                await database.access.close()
            }
            guard done != nil else { throw CommandFailure(.tryAgain, "\(command) was interrupted: run it again") }
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func open(
        _ configuration: ServerConfiguration, _ use: Use, label: String
    ) async throws -> CommandDatabase {
        let loop = try EventLoop(label: "command")
        let workers = WorkerPool(label: label, concurrentMax: 1, waitingMax: 8)
        let logger = Logger(label: "campanile")
        let (isAlone, restoresReplacedDatabase) =
            if case .alone(let brings) = use { (true, brings) } else { (false, false) }
        let making = if case .existing = use { false } else { true }
        let access = try await DatabaseAccess.open(
            configuration, loop: loop, migrating: false, joining: !isAlone, making: making,
            restoresReplacedDatabase: restoresReplacedDatabase,
            logger: logger)
        let migrator: @Sendable (DatabaseAccess) -> Migrator = {
            $0.migrator(configuration, loop: loop, workers: workers, logger: logger)
        }
        let backup: @Sendable (DatabaseAccess) -> DatabaseBackup = { $0.backup(loop: loop, workers: workers) }
        return CommandDatabase(
            access: access, migrator: migrator(access), backup: backup(access), migratorOfAnother: migrator,
            backupOfAnother: backup)
    }
}
