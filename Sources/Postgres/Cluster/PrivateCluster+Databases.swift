import EventLoop
import Glibc

/// Another database in the place of the cluster's, for a restore.
extension PrivateCluster {
    /// Renames the database, and makes an empty one in its place. Nobody else may be connected.
    /// - Returns: The name under which it is kept.
    /// - Throws: ``PostgresError``.
    public func setAside() async throws -> String {
        let access = try requireRunning()
        let name = "\(Self.databaseName)_before_\(time(nil))"
        try await maintain(access, "ALTER DATABASE \(Self.databaseName) RENAME TO \(quotedIdentifier(name))")
        do {
            try await prepareDatabase(access)
        } catch {
            try? await bringBack(name)
            throw error
        }
        return name
    }

    /// Puts a database that was set aside in its place again, and drops what is there.
    /// - Throws: ``PostgresError``.
    public func bringBack(_ name: String) async throws {
        let access = try requireRunning()
        try await maintain(access, "DROP DATABASE IF EXISTS \(Self.databaseName) WITH (FORCE)")
        try await maintain(access, "ALTER DATABASE \(quotedIdentifier(name)) RENAME TO \(Self.databaseName)")
    }

    /// Outside of a transaction, and not in the database that is meant.
    private func maintain(_ access: Access, _ statement: String) async throws {
        var maintenance = access.administrator
        maintenance.database = "postgres"
        maintenance.queryTimeout = .seconds(120)
        try await Self.withConnection(maintenance, loop, logger) { try await $0.script(statement) }
    }
}
