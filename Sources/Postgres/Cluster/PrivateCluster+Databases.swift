import EventLoop
import Glibc

/// Replacement of the cluster's database during a restore.
extension PrivateCluster {
    /// Name of the database that replaces the cluster's database when the restore is complete.
    static let replacementName = "\(databaseName)_restoring"
    /// Name prefix of replaced databases.
    static let replacedDatabasePrefix = "\(databaseName)_before_"

    /// Creates an empty database beside the cluster's database, and drops the one that an interrupted restore left.
    /// - Returns: Connection settings of the new database.
    /// - Throws: ``PostgresError``.
    public func makeReplacement() async throws -> Access {
        let access = try requireRunning()
        try await dropReplacement()
        try await prepareDatabase(access.database(Self.replacementName), Self.replacementName)
        return access.database(Self.replacementName)
    }

    /// Drops the database that ``makeReplacement()`` created, if it exists.
    /// - Throws: ``PostgresError``.
    public func dropReplacement() async throws {
        try await maintain(try requireRunning(), "DROP DATABASE IF EXISTS \(Self.replacementName) WITH (FORCE)")
    }

    /// A name for the replaced database, unique by the current second.
    public nonisolated func nameForReplacedDatabase() -> String { "\(Self.replacedDatabasePrefix)\(time(nil))" }

    /// Renames the cluster's database to `name` and gives the replacement its name, in one transaction.
    ///
    /// PostgreSQL renames a database only while no session uses it.
    /// - Throws: ``PostgresError``.
    public func putReplacementInPlace(keeping name: String) async throws {
        // PostgreSQL runs the statements of one script as one transaction.
        try await maintain(
            try requireRunning(),
            """
            ALTER DATABASE \(Self.databaseName) RENAME TO \(quotedIdentifier(name));
            ALTER DATABASE \(Self.replacementName) RENAME TO \(Self.databaseName)
            """)
    }

    /// Runs statements in the `postgres` database, because a session must not use the database that it renames or drops.
    private func maintain(_ access: Access, _ statements: String) async throws {
        var maintenance = access.administrator
        maintenance.database = "postgres"
        maintenance.queryTimeout = .seconds(120)
        try await Self.withConnection(maintenance, loop, logger) { try await $0.script(statements) }
    }
}
