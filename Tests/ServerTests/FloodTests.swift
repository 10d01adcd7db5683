import CZlib
import Foundation
import Server
import TestSupport
import Testing
import Wire

@Suite("Floods on one WebSocket")
struct FloodTests {
    private static let token = "a-token-for-scrapers"

    /// Messages that sessions have taken from what arrived.
    private func messagesTaken(_ port: UInt16) async throws -> Double {
        try await sum("campanile_messages_received_total", port)
    }

    private func sum(_ metric: String, _ port: UInt16) async throws -> Double {
        let socket = try RawSocket(port: port)
        defer { socket.close() }
        try await socket.send("GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(Self.token)\r\n\r\n")
        return try Exposition(try await socket.response().text).sum(metric)
    }

    /// A request whose answer takes until ``body`` is through.
    private func whileBusy(
        _ server: TestServer, _ client: RawWebSocket, behind: [UInt8], _ body: (Double) async throws -> Void
    ) async throws {
        let before = try await messagesTaken(server.port)
        let lock = try await server.database()
        try await lock.script("BEGIN; LOCK TABLE accounts")
        let login =
            #"{"jsonrpc":"2.0","id":1,"method":"account.login","params":{"email":"a@b.cd","password":"Secret123"}}"#
        try await client.socket.send(RawWebSocket.text(login) + behind)
        try await body(before)
        try await lock.script("COMMIT")
        lock.close()
    }

    @Test("Of thousands of requests that arrive together few are decoded ahead; each is answered, in order")
    func undecoded() async throws {
        let server = try await TestServer.start { $0.metricsToken = Self.token }
        let client = try await RawWebSocket(port: server.port)
        let flood = (2...3_000).flatMap { RawWebSocket.text(#"{"jsonrpc":"2.0","id":\#($0),"method":"x"}"#) }
        try await whileBusy(server, client, behind: flood) { before in
            let taken = try await eventually("64 are taken") { () -> Double? in
                let taken = try await messagesTaken(server.port) - before
                return taken >= 64 ? taken : nil
            }
            // The one that is being answered is among them, or was taken before.
            #expect(taken <= 65)
        }
        for id in 1...3_000 { #expect(try await client.reply().id == id) }
        client.socket.close()
        await server.stop()
    }

    @Test("Of compressed megabytes that arrive in a few kilobytes one is decompressed ahead")
    func compressed() async throws {
        let server = try await TestServer.start { $0.metricsToken = Self.token }
        let client = try await RawWebSocket(port: server.port, hello: false, deflate: true)
        try await client.request(0, "hello")
        _ = try await client.next()
        // Spaces, and a number, which is no request.
        let text = [UInt8](repeating: 0x20, count: 1_048_575) + [0x31]
        let frame = RawWebSocket.frame(1, Deflate.message(text), isCompressed: true)
        let count = 10
        try await whileBusy(server, client, behind: Array(repeatElement(frame, count: count).joined())) { before in
            let taken = try await eventually("two are taken") { () -> Double? in
                let taken = try await messagesTaken(server.port) - before
                return taken >= 2 ? taken : nil
            }
            #expect(taken == 2)
        }
        // Some are compressed, which no test here undoes.
        for _ in 0...count { #expect(try await client.next().opcode == 1) }
        client.socket.close()
        await server.stop()
    }

    @Test("Who shut its side down behind thousands of requests gets all the answers, then the end")
    func halfClosed() async throws {
        let client = try await RawWebSocket(port: try await Shared.server.port)
        let flood = (1...2_000).flatMap { RawWebSocket.text(#"{"jsonrpc":"2.0","id":\#($0),"method":"x"}"#) }
        try await client.socket.send(flood)
        client.socket.shutDownWriting()
        for id in 1...2_000 { #expect(try await client.reply().id == id) }
        #expect(try await client.socket.readToEnd().isEmpty)
    }

    @Test("A peer that pings and does not read is owed the last pong alone (RFC 6455 §5.5.3)")
    func latePong() async throws {
        let server = try await TestServer.start { $0.metricsToken = Self.token }
        let client = try await RawWebSocket(port: server.port)
        // The answer repeats the id: asked until more than 256 KiB of answers wait, behind what the kernels hold.
        let id = String(repeating: "x", count: 50_000)
        var asked = 0
        while try await sum("campanile_send_queue_bytes", server.port) <= 262_144 {
            try await client.send(#"{"jsonrpc":"2.0","id":"\#(id)","method":"x"}"#)
            asked += 1
            let taken = Double(asked + 1)
            _ = try await eventually("it is taken") {
                try await messagesTaken(server.port) >= taken ? true : nil
            }
        }
        for number in 0..<100 { try await client.socket.send(RawWebSocket.frame(9, [UInt8(number)])) }
        try await client.request(1, "ping")
        let taken = Double(asked + 2)
        _ = try await eventually("what came behind the pings is taken") {
            try await messagesTaken(server.port) >= taken ? true : nil
        }
        var pongs: [[UInt8]] = []
        var isAnswered = false
        while pongs.isEmpty || !isAnswered {
            let frame = try await client.next()
            if frame.opcode == 10 { pongs.append(frame.payload) }
            if frame.opcode == 1, frame.id == 1 { isAnswered = true }
        }
        #expect(pongs == [[99]])
        client.socket.close()
        await server.stop()
    }

    @Test("Pings are answered, a flood of them, or of pongs, is closed with 4009")
    func pings() async throws {
        let port = try await Shared.server.port
        let client = try await RawWebSocket(port: port)
        try await client.socket.send((0..<150).flatMap { RawWebSocket.frame(9, [UInt8($0)]) })
        for number in 0..<150 {
            let pong = try await client.next()
            #expect(pong.opcode == 10 && pong.payload == [UInt8(number)])
        }
        for opcode: UInt8 in [9, 10] {
            let client = try await RawWebSocket(port: port)
            try await client.socket.send((0..<1_000).flatMap { _ in RawWebSocket.frame(opcode, []) })
            #expect(try await client.closeCode() == 4009)
            client.socket.close()
        }
        client.socket.close()
    }
}

/// Compression as a client does it (RFC 7692 §7.2.1), by zlib itself.
enum Deflate {
    /// The payload of one compressed message.
    static func message(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        deflateInit2_(
            &stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count + 1_024)
        let count = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                deflate(&stream, Z_SYNC_FLUSH)
                return output.count - Int(stream.avail_out)
            }
        }
        // Without the empty block's 00 00 FF FF.
        return Array(output.prefix(count - 4))
    }
}
