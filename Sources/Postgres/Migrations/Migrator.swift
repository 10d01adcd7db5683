import EventLoop
import Logging

/// Applies numbered SQL files to a database's schema: each once, in order, in a transaction.
///
/// The table `schema_migrations` records each applied file with its checksum, so the migrator detects and refuses an altered
/// history. An advisory lock allows one process to migrate at a time.
public struct Migrator: Sendable {
    /// Key of the advisory lock: `campanil` in ASCII.
    static let lockKey: Int64 = 0x6361_6d70_616e_696c
    /// Maximum time for one file.
    static let fileTimeout: Duration = .seconds(3600)

    /// A migration and whether it was applied.
    public struct Entry: Sendable, Equatable {
        /// The number, at least 1.
        public let version: Int64
        /// The file's name, such as `0007_sharing.sql`.
        public let name: String
        /// Time of application, in milliseconds since 1970-01-01T00:00:00Z; nil if pending.
        public let appliedAt: Int64?
    }

    private struct Applied {
        let version: Int64
        let name: String
        let checksum: String
        let at: Int64
    }

    /// Whether the migrator is part of a restore and ignores the marker of an unfinished one.
    var isRestoring = false

    private let directory: String
    private let configuration: PostgresConfiguration
    private let applicationRole: String?
    private let extensions: [String]
    private let loop: EventLoop
    private let workers: WorkerPool
    private let logger: Logger

    /// - Parameters:
    ///   - directory: The directory of the files.
    ///   - configuration: The database, with the role that owns the schema.
    ///   - applicationRole: The role to grant access to the owner's tables, or nil.
    ///   - extensions: Extensions that the files need. The migrator checks them before it applies a file.
    ///   - loop: The loop that the connection is confined to.
    ///   - workers: Threads that read the files.
    ///   - logger: Receives a message for each applied migration.
    public init(
        directory: String, configuration: PostgresConfiguration, applicationRole: String? = nil,
        extensions: [String] = [], loop: EventLoop, workers: WorkerPool,
        logger: Logger = Logger(label: "campanile.migrations")
    ) {
        self.directory = directory
        var configuration = configuration
        configuration.queryTimeout = Self.fileTimeout
        self.configuration = configuration
        self.applicationRole = applicationRole
        self.extensions = extensions
        self.loop = loop
        self.workers = workers
        self.logger = logger
    }

    /// Applies the pending migrations. Does nothing if there are none.
    /// - Returns: The migrations applied by this call.
    /// - Throws: ``MigrationError``, ``PostgresError``; immediately if the task is cancelled, even while waiting for a lock.
    @discardableResult
    public func apply() async throws -> [Entry] {
        let files = try await readFiles()
        return try await withConnection { connection in
            try await checkDatabase(connection)
            // Waits while another process migrates. Held until the connection closes.
            _ = try await connection.query("SELECT pg_advisory_lock($1)", [.int(Self.lockKey)])
            try await connection.script(
                """
                CREATE TABLE IF NOT EXISTS public.schema_migrations (
                    version bigint PRIMARY KEY,
                    name text NOT NULL,
                    checksum text NOT NULL,
                    applied_at timestamptz NOT NULL DEFAULT now()
                )
                """)
            let pending = try Self.pending(files, try await readApplied(connection))
            for file in pending { try await apply(file, connection) }
            try await revokeOwnerOnlyFunctions(connection)
            if let applicationRole { try await grant(applicationRole, connection) }
            let applied = try await readApplied(connection)
            return applied.filter { entry in pending.contains { $0.version == entry.version } }.map(Self.entry)
        }
    }

    /// All migrations, applied or pending, in order. Changes nothing.
    /// - Throws: ``MigrationError`` if files and database disagree, ``PostgresError``.
    public func status() async throws -> [Entry] {
        let files = try await readFiles()
        return try await withConnection { connection in
            let isPresent = try await connection.query(
                "SELECT to_regclass('public.schema_migrations') IS NOT NULL AS present"
            ).first?.bool("present")
            let applied = isPresent == true ? try await readApplied(connection) : []
            let pending = try Self.pending(files, applied)
            return applied.map(Self.entry)
                + pending.map { Entry(version: $0.version, name: $0.name, appliedAt: nil) }
        }
    }

    private func readFiles() async throws -> [MigrationFile] {
        try await workers.run { [directory] in try MigrationFile.readAll(directory: directory) }
    }

    private func withConnection<T: Sendable>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        let connection = try await PostgresConnection.connect(configuration: configuration, loop: loop, logger: logger)
        defer { connection.close() }
        let report = LockReport(of: connection, configuration: configuration, logger: logger).start()
        defer { report.cancel() }
        return try await withTaskCancellationHandler {
            try await body(connection)
        } onCancel: {
            // A statement that waits for a lock would otherwise wait as long as another session holds it.
            connection.close()
        }
    }

    /// Checks conditions that would later fail with an error that does not name the cause. Needs no special role.
    /// - Throws: ``MigrationError``, ``PostgresError``.
    public func checkDatabase() async throws { try await withConnection { try await checkDatabase($0) } }

    private func checkDatabase(_ connection: PostgresConnection) async throws {
        let row = try await connection.query(
            """
            SELECT current_database() AS name, pg_is_in_recovery() AS is_standby,
                current_setting('transaction_read_only') = 'on' AS is_read_only,
                to_regclass('public.\(Self.unfinishedRestore)') IS NOT NULL AS is_unfinished
            """
        ).first
        guard let row else { return }
        let database = try row.text("name")
        guard try !row.bool("is_read_only") else {
            throw MigrationError.readOnly(database: database, isStandby: try row.bool("is_standby"))
        }
        guard try isRestoring || !row.bool("is_unfinished") else {
            throw MigrationError.restoreUnfinished(database: database)
        }
        let missing = try await connection.query(
            """
            SELECT w.name, a.name IS NOT NULL AS is_installed FROM unnest($1::text[]) AS w (name)
            LEFT JOIN pg_available_extensions a ON a.name = w.name
            WHERE NOT EXISTS (SELECT FROM pg_extension e WHERE e.extname = w.name)
            """, [.textArray(extensions)]
        ).first
        guard let missing else { return }
        throw MigrationError.extensionMissing(
            name: try missing.text("name"), database: database, isInstalled: try missing.bool("is_installed"))
    }

    /// Name of a table that exists while a backup is being restored.
    static let unfinishedRestore = "restore_unfinished"

    private func readApplied(_ connection: PostgresConnection) async throws -> [Applied] {
        try await connection.query(
            "SELECT version, name, checksum, applied_at FROM public.schema_migrations ORDER BY version"
        ).map { row in
            Applied(
                version: try row.int("version"), name: try row.text("name"), checksum: try row.text("checksum"),
                at: try row.timestamp("applied_at"))
        }
    }

    private static func entry(_ applied: Applied) -> Entry {
        Entry(version: applied.version, name: applied.name, appliedAt: applied.at)
    }

    /// The files that are not applied yet. Throws if files and applied migrations disagree.
    private static func pending(
        _ files: [MigrationFile], _ applied: [Applied]
    ) throws(MigrationError) -> [MigrationFile] {
        let newestFile = files.last?.version ?? 0
        let newestApplied = applied.last?.version ?? 0
        guard newestApplied <= newestFile else {
            throw .databaseNewer(applied: newestApplied, newestFile: newestFile)
        }
        for entry in applied {
            guard let file = files.first(where: { $0.version == entry.version }) else { throw .missing(entry.name) }
            guard file.checksum == entry.checksum else { throw .changed(file.name) }
        }
        let pending = files.filter { file in !applied.contains { $0.version == file.version } }
        if let first = pending.first, first.version < newestApplied {
            throw .outOfOrder(first.name, newestApplied: newestApplied)
        }
        return pending
    }

    private func apply(_ file: MigrationFile, _ connection: PostgresConnection) async throws {
        do {
            _ = try await connection.query("BEGIN")
            try await connection.script(file.sql)
            _ = try await connection.query(
                "INSERT INTO public.schema_migrations (version, name, checksum) VALUES ($1, $2, $3)",
                [.int(file.version), .text(file.name), .text(file.checksum)])
            let answer = try await connection.query("COMMIT")
            guard answer.commandTag == "COMMIT" else {
                throw PostgresError.server(sqlState: "25P02", message: "the transaction was aborted", constraint: nil)
            }
        } catch let error as PostgresError {
            // Closing the connection, which follows, rolls the transaction back.
            throw MigrationError.failed(name: file.name, error: error)
        }
        logger.notice("migration \(file.name) applied")
    }

    /// Comment prefix of functions that only the schema's owner may execute. Backups keep comments, and restores leave out
    /// privileges.
    static let ownerOnly = "owner only"

    private func revokeOwnerOnlyFunctions(_ connection: PostgresConnection) async throws {
        let functions = try await connection.query(
            """
            SELECT p.oid::regprocedure::text AS name FROM pg_proc p
            WHERE p.pronamespace = 'public'::regnamespace AND p.proowner = current_user::regrole
                AND obj_description(p.oid, 'pg_proc') ^@ $1
            """, [.text(Self.ownerOnly)])
        for function in functions {
            try await connection.script("REVOKE ALL ON FUNCTION \(try function.text("name")) FROM PUBLIC")
        }
    }

    /// Comment prefix of tables where the application may add and read rows, but not change or remove them.
    static let appendOnly = "append-only"

    /// Grants the application access to the objects that the migrating role owns. Tables of extensions have another owner.
    ///
    /// The application may only read the history of migrations, and only read and add to tables that are ``appendOnly``.
    private func grant(_ role: String, _ connection: PostgresConnection) async throws {
        let name = quotedIdentifier(role)
        var statements = ["GRANT USAGE ON SCHEMA public TO \(name)"]
        let relations = try await connection.query(
            """
            SELECT c.relname, c.relkind::text AS kind, coalesce(obj_description(c.oid, 'pg_class') ^@ $1, false) AS is_append_only
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
              AND c.relowner = current_user::regrole
            ORDER BY c.relname
            """, [.text(Self.appendOnly)])
        for relation in relations {
            let relationName = try relation.text("relname")
            let target = "public.\(quotedIdentifier(relationName)) TO \(name)"
            if try relation.text("kind") == "S" {
                statements.append("GRANT USAGE, SELECT ON SEQUENCE \(target)")
            } else if relationName == "schema_migrations" {
                statements.append("GRANT SELECT ON TABLE \(target)")
            } else if try relation.bool("is_append_only") {
                statements.append("REVOKE ALL ON TABLE public.\(quotedIdentifier(relationName)) FROM \(name)")
                statements.append("GRANT SELECT, INSERT ON TABLE \(target)")
            } else {
                statements.append("GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE \(target)")
            }
        }
        try await connection.script(statements.joined(separator: ";\n"))
    }
}
