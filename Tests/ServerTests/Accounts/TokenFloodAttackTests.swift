import CampanileClient
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("Floods of tokens, and of readiness checks")
struct TokenFloodAttackTests {
    @Test(
        "An address with too many invalid tokens in hello loses its connection with each further one; valid tokens pass"
    )
    func hello() async throws {
        let server = try await TestServer.start { $0.rateLimits[.token] = Rate(perSecond: 0.001, burst: 5) }
        let (connection, signedIn) = try await server.register()
        await connection.close()
        let attacker = try await ChatClient(server)
        for _ in 0..<5 { #expect(try await attacker.ask("hello", #"{"token":"wrong"}"#).contains("unauthenticated")) }
        try attacker.post("hello", #"{"token":"wrong"}"#)
        #expect(try await attacker.isClosed(with: .tooManyRequests))
        let second = try await ChatClient(server)
        try second.post("hello", #"{"token":"wrong"}"#)
        #expect(try await second.isClosed(with: .tooManyRequests))
        try await server.connect(token: signedIn.token).close()
        await server.stop()
    }

    @Test("An address with too many invalid tokens over HTTP gets 429 for each further one; valid tokens pass")
    func http() async throws {
        let server = try await TestServer.start { $0.rateLimits[.token] = Rate(perSecond: 0.001, burst: 5) }
        let (connection, signedIn) = try await server.register()
        await connection.close()
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        func status(_ token: String) async throws -> Int {
            let body = #"{"jsonrpc":"2.0","id":1,"method":"account.me"}"#
            try await socket.send(
                "POST /rpc HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return try await socket.response().status
        }
        for _ in 0..<5 { #expect(try await status("wrong") == 401) }
        for _ in 0..<2 { #expect(try await status("wrong") == 429) }
        #expect(try await status(signedIn.token) == 200)
        await server.stop()
    }

    @Test("However often readiness is asked, the database is asked once in a second, and one check runs at a time")
    func readiness() async throws {
        let clock = Mutex<UInt64>(0)
        let looks = Mutex(0)
        let readiness = Readiness(now: { clock.withLock { $0 } }) {
            try? await Task.sleep(for: .milliseconds(20))
            return looks.withLock {
                $0 += 1; return $0 < 3 ? .ready(warnings: []) : .notReady("away")
            }
        }
        func ask(_ count: Int) async -> Set<Bool> {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<count { group.addTask { await readiness.state() == .ready(warnings: []) } }
                return await group.reduce(into: []) { $0.insert($1) }
            }
        }
        for (second, isReady) in [(0, true), (1, true), (2, false)] {
            clock.withLock { $0 = UInt64(second) * 1_000_000_000 }
            #expect(await ask(1_000) == [isReady])
            clock.withLock { $0 += 999_999_999 }
            #expect(await ask(100) == [isReady])
            #expect(looks.withLock { $0 } == second + 1)
        }
    }

    @Test("With registration closed nobody registers, the web app is told, and an admin still adds people")
    func closed() async throws {
        let server = try await TestServer.start {
            $0.registration = .closed
            $0.rateLimits = .off
        }
        let guest = try await ChatClient(server)
        let name = TestServer.newName()
        for key in ["", #","simulationKey":"wrong""#] {
            let answer = try await guest.ask(
                "account.register",
                #"{"username":"\#(name)","email":"\#(name)@example.org","password":"Secret123"\#(key)}"#)
            #expect(answer.contains("forbidden") && !answer.contains("token\""))
        }
        let socket = try RawSocket(port: server.port)
        defer { socket.close() }
        try await socket.send("GET /config.json HTTP/1.1\r\nHost: x\r\n\r\n")
        let config = String(decoding: try await socket.response().body, as: UTF8.self)
        #expect(config.contains(#""registration":"closed""#))
        // Samples and recordings go on; the admin is one of these here.
        let (connection, signedIn) = try await server.register(simulated: true)
        await connection.close()
        let database = try await server.database()
        defer { database.close() }
        _ = try await database.query("UPDATE accounts SET role = 'admin' WHERE id = $1", [.int(signedIn.account.id)])
        let admin = try await ChatClient(server, token: signedIn.token)
        let welcome = try await admin.call(
            AdminAddUser.self, .init(username: name, email: "\(name)@example.org", role: .student))
        let token = String(welcome.path.split(separator: "/").last ?? "")
        #expect(
            try await guest.call(AccountAccept.self, .init(token: token, password: "Secret123")).account.username
                == name)
        await server.stop()
    }
}
