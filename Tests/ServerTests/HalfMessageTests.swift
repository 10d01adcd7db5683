import Foundation
import Server
import TestSupport
import Testing
import Wire

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
