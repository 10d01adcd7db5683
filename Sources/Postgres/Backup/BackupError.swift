/// Reason why a backup was not written or not restored.
public enum BackupError: Error, Equatable, Sendable {
    /// No `pg_dump` and `pg_restore` of the database's major version or a newer one were found.
    case toolsMissing(version: Int)
    /// A file with the backup's name exists.
    case fileExists(path: String)
    /// The backup's file cannot be created, written or read.
    case file(path: String, reason: String)
    /// `pg_restore` cannot read the file as a backup.
    case unreadable(path: String, reason: String)
    /// The database has no tables of Campanile.
    case nothingToSave(database: String)
    /// The database to restore into contains tables.
    case notEmpty(database: String, isPrivate: Bool)
    /// `pg_dump` or `pg_restore` failed. `reason` is its error message.
    case failed(tool: String, reason: String)
}

extension BackupError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .toolsMissing(let version):
            "pg_dump and pg_restore for PostgreSQL \(version) were not found: apt-get install postgresql-client-\(version)"
        case .fileExists(let path): "\(path) exists: give another name, or remove it first"
        case .file(let path, let reason): "\(path) cannot be used: \(reason)"
        case .unreadable(let path, let reason): "\(path) is not a backup that pg_restore can read: \(reason)"
        case .nothingToSave(let database):
            "the database \(database) has no tables of Campanile: nothing was saved; name another with --data or DATABASE_URL"
        case .notEmpty(let database, true):
            "the database \(database) holds data: with --replace the backup replaces it, and the old database is kept under another name"
        case .notEmpty(let database, false): "the database \(database) holds tables: restore into an empty one"
        case .failed(let tool, let reason): "\(tool) failed: \(reason)"
        }
    }
}
