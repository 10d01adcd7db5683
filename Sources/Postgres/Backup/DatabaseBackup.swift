import EventLoop
import Glibc

/// Backup and restore of the whole database as one file, by `pg_dump` and `pg_restore`.
///
/// A restore ends by marking the database (`restore_mark` in `sql/functions/database.sql`). The server then neither repeats nor trusts
/// anything from the time after the backup.
public struct DatabaseBackup: Sendable {
    /// Maximum time to mark a restored database.
    static let markTimeout = Duration.seconds(3_600)
    /// Maximum time that `pg_dump` waits for a migration's table locks.
    static let lockTimeMaxMilliseconds = 60_000

    private let owner: PostgresConfiguration
    private let search: PostgresBinaries.Search
    private let loop: EventLoop
    private let workers: WorkerPool

    /// - Parameters:
    ///   - owner: The database, with the role that owns the schema.
    ///   - search: Directories to search for `pg_dump` and `pg_restore`.
    ///   - loop: The loop for connections.
    ///   - workers: Threads that wait for the tools.
    public init(
        owner: PostgresConfiguration, search: PostgresBinaries.Search = .environment, loop: EventLoop,
        workers: WorkerPool
    ) {
        self.owner = owner
        self.search = search
        self.loop = loop
        self.workers = workers
    }

    // MARK: Backup

    /// Writes a consistent snapshot of the database while servers continue to use it.
    ///
    /// The file has mode 0600. It gets its final name when it is complete.
    /// - Returns: The file's size in bytes.
    /// - Throws: ``BackupError``, ``PostgresError``.
    public func write(to path: String) async throws -> Int {
        guard access(path, F_OK) != 0 else { throw BackupError.fileExists(path: path) }
        let isOurs = try await withConnection { connection in
            try await connection.query("SELECT to_regclass('public.schema_migrations') IS NOT NULL AS is_ours").first?
                .bool("is_ours")
        }
        guard isOurs == true else { throw BackupError.nothingToSave(database: owner.database ?? "") }
        let tools = try await tools()
        return try await work { [owner] interruption in
            // A unique name, because another backup to the same path may be in progress.
            let (unfinished, descriptor) = try Self.makeFile("\(path).unfinished-")
            defer { close(descriptor) }
            do {
                let dump = [
                    "--format=custom", "--no-password", "--lock-wait-timeout=\(Self.lockTimeMaxMilliseconds)",
                    "--file=\(unfinished)",
                ]
                _ = try tools.run("pg_dump", dump, owner, interruption)
                _ = try tools.run("pg_restore", ["--list", unfinished], nil, interruption)
                guard fsync(descriptor) == 0 else {
                    throw BackupError.file(path: unfinished, reason: String(cString: strerror(errno)))
                }
                do throws(SystemError) {
                    try NewFile.rename(unfinished, to: path)
                } catch {
                    throw error.code == EEXIST
                        ? BackupError.fileExists(path: path)
                        : BackupError.file(path: path, reason: String(cString: strerror(error.code)))
                }
            } catch {
                unlink(unfinished)
                throw error
            }
            var status = stat()
            return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        }
    }

    /// Runs `body` on a worker thread. Cancelling the task ends the programs that `body` runs.
    private func work<T: Sendable>(
        _ body: @escaping @Sendable (ChildProcess.Interruption) throws -> T
    ) async throws -> T {
        let interruption = ChildProcess.Interruption()
        do {
            return try await withTaskCancellationHandler {
                try await workers.run { try body(interruption) }
            } onCancel: {
                interruption.set()
            }
        } catch  where interruption.isSet {
            throw CancellationError()
        }
    }

    private func tools() async throws -> BackupTools {
        let version = try await withConnection { connection in
            try await connection.query("SELECT current_setting('server_version_num')::bigint / 10000 AS major").first?
                .int("major")
        }
        return try await workers.run { [search] in
            try BackupTools.find(search, serverVersion: Int(version ?? Int64(PostgresBinaries.versionMin)))
        }
    }

    // MARK: Restore

    /// Contents of a backup file.
    public struct Summary: Sendable {
        /// Creation time in `pg_dump`'s format; empty if the backup has none.
        public let made: String
        /// The entries to restore, in the format of `pg_restore --list`.
        let contents: String
    }

    /// Reads a backup's table of contents.
    /// - Throws: ``BackupError``, ``PostgresError``.
    public func inspect(_ path: String) async throws -> Summary {
        guard access(path, R_OK) == 0 else {
            throw BackupError.file(path: path, reason: String(cString: strerror(errno)))
        }
        let tools = try await tools()
        return try await work { interruption in
            let list: String
            do {
                // List into a file: the list may exceed the limit of captured output.
                list = try Self.temporaryFile { listing in
                    _ = try tools.run("pg_restore", ["--list", "--file=\(listing)", path], nil, interruption)
                    return readFile(listing, bytesMax: 16 << 20).map { String(decoding: $0, as: UTF8.self) } ?? ""
                }
            } catch BackupError.failed(_, let reason) {
                throw BackupError.unreadable(path: path, reason: reason)
            }
            let lines = list.split(separator: "\n")
            guard lines.contains(where: { $0.contains("TABLE public schema_migrations ") }) else {
                throw BackupError.unreadable(path: path, reason: "it is not a backup of Campanile")
            }
            let made = lines.first { $0.contains("Archive created at ") }?.split(separator: " ").dropFirst(4)
            return Summary(
                made: made?.joined(separator: " ") ?? "",
                contents: lines.filter(Self.isRestored).joined(separator: "\n") + "\n")
        }
    }

    /// Whether an entry is restored. Extensions and the schema exist already and belong to a superuser.
    private static func isRestored(_ line: Substring) -> Bool {
        !["EXTENSION", "SCHEMA", "spatial_ref_sys", Migrator.unfinishedRestore].contains { line.contains(" \($0) ") }
    }

    /// Whether the database has no tables except those of extensions and the marker of an interrupted restore.
    /// - Throws: ``PostgresError``.
    public func isEmpty() async throws -> Bool {
        try await withConnection { connection in
            try await connection.query(
                """
                SELECT NOT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                    AND c.relname <> '\(Migrator.unfinishedRestore)'
                    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')) AS is_empty
                """
            ).first?.bool("is_empty") ?? false
        }
    }

    /// Restores a backup into an empty database, migrates its schema to the current version and marks it as restored.
    ///
    /// Until the restore is complete, no server starts with the database (``MigrationError/restoreUnfinished(database:)``).
    /// - Parameters:
    ///   - path: The backup file.
    ///   - summary: The result of ``inspect(_:)``.
    ///   - migrator: The migrator of the same database.
    /// - Throws: ``BackupError``, ``MigrationError``, ``PostgresError``.
    public func restore(_ path: String, _ summary: Summary, migrator: Migrator) async throws {
        let tools = try await tools()
        try await withConnection { connection in
            try await connection.script(
                "CREATE TABLE IF NOT EXISTS public.\(Migrator.unfinishedRestore) (begun timestamptz DEFAULT now())")
        }
        try await work { [owner] interruption in
            try Self.temporaryFile { list in
                try Self.write(summary.contents, to: list)
                // Skip privileges: the backup may name roles that do not exist here. The migrator grants the server's privileges.
                let options = [
                    "--no-password", "--no-owner", "--no-privileges", "--single-transaction", "--use-list=\(list)",
                ]
                _ = try tools.run("pg_restore", options + [path], owner, interruption)
            }
        }
        var migrator = migrator
        migrator.isRestoring = true
        try await migrator.apply()
        try await withConnection { connection in
            try await connection.script(
                """
                BEGIN;
                SELECT restore_mark();
                DROP TABLE public.\(Migrator.unfinishedRestore);
                COMMIT;
                """)
            // A restored table has no statistics until autovacuum runs. The owner may not analyse PostgreSQL's shared catalogues,
            // so suppress a warning about each.
            try await connection.script("SET client_min_messages = error")
            try await connection.script("ANALYZE")
        }
    }

    private func withConnection<T: Sendable>(_ body: (PostgresConnection) async throws -> T) async throws -> T {
        var configuration = owner
        configuration.queryTimeout = Self.markTimeout
        let connection = try await PostgresConnection.connect(configuration: configuration, loop: loop)
        defer { connection.close() }
        return try await withTaskCancellationHandler {
            try await body(connection)
        } onCancel: {
            connection.close()
        }
    }

    // MARK: Files

    /// Creates a file of mode 0600 with a random suffix.
    private static func makeFile(_ prefix: String) throws(BackupError) -> (path: String, descriptor: Int32) {
        var template = Array("\(prefix)XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw .file(path: "\(prefix)…", reason: String(cString: strerror(errno)))
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return (String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self), descriptor)
    }

    private static func temporaryFile<T>(_ body: (String) throws -> T) throws -> T {
        let (path, descriptor) = try makeFile("/tmp/campanile-restore-")
        close(descriptor)
        defer { unlink(path) }
        return try body(path)
    }

    private static func write(_ text: String, to path: String) throws {
        let bytes = Array(text.utf8)
        let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard descriptor >= 0 else { throw BackupError.file(path: path, reason: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw BackupError.file(path: path, reason: String(cString: strerror(errno))) }
            offset += count
        }
    }
}
