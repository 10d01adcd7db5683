import TestSupport
import Testing

@testable import WebSocket

@Suite("Frames (RFC 6455 §5)")
struct FrameTests {
    @Test("the examples of RFC 6455 §5.7 are encoded byte for byte")
    func examples() {
        let hello = Array("Hello")
        #expect(FrameEncoder.text(hello) == [0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f])
        #expect(
            FrameEncoder.text(hello, mask: 0x37FA_213D)
                == [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58])
        #expect(FrameEncoder.ping(hello) == [0x89, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f])
        #expect(
            FrameEncoder.pong(hello, mask: 0x37FA_213D)
                == [0x8a, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58])
        #expect(FrameEncoder.binary([UInt8](repeating: 7, count: 256)).prefix(5) == [0x82, 0x7E, 0x01, 0x00, 7])
        #expect(
            FrameEncoder.binary([UInt8](repeating: 7, count: 65_536)).prefix(11)
                == [0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0, 7])
    }

    @Test(
        "a message of any length comes back, masked and unmasked, in both directions",
        arguments: [0, 1, 7, 8, 9, 124, 125, 126, 127, 65_535, 65_536, 65_537, 1_048_576])
    func lengths(count: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for mask in [0, 0x0102_0304, UInt32.max] {
            #expect(receive(FrameEncoder.binary(payload, mask: mask)).events == [.binary(payload)])
        }
        #expect(receive(FrameEncoder.binary(payload), role: .client).events == [.binary(payload)])
    }

    @Test("masking eight bytes at a time is masking byte by byte, from any offset (RFC 6455 §5.3)")
    func masking() {
        var generator = SeededGenerator(seed: 1)
        let mask: UInt32 = 0x1234_5678
        let key: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        for offset in 0..<8 {
            for count in 0..<40 {
                let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
                var result = bytes
                result.withUnsafeMutableBytes { Masking.apply(mask, offset: offset, to: $0) }
                #expect(result == bytes.enumerated().map { $1 ^ key[($0 + offset) % 4] })
            }
        }
    }

    @Test("the wrong side's masking fails the connection (RFC 6455 §5.1)")
    func maskingDirection() {
        #expect(receive(FrameEncoder.text([])).events.isFailure(.protocolError))
        #expect(receive(FrameEncoder.text([], mask: 1), role: .client).events.isFailure(.protocolError))
    }

    @Test("reserved bits fail the connection on every frame (RFC 6455 §5.2)", arguments: [0x10, 0x20, 0x40, 0x70])
    func reservedBits(bits: Int) {
        for opcode in [Opcode.text, .binary, .close, .ping, .pong] {
            #expect(receive(masked(opcode, [], reservedBits: UInt8(bits))).events.isFailure(.protocolError))
        }
        let fragments = masked(.text, [], isFinal: false) + masked(.continuation, [], reservedBits: UInt8(bits))
        #expect(receive(fragments).events.isFailure(.protocolError))
    }

    @Test("an extension may allow a reserved bit on the first frame of a message only (RFC 7692 §6)")
    func negotiatedBits() throws {
        let extensions = NegotiatedExtensions(messageReservedBits: 0x40)
        func header(_ opcode: Opcode) throws -> FrameHeader? {
            try masked(opcode, [], reservedBits: 0x40).withUnsafeBytes { bytes in
                try FrameHeader(bytes, from: .client, extensions: extensions)
            }
        }
        #expect(try header(.text)?.reservedBits == 0x40)
        #expect(throws: ProtocolViolation.self) { try header(.continuation) }
        #expect(throws: ProtocolViolation.self) { try header(.ping) }
    }

    @Test("reserved opcodes fail the connection (RFC 6455 §5.2)", arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15])
    func reservedOpcodes(opcode: Int) {
        #expect(receive([0x80 | UInt8(opcode), 0x80, 0, 0, 0, 0]).events.isFailure(.protocolError))
    }

    @Test("a rule broken by the first two bytes fails before the rest of the header arrives")
    func earlyFailure() {
        #expect(receive([0x83, 0x80]).events.isFailure(.protocolError))
        #expect(receive([0xC1, 0xFE]).events.isFailure(.protocolError))
        #expect(receive([0x81, 0x05]).events.isFailure(.protocolError))
    }

    @Test("control frames are neither fragmented nor longer than 125 bytes (RFC 6455 §5.5)")
    func controlFrames() {
        for opcode in [Opcode.close, .ping, .pong] {
            #expect(receive(masked(opcode, [], isFinal: false)).events.isFailure(.protocolError))
            let long = [UInt8](repeating: 0x61, count: 126)
            #expect(receive(masked(opcode, long)).events.isFailure(.protocolError))
        }
        let longest = [UInt8](repeating: 0x61, count: 125)
        #expect(receive(masked(.ping, longest)).events == [.ping(longest)])
        #expect(FrameEncoder.ping(longest + [1]) == FrameEncoder.ping(longest))
    }

    @Test("a 64-bit length with its top bit set, or one that is not minimal, fails (RFC 6455 §5.2)")
    func lengthEncoding() {
        #expect(receive([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 1]).events.isFailure(.protocolError))
        #expect(receive([0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]).events.isFailure(.protocolError))
        #expect(receive([0x82, 0xFE, 0, 125]).events.isFailure(.protocolError))
    }
}

extension [WebSocketEvent] {
    /// The only event is a failure with this code.
    func isFailure(_ code: CloseCode) -> Bool {
        if count == 1, case .failed(code, _) = self[0] { return true }
        return false
    }
}
