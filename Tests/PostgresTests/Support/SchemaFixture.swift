import Foundation
import Postgres
import TestSupport

/// A directory for files of SQL, and a database that they are applied to.
struct SchemaFixture {
    let directory: String
    let access: PrivateCluster.Access

    init() async throws {
        directory = try TestDirectory.make("migrations")
        try FileManager.default.createDirectory(atPath: "\(directory)/functions", withIntermediateDirectories: false)
        access = try await TestDatabase.shared.makeDatabase()
    }

    /// - Parameter directory: One with files.
    init(_ access: PrivateCluster.Access, directory: String) {
        self.directory = directory
        self.access = access
    }

    func write(_ name: String, _ sql: String) throws {
        try sql.write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(directory)/\(name)")
    }

    var migrator: Migrator {
        Migrator(
            directory: directory, configuration: access.owner, applicationRole: PrivateCluster.applicationRole,
            loop: TestDatabase.shared.loop, workers: TestDatabase.shared.workers, logger: TestDatabase.logger)
    }

    /// Runs a script as the owner of the schema.
    func execute(_ sql: String) async throws {
        let connection = try await connect(access.owner)
        defer { connection.close() }
        try await connection.script(sql)
    }

    /// The values in the column `value` of a query, as the owner of the schema.
    func values(_ sql: String) async throws -> [String] {
        let connection = try await connect(access.owner)
        defer { connection.close() }
        return try await connection.query(sql).map { try $0.text("value") }
    }

    func connect(_ configuration: PostgresConfiguration) async throws -> PostgresConnection {
        try await PostgresConnection.connect(
            configuration: configuration, loop: TestDatabase.shared.loop, logger: TestDatabase.logger)
    }
}
