import EventLoop
import Logging
import Postgres
import Server

/// The database of a server that is measured, beside that server: as the role that owns the schema.
enum BenchDatabase {
    /// - Parameter dataDirectory: Of the server that runs the private PostgreSQL.
    /// - Throws: What `body` throws, and when the database cannot be reached.
    static func with<T: Sendable>(
        _ dataDirectory: String, _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        let loop = try EventLoop(label: "bench")
        let configuration = ServerConfiguration(dataDirectory: dataDirectory, resources: try Resources.find())
        let access = try await DatabaseAccess.open(
            configuration, loop: loop, migrating: false, joining: true, logger: Logger(label: "campanile.bench"))
        do {
            let database = try await PostgresConnection.connect(configuration: access.owner, loop: loop)
            defer { database.close() }
            let result = try await body(database)
            await access.close()
            return result
        } catch {
            await access.close()
            throw error
        }
    }
}
