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
        arguments: ["https://evil.example", "null", "http://127.0.0.1:1", "http://127.0.0.1.evil.example", "garbage"])
    func wrongOrigin(origin: String) async throws {
        #expect(try await upgrade("Origin: \(origin)\r\n").status == 403)
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
