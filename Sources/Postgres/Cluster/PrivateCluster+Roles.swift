import EventLoop
import Logging

/// The cluster's roles, their passwords, and its database.
extension PrivateCluster {
    static func access(
        _ layout: ClusterLayout, _ passwords: ClusterPasswords?, socketDirectory: String
    ) -> Access {
        func configuration(_ role: String) -> PostgresConfiguration {
            PostgresConfiguration(
                socketDirectory: socketDirectory, user: role, database: databaseName, password: passwords?[role])
        }
        return Access(
            owner: configuration(ownerRole), application: configuration(applicationRole),
            administrator: configuration("postgres"), passwordFile: layout.passwords)
    }

    /// Creates the roles with their passwords, and switches a cluster of an older release from trust to password authentication.
    func prepareRoles(
        _ access: Access, _ passwords: ClusterPasswords, _ layout: ClusterLayout
    ) async throws {
        var maintenance = access.administrator
        maintenance.database = "postgres"
        maintenance.queryTimeout = .seconds(120)
        let isTrusting = try await workers.run { layout.isTrusting }
        try await Self.withConnection(maintenance, loop, logger) { [workers] connection in
            try await passwords.give(connection, isTrusting: isTrusting)
            if isTrusting {
                try await workers.run { try layout.requirePasswords() }
                _ = try await connection.query("SELECT pg_reload_conf()")
            }
        }
    }

    /// If the cluster's database is missing and a replaced one exists, renames that back or throws. An empty database would hide
    /// the data.
    func findDatabase(_ access: Access, _ layout: ClusterLayout, restoresReplacedDatabase: Bool) async throws {
        var maintenance = access.administrator
        maintenance.database = "postgres"
        try await Self.withConnection(maintenance, loop, logger) { [logger] connection in
            let names = try await connection.query(
                "SELECT datname::text FROM pg_database WHERE datname = $1 OR datname ^@ $2 ORDER BY datname",
                [.text(Self.databaseName), .text(Self.replacedDatabasePrefix)]
            ).map { try $0.text("datname") }
            guard !names.contains(Self.databaseName), let newest = names.last else { return }
            guard restoresReplacedDatabase else { throw ClusterError.databaseMissing(path: layout.root, kept: newest) }
            try await connection.script(
                "ALTER DATABASE \(quotedIdentifier(newest)) RENAME TO \(Self.databaseName)")
            logger.notice("the database \(newest) is \(Self.databaseName) again")
        }
    }

    /// Creates a database if it does not exist, and sets the roles' privileges and the extensions.
    /// - Parameter access: Connection settings of that database.
    func prepareDatabase(_ access: Access, _ database: String) async throws {
        var maintenance = access.administrator
        maintenance.database = "postgres"
        maintenance.queryTimeout = .seconds(120)
        try await Self.withConnection(maintenance, loop, logger) { connection in
            let name = PostgresValue.text(database)
            if try await connection.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]).isEmpty {
                // The simple protocol, because CREATE DATABASE cannot run in a transaction.
                try await connection.script("CREATE DATABASE \(database) OWNER \(Self.ownerRole)")
            }
        }
        var administrator = access.administrator
        administrator.queryTimeout = .seconds(120)
        try await Self.withConnection(administrator, loop, logger) { [extensions, logger] connection in
            try await connection.script(
                """
                REVOKE ALL ON DATABASE \(database) FROM PUBLIC;
                GRANT CONNECT ON DATABASE \(database) TO \(Self.applicationRole);
                ALTER SCHEMA public OWNER TO \(Self.ownerRole);
                REVOKE CREATE ON SCHEMA public FROM PUBLIC;
                GRANT USAGE ON SCHEMA public TO \(Self.applicationRole)
                """)
            for name in extensions {
                let found = try await connection.query(
                    "SELECT 1 FROM pg_available_extensions WHERE name = $1", [.text(name)])
                if found.isEmpty {
                    logger.warning("the PostgreSQL extension \(name) is not installed")
                } else {
                    do {
                        try await connection.script("CREATE EXTENSION IF NOT EXISTS \(quotedIdentifier(name))")
                    } catch let error as PostgresError where error.isUniqueViolation {
                        // The session of a killed server process has created the extension meanwhile.
                    }
                }
            }
        }
    }

    static func withConnection<T: Sendable>(
        _ configuration: PostgresConfiguration, _ loop: EventLoop, _ logger: Logger,
        _ body: @Sendable (PostgresConnection) async throws -> T
    ) async throws -> T {
        let connection = try await PostgresConnection.connect(configuration: configuration, loop: loop, logger: logger)
        defer { connection.close() }
        return try await body(connection)
    }
}
