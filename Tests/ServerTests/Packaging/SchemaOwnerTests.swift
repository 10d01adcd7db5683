import Foundation
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
        #expect(said.contains("run campanile migrate with CAMPANILE_OWNER_DATABASE_URL"), "\(said)")
    }
}
