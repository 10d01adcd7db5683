import EventLoop
import Logging

/// Applies SQL files to a database's schema: numbered files (tables) once each, in order, each in a transaction; then the files of
/// functions whose content has changed, in one transaction.
///
/// The tables `schema_migrations` and `schema_functions` record each applied file with its checksum, so the migrator detects and refuses an
/// altered history. An advisory lock allows one process to migrate at a time.
public struct Migrator: Sendable {
    /// Key of the advisory lock: `campanil` in ASCII.
    static let lockKey: Int64 = 0x6361_6d70_616e_696c
    /// Maximum time for one file.
    static let fileTimeout: Duration = .seconds(3600)

    /// A file and whether it was applied.
    public struct Entry: Sendable, Equatable {
        /// The number of a migration, at least 1; nil for a file of functions.
        public let version: Int64?
        /// The file's name in the directory, such as `0007_safety.sql` or `functions/safety.sql`.
        public let name: String
        /// When its present content was applied, in milliseconds since 1970-01-01T00:00:00Z; nil if pending.
        public let appliedAt: Int64?
    }

    private struct Files: Sendable {
        let migrations: [MigrationFile]
        let functions: [FunctionFile]
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
    ///   - logger: Receives a message for each applied file.
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

    /// Applies the pending files. Does nothing if there are none.
    /// - Returns: The files applied by this call.
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
                );
                \(FunctionInstallation.table)
                """)
            let history = try MigrationHistory(files: files.migrations, applied: try await readApplied(connection))
            if history.takesOver { try await takeOver(history.applied, connection) }
            for file in history.pending { try await apply(file, connection) }
            let functions = try await FunctionInstallation(
                files: files.functions, connection: connection, logger: logger
            ).apply()
            if let applicationRole { try await SchemaRights.grant(applicationRole, connection) }
            let names = Set(history.pending.map(\.name) + functions.map(\.path))
            return try await entries(files, connection).filter { names.contains($0.name) }
        }
    }

    /// All files, applied or pending: the migrations, then the functions, in order. Changes nothing.
    /// - Throws: ``MigrationError`` if files and database disagree, ``PostgresError``.
    public func status() async throws -> [Entry] {
        let files = try await readFiles()
        return try await withConnection { try await entries(files, $0) }
    }

    private func entries(_ files: Files, _ connection: PostgresConnection) async throws -> [Entry] {
        let tables = try await connection.query(
            """
            SELECT to_regclass('public.schema_migrations') IS NOT NULL AS migrations,
                to_regclass('public.schema_functions') IS NOT NULL AS functions
            """
        ).first
        let applied = try tables?.bool("migrations") == true ? await readApplied(connection) : []
        let history = try MigrationHistory(files: files.migrations, applied: applied)
        let installation = FunctionInstallation(files: files.functions, connection: connection, logger: logger)
        let functions = try tables?.bool("functions") == true ? await installation.readApplied() : []
        return history.applied.map { Entry(version: $0.version, name: $0.name, appliedAt: $0.at) }
            + history.pending.map { Entry(version: $0.version, name: $0.name, appliedAt: nil) }
            + files.functions.map { file in
                let applied = functions.first { $0.name == file.name && $0.checksum == file.checksum }
                return Entry(version: nil, name: file.path, appliedAt: applied?.at)
            }
    }

    private func readFiles() async throws -> Files {
        try await workers.run { [directory] in
            Files(
                migrations: try MigrationFile.readAll(directory: directory),
                functions: try FunctionFile.readAll(directory: directory))
        }
    }

    private func withConnection<T: Sendable>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        let connection = try await PostgresConnection.connect(configuration: configuration, loop: loop, logger: logger)
        defer { connection.close() }
        let report = LockReport(of: connection, configuration: configuration, logger: logger).start()
        defer { report.cancel() }
        return try await withTaskCancellationHandler {
            try await body(connection)
        } onCancel: {
            // Otherwise the statement would wait until the other session releases the lock.
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

    private func readApplied(_ connection: PostgresConnection) async throws -> [AppliedMigration] {
        try await connection.query(
            "SELECT version, name, checksum, applied_at FROM public.schema_migrations ORDER BY version"
        ).map { row in
            AppliedMigration(
                version: try row.int("version"), name: try row.text("name"), checksum: try row.text("checksum"),
                at: try row.timestamp("applied_at"))
        }
    }

    /// Replaces the rows of the former history by those of the baselines.
    private func takeOver(_ baselines: [AppliedMigration], _ connection: PostgresConnection) async throws {
        try await connection.committing {
            _ = try await connection.query("DELETE FROM public.schema_migrations")
            for file in baselines { try await record(file.version, file.name, file.checksum, connection) }
        }
        logger.notice("\(baselines.count) baselines took over from \(FormerHistory.files.count) former migrations")
    }

    private func apply(_ file: MigrationFile, _ connection: PostgresConnection) async throws {
        do {
            try await connection.committing {
                try await connection.script(file.sql)
                try await record(file.version, file.name, file.checksum, connection)
            }
        } catch let error as PostgresError {
            throw MigrationError.failed(name: file.name, error: error)
        }
        logger.notice("migration \(file.name) applied")
    }

    private func record(
        _ version: Int64, _ name: String, _ checksum: String, _ connection: PostgresConnection
    ) async throws {
        _ = try await connection.query(
            "INSERT INTO public.schema_migrations (version, name, checksum) VALUES ($1, $2, $3)",
            [.int(version), .text(name), .text(checksum)])
    }
}

extension PostgresConnection {
    /// Runs `body` in a transaction and commits it. After an error the caller closes the connection, which rolls back.
    func committing(_ body: () async throws -> Void) async throws {
        _ = try await query("BEGIN")
        try await body()
        let answer = try await query("COMMIT")
        guard answer.commandTag == "COMMIT" else {
            throw PostgresError.server(sqlState: "25P02", message: "the transaction was aborted", constraint: nil)
        }
    }
}
