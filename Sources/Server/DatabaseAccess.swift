import EventLoop
import Foundation
import Logging
import Postgres

/// The database that a command works with: one that was given, or the private cluster. Migrated.
public struct DatabaseAccess: Sendable {
    /// As the server's role.
    public let application: PostgresConfiguration
    /// As the role that owns the schema.
    public let owner: PostgresConfiguration
    /// Which database it is, in words.
    public let place: String
    private let cluster: PrivateCluster?
    /// What the schema needs.
    private static let extensions = ["postgis"]

    /// There is no private cluster, and none is to be made.
    public struct NoDatabase: Error, CustomStringConvertible {
        let directory: String
        /// One plain fact and what to do.
        public var description: String {
            "no database was found in \(directory): name the server's data directory with --data, or its database with DATABASE_URL"
        }
    }

    /// Opens the database and brings its schema up to date.
    /// - Parameters:
    ///   - migrating: False leaves the schema alone.
    ///   - joining: True works beside a server that runs the private cluster, instead of refusing.
    ///   - making: False makes no private cluster where there is none.
    ///   - bringingBack: True gives a replaced database its name back when an interrupted restore left none in its place.
    /// - Throws: What cannot be used, saying what to do.
    public static func open(
        _ configuration: ServerConfiguration, loop: EventLoop, migrating: Bool = true, joining: Bool = false,
        making: Bool = true, bringingBack: Bool = false, logger: Logger
    ) async throws -> DatabaseAccess {
        let workers = WorkerPool(label: "database", concurrentMax: 2, waitingMax: 64)
        let access: DatabaseAccess
        if let url = configuration.databaseURL {
            let application = try PostgresConfiguration(connectionString: url)
            let owner = try configuration.ownerDatabaseURL.map { try PostgresConfiguration(connectionString: $0) }
            access = DatabaseAccess(
                application: application, owner: owner ?? application,
                place: "the database \(application.database ?? "")\(application.host.map { " at \($0)" } ?? "")",
                cluster: nil)
        } else {
            guard making || DataDirectory.hasCluster(configuration.dataDirectory) else {
                throw NoDatabase(directory: configuration.dataDirectory)
            }
            let place = "the private PostgreSQL in \(configuration.dataDirectory)"
            let cluster = PrivateCluster(dataDirectory: configuration.dataDirectory, loop: loop, workers: workers)
            do {
                let started = try await cluster.start(bringingBack: bringingBack)
                access = DatabaseAccess(
                    application: started.application, owner: started.owner, place: place, cluster: cluster)
            } catch ClusterError.inUse where joining {
                let joined = try await cluster.join()
                access = DatabaseAccess(
                    application: joined.application, owner: joined.owner, place: place, cluster: nil)
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

    /// The schema is older than this release, and the server's role does not own it.
    public struct SchemaOutdated: Error, CustomStringConvertible {
        let pending: Int
        /// One plain fact and what to do.
        public var description: String {
            "the database's schema is \(pending) files behind, and this role does not own it: run campanile migrate with "
                + "CAMPANILE_OWNER_DATABASE_URL first (campanile-migrate.service does it)"
        }
    }

    /// A role apart owns the schema, or the private cluster's does.
    private var hasOwner: Bool { application.user != owner.user }

    /// Without the owner's address: what is up to date needs no rights.
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

    /// The migrator of this database.
    public func migrator(
        _ configuration: ServerConfiguration, loop: EventLoop, workers: WorkerPool, logger: Logger
    ) -> Migrator {
        return Migrator(
            directory: configuration.resources.migrations.path, configuration: owner,
            applicationRole: hasOwner ? application.user : nil, extensions: Self.extensions, loop: loop,
            workers: workers, logger: logger)
    }

    /// A backup of this database, or the way back.
    public func backup(loop: EventLoop, workers: WorkerPool) -> DatabaseBackup {
        DatabaseBackup(owner: owner, loop: loop, workers: workers)
    }

    /// Whether the database is a private cluster that this process runs.
    public var isPrivate: Bool { cluster != nil }

    /// Fills a new database and puts it in the place of the private cluster's, which is kept under another name. Until the new one is
    /// complete, and when anything fails, the cluster's database stays as it is.
    /// - Parameters:
    ///   - fill: Fills the new database, to which it gets access.
    ///   - willKeep: Called before the databases change places, with the name that the old one gets.
    /// - Throws: What `fill` throws; `PostgresError`, `CancellationError`.
    public func replace(
        filling fill: (DatabaseAccess) async throws -> Void, willKeep: (String) -> Void
    ) async throws {
        guard let cluster else { throw BackupError.notEmpty(database: owner.database ?? "", isPrivate: false) }
        do {
            let made = try await cluster.makeReplacement()
            try await fill(
                DatabaseAccess(application: made.application, owner: made.owner, place: place, cluster: cluster))
            try Task.checkCancellation()
            let kept = cluster.nameToKeep()
            willKeep(kept)
            try await cluster.putReplacementInPlace(keeping: kept)
        } catch {
            // In a task of its own, as this one may be cancelled. What failed first is what matters.
            _ = await Task { try? await cluster.dropReplacement() }.value
            throw error
        }
    }

    /// The private cluster's disk is full.
    public var isStorageFull: Bool { cluster?.isStorageFull ?? false }

    /// Stops the private cluster, if it is ours.
    public func close() async { await cluster?.stop() }

    /// Leaves the private cluster running, for the next server to adopt.
    func leave() async { await cluster?.leave() }

    /// After ``leave()``: stops the private cluster, unless another server has adopted it.
    func closeUnlessAdopted() async { await cluster?.stopUnlessAdopted() }
}
