import Server
import TestSupport
import Testing
import WebSocket

@Suite("The echo endpoint for tests")
struct EchoTests {
    private func upgrade(_ server: TestServer, extra: String = "") async throws -> (RawSocket, RawResponse) {
        let socket = try RawSocket(port: server.port)
        try await socket.send(RawWebSocket.upgradeRequest(port: server.port, path: "/test/echo", extra: extra))
        return (socket, try await socket.response())
    }

    @Test("It is not there unless it was asked for")
    func absent() async throws {
        let server = try await Shared.server
        let (socket, response) = try await upgrade(server)
        defer { socket.close() }
        #expect(response.status == 404)
    }

    @Test("Text, binary and pings come back, compressed where that was agreed, and so does the close")
    func echo() async throws {
        let server = try await TestServer.start { $0.testEndpoints = true }
        let (socket, response) = try await upgrade(
            server, extra: "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover\r\n")
        defer { socket.close() }
        #expect(response.status == 101)
        #expect(response.headers["sec-websocket-extensions"] == "permessage-deflate; server_no_context_takeover")
        // Three bytes do not become fewer.
        try await socket.send(RawWebSocket.frame(2, [1, 2, 3]) + RawWebSocket.frame(9, [7]))
        #expect(try await socket.read(5) == [0x82, 3, 1, 2, 3])
        #expect(try await socket.read(3) == [0x8A, 1, 7])
        try await socket.send(RawWebSocket.text(String(repeating: "a", count: 1000)))
        let head = try await socket.read(2)
        #expect(head[0] == 0xC1 && head[1] < 20)
        _ = try await socket.read(Int(head[1]))
        try await socket.send(RawWebSocket.frame(8, [0x03, 0xE8]))
        #expect(try await socket.read(4) == [0x88, 2, 0x03, 0xE8])
        await server.stop()
    }

    @Test("A peer that sends much before it reads gets all of it")
    func backPressure() async throws {
        let server = try await TestServer.start { $0.testEndpoints = true }
        let (socket, _) = try await upgrade(server)
        defer { socket.close() }
        let message = [UInt8](repeating: 0x61, count: 700_000)
        let frame = RawWebSocket.frame(2, message)
        let bytesMax = 64 * 1_048_576
        let sent = try await socket.sendUntilRefused(frame, bytesMax: bytesMax, patience: 0.5)
        // It stopped reading: what was taken is in the kernel's queues and its own, of a MiB and a message.
        #expect(sent < bytesMax && sent > 2 * 1_048_576)
        func readOne() async throws {
            #expect(try await socket.read(10) == [0x82, 127, 0, 0, 0, 0, 0, 0x0A, 0xAE, 0x60])
            #expect(try await socket.read(message.count) == message)
        }
        for _ in 0..<sent / frame.count { try await readOne() }
        try await socket.send(Array(frame[(sent % frame.count)...]))
        try await readOne()
        await server.stop()
    }
}
