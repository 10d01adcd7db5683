import EventLoop
import Foundation
import Logging
import Postgres

/// The database of a command: a configured one or the private cluster, with applied migrations.
public struct DatabaseAccess: Sendable {
    /// Connection as the server's role.
    public let application: PostgresConfiguration
    /// Connection as the role that owns the schema.
    public let owner: PostgresConfiguration
    /// Description of the database for messages.
    public let location: String
    private let cluster: PrivateCluster?
    /// Extensions that the schema needs.
    private static let extensions = ["postgis"]

    /// Error if there is no private cluster and none may be created.
    public struct NoDatabase: Error, CustomStringConvertible {
        let directory: String
        /// One fact and what to do.
        public var description: String {
            "no database was found in \(directory): name the server's data directory with --data, or its database with DATABASE_URL"
        }
    }

    /// Opens the database and applies pending migrations.
    /// - Parameters:
    ///   - migrating: False leaves the schema unchanged.
    ///   - joining: True connects to a private cluster that a running server uses, instead of failing.
    ///   - making: False does not create a private cluster.
    ///   - restoresReplacedDatabase: True renames a replaced database back if an interrupted restore left none in its place.
    /// - Throws: An error that names the unusable resource and what to do.
    public static func open(
        _ configuration: ServerConfiguration, loop: EventLoop, migrating: Bool = true, joining: Bool = false,
        making: Bool = true, restoresReplacedDatabase: Bool = false, logger: Logger
    ) async throws -> DatabaseAccess {
        let workers = WorkerPool(label: "database", concurrentMax: 2, waitingMax: 64)
        let access: DatabaseAccess
        if let url = configuration.databaseURL {
            let application = try PostgresConfiguration(connectionString: url)
            let owner = try configuration.ownerDatabaseURL.map { try PostgresConfiguration(connectionString: $0) }
            access = DatabaseAccess(
                application: application, owner: owner ?? application,
                location: "the database \(application.database ?? "")\(application.host.map { " at \($0)" } ?? "")",
                cluster: nil)
        } else {
            guard making || DataDirectory.hasCluster(configuration.dataDirectory) else {
                throw NoDatabase(directory: configuration.dataDirectory)
            }
            let location = "the private PostgreSQL in \(configuration.dataDirectory)"
            let cluster = PrivateCluster(dataDirectory: configuration.dataDirectory, loop: loop, workers: workers)
            do {
                let started = try await cluster.start(restoresReplacedDatabase: restoresReplacedDatabase)
                access = DatabaseAccess(
                    application: started.application, owner: started.owner, location: location, cluster: cluster)
            } catch ClusterError.inUse where joining {
                let joined = try await cluster.join()
                access = DatabaseAccess(
                    application: joined.application, owner: joined.owner, location: location, cluster: nil)
            }
        }
        guard migrating else { return access }
        do {
            let migrator = access.migrator(configuration, loop: loop, workers: workers, logger: logger)
            if access.hasOwner { try await migrator.apply() } else { try await bringUpToDate(migrator) }
        } catch {
            await access.close()
            throw error
        }
        return access
    }

    /// Error for a schema that is older than this release and not owned by the server's role.
    public struct SchemaOutdated: Error, CustomStringConvertible {
        let pending: Int
        /// One fact and what to do.
        public var description: String {
            "the database's schema is \(pending) files behind, and this role does not own it: run campanile migrate with "
                + "DATABASE_URL and CAMPANILE_OWNER_DATABASE_URL first (campanile-migrate.service does it)"
        }
    }

    /// Whether a separate role owns the schema, as in the private cluster.
    private var hasOwner: Bool { application.user != owner.user }

    /// Applies migrations without a separate owner role. An up-to-date schema needs no rights.
    private static func bringUpToDate(_ migrator: Migrator) async throws {
        try await migrator.checkDatabase()
        let pending = try await migrator.status().count { $0.appliedAt == nil }
        guard pending > 0 else { return }
        do {
            try await migrator.apply()
        } catch PostgresError.server(sqlState: "42501", _, _) {
            throw SchemaOutdated(pending: pending)
        }
    }

    /// Migrator of this database.
    public func migrator(
        _ configuration: ServerConfiguration, loop: EventLoop, workers: WorkerPool, logger: Logger
    ) -> Migrator {
        return Migrator(
            directory: configuration.resources.migrations.path, configuration: owner,
            applicationRole: hasOwner ? application.user : nil, extensions: Self.extensions, loop: loop,
            workers: workers, logger: logger)
    }

    /// Backup and restore of this database.
    public func backup(loop: EventLoop, workers: WorkerPool) -> DatabaseBackup {
        DatabaseBackup(owner: owner, loop: loop, workers: workers)
    }

    /// Whether the database is a private cluster that this process runs.
    public var isPrivate: Bool { cluster != nil }

    /// Fills a new database and puts it in the place of the private cluster's database, which is kept under another name. The present
    /// database remains unchanged until the new one is complete, and after any failure.
    /// - Parameters:
    ///   - fill: Fills the new database, to which it gets access.
    ///   - willKeep: Called before the databases are swapped, with the new name of the old one.
    /// - Throws: Errors of `fill`; `PostgresError`, `CancellationError`.
    public func replace(
        filling fill: (DatabaseAccess) async throws -> Void, willKeep: (String) -> Void
    ) async throws {
        guard let cluster else { throw BackupError.notEmpty(database: owner.database ?? "", isPrivate: false) }
        do {
            let made = try await cluster.makeReplacement()
            try await fill(
                DatabaseAccess(application: made.application, owner: made.owner, location: location, cluster: cluster))
            try Task.checkCancellation()
            let kept = cluster.nameForReplacedDatabase()
            willKeep(kept)
            try await cluster.putReplacementInPlace(keeping: kept)
        } catch {
            // A separate task, because this one may be cancelled. The first error is the relevant one.
            _ = await Task { try? await cluster.dropReplacement() }.value
            throw error
        }
    }

    /// Whether the disk of the private cluster is full.
    public var isStorageFull: Bool { cluster?.isStorageFull ?? false }

    /// Stops the private cluster, if this process runs it.
    public func close() async { await cluster?.stop() }

    /// Leaves the private cluster running, for the next server to adopt.
    func leave() async { await cluster?.leave() }

    /// Stops the private cluster after ``leave()``, unless another server has adopted it.
    func closeUnlessAdopted() async { await cluster?.stopUnlessAdopted() }
}
