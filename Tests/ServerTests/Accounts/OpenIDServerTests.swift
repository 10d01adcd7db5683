import Foundation
import Server
import TestSupport
import Testing
import Wire

@testable import Services

@Suite("Sign-in by a provider, at a whole server")
struct OpenIDServerTests {
    private static let provider = Task { try await TestPython.start("openid") }

    private static func server(_ registration: RegistrationPolicy = .open) async throws -> (TestServer, TestPython) {
        let provider = try await provider.value
        let server = try await TestServer.start {
            $0.signIn(by: provider, ["normal", "aud", "denied", "token-down"])
            $0.registration = registration
        }
        return (server, provider)
    }

    private static func request(_ port: UInt16, _ head: String, body: String = "") async throws -> RawResponse {
        let socket = try RawSocket(port: port)
        defer { socket.close() }
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        try await socket.send("\(head)\r\nHost: x\r\nConnection: close\r\n\(length)\r\n\(body)")
        return try await socket.response(headOnly: head.hasPrefix("HEAD "))
    }

    /// Begins an attempt and signs in at the provider, as a browser does; the path to which the provider sends the browser.
    private static func callback(
        _ server: TestServer, _ provider: TestPython, _ name: String, secret: String, sub: String = "1"
    ) async throws -> String {
        let hash = Secrets.base64URL(Secrets.hash(secret))
        let start = try await request(server.port, "GET /openid/\(name)/start?secret=\(hash) HTTP/1.1")
        #expect(start.status == 303 && start.headers["cache-control"] == "no-store")
        let location = try #require(start.headers["location"])
        let site = "http://127.0.0.1:\(provider.port)"
        #expect(location.hasPrefix("\(site)/\(name)/authorize?"))
        let person = #"{"sub":"\#(sub)","email":"p\#(sub)@example.org","email_verified":true}"#
        let query = person.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let back = try await request(
            provider.port, "GET \(location.dropFirst(site.count))&person=\(query) HTTP/1.1")
        let redirect = try #require(back.headers["location"])
        #expect(redirect.hasPrefix("https://campus.example/openid/\(name)/callback?"))
        return String(redirect.dropFirst("https://campus.example".count))
    }

    private static func ticket(_ response: RawResponse) throws -> String {
        #expect(response.status == 303 && response.headers["cache-control"] == "no-store")
        return String(try #require(response.headers["location"]?.firstMatch(of: /^\/login\/provider#([\w-]{43})$/)).1)
    }

    @Test("A browser goes to the provider and back, by a redirect or a posted form, and its page redeems the ticket")
    func flow() async throws {
        let (server, provider) = try await Self.server()
        let config = try await Self.request(server.port, "GET /config.json HTTP/1.1").text
        #expect(config.contains(#""signIns":[{"label":"Campus ID","name":"normal"}"#))
        let path = try await Self.callback(server, provider, "normal", secret: "a secret", sub: "11")
        let ticket = try Self.ticket(try await Self.request(server.port, "GET \(path) HTTP/1.1"))
        let client = try await ChatClient(server)
        let first = try await client.call(AccountFinishOpenID.self, .init(ticket: ticket, secret: "a secret"))
        #expect(first.next == .register && first.email == "p11@example.org")
        let name = TestServer.newName()
        let made = try await client.call(
            AccountRegisterOpenID.self, .init(ticket: ticket, secret: "a secret", username: name))
        #expect(try await client.call(AccountMe.self, .init()).account.id == made.account.id)

        // The same by a form, as Apple's.
        let again = try await Self.callback(server, provider, "normal", secret: "b", sub: "11")
        let form = String(again.split(separator: "?")[1])
        let posted = try await Self.request(
            server.port,
            "POST /openid/normal/callback HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nOrigin: https://provider.example",
            body: form)
        let guest = try await ChatClient(server)
        let second = try await guest.call(
            AccountFinishOpenID.self, .init(ticket: try Self.ticket(posted), secret: "b"))
        #expect(second.signedIn?.account.id == made.account.id && second.next == nil)
        #expect(try await guest.call(AccountProviders.self, .init()).providers.first?.connectedAt != nil)
        await server.stop()
    }

    @Test("Each failure is a page that says what to do, has nothing of the request, and leads back to the log-in")
    func failures() async throws {
        let (server, provider) = try await Self.server()
        func fails(_ head: String, _ status: Int, _ words: String, body: String = "") async throws {
            let page = try await Self.request(server.port, head, body: body)
            #expect(page.status == status && page.text.contains(words), "\(head): \(page.status) \(page.text)")
            #expect(page.text.contains(#"href="/login""#) && page.headers["content-type"] == "text/html; charset=utf-8")
            #expect(!page.text.contains("evil") && page.headers["location"] == nil)
        }
        for (name, status, words) in [
            ("aud", 502, "answer can't be trusted. You can"), ("denied", 200, "perhaps because you cancelled"),
            ("token-down", 503, "answer right now"),
        ] {
            let path = try await Self.callback(server, provider, name, secret: "x")
            try await fails("GET \(path) HTTP/1.1", status, words)
            try await fails("GET \(path) HTTP/1.1", 400, "was used already")
        }
        try await fails("GET /openid/normal/callback?state=evil&code=evil HTTP/1.1", 400, "was used already")
        try await fails("GET /openid/normal/callback?error=evil HTTP/1.1", 400, "was used already")
        try await fails(
            "POST /openid/normal/callback HTTP/1.1\r\nContent-Type: text/plain", 400, "was used already", body: "evil")
        try await fails("GET /openid/normal/start?secret=evil HTTP/1.1", 400, "Something went wrong")
        for head in ["GET /openid/other/start", "GET /openid/normal", "GET /openid/normal/start/x"] {
            #expect(try await Self.request(server.port, "\(head) HTTP/1.1").status == 404)
        }
        // HEAD would use up an attempt, and a start is no form.
        for (head, allowed) in [
            ("HEAD /openid/normal/callback", "GET, POST, OPTIONS"), ("POST /openid/normal/start", "GET, OPTIONS"),
        ] {
            let refused = try await Self.request(server.port, "\(head) HTTP/1.1")
            #expect(refused.status == 405 && refused.headers["allow"] == allowed)
        }
        await server.stop()
    }

    @Test("Other websites use up no limit by images and no log-in by links, and these paths have a limit of their own")
    func otherWebsites() async throws {
        let provider = try await Self.provider.value
        let server = try await TestServer.start {
            $0.signIn(by: provider, ["normal"])
            $0.rateLimits[.openid] = Rate(perSecond: 0.001, burst: 2)
        }
        func status(_ path: String, _ headers: String = "") async throws -> Int {
            try await Self.request(server.port, "GET /openid/normal/\(path) HTTP/1.1\(headers)").status
        }
        let hash = Secrets.base64URL(Secrets.hash("x"))
        let image = "\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image"
        let link = "\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document"
        let own = "\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document"
        for _ in 0..<5 {
            #expect(try await status("callback?state=a&code=b", image) == 403)
            #expect(try await status("start?secret=\(hash)", link) == 403)
        }
        #expect(try await status("start?secret=\(hash)", own) == 303)
        // A provider leads back from its own site.
        #expect(try await status("callback?state=a&code=b", link) == 400)
        #expect(try await status("start?secret=\(hash)", own) == 429)
        let (connection, account) = try await server.register()
        await connection.close()
        let client = try await ChatClient(server)
        _ = try await client.call(
            AccountLogin.self, .init(email: account.account.email, password: TestServer.password))
        await server.stop()
    }

    @Test("With closed registration a new person gets no account, and one who has it signs in")
    func closed() async throws {
        let (server, provider) = try await Self.server(.closed)
        let path = try await Self.callback(server, provider, "normal", secret: "c", sub: "21")
        let ticket = try Self.ticket(try await Self.request(server.port, "GET \(path) HTTP/1.1"))
        let client = try await ChatClient(server)
        let refusal = try await client.refusal(AccountFinishOpenID.self, .init(ticket: ticket, secret: "c"))
        #expect(refusal?.registered == .forbidden && refusal?.message.contains("registration is closed") == true)
        #expect(
            try await client.refusal(
                AccountRegisterOpenID.self, .init(ticket: ticket, secret: "c", username: TestServer.newName()))?
                .registered == .forbidden)
        await server.stop()
    }

    @Test("A server without providers has no such path, and its methods say so")
    func none() async throws {
        let server = try await Shared.server
        #expect(try await Self.request(server.port, "GET /openid/normal/start HTTP/1.1").status == 404)
        #expect(try await Self.request(server.port, "GET /config.json HTTP/1.1").text.contains(#""signIns":[]"#))
        let guest = try await ChatClient(server)
        #expect(
            try await guest.refusal(AccountFinishOpenID.self, .init(ticket: "a", secret: "b"))?.registered == .notFound)
        let person = try await ChatPerson(server)
        let list = try await person.client.call(AccountProviders.self, .init())
        #expect(list.providers.isEmpty && list.hasPassword)
    }
}
