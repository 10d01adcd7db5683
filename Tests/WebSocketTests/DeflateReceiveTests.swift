import TestSupport
import Testing

@testable import WebSocket

@Suite("Compressed messages received (RFC 7692 §6.2 and §7.2.2)")
struct DeflateReceiveTests {
    private func decoded(
        _ bytes: [UInt8], takeover: Bool = false, limits: WebSocketLimits = .init()
    ) -> [WebSocketEvent] {
        let agreement = DeflateAgreement.test(takeover: takeover)
        let whole = receive(bytes, limits: limits, deflate: agreement)
        // However the input is cut, the events are the same.
        #expect(receive(bytes, cut: .everyByte, limits: limits, deflate: agreement) == whole)
        for split in stride(from: 0, through: bytes.count, by: max(1, bytes.count / 64)) {
            #expect(receive(bytes, cut: .at(split), limits: limits, deflate: agreement) == whole, "\(split)")
        }
        return whole.events
    }

    private let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

    @Test("the examples of RFC 7692 §7.2.3 are read, whole and split")
    func examples() {
        let text = WebSocketEvent.text(Array("Hello"))
        #expect(decoded(compressed(.text, hello)) == [text])
        let fragments =
            compressed(.text, Array(hello[..<3]), isFinal: false) + masked(.continuation, Array(hello[3...]))
        #expect(decoded(fragments) == [text])
        // §7.2.3.2: the second refers to the first.
        let second = compressed(.text, [0xF2, 0x00, 0x11, 0x00, 0x00])
        #expect(decoded(compressed(.text, hello) + second, takeover: true) == [text, text])
        // §7.2.3.3: a block without compression.
        let stored: [UInt8] = [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00]
        #expect(decoded(compressed(.text, stored)) == [text])
        // §7.2.3.4: a block with BFINAL set, then an empty one; and what follows goes on.
        let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
        #expect(decoded(compressed(.text, final) + compressed(.text, hello)) == [text, text])
        #expect(decoded(compressed(.text, final) + second, takeover: true) == [text, text])
        // §7.2.3.5: two blocks.
        let two: [UInt8] = [0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00]
        #expect(decoded(compressed(.text, two)) == [text])
        // §7.2.3.6: an empty message.
        #expect(decoded(compressed(.text, [0x00])) == [.text([])])
    }

    @Test("blocks follow one with BFINAL set, without limit to what they refer to (§7.2.1)")
    func behindFinalBlock() throws {
        let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        #expect(decoded(compressed(.text, final + hello)) == [.text(Array("HelloHello"))])
        #expect(decoded(compressed(.text, final + final + hello)) == [.text(Array("HelloHelloHello"))])
        #expect(
            decoded(compressed(.text, final + [0xF2, 0x00, 0x11, 0x00, 0x00])) == [.text(Array("HelloHello"))])
        // Without the empty block behind it, the data is complete.
        #expect(decoded(compressed(.text, final)) == [.text(Array("Hello"))])
        let many = (0...Inflater.finalBlocksMax).flatMap { _ in final } + hello
        #expect(receive(compressed(.text, many), deflate: .test()).events.isFailure(.invalidPayload))
    }

    @Test("a compressed message without any byte is empty, which senders of empty flushes mean")
    func noBytes() {
        #expect(decoded(compressed(.binary, [])) == [.binary([])])
        #expect(decoded(compressed(.text, [], isFinal: false) + masked(.continuation, [])) == [.text([])])
    }

    @Test("compressed and plain messages alternate, and a plain one leaves the context alone (§6)")
    func alternating() throws {
        let deflater = try #require(Deflater(Deflater.Settings(windowBits: 15, memoryLevel: 8, level: 6)))
        let message = prose(900, seed: 1)
        let first = try #require(deflate(message, by: deflater))
        let second = try #require(deflate(message, by: deflater))
        #expect(second.count < 20)
        let events = decoded(
            compressed(.text, first) + masked(.text, Array("plain")) + masked(.ping, []) + compressed(.binary, second),
            takeover: true)
        #expect(events == [.text(message), .text(Array("plain")), .ping([]), .binary(message)])
        // Without context takeover the second refers to nothing.
        let alone = receive(compressed(.text, first) + compressed(.binary, second), deflate: .test()).events
        #expect(Array(alone.suffix(1)).isFailure(.invalidPayload))
    }

    @Test("RSV1 fails on control frames and on fragments after the first (§6.1), and wherever nothing was agreed (§5)")
    func reservedBit() {
        for opcode in [Opcode.ping, .pong, .close] {
            #expect(decoded(masked(opcode, [], reservedBits: 0x40)).isFailure(.protocolError))
        }
        for first in [compressed(.text, Array(hello[..<3]), isFinal: false), masked(.text, [], isFinal: false)] {
            let next = masked(.continuation, Array(hello[3...]), reservedBits: 0x40)
            #expect(decoded(first + next).isFailure(.protocolError))
        }
        #expect(decoded(masked(.text, hello, reservedBits: 0x60)).isFailure(.protocolError))
        #expect(receive(compressed(.text, hello)).events.isFailure(.protocolError))
    }

    @Test(
        "what is not DEFLATE, what is cut off and what follows the end fail with 1007",
        arguments: [
            [0xFF], [0x07], [0x06, 0x00], [0xF2, 0x48, 0xCD], [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07],
            [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48], [0x00, 0x05, 0x00, 0xFA, 0x00, 0x48], [0xF2, 0x00, 0x11, 0x00, 0x00],
            [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xFF], [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00, 0x12],
            [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00, 0x00, 0xFF, 0xFF],
        ] as [[UInt8]])
    func damaged(payload: [UInt8]) {
        #expect(decoded(compressed(.binary, payload)).isFailure(.invalidPayload))
        let fragments =
            compressed(.binary, Array(payload.prefix(1)), isFinal: false)
            + masked(.continuation, Array(payload.dropFirst()))
        #expect(decoded(fragments).isFailure(.invalidPayload))
    }

    @Test("decompressed text is checked as it comes (RFC 6455 §8.1): it fails before its message is complete")
    func text() throws {
        let bad = Array("a valid beginning, then ") + [0xED, 0xA0, 0x80] + Array(" and more of it")
        let payload = try deflate(prose(4000, seed: 2) + bad + prose(4000, seed: 3))
        #expect(receive(compressed(.binary, payload), deflate: .test()).events.count == 1)
        #expect(decoded(compressed(.text, payload)).isFailure(.invalidPayload))
        #expect(decoded(compressed(.text, payload, isFinal: false)).isFailure(.invalidPayload))
        let cut = try deflate(Array(Array("κόσμε κόσμε κόσμε κόσμε").dropLast()))
        #expect(decoded(compressed(.text, cut)).isFailure(.invalidPayload))
        #expect(decoded(compressed(.text, cut, isFinal: false)).isEmpty)
    }

    @Test("a message decompresses up to the limit and not a byte further, whatever comes behind (RFC 6455 §10.4)")
    func bomb() throws {
        let limits = WebSocketLimits(messageBytesMax: 100_000, frameBytesMax: 100_000)
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        let fitting = try deflate(zeros(100_000))
        #expect(decoded(compressed(.binary, fitting), limits: limits) == [.binary(zeros(100_000))])
        let over = try deflate(zeros(100_001))
        #expect(decoded(compressed(.binary, over), limits: limits).isFailure(.messageTooBig))
        // A thousandfold: it is stopped at the limit, before the rest, which is damaged, is looked at.
        let bomb = Array(try deflate(zeros(16_000_000)).dropLast(1000)) + [0xFF, 0xFF, 0xFF]
        #expect(bomb.count < 20_000)
        #expect(decoded(compressed(.binary, bomb), limits: limits).isFailure(.messageTooBig))
        #expect(decoded(compressed(.text, bomb, isFinal: false), limits: limits).isFailure(.messageTooBig))
    }

    @Test("a compressed message may be somewhat longer on the wire than its limit, but not without end")
    func wireLength() {
        let limits = WebSocketLimits(messageBytesMax: 1000, frameBytesMax: 10_000)
        // Blocks without compression and of no length make no message: this one would never end.
        let empty = [UInt8]((0..<10).flatMap { _ in [0x00, 0x00, 0x00, 0xFF, 0xFF] as [UInt8] })
        var bytes = compressed(.binary, empty, isFinal: false)
        #expect(receive(bytes, limits: limits, deflate: .test()).events.isEmpty)
        for _ in 0..<30 { bytes += masked(.continuation, empty, isFinal: false) }
        #expect(decoded(bytes, limits: limits).isFailure(.messageTooBig))
    }

    @Test("what a small read decompresses to waits to be decompressed until the events before it are taken")
    func backPressure() throws {
        let message = [UInt8](repeating: 0x61, count: 1000)
        let frame = compressed(.text, try deflate(message))
        var connection = WebSocketConnection(
            role: .server, limits: WebSocketLimits(messageBytesMax: 2000), deflate: .test())
        connection.receive((0..<50).flatMap { _ in frame } + masked(.ping, [7]))
        var heldMax = 0
        var count = 0
        var last: WebSocketEvent?
        while true {
            heldMax = max(heldMax, connection.heldBytes)
            guard let event = connection.nextEvent() else { break }
            count += 1
            last = event
            if count == 10 { connection.receive(masked(.pong, [8])) }
        }
        #expect(count == 52 && last == .pong([8]) && heldMax == 2000)
    }

    @Test("random damage to compressed frames neither crashes nor depends on how the input is split")
    func fuzz() throws {
        var generator = SeededGenerator(seed: 7692)
        let limits = WebSocketLimits(messageBytesMax: 400, frameBytesMax: 300, fragmentsMax: 4)
        var messages = 0
        var failures = 0
        for number in 0..<1200 {
            let agreement = DeflateAgreement.test(takeover: number % 2 == 0, receiveBits: UInt8(8 + number % 8))
            let deflater = try #require(
                Deflater(.init(windowBits: agreement.receiveWindowBits, memoryLevel: 1, level: 6)))
            var bytes: [UInt8] = []
            for index in 0..<3 {
                if number % 2 == 1 { deflater.reset() }
                let text = prose(Int.random(in: 0...500, using: &generator), seed: UInt64(number % 5))
                guard let payload = deflate(text, by: deflater) else { break }
                let cut = Int.random(in: 0...payload.count, using: &generator)
                bytes += compressed(index == 0 ? .text : .binary, Array(payload[..<cut]), isFinal: false)
                bytes += masked(.continuation, Array(payload[cut...]))
            }
            for _ in 0..<Int.random(in: 0...1, using: &generator) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^= UInt8.random(
                    in: 1...255, using: &generator)
            }
            let whole = receive(bytes, limits: limits, deflate: agreement)
            let split = receive(bytes, cut: .random(UInt64(number)), limits: limits, deflate: agreement)
            if whole != split { Issue.record("input \(number) differs when split: \(bytes)") }
            for event in whole.events {
                if case .failed = event { failures += 1 } else { messages += 1 }
            }
        }
        #expect(messages > 500 && failures > 150)
    }
}
