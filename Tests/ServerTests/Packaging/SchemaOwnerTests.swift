import EventLoop
import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// A server that has only its own role.
@Suite("A server without the schema owner's credentials")
struct SchemaOwnerTests {
    @Test("It serves over a schema that is up to date")
    func upToDate() async throws {
        let first = try await TestServer.start()
        let second = try await first.startBeside { $0.ownerDatabaseURL = nil }
        let connection = try await second.connect()
        await connection.close()
        await second.stop()
        await first.stop()
    }

    @Test("It does not start over one whose restore was interrupted, and doctor says so")
    func unfinishedRestore() async throws {
        let first = try await TestServer.start()
        let database = try await first.database()
        defer { database.close() }
        try await database.script("CREATE TABLE restore_unfinished ()")
        let name = first.access.owner.database ?? ""
        await #expect(throws: MigrationError.restoreUnfinished(database: name)) {
            _ = try await first.startBeside { $0.ownerDatabaseURL = nil }
        }
        let workers = WorkerPool(label: "doctor", concurrentMax: 1, waitingMax: 4)
        let program = TestServer.root.appendingPathComponent(".build/debug/campanile").path
        let environment = [
            "CAMPANILE_RESOURCES": TestServer.root.path, "HOME": "/nonexistent", "DATABASE_URL": first.databaseURL,
        ]
        let said = try await workers.run {
            try ChildProcess.run(
                [program, "doctor", "--port", "0"], environment: environment, timeLimit: .seconds(120)
            ).output
        }
        #expect(said.contains("FAIL  PostgreSQL: a restore into the database \(name) was interrupted"), "\(said)")
        await first.stop()
    }

    @Test("It does not start over one that is behind, and says who brings it up to date")
    func behind() async throws {
        let access = try await TestDatabase.shared.makeDatabase()
        var configuration = ServerConfiguration(
            dataDirectory: try TestDirectory.make("behind"), resources: Resources(root: TestServer.root))
        configuration.port = 0
        configuration.databaseURL =
            "host='\(access.application.host ?? "")' user=campanile dbname='\(access.application.database ?? "")' passfile='\(access.passwordFile)'"
        let said: String
        do {
            _ = try await CampanileServer.start(configuration, logger: TestDatabase.logger)
            said = "it started"
        } catch let error as DatabaseAccess.SchemaOutdated {
            said = error.description
        }
        #expect(said.contains("run campanile migrate with DATABASE_URL and CAMPANILE_OWNER_DATABASE_URL"), "\(said)")
    }
}
