import Testing

@testable import WebSocket

@Suite("Messages (RFC 6455 §5.4 to §5.6)")
struct WebSocketConnectionTests {
    @Test("fragments are joined, with control frames between them (RFC 6455 §5.4)")
    func fragments() {
        let outcome = receive(
            masked(.text, Array("Hel"), isFinal: false) + masked(.ping, Array("p"))
                + masked(.continuation, [], isFinal: false) + masked(.pong, Array("q"))
                + masked(.continuation, Array("lo")) + masked(.binary, [1]))
        #expect(outcome.events == [.ping(Array("p")), .pong(Array("q")), .text(Array("Hello")), .binary([1])])
        #expect(outcome.output == FrameEncoder.pong(Array("p")))
        #expect(outcome.state == .open)
    }

    @Test("a continuation without a beginning fails, also after a finished message (RFC 6455 §5.4)")
    func unexpectedContinuation() {
        #expect(receive(masked(.continuation, [])).events.isFailure(.protocolError))
        #expect(receive(masked(.continuation, [], isFinal: false)).events.isFailure(.protocolError))
        let events = receive(masked(.text, []) + masked(.continuation, [])).events
        #expect(events.count == 2 && Array(events.suffix(1)).isFailure(.protocolError))
    }

    @Test("a new message inside a fragmented one fails (RFC 6455 §5.4)")
    func interleaved() {
        for opcode in [Opcode.text, .binary] {
            let bytes = masked(.text, [], isFinal: false) + masked(opcode, [])
            #expect(receive(bytes).events.isFailure(.protocolError))
        }
    }

    @Test(
        "a whole message is read and framed again where it arrived, at every length of a header (RFC 6455 §5.2)",
        arguments: [0, 1, 125, 126, 0xFFFF, 0x1_0000])
    func inPlace(count: Int) {
        for (opcode, payload) in [
            (Opcode.text, Array(repeating: UInt8(ascii: "a"), count: count)),
            (.text, Array(String(repeating: "é", count: count / 2).utf8)),
            (.binary, (0..<count).map { UInt8(truncatingIfNeeded: $0) }),
        ] {
            var connection = WebSocketConnection(role: .server)
            var bytes = masked(opcode, payload)
            let frame = bytes.withUnsafeMutableBytes { bytes in
                connection.messageInPlace(bytes)?.serverFrame().map { Array($0) }
            }
            #expect(frame == (opcode == .text ? FrameEncoder.text(payload) : FrameEncoder.binary(payload)))
        }
    }

    @Test("what is more or less than one whole, valid message is left as it came")
    func notInPlace() {
        let whole = masked(.text, Array("whole"))
        let others = [
            Array(whole.dropLast()), whole + [0x81], masked(.text, Array("part"), isFinal: false), masked(.ping, []),
            masked(.text, [0xC3]), FrameEncoder.text(Array("no mask")), masked(.binary, Array(repeating: 1, count: 61)),
            // The largest length there is (RFC 6455 §5.2): nothing may be added to it.
            [0x82, 0xFF, 0x7F] + Array(repeating: 0xFF, count: 7) + [1, 2, 3, 4, 5], [],
        ]
        for bytes in others {
            var connection = WebSocketConnection(role: .server, limits: .init(messageBytesMax: 60))
            var kept = bytes
            #expect(kept.withUnsafeMutableBytes { connection.messageInPlace($0) } == nil)
            #expect(kept == bytes)
        }
        // Behind the beginning of another, or an event that was not taken.
        for before in [Array(whole.dropLast()), whole] {
            var connection = WebSocketConnection(role: .server)
            var kept = whole
            connection.receive(before)
            #expect(kept.withUnsafeMutableBytes { connection.messageInPlace($0) } == nil)
            #expect(kept == whole)
        }
    }

    @Test("every ping is answered with its payload, in order (RFC 6455 §5.5.2 and §5.5.3)")
    func pings() {
        let payloads = (0..<10).map { Array("payload \($0)") }
        let outcome = receive(payloads.flatMap { masked(.ping, $0) })
        #expect(outcome.events == payloads.map { .ping($0) })
        #expect(outcome.output == payloads.flatMap { FrameEncoder.pong($0) })
    }

    @Test("a client masks its pongs and closes (RFC 6455 §5.3)")
    func clientMasks() {
        var client = WebSocketConnection(role: .client)
        let events = client.events(FrameEncoder.ping(Array("p")))
        #expect(events == [.ping(Array("p"))])
        client.close(code: .goingAway, reason: "bye")
        let output = client.takeOutput()
        #expect(receive(output).events == [.pong(Array("p")), .closed(code: .goingAway, reason: "bye")])
    }

    @Test("a declared length beyond the limit fails at the header, with 1009 (RFC 6455 §7.4.1)")
    func tooBig() {
        let limits = WebSocketLimits(messageBytesMax: 100, frameBytesMax: 60)
        #expect(receive([0x82, 0xBD, 0, 0, 0, 0], limits: limits).events.isFailure(.messageTooBig))
        let huge: [UInt8] = [0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]
        #expect(receive(huge).events.isFailure(.messageTooBig))
        let sixty = [UInt8](repeating: 1, count: 60)
        let first = masked(.binary, sixty, isFinal: false)
        #expect(receive(first + masked(.continuation, sixty), limits: limits).events.isFailure(.messageTooBig))
        let fitting = receive(first + masked(.continuation, Array(sixty.prefix(40))), limits: limits)
        #expect(fitting.events == [.binary([UInt8](repeating: 1, count: 100))])
    }

    @Test("a message in too many fragments fails with 1008")
    func tooManyFragments() {
        let limits = WebSocketLimits(fragmentsMax: 3)
        let fragment = masked(.continuation, [], isFinal: false)
        let begin = masked(.binary, [], isFinal: false)
        #expect(receive(begin + fragment + masked(.continuation, []), limits: limits).events == [.binary([])])
        #expect(receive(begin + fragment + fragment + fragment, limits: limits).events.isFailure(.policyViolation))
    }

    @Test("after a failure nothing more is read or sent (RFC 6455 §7.1.7)")
    func afterFailure() {
        var connection = WebSocketConnection(role: .server)
        #expect(connection.events(masked(.continuation, []) + masked(.ping, [])).isFailure(.protocolError))
        #expect(connection.state == .closed)
        let output = connection.takeOutput()
        #expect(output.first == 0x88 && Int(output[1]) == output.count - 2)
        connection.close()
        #expect(connection.events(masked(.ping, [])).isEmpty)
        #expect(connection.takeOutput().isEmpty)
    }
}

@Suite("Closing (RFC 6455 §5.5.1 and §7)")
struct CloseTests {
    private func closePayload(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
        [UInt8(code >> 8), UInt8(code & 0xFF)] + reason
    }

    @Test(
        "every code that may be sent is reported and echoed (RFC 6455 §7.4)",
        arguments: Array<UInt16>(1000...1003) + Array(1007...1014) + [3000, 3999, 4000, 4999])
    func validCodes(code: UInt16) {
        let outcome = receive(masked(.close, closePayload(code, Array("why"))))
        #expect(outcome.events == [.closed(code: CloseCode(rawValue: code), reason: "why")])
        #expect(outcome.output == [0x88, 2] + closePayload(code))
        #expect(outcome.state == .closed)
    }

    @Test("every other code fails with 1002 (RFC 6455 §7.4)")
    func invalidCodes() {
        let valid = Set<UInt16>(1000...1003).union(1007...1014).union(3000...4999)
        for code in UInt16.min ... .max where !valid.contains(code) {
            let outcome = receive(masked(.close, closePayload(code)))
            #expect(outcome.events.isFailure(.protocolError), "\(code)")
        }
    }

    @Test("a close without a body is answered without a body (RFC 6455 §7.1.5)")
    func emptyBody() {
        let outcome = receive(masked(.close, []))
        #expect(outcome.events == [.closed(code: nil, reason: "")])
        #expect(outcome.output == [0x88, 0])
    }

    @Test("a close of one byte fails, as does a reason that is not UTF-8 (RFC 6455 §5.5.1)")
    func malformedBody() {
        #expect(receive(masked(.close, [3])).events.isFailure(.protocolError))
        #expect(receive(masked(.close, closePayload(1000, [0xCE]))).events.isFailure(.invalidPayload))
        let longest = [UInt8](repeating: 0x61, count: 123)
        #expect(receive(masked(.close, closePayload(1000, longest))).events.count == 1)
    }

    @Test("data after a close is ignored (RFC 6455 §1.4)")
    func afterClose() {
        let close = masked(.close, closePayload(1000))
        let outcome = receive(close + masked(.ping, []) + masked(.text, [0xFF]) + close)
        #expect(outcome == receive(close))
        #expect(outcome.events.count == 1)
    }

    @Test("a close in the middle of a fragmented message is answered")
    func insideMessage() {
        let outcome = receive(masked(.text, [0xCE], isFinal: false) + masked(.close, []))
        #expect(outcome.events == [.closed(code: nil, reason: "")])
    }

    @Test("our close is sent once, messages are still read, and the peer's close ends it (RFC 6455 §7.1.2)")
    func ourClose() {
        var connection = WebSocketConnection(role: .server)
        connection.close(code: .serviceRestart, reason: "restart")
        connection.close(code: .normal)
        #expect(connection.state == .closing)
        let output = connection.takeOutput()
        #expect(output == [0x88, 9] + closePayload(1012, Array("restart")))
        let events = connection.events(
            masked(.text, Array("late")) + masked(.ping, []) + masked(.close, closePayload(1012)))
        #expect(events == [.text(Array("late")), .ping([]), .closed(code: .serviceRestart, reason: "")])
        let rest = connection.takeOutput()
        #expect(rest.isEmpty)
        #expect(connection.state == .closed)
    }

    @Test("a message that came with a close is taken, and may be answered, before the close is (RFC 6455 §5.5.1)")
    func messageBeforeClose() {
        var connection = WebSocketConnection(role: .server)
        connection.receive(masked(.text, Array("last")) + masked(.ping, []) + masked(.close, closePayload(1000)))
        var seen: [(WebSocketEvent?, WebSocketConnection.State, [UInt8])] = []
        for _ in 0..<3 { seen.append((connection.nextEvent(), connection.state, connection.takeOutput())) }
        #expect(seen.map(\.0) == [.text(Array("last")), .ping([]), .closed(code: .normal, reason: "")])
        #expect(seen.map(\.1) == [.open, .open, .closed])
        #expect(seen.map(\.2) == [[], FrameEncoder.pong(), FrameEncoder.close(code: .normal)])
    }

    @Test("our close before the peer's is taken stands alone (RFC 6455 §5.5.1)")
    func crossingCloses() {
        var connection = WebSocketConnection(role: .server)
        connection.receive(masked(.text, []) + masked(.close, closePayload(1000)))
        #expect(connection.state == .open)
        connection.close(code: .policyViolation)
        let events = connection.events([])
        let output = connection.takeOutput()
        #expect(events == [.text([]), .closed(code: .normal, reason: "")])
        #expect(output == FrameEncoder.close(code: .policyViolation) && connection.state == .closed)
    }

    @Test("a reason is cut to 123 bytes between two characters (RFC 6455 §5.5)")
    func longReason() {
        for (reason, count) in [
            (String(repeating: "a", count: 123), 123), (String(repeating: "a", count: 200), 123),
            (String(repeating: "é", count: 80), 122), (String(repeating: "🔔", count: 40), 120),
            ("a" + String(repeating: "🔔", count: 40), 121),
        ] {
            let frame = FrameEncoder.close(code: .normal, reason: reason)
            #expect(frame.count == 4 + count)
            #expect(reason.utf8.starts(with: frame.dropFirst(4)))
            #expect(receive(frame, role: .client).events.count == 1)
        }
    }

    @Test("a code that may not be sent is left out with its reason")
    func unsendableCode() {
        #expect(FrameEncoder.close(code: CloseCode(rawValue: 1006), reason: "x") == [0x88, 0])
        #expect(FrameEncoder.close(code: nil) == [0x88, 0])
    }
}
