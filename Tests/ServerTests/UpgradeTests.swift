import Foundation
import TestSupport
import Testing

@Suite("The WebSocket upgrade")
struct UpgradeTests {
    private func upgrade(
        path: String = "/ws", _ extra: String = "Sec-WebSocket-Protocol: campanile.v1\r\n"
    ) async throws -> RawResponse {
        let port = try await Shared.server.port
        let socket = try RawSocket(port: port)
        defer { socket.close() }
        try await socket.send(RawWebSocket.upgradeRequest(port: port, path: path, extra: extra))
        return try await socket.response()
    }

    @Test("The subprotocol is chosen among those offered, and the key is answered")
    func subprotocol() async throws {
        let response = try await upgrade("Sec-WebSocket-Protocol: other, campanile.v1\r\n")
        #expect(response.status == 101)
        #expect(response.headers["sec-websocket-protocol"] == "campanile.v1")
        // RFC 6455 §1.3's example.
        #expect(response.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(
        "A page of another site may not connect",
        arguments: [
            "https://evil.example", "null", "http://127.0.0.1:1", "http://127.0.0.1.evil.example", "garbage", "",
            "NULL",
            "http://127.0.0.1", "https://127.0.0.1", "file://", "http://evil.example\r\nOrigin: http://127.0.0.1",
            "http://127.0.0.1 http://evil.example", "//127.0.0.1",
        ])
    func wrongOrigin(origin: String) async throws {
        #expect(try await upgrade("Origin: \(origin)\r\n").status == 403)
    }

    @Test("The server's own origin beside another one is nobody's")
    func twoOrigins() async throws {
        let port = try await Shared.server.port
        let own = "Origin: http://127.0.0.1:\(port)\r\n"
        #expect(try await upgrade(own + own).status == 403)
        #expect(try await upgrade(own + "Origin: https://evil.example\r\n").status == 403)
        #expect(try await upgrade("Origin: http://127.0.0.1:\(port)@evil.example\r\n").status == 403)
        #expect(try await upgrade("Origin: http://127.0.0.1:\(port)/\r\n").status == 403)
        #expect(try await upgrade("Origin: HTTP://127.0.0.1:\(port)\r\n").status == 101)
    }

    @Test("With names of its own the server answers to them only, whatever the port (DNS rebinding)")
    func hostNames() async throws {
        let server = try await TestServer.start { $0.hostNames = ["campus.example", "[::1]"] }
        func status(_ path: String, host: String, upgrade: Bool = false) async throws -> Int {
            let socket = try RawSocket(port: server.port)
            defer { socket.close() }
            let request =
                upgrade
                ? RawWebSocket.upgradeRequest(port: server.port)
                    .replacingOccurrences(of: "Host: 127.0.0.1:\(server.port)", with: "Host: \(host)")
                : "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
            try await socket.send(request)
            return try await socket.response().status
        }
        for host in ["campus.example", "Campus.Example:8080", "campus.example.", "[::1]:1"] {
            #expect(try await status("/", host: host) == 200)
            #expect(try await status("/ws", host: host, upgrade: true) == 101)
        }
        for host in ["evil.example", "127.0.0.1", "campus.example.evil", "[::2]", ""] {
            #expect(try await status("/", host: host) == 421)
            #expect(try await status("/rpc", host: host) == 421)
            #expect(try await status("/ws", host: host, upgrade: true) == 421)
        }
        // Supervisors ask by address.
        #expect(try await status("/healthz", host: "127.0.0.1") == 200)
        #expect(try await status("http://campus.example/", host: "evil.example") == 200)
        await server.stop()
    }

    @Test("A refused upgrade is the last answer: what follows it is never taken for a request")
    func refusedUpgrade() async throws {
        let port = try await Shared.server.port
        for (method, path) in [("GET", "/elsewhere"), ("POST", "/ws"), ("HEAD", "/ws"), ("POST", "/rpc")] {
            let socket = try RawSocket(port: port)
            defer { socket.close() }
            let upgrade = RawWebSocket.upgradeRequest(port: port, path: path)
                .replacingOccurrences(of: "GET ", with: "\(method) ")
            try await socket.send(upgrade + "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try await socket.response(headOnly: method == "HEAD")
            #expect(response.status >= 400 && response.headers["connection"]?.contains("close") == true)
            #expect(try await socket.readToEnd().isEmpty)
        }
    }

    @Test("The server's own pages may connect, also behind a proxy that speaks TLS")
    func ownOrigin() async throws {
        let port = try await Shared.server.port
        #expect(try await upgrade("Origin: http://127.0.0.1:\(port)\r\n").status == 101)
        #expect(try await upgrade("Origin: https://127.0.0.1:\(port)\r\n").status == 101)
    }

    @Test("An origin with an IPv6 address is compared with the host as browsers write both")
    func ipv6Origin() async throws {
        let port = try await Shared.server.port
        let socket = try RawSocket(port: port)
        defer { socket.close() }
        let request = RawWebSocket.upgradeRequest(port: port, extra: "Origin: http://[::1]:\(port)\r\n")
        try await socket.send(request.replacingOccurrences(of: "Host: 127.0.0.1", with: "Host: [::1]"))
        #expect(try await socket.response().status == 101)
    }

    @Test("WebSockets are at /ws only, and /ws is for WebSockets only")
    func path() async throws {
        #expect(try await upgrade(path: "/elsewhere").status == 404)
        let socket = try RawSocket(port: try await Shared.server.port)
        defer { socket.close() }
        try await socket.send("GET /ws HTTP/1.1\r\nHost: x\r\n\r\n")
        let status = try await socket.response().status
        #expect(status == 426 || status == 400)
    }

    @Test(
        "A WebSocket that is asked for behind answers which stopped the reading is heard, also when its peer has ended",
        arguments: [false, true])
    func behindAnswers(isEnding: Bool) async throws {
        let port = try await Shared.server.port
        let socket = try RawSocket(port: port)
        // More than may wait to be sent, so that the next request has to.
        let count = 8
        let get = "GET /lib/leaflet/leaflet.js HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        try await socket.send(String(repeating: get, count: count) + RawWebSocket.upgradeRequest(port: port))
        for _ in 0..<count { #expect(try await socket.response().status == 200) }
        #expect(try await socket.response().status == 101)
        let client = RawWebSocket(upgraded: socket)
        try await client.request(1, "hello")
        if isEnding { socket.shutDownWriting() }
        #expect(try await client.reply().id == 1)
        socket.close()
    }

    @Test("Who asks for a WebSocket, says hello and sends its end, all at once, is answered")
    func eagerEnd() async throws {
        let port = try await Shared.server.port
        let socket = try RawSocket(port: port)
        let hello = RawWebSocket.text(#"{"jsonrpc":"2.0","id":1,"method":"hello"}"#)
        let get = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        try await socket.send(Array((get + RawWebSocket.upgradeRequest(port: port)).utf8) + hello)
        socket.shutDownWriting()
        #expect(try await socket.response().status == 200)
        #expect(try await socket.response().status == 101)
        #expect(try await RawWebSocket(upgraded: socket).reply().id == 1)
        #expect(try await socket.readToEnd().isEmpty)
        socket.close()
    }

    @Test("Frames sent right behind the upgrade request are not lost")
    func eager() async throws {
        let port = try await Shared.server.port
        let socket = try RawSocket(port: port)
        let hello = RawWebSocket.text(#"{"jsonrpc":"2.0","id":1,"method":"hello"}"#)
        try await socket.send(Array(RawWebSocket.upgradeRequest(port: port).utf8) + hello)
        #expect(try await socket.response().status == 101)
        let head = try await socket.read(2)
        #expect(head[0] == 0x81)
        socket.close()
    }
}
