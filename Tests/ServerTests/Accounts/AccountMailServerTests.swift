import CampanileClient
import Foundation
import Postgres
import Server
import TestSupport
import Testing
import Wire

@Suite("Mails about accounts of a whole server")
struct AccountMailServerTests {
    private static func server(_ mail: TestPython) async throws -> TestServer {
        try await TestServer.start {
            try $0.sendMail(through: mail)
        }
    }

    private static func tokens(_ mail: TestPython) -> [String] {
        mail.said("mail").compactMap { line in
            line.text("plain").firstMatch(of: /\/reset\/([A-Za-z0-9_-]{43})\s/).map { String($0.1) }
        }
    }

    @Test("A guest gets the same reply for every address; the mailed link sets the password, and devices are cut")
    func reset() async throws {
        let mail = try await TestPython.start("mail", ["plain"])
        let server = try await Self.server(mail)
        let victim = try await ChatPerson(server)
        let email = "\(victim.username)@example.org"
        var replies: Set<String> = []
        for address in [email, "nobody@example.org"] {
            replies.insert(
                try await ChatClient(server).ask("account.requestReset", #"{"email":"\#(address)"}"#))
        }
        #expect(replies.count == 1 && replies.first?.contains(#""result":{}"#) == true)
        let token = try await eventually("the mail arrives") { Self.tokens(mail).first }
        let guest = try await ChatClient(server)
        let done = try await guest.call(AccountReset.self, .init(token: token, password: "Another456"))
        #expect(done.revoked == 1)
        #expect(try await victim.client.isClosed(with: .tokenRevoked))
        #expect(
            try await guest.refusal(AccountReset.self, .init(token: token, password: "Another456"))?.registered
                == .notFound)
        let signedIn = try await guest.call(AccountLogin.self, .init(email: email, password: "Another456"))
        #expect(signedIn.account.id == victim.id)
        _ = try await eventually("the owner gets a mail") {
            mail.said("mail").contains { $0.object("headers").text("subject") == "Your password was changed" }
                ? true : nil
        }
        #expect(mail.said("rcpt").allSatisfy { $0.text("to") == email })
        await server.stop()
    }

    @Test("A server without a mail server refuses requests, whoever asks, and says what to do")
    func noMailServer() async throws {
        let guest = try await ChatClient(try await Shared.server)
        for address in ["nobody@example.org", "nonsense", ""] {
            let refusal = try await guest.refusal(AccountRequestReset.self, .init(email: address))
            #expect(refusal?.registered == .conflict)
        }
    }

    @Test("A server that is killed while it sends a link sends another one when it starts again, and that one works")
    func killed() async throws {
        let mail = try await TestPython.start("mail", ["plain"])
        // It makes the database, and sends nothing itself.
        let server = try await TestServer.start()
        let email = "hang-\(TestServer.newName())@example.org"
        let person = try await server.connect()
        _ = try await person.call(
            AccountRegister.self, .init(username: TestServer.newName(), email: email, password: TestServer.password))
        await person.close()
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query(
            "SELECT account_mail_request($1, now(), now() + interval '1 hour', 5)", [.text(email)])
        let first = try await MailProgram(server, mail: mail)
        _ = try await eventually("a mail is being sent") { Self.tokens(mail).count == 1 ? true : nil }
        await first.kill()
        // As if the lease had run out.
        let waiting = try await database.query(
            "UPDATE account_mails SET next_at = now() WHERE state = 'waiting' AND attempts = 1")
        #expect(waiting.affected == 1)
        let second = try await MailProgram(server, mail: mail)
        let tokens = try await eventually("it is sent again") {
            let tokens = Self.tokens(mail)
            return tokens.count == 2 ? tokens : nil
        }
        await second.kill()
        let guest = try await ChatClient(server)
        _ = try await guest.call(AccountReset.self, .init(token: tokens[1], password: "Another456"))
        // Using one ends the other.
        let refusal = try await guest.refusal(AccountReset.self, .init(token: tokens[0], password: "Another456"))
        #expect(refusal?.registered == .notFound)
        await server.stop()
    }
}
