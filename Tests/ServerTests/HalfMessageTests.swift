import EventLoop
import Foundation
import TestSupport
import Testing
import Wire

@testable import Server

extension EventLoop {
    /// Asked on the loop.
    fileprivate func unfinishedBytes() async -> Int {
        await withCheckedContinuation { done in execute { done.resume(returning: self.unfinishedInput.bytes) } }
    }
}

@Suite("Messages that are not finished, and closes that come early")
struct HalfMessageTests {
    private static let ping = Array(#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#.utf8)

    @Test("Half a message is closed with 1008 after its time, though its peer answers and pings all the while")
    func overdue() async throws {
        let server = try await TestServer.start { $0.messageTimeout = .milliseconds(300) }
        let client = try await RawWebSocket(port: server.port)
        try await client.socket.send(RawWebSocket.frame(1, Array(Self.ping.prefix(10)), isFinal: false))
        try await client.socket.send(RawWebSocket.frame(9, [1]))
        #expect(try await client.closeCode() == 1008)
        client.socket.close()
        await server.stop()
    }

    @Test(
        "Of kilobytes that decompress to halves of megabytes the oldest is closed with 1013, the others finish and are answered"
    )
    func compressedHalves() async throws {
        let server = try await TestServer.start {
            $0.loopCount = 1
            $0.unfinishedBytesMax = 1_500_000
        }
        // Not the end of the message: its last block is still followed by the empty one.
        let spaces = Deflate.message([UInt8](repeating: 0x20, count: 600_000)) + [0, 0, 0xFF, 0xFF]
        var clients: [RawWebSocket] = []
        for _ in 0..<3 {
            // The answer to hello is compressed, which no test here undoes.
            let client = try await RawWebSocket(port: server.port, hello: false, deflate: true)
            try await client.request(0, "hello")
            _ = try await client.next()
            try await client.socket.send(RawWebSocket.frame(1, spaces, isFinal: false, isCompressed: true))
            // Its pong says that it was read, and so the order.
            try await client.socket.send(RawWebSocket.frame(9, [1]))
            clients.append(client)
            if clients.count < 3 { #expect(try await client.next().opcode == 10) }
        }
        #expect(try await clients[0].closeCode() == 1013)
        for client in clients.dropFirst() {
            try await client.socket.send(RawWebSocket.frame(0, Deflate.message(Self.ping)))
            #expect(try await client.reply().id == 7)
            client.socket.close()
        }
        clients[0].socket.close()
        await server.stop()
    }

    @Test("Half requests over HTTP count, too: the oldest gets 503 and the end, another finishes and is answered")
    func halfRequests() async throws {
        let server = try await TestServer.start {
            $0.loopCount = 1
            $0.unfinishedBytesMax = 150_000
        }
        let body = Self.ping + [UInt8](repeating: 0x20, count: 100_000)
        let head =
            "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        // There is but one.
        let loop = try #require(await server.server).environment.services.hub.loop
        var sockets: [RawSocket] = []
        for _ in 0..<2 {
            let held = await loop.unfinishedBytes()
            let socket = try RawSocket(port: server.port)
            try await socket.send(Array(head.utf8) + body.dropLast())
            sockets.append(socket)
            guard sockets.count < 2 else { break }
            // It was read, and so is the older one.
            _ = try await eventually("half a request is there") {
                await loop.unfinishedBytes() > held + 90_000 ? true : nil
            }
        }
        #expect(try await sockets[0].response().status == 503)
        #expect(try await sockets[0].readToEnd().isEmpty)
        try await sockets[1].send(Array(body.suffix(1)))
        #expect(try await sockets[1].response().status == 200)
        #expect(await loop.unfinishedBytes() == 0)
        for socket in sockets { socket.close() }
        await server.stop()
    }

    @Test("Pings that are whole in time are no half message, however they are cut into pieces")
    func straddlingPings() async throws {
        let limit = Duration.milliseconds(1_500)
        let server = try await TestServer.start { $0.messageTimeout = limit }
        // A machine that holds this test up for as long makes its pings late indeed: that says nothing, and it tries again.
        while try await !straddles(server, limit: limit) {}
        await server.stop()
    }

    /// - Returns: False when a ping was whole too late.
    private func straddles(_ server: TestServer, limit: Duration) async throws -> Bool {
        let client = try await RawWebSocket(port: server.port)
        defer { client.socket.close() }
        let ping = RawWebSocket.frame(9, [1])
        let clock = ContinuousClock()
        var begun = clock.now
        let end = begun + limit + .milliseconds(300)
        try await client.socket.send(Array(ping.prefix(3)))
        while clock.now < end {
            let next = clock.now
            try await client.socket.send(Array(ping.dropFirst(3)) + ping.prefix(3))
            // Its pong: it was read with the beginning of the next, as one piece.
            let opcode = try await client.next().opcode
            guard clock.now - begun < limit / 2 else { return false }
            #expect(opcode == 10)
            begun = next
            // Below the rate that pings are limited to.
            try await Task.sleep(for: .milliseconds(25))
        }
        try await client.socket.send(Array(ping.dropFirst(3)))
        let opcode = try await client.next().opcode
        guard clock.now - begun < limit / 2 else { return false }
        #expect(opcode == 10)
        return true
    }

    @Test("Who asks and closes in one breath gets the answers first, and what was asked is done (RFC 6455 §5.5.1)")
    func closeBehindRequests() async throws {
        let server = try await Shared.server
        let client = try await RawWebSocket(port: server.port)
        let name = TestServer.newName("hal")
        let register =
            #"{"jsonrpc":"2.0","id":8,"method":"account.register","params":{"username":"\#(name)","email":"\#(name)@example.org","password":"\#(TestServer.password)"}}"#
        try await client.socket.send(
            RawWebSocket.frame(1, Self.ping) + RawWebSocket.text(register) + RawWebSocket.frame(8, [0x03, 0xE8]))
        #expect(try await client.reply().id == 7)
        let registered = try await client.reply()
        #expect(registered.id == 8 && registered.errorCode == nil)
        #expect(try await client.closeCode() == 1000)
        #expect(try await client.socket.readToEnd().isEmpty)
    }
}
