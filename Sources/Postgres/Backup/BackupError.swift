/// Why a backup was not written or not restored.
public enum BackupError: Error, Equatable, Sendable {
    /// `pg_dump` and `pg_restore` of the database's version or a newer one were not found.
    case toolsMissing(version: Int)
    /// The backup's file exists already.
    case fileExists(path: String)
    /// The backup's file cannot be made, written or read.
    case file(path: String, reason: String)
    /// The file is no backup that `pg_restore` reads.
    case unreadable(path: String, reason: String)
    /// There is nothing of Campanile's to save.
    case nothingToSave(database: String)
    /// The database to restore into holds tables.
    case notEmpty(database: String, isPrivate: Bool)
    /// `pg_dump` or `pg_restore` failed, with its own words.
    case failed(tool: String, reason: String)
}

extension BackupError: CustomStringConvertible {
    /// One plain fact and what to do.
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
            "the database \(database) holds data: with --replace the backup takes its place, and it is kept under another name"
        case .notEmpty(let database, false): "the database \(database) holds tables: restore into an empty one"
        case .failed(let tool, let reason): "\(tool) failed: \(reason)"
        }
    }
}
