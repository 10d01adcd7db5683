import EventLoop
import Glibc

/// Another database in the place of the cluster's, for a restore.
extension PrivateCluster {
    /// A database that takes the place of the cluster's when it is complete.
    static let replacementName = "\(databaseName)_restoring"
    /// What the names of databases begin with that were replaced.
    static let keptPrefix = "\(databaseName)_before_"

    /// Makes an empty database beside the cluster's; one that an interrupted restore left is dropped.
    /// - Returns: How to reach it.
    /// - Throws: ``PostgresError``.
    public func makeReplacement() async throws -> Access {
        let access = try requireRunning()
        try await dropReplacement()
        try await prepareDatabase(access.database(Self.replacementName), Self.replacementName)
        return access.database(Self.replacementName)
    }

    /// Drops the database that ``makeReplacement()`` made, if it is there.
    /// - Throws: ``PostgresError``.
    public func dropReplacement() async throws {
        try await maintain(try requireRunning(), "DROP DATABASE IF EXISTS \(Self.replacementName) WITH (FORCE)")
    }

    /// A name that no database of the cluster has, for the one that is replaced now.
    public nonisolated func nameToKeep() -> String { "\(Self.keptPrefix)\(time(nil))" }

    /// Puts the replacement in the place of the cluster's database, which gets another name. Both happen or neither. Nobody else may be
    /// connected.
    /// - Throws: ``PostgresError``.
    public func putReplacementInPlace(keeping name: String) async throws {
        // Statements of one script are one transaction.
        try await maintain(
            try requireRunning(),
            """
            ALTER DATABASE \(Self.databaseName) RENAME TO \(quotedIdentifier(name));
            ALTER DATABASE \(Self.replacementName) RENAME TO \(Self.databaseName)
            """)
    }

    /// Not in the database that is meant.
    private func maintain(_ access: Access, _ statements: String) async throws {
        var maintenance = access.administrator
        maintenance.database = "postgres"
        maintenance.queryTimeout = .seconds(120)
        try await Self.withConnection(maintenance, loop, logger) { try await $0.script(statements) }
    }
}
