import EventLoop
import Logging
import Postgres
import Server

/// Access to the database of a running measured server, as the role that owns the schema.
enum BenchDatabase {
    /// Maximum time until a killed PostgreSQL is available again.
    private static let patience = Duration.seconds(60)
    private static let interval = Duration.milliseconds(100)

    /// Connects to the database and calls `body`. Waits if PostgreSQL is just being restarted.
    /// - Parameter dataDirectory: The data directory of the server that runs the private PostgreSQL.
    /// - Throws: Errors of `body`, or an error if the database cannot be reached.
    static func with<T: Sendable>(
        _ dataDirectory: String, _ body: (PostgresConnection) async throws -> T
    ) async throws -> T {
        let loop = try EventLoop(label: "bench")
        let configuration = ServerConfiguration(dataDirectory: dataDirectory, resources: try Resources.find())
        let access = try await open(configuration, loop)
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

    private static func open(_ configuration: ServerConfiguration, _ loop: EventLoop) async throws -> DatabaseAccess {
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                return try await DatabaseAccess.open(
                    configuration, loop: loop, migrating: false, joining: true, logger: Logger(label: "campanile.bench")
                )
            } catch ClusterError.inUse where ContinuousClock.now < deadline {
                try await Task.sleep(for: interval)
            }
        }
    }
}
