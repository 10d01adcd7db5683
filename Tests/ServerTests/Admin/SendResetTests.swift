import TestSupport
import Testing
import Wire

@testable import Server

@Suite("A password reset that an admin sends")
struct SendResetTests {
    private static func run(_ sql: String, on server: TestServer) async throws {
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query(sql)
    }

    private static func subjects(_ mail: TestPython, to person: String) -> [String] {
        mail.said("mail").filter { $0.text("to") == "\(person)@example.org" }
            .map { $0.object("headers").text("subject") }
    }

    @Test(
        "The owner gets a link that sets a password once; until then everything stays as it is, and the audit log names the admin"
    )
    func sent() async throws {
        let mail = try await TestPython.start("mail", ["plain"])
        let server = try await TestServer.start { try $0.sendMail(through: mail) }
        let admin = try await Official(server, .admin)
        let owner = try await Official(server, .student)
        try await Self.run(
            "UPDATE accounts SET confirm_by = NULL, email_confirmed_at = now() WHERE id IN (\(admin.id), \(owner.id))",
            on: server)
        #expect(
            try await admin.client.call(AdminSendReset.self, .init(account: owner.id)).account == owner.id)
        let link = try await eventually("the mail arrives") {
            mail.said("mail").last { $0.text("to") == owner.email && $0.text("plain").contains("/reset/") }?
                .text("plain").firstMatch(of: /https:\/\/campus\.example\/reset\/([A-Za-z0-9_-]{43})\s/)
                .map { String($0.1) }
        }
        _ = try await owner.again(server)
        let stranger = try await ChatClient(server)
        _ = try await stranger.call(AccountReset.self, .init(token: link, password: "N3wPassword"))
        #expect(try await owner.client.isClosed(with: .tokenRevoked))
        #expect(
            try await stranger.refusal(AccountReset.self, .init(token: link, password: "N3wPassword2"))?.code == 1003)
        _ = try await owner.again(server, password: "N3wPassword")
        let entries = try await admin.client.call(AdminAudit.self, .init()).entries
        let entry = try #require(entries.first { $0.action == "user.sendReset" })
        #expect(entry.actorName == admin.username && entry.subject?.name == owner.username && entry.details.isEmpty)
        await server.stop()
        mail.end()
    }

    @Test(
        "No link is sent to an account that is disabled, invited, not confirmed or nobody's, and none by a server without mail"
    )
    func refused() async throws {
        let mail = try await TestPython.start("mail", ["plain"])
        let server = try await TestServer.start { try $0.sendMail(through: mail) }
        let admin = try await Official(server, .admin)
        let owner = try await Official(server, .student)
        func reset(_ sql: String) async throws -> String? {
            try await Self.run(sql, on: server)
            return try await admin.client.refusal(AdminSendReset.self, .init(account: owner.id))?.message
        }
        #expect(try await reset("SELECT 1") == "this account has not confirmed its address yet")
        #expect(
            try await reset(
                """
                WITH confirmed AS (UPDATE accounts SET confirm_by = NULL WHERE id = \(owner.id))
                INSERT INTO welcomes (account_id, hash, expires_at) VALUES (\(owner.id), '\\x01', now())
                """) == "this account has no password yet: send a new welcome link")
        #expect(
            try await reset("UPDATE accounts SET simulated = true WHERE id = \(owner.id)")
                == "this account belongs to no person")
        #expect(
            try await reset("UPDATE accounts SET disabled_at = now() WHERE id = \(owner.id)")
                == "this account is disabled: enable it first")
        #expect(try await admin.client.refusal(AdminSendReset.self, .init(account: 999_999))?.code == 1003)
        #expect(Self.subjects(mail, to: owner.username).allSatisfy { $0 != "Reset your password" })
        await server.stop()
        mail.end()
        let silent = try await Shared.server
        let other = try await Official(silent, .admin)
        #expect(
            try await other.client.refusal(AdminSendReset.self, .init(account: other.id))?.message
                == "this server sends no mail: the operator sets a password with campanile user reset-password")
    }
}
