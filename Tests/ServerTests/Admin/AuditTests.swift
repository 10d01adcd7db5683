import CampanileClient
import Foundation
import Postgres
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("What admins did")
struct AuditTests {
    @Test(
        "The server's role adds to the log and reads it, and can change or remove nothing of it; what is two years old goes"
    )
    func appendOnly() async throws {
        let server = try await TestServer.start()
        let admin = try await Official(server, .admin)
        let other = try await Official(server, .student)
        _ = try await admin.client.call(AdminSignOutUser.self, .init(account: other.id))
        let application = try await PostgresConnection.connect(
            configuration: server.access.application, loop: TestDatabase.shared.loop)
        defer { application.close() }
        for forbidden in [
            "UPDATE audit_log SET actor_name = 'nobody'", "DELETE FROM audit_log", "TRUNCATE audit_log",
            "COMMENT ON TABLE audit_log IS NULL",
        ] {
            let error = await #expect(throws: PostgresError.self) { _ = try await application.query(forbidden) }
            #expect(error?.sqlState == "42501", "\(forbidden)")
        }
        #expect(try await application.query("SELECT audit_prune(100) AS gone").first?.int("gone") == 0)
        let owner = try await server.database()
        defer { owner.close() }
        _ = try await owner.query("UPDATE audit_log SET at = now() - interval '25 months'")
        #expect(try await application.query("SELECT audit_prune(100) AS gone").first?.int("gone") == 1)
        await server.stop()
    }

    @Test("What was not done is not written down: the log and the change are one transaction")
    func together() async throws {
        let server = try await Shared.server
        let (admin, one, two) = (
            try await Official(server, .admin), try await Official(server, .student),
            try await Official(server, .student)
        )
        let taken = try await admin.client.refusal(
            AdminEditUser.self, .init(account: one.id, username: two.username))
        #expect(taken?.message == "Username Taken!!!")
        #expect(try await admin.client.call(AdminAudit.self, .init(account: one.id)).entries.isEmpty)
        _ = try await admin.client.call(
            AdminEditUser.self, .init(account: one.id, username: TestServer.newName(), role: .rewards))
        let entry = try #require(try await admin.client.call(AdminAudit.self, .init(account: one.id)).entries.first)
        #expect(entry.action == "user.edit" && entry.details.map(\.name) == ["role", "username"])
        #expect(entry.details.first?.value == "student → rewards")
        _ = try await admin.client.call(
            AdminEditUser.self,
            .init(account: one.id, email: "\(TestServer.newName())@example.org", password: TestServer.password))
        let change = try #require(try await admin.client.call(AdminAudit.self, .init(account: one.id)).entries.first)
        #expect(change.action == "user.edit" && change.details.map(\.name) == ["email"])
        let all = try await admin.client.call(AdminAudit.self, .init(account: admin.id, action: "user."))
        #expect(all.entries.map(\.id).contains(entry.id))
        #expect(try await admin.client.call(AdminAudit.self, .init(account: one.id, action: "us")).entries.isEmpty)
    }

    @Test("Closing a report, and an admin's change of what somebody else announced, are written down")
    func others() async throws {
        let server = try await Shared.server
        let (admin, lecturer) = (try await Official(server, .admin), try await Official(server, .lecturer))
        let start = Timestamp.now.advanced(bySeconds: 86_400)
        let event = try await lecturer.client.call(
            EventsCreate.self,
            .init(
                id: UUID().uuidString, audience: .campus,
                details: .init(title: "Open day", startsAt: start, duration: 3_600, place: .init(name: "Hall")),
                publish: true))
        _ = try await admin.client.call(EventsCancel.self, .init(event: event.id))
        let database = try await server.database()
        defer { database.close() }
        let report = try await database.query(
            """
            INSERT INTO reports (reporter_id, reported_id, client_id, reason, evidence) VALUES ($1, $2, $3, 'spam', '[]') RETURNING id
            """, [.int(admin.id), .int(lecturer.id), .uuid(UUID().uuidString)])
        let id = try #require(try report.first?.int("id"))
        for _ in 0..<2 { _ = try await admin.client.call(ReportsClose.self, .init(report: id, resolution: "warned")) }
        let log = try await admin.client.call(AdminAudit.self, .init(account: admin.id)).entries
        #expect(log.map(\.action) == ["report.close", "event.cancel"])
        #expect(log.last?.subject == .init(kind: "event", id: event.id, name: "Open day"))
    }
}
