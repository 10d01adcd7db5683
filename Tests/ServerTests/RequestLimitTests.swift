import Foundation
import Server
import TestSupport
import Testing
import Wire

@testable import struct Server.RateLimiter
@testable import class Server.RequestLimits
@testable import struct Server.TokenBucket

@Suite("How often callers may ask")
struct RequestLimitTests {
    private static let second: UInt64 = 1_000_000_000

    // MARK: Buckets

    @Test("A bucket gives its burst at once, then its rate, and says how long to wait")
    func bucket() {
        var bucket = TokenBucket()
        let rate = Rate(perSecond: 10, burst: 5)
        let start = 100 * Self.second
        for _ in 0..<5 { #expect(bucket.take(rate, now: start) == nil) }
        #expect(bucket.take(rate, now: start) == Self.second / 10)
        // Being refused costs nothing: after the wait there is one, and only one.
        #expect(bucket.take(rate, now: start + Self.second / 10) == nil)
        #expect(bucket.take(rate, now: start + Self.second / 10) != nil)
        // After a rest it is full again, and no fuller.
        for _ in 0..<5 { #expect(bucket.take(rate, now: start + 60 * Self.second) == nil) }
        #expect(bucket.take(rate, now: start + 60 * Self.second) != nil)
    }

    @Test("Over any time no more is given than the burst and the rate, whatever the rhythm")
    func total() {
        var generator = SeededGenerator(seed: 50)
        for rate in [Rate(perSecond: 50, burst: 500), Rate(perSecond: 10.0 / 60, burst: 3)] {
            var bucket = TokenBucket()
            var (now, given) = (Self.second, 0)
            for _ in 0..<20_000 {
                now += UInt64.random(in: 0..<20_000_000, using: &generator)
                if bucket.take(rate, now: now) == nil { given += 1 }
            }
            let seconds = Double(now - Self.second) / 1e9
            #expect(Double(given) <= rate.burst + seconds * rate.perSecond + 1)
            #expect(Double(given) >= min(20_000, seconds * rate.perSecond) - 1)
        }
    }

    @Test("Keys have buckets of their own, and a flood of keys neither grows the table nor frees who floods")
    func table() {
        var limiter = RateLimiter(Rate(perSecond: 1, burst: 10), entriesMax: 64)
        for _ in 0..<10 { #expect(limiter.take("flood", now: Self.second) == nil) }
        #expect(limiter.take("flood", now: Self.second) != nil)
        for key in 0..<10_000 { #expect(limiter.take(key, now: Self.second) == nil) }
        #expect(limiter.take("flood", now: Self.second) != nil)
        #expect(limiter.wait("flood", now: Self.second) != nil)
        #expect(limiter.wait("other", now: Self.second) == nil)
    }

    @Test("An IPv6 host is counted by its network, an IPv4 address however it is written")
    func networks() {
        #expect(RequestLimits.network("2001:db8:1:2::1") == RequestLimits.network("2001:db8:1:2:ffff::9"))
        #expect(RequestLimits.network("2001:db8:1:2::1") != RequestLimits.network("2001:db8:1:3::1"))
        #expect(RequestLimits.network("192.0.2.7") == RequestLimits.network("::ffff:192.0.2.7"))
        #expect(RequestLimits.network("192.0.2.7") != RequestLimits.network("192.0.2.8"))
    }

    @Test("Settings are read, and what is none says what would be")
    func settings() throws {
        var limits = RateLimits()
        try limits.apply("account=5/s:50,register=6/min:10,guest=off")
        #expect(limits[.account] == Rate(perSecond: 5, burst: 50))
        #expect(limits[.register] == Rate(perSecond: 0.1, burst: 10))
        #expect(limits[.guest] == nil && limits[.login] == RateLimits()[.login])
        try limits.apply("off")
        #expect(limits == .off)
        for text in [
            "x=1/s:1", "account", "account=1", "account=0/s:5", "account=1/h:5", "account=1/s:0", "account=nan/s:1",
        ] {
            #expect(throws: RateLimits.Invalid.self, "\(text)") { try limits.apply(text) }
        }
    }

    // MARK: As an attacker

    private func rpc(_ socket: RawSocket, _ method: String, token: String? = nil, id: Int = 1) async throws
        -> RawResponse
    {
        let body = #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"}"#
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try await socket.send(
            "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\(authorization)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try await socket.response()
    }

    @Test("A guest's flood over HTTP gets 429 and when to come back; members at the same address go on")
    func guestFlood() async throws {
        let server = try await TestServer.start { $0.rateLimits[.guest] = Rate(perSecond: 0.001, burst: 20) }
        let (connection, account) = try await server.register()
        let socket = try RawSocket(port: server.port)
        var limited: RawResponse?
        for id in 0..<25 where limited == nil {
            let response = try await rpc(socket, "ping", id: id)
            if response.status == 429 { limited = response }
        }
        let response = try #require(limited)
        let error = try #require(try response.object()["error"] as? [String: Any])
        #expect(error["code"] as? Int == 1005)
        let wait = try #require((error["data"] as? [String: Any])?["retryAfter"] as? Double)
        #expect(wait > 0 && Int(response.headers["retry-after"] ?? "") == Int(wait.rounded(.up)))
        // Another connection does not help; a member is not meant, nor are files.
        let other = try RawSocket(port: server.port)
        #expect(try await rpc(other, "ping").status == 429)
        #expect(try await rpc(other, "ping", token: account.token).status == 200)
        try await other.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await other.response().status == 200)
        await connection.close()
        await server.stop()
    }

    @Test("An account's requests count over all its connections, WebSocket and HTTP; another account goes on")
    func accountFlood() async throws {
        let server = try await TestServer.start { $0.rateLimits[.account] = Rate(perSecond: 0.001, burst: 30) }
        let (connection, account) = try await server.register()
        let (connection2, account2) = try await server.register()
        let first = try await RawWebSocket(port: server.port, token: account.token)
        let second = try await RawWebSocket(port: server.port, token: account.token)
        let socket = try RawSocket(port: server.port)
        for id in 1...10 {
            try await first.request(id, "ping")
            #expect(try await first.reply().errorCode == nil)
            try await second.request(id, "ping")
            #expect(try await second.reply().errorCode == nil)
            #expect(try await rpc(socket, "ping", token: account.token).status == 200)
        }
        try await first.request(11, "ping")
        let refused = try await first.reply()
        #expect(refused.id == 11 && refused.errorCode == 1005)
        #expect(try await rpc(socket, "ping", token: account.token).status == 429)
        #expect(try await rpc(socket, "ping", token: account2.token).status == 200)
        await connection.close()
        await connection2.close()
        await server.stop()
    }

    @Test("Who goes on though told to wait is cut off with 4009")
    func cutOff() async throws {
        let server = try await TestServer.start { $0.rateLimits[.guest] = Rate(perSecond: 0.001, burst: 20) }
        let socket = try await RawWebSocket(port: server.port)
        // One said hello: 19 are answered, then twice the burst is refused, and the next is the last.
        for id in 1...60 { try await socket.request(id, "ping") }
        var (answered, refused, code) = (0, 0, Int?.none)
        while code == nil {
            let frame = try await socket.next()
            if frame.opcode == 8 { code = frame.closeCode }
            if frame.opcode == 1 { if frame.errorCode == 1005 { refused += 1 } else { answered += 1 } }
        }
        #expect(code == 4009)
        #expect(answered == 19 && refused == 40)
        await server.stop()
    }

    @Test("A known device has a limit of its own, for the right password, too; another device goes on")
    func knownDevice() async throws {
        let server = try await TestServer.start { $0.rateLimits[.device] = Rate(perSecond: 0.001, burst: 3) }
        let (connection, account) = try await server.register()
        func signIn(_ device: String?) async throws -> String? {
            try await connection.call(
                AccountLogin.self,
                .init(
                    email: "\(account.account.username)@example.org", password: TestServer.password, device: device)
            ).device
        }
        let device = try #require(account.device)
        for _ in 0..<3 { #expect(try await signIn(device) == device) }
        let refusal = await #expect(throws: RPCError.self) { try await signIn(device) }
        #expect(refusal?.registered == .rateLimited)
        let other = try await signIn(nil)
        #expect(try await signIn(other) == other)
        await connection.close()
        await server.stop()
    }

    @Test("Lists of people whom one knows are counted as lists")
    func known() async throws {
        let server = try await TestServer.start { $0.rateLimits[.list] = Rate(perSecond: 0.001, burst: 2) }
        let (connection, _) = try await server.register()
        for _ in 0..<2 { _ = try await connection.call(PeopleKnown.self, Empty()) }
        let refusal = await #expect(throws: RPCError.self) { try await connection.call(PeopleKnown.self, Empty()) }
        #expect(refusal?.registered == .rateLimited)
        await connection.close()
        await server.stop()
    }

    /// A request with so many blanks that it counts for `tokens`.
    private func long(_ id: Int, tokens: Int) -> String {
        let request = #"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#
        return request + String(repeating: " ", count: (tokens - 1) * RequestLimits.bytesPerToken)
    }

    @Test("A long message counts for one request more with every 16 KiB, alone and as a batch")
    func weight() async throws {
        #expect(RequestLimits.bytesPerToken == 16_384)
        for isBatch in [false, true] {
            let server = try await TestServer.start { $0.rateLimits[.guest] = Rate(perSecond: 0.001, burst: 20) }
            let socket = try await RawWebSocket(port: server.port)
            // One said hello, four are the message, so fifteen are left.
            try await socket.send(isBatch ? "[\(long(0, tokens: 4))]" : long(0, tokens: 4))
            #expect(try await socket.next().errorCode == nil)
            for id in 1...15 {
                try await socket.request(id, "ping")
                #expect(try await socket.reply().errorCode == nil)
            }
            try await socket.request(16, "ping")
            #expect(try await socket.reply().errorCode == 1005)
            socket.socket.close()
            await server.stop()
        }
    }

    @Test("Who sends long messages too often is cut off at the first one too many, which is not even read")
    func longMessages() async throws {
        for isBatch in [false, true] {
            let server = try await TestServer.start { $0.rateLimits[.guest] = Rate(perSecond: 0.001, burst: 20) }
            let socket = try await RawWebSocket(port: server.port)
            let message = isBatch ? "[\(long(1, tokens: 9))]" : long(1, tokens: 9)
            for _ in 1...2 {
                try await socket.send(message)
                #expect(try await socket.next().errorCode == nil)
            }
            try await socket.send(message)
            // Its id is not looked for, so it gets no answer of its own.
            let last = try await socket.next()
            #expect(last.opcode == 8 && last.closeCode == 4009)
            socket.socket.close()
            await server.stop()
        }
    }

    @Test("Routes over the heatmap are lists to whoever asks for them, signed in or not")
    func routes() async throws {
        let server = try await TestServer.start { try $0.rateLimits.apply("list=1/min:2,guest-list=1/min:2") }
        let person = try await ChatPerson(server)
        for client in [person.client, try await ChatClient(server)] {
            func ask() async throws -> String {
                try await client.ask("heatmap.along", #"{"route":[[51,8],[51,8.001]]}"#)
            }
            for _ in 0..<2 { #expect(try await ask().contains("parts")) }
            #expect(try await ask().contains("1005"))
        }
        await server.stop()
    }

    @Test("A batch counts each of its requests, and nonsense counts, too")
    func batches() async throws {
        let server = try await TestServer.start { $0.rateLimits[.guest] = Rate(perSecond: 0.001, burst: 20) }
        let socket = try await RawWebSocket(port: server.port)
        for _ in 0..<5 {
            try await socket.send("nonsense")
            #expect(try await socket.next().errorCode == -32700)
        }
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        try await socket.send("[" + Array(repeating: ping, count: 20).joined(separator: ",") + "]")
        let text = try await socket.next().text
        #expect(text.components(separatedBy: "serverTime").count - 1 == 14)
        #expect(text.components(separatedBy: "rateLimited").count - 1 == 6)
        // Beyond the limit the refusal outweighs the syntax error, also over HTTP.
        try await socket.send("nonsense")
        let refused = try await socket.next()
        #expect(refused.errorCode == 1005 && refused.text.contains("retryAfter"))
        let other = try RawSocket(port: server.port)
        try await other.send(
            "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\nnonsense")
        #expect(try await other.response().status == 429)
        socket.socket.close()
        await server.stop()
    }

    @Test(
        "Registrations from one address are limited, those with the operator's key are not; sign-ins have a limit of their own"
    )
    func registrations() async throws {
        let server = try await TestServer.start {
            $0.rateLimits[.register] = Rate(perSecond: 0.001, burst: 3)
            $0.rateLimits[.login] = Rate(perSecond: 0.001, burst: 2)
        }
        for _ in 0..<3 { await (try server.register()).connection.close() }
        await #expect(throws: RPCError.self) { try await server.register() }
        for _ in 0..<5 { await (try server.register(simulated: true)).connection.close() }
        let connection = try await server.connect()
        var codes: [ErrorCode?] = []
        for _ in 0..<3 {
            do {
                _ = try await connection.call(
                    AccountLogin.self,
                    AccountLogin.Params(email: "\(TestServer.newName())@example.org", password: TestServer.password))
            } catch let error as RPCError {
                codes.append(error.registered)
            }
        }
        #expect(codes == [.invalidCredentials, .invalidCredentials, .rateLimited])
        await connection.close()
        await server.stop()
    }

    @Test("Guessing bearer tokens is limited by address, before the database is asked")
    func tokens() async throws {
        let server = try await TestServer.start { $0.rateLimits[.token] = Rate(perSecond: 0.001, burst: 3) }
        let socket = try RawSocket(port: server.port)
        var statuses: [Int] = []
        for number in 0..<5 { statuses.append(try await rpc(socket, "ping", token: "guess\(number)").status) }
        #expect(statuses == [401, 401, 401, 429, 429])
        await server.stop()
    }

    @Test("A connection that is told 429 a hundred times in a row is closed")
    func persistent() async throws {
        let server = try await TestServer.start { $0.rateLimits[.guest] = Rate(perSecond: 0.001, burst: 1) }
        let socket = try RawSocket(port: server.port)
        var last = try await rpc(socket, "ping")
        for _ in 0..<100 { last = try await rpc(socket, "ping") }
        #expect(last.status == 429 && last.headers["connection"] == "close")
        #expect(try await socket.readToEnd().isEmpty)
        await server.stop()
    }
}
