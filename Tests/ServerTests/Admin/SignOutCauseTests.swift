import CampanileClient
import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Why somebody was signed out")
struct SignOutCauseTests {
    @Test("The close says whether the account was disabled or changed, or this device signed out, on every node")
    func causes() async throws {
        let nodes = try await TwoNodes.start(pollInterval: .seconds(3_600))
        let admin = try await Official(nodes.first, .admin)
        for node in [nodes.first, nodes.second] {
            let lecturer = try await Official(nodes.first, .lecturer, at: node)
            _ = try await admin.client.call(AdminEditUser.self, .init(account: lecturer.id, role: .student))
            #expect(try await lecturer.client.isClosed(with: .tokenRevoked, .changed))
            let again = try await lecturer.again(node)
            _ = try await admin.client.call(AdminSignOutUser.self, .init(account: lecturer.id))
            #expect(try await again.isClosed(with: .tokenRevoked, .signedOut))
            let third = try await lecturer.again(node)
            _ = try await admin.client.call(AdminDisableUser.self, .init(account: lecturer.id, reason: "Spam"))
            #expect(try await third.isClosed(with: .tokenRevoked, .disabled))
        }
        await nodes.stop()
    }

    @Test(
        "What another process changed is told as well: a new role at the command line, an account disabled in the database"
    )
    func otherProcess() async throws {
        let server = try await TestServer.start { $0.databasePollInterval = .milliseconds(100) }
        let database = try await server.database()
        defer { database.close() }
        for (change, cause) in [
            ("role = 'lecturer'", SignOutCause.changed), ("disabled_at = now()", .disabled),
            ("email = email", .signedOut),
        ] {
            let person = try await Official(server, .student)
            _ = try await database.query(
                """
                WITH changed AS (UPDATE accounts SET \(change) WHERE id = $1)
                UPDATE tokens SET revoked_at = now() WHERE account_id = $1
                """, [.int(person.id)])
            #expect(try await person.client.isClosed(with: .tokenRevoked, cause), "\(cause)")
        }
        await server.stop()
    }

    @Test(
        "Who was away when the account was disabled hears it at hello; of any other token that is worth nothing it is not said"
    )
    func away() async throws {
        let server = try await TestServer.start { $0.rateLimits = .off }
        let admin = try await Official(server, .admin)
        let (disabled, signedOut) = (try await Official(server, .student), try await Official(server, .student))
        _ = try await admin.client.call(AdminDisableUser.self, .init(account: disabled.id, reason: "Spam"))
        _ = try await admin.client.call(AdminSignOutUser.self, .init(account: signedOut.id))
        for (token, field) in [(disabled.token, "account"), (signedOut.token, "token"), ("nonsense", "token")] {
            let error = await #expect(throws: RPCError.self) { try await server.connect(token: token) }
            #expect(error?.registered == .unauthenticated && error?.data?.field == field)
        }
        await server.stop()
    }

    @Test("A reason gives its cause back, and what a newer server says is taken for a plain sign-out")
    func words() {
        for cause in SignOutCause.allCases { #expect(SignOutCause(reason: cause.reason) == cause) }
        for said in ["", "signed out", "signed out; cause=", "signed out; cause=abducted", "cause=Disabled"] {
            #expect(SignOutCause(reason: said) == .signedOut)
        }
        #expect(SignOutCause.allCases.allSatisfy { $0.reason.utf8.count <= 123 })
    }
}
