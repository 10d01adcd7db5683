/// Reason why the private cluster is not running.
public enum ClusterError: Error, Equatable, Sendable {
    /// No PostgreSQL 15 or newer is installed.
    case binariesMissing
    /// The directory in `CAMPANILE_POSTGRES_BIN` has no PostgreSQL 15 or newer.
    case binariesNotThere(directory: String)
    /// The directory cannot be created or written.
    case notWritable(path: String, reason: String)
    /// PostgreSQL's user cannot reach the directory.
    case notTraversable(path: String, parent: String, user: String)
    /// The cluster's files belong to another user.
    case ownedByAnother(path: String, user: String)
    /// There is no user to run PostgreSQL as: it refuses to run as root.
    case userMissing
    /// Another major version of PostgreSQL created the cluster.
    case otherVersion(path: String, made: Int, found: [Int])
    /// The data directory contains files but no readable version.
    case damaged(path: String)
    /// The database is missing, and a replaced one exists under the name `kept`.
    case databaseMissing(path: String, kept: String)
    /// Another server process uses the directory.
    case inUse(path: String, processID: Int32?)
    /// The file with the roles' passwords is missing. `file` is the path of `pg_hba.conf`.
    case passwordsMissing(path: String, file: String)
    /// The disk is full.
    case storageFull(path: String)
    /// PostgreSQL did not start. `reason` is its last message.
    case notStarted(reason: String, log: String)
}

extension ClusterError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .binariesMissing:
            "PostgreSQL 15 or newer was not found: install it with apt-get install postgresql-15 "
                + "postgresql-15-postgis-3, or set DATABASE_URL"
        case .binariesNotThere(let directory):
            "PostgreSQL 15 or newer was not found in \(directory): correct CAMPANILE_POSTGRES_BIN, or unset it"
        case .notWritable(let path, let reason):
            "the data directory \(path) cannot be written: \(reason); choose another with --data, or set DATABASE_URL"
        case .notTraversable(let path, let parent, let user):
            "the user \(user), which runs PostgreSQL, cannot reach \(path) because of \(parent): allow it with "
                + "chmod o+x \(parent), or choose another data directory"
        case .ownedByAnother(let path, let user):
            "\(path) belongs to user \(user): run as \(user) or root, or choose another data directory"
        case .userMissing:
            "PostgreSQL does not run as root and there is no user postgres: install postgresql-15, or run as an "
                + "ordinary user"
        case .otherVersion(let path, let made, let found):
            "\(path) was made by PostgreSQL \(made), installed is \(found.map(String.init).joined(separator: ", ")): "
                + "install postgresql-\(made), or migrate the cluster with pg_upgrade"
        case .damaged(let path):
            "\(path) has files but no readable PG_VERSION: the cluster is damaged, as by a crash of the machine. Nothing was "
                + "changed. Move the directory away and bring the newest backup back: campanile restore FILE"
        case .databaseMissing(let path, let kept):
            "the PostgreSQL in \(path) has no database \(PrivateCluster.databaseName), but \(kept), as an interrupted restore leaves it: "
                + "run campanile restore --replace FILE again, which gives it its name back first"
        case .inUse(let path, let processID):
            "\(path) is in use by another campanile\(processID.map { " (process \($0))" } ?? ""): stop it, or choose "
                + "another data directory"
        case .passwordsMissing(let path, let file):
            "\(path), the passwords of the private PostgreSQL's roles, is missing: restore it from a backup, or replace "
                + "scram-sha-256 with trust in \(file), and the next start makes new ones"
        case .storageFull(let path): "the disk that holds \(path) is full: free some space"
        case .notStarted(let reason, let log): "PostgreSQL did not start: \(reason); see \(log)"
        }
    }
}
