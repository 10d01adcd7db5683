import Testing

@testable import WebSocket

@Suite("Input split anywhere gives the same events")
struct SplitInvarianceTests {
    private static let frames: [[UInt8]] = [
        masked(.text, Array("Hello, κόσμε 🔔")) + masked(.binary, [UInt8](repeating: 9, count: 130))
            + masked(.ping, [1, 2]),
        masked(.text, Array("κό"), isFinal: false) + masked(.pong, []) + masked(.continuation, [], isFinal: false)
            + masked(.ping, Array("x")) + masked(.continuation, Array("σμε")) + masked(.close, [0x03, 0xE8, 0x61]),
        masked(.text, [0x61, 0xCE, 0xBA, 0xED, 0xA0, 0x80, 0x61]) + masked(.ping, []),
        masked(.text, [], isFinal: false) + masked(.text, []) + masked(.ping, []),
        masked(.binary, [UInt8](repeating: 9, count: 300)) + [0x82, 0xFF, 0, 0, 0, 0, 0, 0x20, 0, 0, 1, 2, 3, 4, 5],
        masked(.close, [0x03]) + masked(.ping, []),
        masked(.ping, [1]) + [0x82, 0xFE, 0, 5, 1, 2, 3, 4],
    ]

    @Test("Frames split at every byte, and byte by byte, give the same events", arguments: frames.indices)
    func splitFrames(index: Int) {
        let bytes = Self.frames[index]
        let whole = receive(bytes)
        #expect(!whole.events.isEmpty)
        #expect(receive(bytes, cut: .everyByte) == whole)
        for split in 0...bytes.count { #expect(receive(bytes, cut: .at(split)) == whole, "\(split)") }
    }

    @Test("bytes that are kept first, all or from any byte on, give the same events when they are looked at")
    func keptBytes() {
        for bytes in Self.frames {
            let whole = receive(bytes)
            for split in 0...bytes.count {
                var connection = WebSocketConnection(role: .server)
                bytes[..<split].withUnsafeBytes { connection.receive($0) }
                bytes[split...].withUnsafeBytes { connection.receive($0, decoding: false) }
                var events: [WebSocketEvent] = []
                while let event = connection.nextEvent() { events.append(event) }
                #expect(events == whole.events && connection.takeOutput() == whole.output, "\(split)")
                #expect(!connection.hasUnread && connection.state == whole.state, "\(split)")
            }
        }
    }

    @Test("A server's frames split at every byte give the same events")
    func serverFrames() {
        let bytes =
            FrameEncoder.text(Array("Hello")) + FrameEncoder.pong([1])
            + FrameEncoder.binary([UInt8](repeating: 9, count: 200)) + FrameEncoder.close(code: .goingAway)
        let whole = receive(bytes, role: .client)
        #expect(whole.events.count == 4)
        for split in 0...bytes.count {
            #expect(receive(bytes, cut: .at(split), role: .client).events == whole.events, "\(split)")
        }
    }

    static let requests: [String] = [
        "GET /a?b=c HTTP/1.1\nHost: a\nX: 1\n\nPOST /b HTTP/1.1\nHost: a\nContent-Length: 4\n\nbody\nGET / HTTP/1.0\n\n",
        "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n3;x=y\nabc\nA\n0123456789\n0\nT: x\n\nGET / HTTP/1.1\n\n",
        "GET /ws HTTP/1.1\nHost: a\nUpgrade: websocket\nConnection: Upgrade\n\nGET / HTTP/1.1\n\n",
        "POST / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n\n3\nabcd\n0\n\n",
        "GET / HTTP/1.1\nHost: a\nX: a\n b\n\n", "GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa HTTP/1.1\n\n", "\n\n\n",
    ]

    static let responses: [String] = [
        "HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\nContent-Length: 2\n\nokHTTP/1.1 404 \n\nrest",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nok\n0\n\nHTTP/1.1 304 X\nContent-Length: 5\n\n",
        "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\n\nframes",
    ]

    @Test(
        "Requests split at every byte, and byte by byte, give the same events, under wide and narrow limits",
        arguments: requests)
    func splitRequests(text: String) {
        let bytes = wire(text)
        for limits in [
            HTTPLimits(), HTTPLimits(headBytesMax: 40, headerCountMax: 1, bodyBytesMax: 3, targetBytesMax: 10),
        ] {
            let whole = parseRequests(bytes, limits: limits)
            #expect(parseRequests(bytes, cut: .everyByte, limits: limits) == whole)
            for split in 0...bytes.count {
                #expect(parseRequests(bytes, cut: .at(split), limits: limits) == whole, "\(split)")
            }
        }
    }

    @Test("Responses split at every byte, and byte by byte, give the same events", arguments: responses)
    func splitResponses(text: String) {
        let bytes = wire(text)
        let whole = parseResponses(bytes)
        #expect(whole.error == nil && !whole.messages.isEmpty)
        #expect(parseResponses(bytes, cut: .everyByte) == whole)
        for split in 0...bytes.count { #expect(parseResponses(bytes, cut: .at(split)) == whole, "\(split)") }
    }
}
