/// Reason why a migration was not applied. The failed migration leaves no changes.
public enum MigrationError: Error, Equatable, Sendable {
    /// The directory or a file cannot be read.
    case unreadable(path: String, reason: String)
    /// The file's name is not `NNNN_name.sql`.
    case badName(String)
    /// Two files have the same number.
    case sameVersion(String, String)
    /// The content of an applied file has changed.
    case changed(String)
    /// An applied file is missing.
    case missing(String)
    /// A new file's number is lower than that of an applied one.
    case outOfOrder(String, newestApplied: Int64)
    /// A newer release has migrated the database.
    case databaseNewer(applied: Int64, newestFile: Int64)
    /// The database has a part of the former history (``FormerHistory``), or another version of it.
    case formerHistory(newestApplied: String)
    /// A function's parameters or result, or a view's columns, differ from those that the database has.
    case signatureChanged(reason: String)
    /// PostgreSQL rejected the body of a function.
    case invalidFunction(PostgresError)
    /// The database rejects writes.
    case readOnly(database: String, isStandby: Bool)
    /// The database lacks an extension, which only a superuser can create.
    case extensionMissing(name: String, database: String, isInstalled: Bool)
    /// A restore of a backup into this database was interrupted.
    case restoreUnfinished(database: String)
    /// PostgreSQL rejected the file.
    case failed(name: String, error: PostgresError)
}

extension MigrationError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
        case .badName(let name): "\(name) is not a migration's name: call it NNNN_name.sql, such as 0007_safety.sql"
        case .sameVersion(let first, let second): "\(first) and \(second) have the same number: renumber one"
        case .changed(let name):
            "\(name) was changed after it was applied: restore it and put the change into a new file"
        case .missing(let name): "\(name) was applied but its file is gone: restore it"
        case .outOfOrder(let name, let newest):
            "\(name) comes before migration \(newest), which is applied already: give it a higher number"
        case .databaseNewer(let applied, let newest):
            "the database is at migration \(applied), newer than the newest file \(newest): start the release that "
                + "migrated it, or a newer one"
        case .formerHistory(let newest):
            "the database was last changed by \(newest), one of the migrations before the baselines, and does not have exactly "
                + "all of them: run campanile migrate of the release with \(FormerHistory.newestName), then this one; or back up "
                + "and start afresh with an empty database"
        case .signatureChanged(let reason):
            "\(reason). PostgreSQL replaces a function only by one with the same parameters and result, and a view only by one "
                + "with its columns: drop the old one in a new numbered migration (DROP FUNCTION IF EXISTS)"
        case .invalidFunction(let error): "the functions were not applied: \(error)"
        case .readOnly(let database, let isStandby):
            "the database \(database) takes no writes: "
                + (isStandby
                    ? "it is a standby; connect to the primary, or promote this one (SELECT pg_promote())"
                    : "default_transaction_read_only is on; turn it off, or connect to the primary")
        case .extensionMissing(let name, let database, let isInstalled):
            "the database \(database) lacks the extension \(name): "
                + (isInstalled
                    ? "" : "install it on the database's machine (apt-get install postgresql-15-postgis-3), then, ")
                + "as a superuser, run: psql -d \(database) -c 'CREATE EXTENSION \(name)'"
        case .restoreUnfinished(let database):
            "a restore into the database \(database) was interrupted: empty the database and run campanile restore again, or with "
                + "--replace when it is the private PostgreSQL's"
        case .failed(let name, let error): "\(name) was not applied: \(error)"
        }
    }
}
