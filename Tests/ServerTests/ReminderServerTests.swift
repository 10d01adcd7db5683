import CampanileClient
import EventLoop
import Foundation
import Postgres
import Server
import TestSupport
import Testing
import Wire

@Suite("Reminders of a whole server: over HTTP, and through kill -9")
struct ReminderServerTests {
    private func put(_ address: String, _ server: TestServer, inSeconds: Double = 0) async throws -> Int64 {
        let (connection, account) = try await server.register()
        await connection.close()
        let database = try await server.database()
        defer { database.close() }
        let rows = try await database.query(
            """
            WITH address AS (
                INSERT INTO reminder_addresses (account_id, channel, address, address_key, state, created_at)
                VALUES ($1, 'email', $2, $2, 'on', now()) RETURNING id),
            chosen AS (INSERT INTO reminder_settings VALUES ($1, '{notice/email}', '{60}', 10, false))
            INSERT INTO reminders (account_id, kind, channel, address_id, dedupe, payload, is_urgent, due_at, expires_at, next_at)
            SELECT $1, 'notice', 'email', id, 'notice/1', '{"title":"Hello","body":"There"}', false, now(),
                now() + interval '1 hour', now() + make_interval(secs => $3) FROM address RETURNING id
            """, [.int(account.account.id), .text(address), .double(inSeconds)])
        return try rows[0].int("id")
    }

    private func state(_ id: Int64, _ server: TestServer) async throws -> String {
        let database = try await server.database()
        defer { database.close() }
        return try await database.query("SELECT state FROM reminders WHERE id = $1", [.int(id)])[0].text("state")
    }

    @Test(
        "Killed between commit and sending, a server that starts again sends each mail once; killed while sending, none twice"
    )
    func killed() async throws {
        let mail = try await TestPython.start("mail", ["plain"])
        // It makes the database, and sends nothing itself.
        let server = try await TestServer.start()
        let waiting = try await put("once@example.org", server, inSeconds: 3_000)
        let hanging = try await put("hang-once@example.org", server)
        let first = try await MailProgram(server, mail: mail)
        _ = try await eventually("a mail is being sent") {
            mail.said("mail").contains { $0.text("to") == "hang-once@example.org" } ? true : nil
        }
        await first.kill()
        #expect(try await state(hanging, server) == "sending")
        #expect(try await state(waiting, server) == "waiting")
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query("UPDATE reminders SET next_at = now() WHERE id = $1", [.int(waiting)])
        let second = try await MailProgram(server, mail: mail)
        _ = try await eventually("what waited is sent") { try await state(waiting, server) == "sent" ? true : nil }
        // As if the lease had run out.
        _ = try await database.query("UPDATE reminders SET next_at = now() WHERE id = $1", [.int(hanging)])
        _ = try await eventually("the other is given up") {
            try await state(hanging, server) == "doubtful" ? true : nil
        }
        await second.kill()
        let third = try await MailProgram(server, mail: mail)
        let last = try await put("last@example.org", server)
        _ = try await eventually("the third server sends") { try await state(last, server) == "sent" ? true : nil }
        await third.kill()
        let sent = mail.said("mail").map { $0.text("to") }
        #expect(sent.sorted() == ["hang-once@example.org", "last@example.org", "once@example.org"])
        await server.stop()
    }

    @Test("A server without a database loses nothing of what it was to send")
    func databaseAway() async throws {
        let mail = try await TestPython.start("mail", ["plain"])
        let server = try await Self.server(mail)
        let id = try await put("a@example.org", server, inSeconds: 1)
        try await server.setDatabase(away: true)
        try await Task.sleep(for: .milliseconds(1_500))
        try await server.setDatabase(away: false)
        _ = try await eventually("it is sent") { try await state(id, server) == "sent" ? true : nil }
        #expect(Self.mails(mail).count == 1)
        await server.stop()
    }

    /// What was mailed to the address of the test's reminders; the people who registered get a code.
    private static func mails(_ mail: TestPython) -> [TestPython.Line] {
        mail.said("mail").filter { $0.text("to") == "a@example.org" }
    }

    private static func server(_ mail: TestPython) async throws -> TestServer {
        try await TestServer.start {
            try $0.sendMail(through: mail)
        }
    }

    @Test(
        "The link in a mail shows a page that changes nothing; its button stops such mails, without signing in, as often as it is pressed"
    )
    func unsubscribing() async throws {
        let mail = try await TestPython.start("mail", ["plain"])
        let server = try await Self.server(mail)
        let id = try await put("a@example.org", server)
        _ = try await eventually("it is sent") { try await state(id, server) == "sent" ? true : nil }
        let link = try #require(Self.mails(mail).first).object("headers").text("list-unsubscribe")
        let path = try #require(link.firstMatch(of: /\/unsubscribe\/[A-Za-z0-9_-]+/).map { String($0.0) })
        func ask(_ method: String, _ path: String, body: String = "") async throws -> RawResponse {
            let socket = try RawSocket(port: server.port)
            defer { socket.close() }
            try await socket.send(
                "\(method) \(path) HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return try await socket.response()
        }
        func choices() async throws -> [String] {
            let database = try await server.database()
            defer { database.close() }
            return try await database.query("SELECT choices FROM reminder_settings")[0].textArray("choices")
        }
        let page = try await ask("GET", path)
        #expect(page.status == 200 && String(decoding: page.body, as: UTF8.self).contains("<form method=\"post\""))
        #expect(try await choices() == ["notice/email"])
        for _ in 1...2 {
            #expect(try await ask("POST", path, body: "List-Unsubscribe=One-Click").status == 200)
            #expect(try await choices() == [])
        }
        #expect(try await ask("POST", path + "?all=1").status == 200)
        for wrong in [
            "/unsubscribe/", "/unsubscribe/AAAA", path + "A", "/unsubscribe/\(String(repeating: "A", count: 34))",
        ] {
            #expect(try await ask("POST", wrong).status == 404)
        }
        #expect(try await ask("DELETE", path).status == 405)
        await server.stop()
    }

    @Test("A message is pushed to the browser of who is not connected, within seconds, and to nobody who is")
    func message() async throws {
        let certificate = try SelfSignedCertificate.findOrMake(in: try TestDirectory.make("tls"))
        let push = try await TestPython.start("push", [certificate.certificateFile, certificate.keyFile])
        let server = try await TestServer.start {
            $0.reminders.pushContact = "mailto:campus@example.org"
            $0.reminders.pushAllowedHosts = ["localhost"]
            $0.reminders.authorityFile = certificate.certificateFile
            $0.reminders.pushDelaySeconds = 1
        }
        let (anna, one) = try await server.register()
        let (ben, other) = try await server.register()
        for (connection, path) in [(anna, "/anna"), (ben, "/ben")] {
            let settings = try await connection.call(
                RemindersSubscribePush.self,
                .init(
                    endpoint: "https://localhost:\(push.port)\(path)",
                    keys: .init(p256dh: push.greeting.text("p256dh"), auth: push.greeting.text("auth"))))
            #expect(settings.channels.first?.state == .on)
        }
        let database = try await server.database()
        defer { database.close() }
        let conversation = try await database.query(
            "SELECT chat_open_direct($1, $2, now()) AS id",
            [.int(one.account.id), .int(other.account.id)])[0].int("id")
        await anna.close()
        _ = try await ben.call(
            ChatSend.self, .init(conversation: conversation, id: UUID().uuidString, text: "See you at seven"))
        let pushed = try await eventually("it is pushed") { push.said("push").first }
        #expect(pushed.text("path") == "/anna")
        #expect(pushed.object("payload").text("body") == "See you at seven")
        #expect(pushed.object("payload").text("path") == "/chats/\(conversation)")
        await ben.close()
        await server.stop()
    }

    @Test("Settings are for those who are signed in")
    func guests() async throws {
        let server = try await Shared.server
        let guest = try await server.connect()
        do {
            try await guest.call(RemindersSettings.self, Empty())
            Issue.record("a guest has settings")
        } catch let error as RPCError {
            #expect(error.registered == .unauthenticated)
        }
        await guest.close()
        let (member, _) = try await server.register()
        #expect(try await member.call(RemindersSettings.self, Empty()).channels.count == 3)
        await member.close()
    }
}
