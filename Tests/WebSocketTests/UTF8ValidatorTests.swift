import TestSupport
import Testing

@testable import WebSocket

@Suite("UTF-8 in text messages (RFC 6455 §8.1, RFC 3629)")
struct UTF8ValidatorTests {
    private func isValid(_ bytes: [UInt8]) -> Bool {
        var validator = UTF8Validator()
        return bytes.withUnsafeBytes { validator.consume($0) } && validator.isComplete
    }

    @Test("the first and last character of every length is accepted")
    func boundaries() {
        for scalar: UInt32 in [
            0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD7FF, 0xE000, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000,
            0x1FFFF,
            0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF,
        ] {
            let text = Unicode.Scalar(scalar).map { Array(String($0)) } ?? []
            #expect(isValid(text), "\(scalar)")
            #expect(receive(masked(.text, text)).events == [.text(text)])
        }
    }

    @Test(
        "overlong forms, surrogates, what is beyond U+10FFFF and stray bytes are refused with 1007",
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x20], [0xC2, 0xC2], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF], [0xE1, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF1, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func invalid(bytes: [UInt8]) {
        #expect(receive(masked(.text, bytes)).events.isFailure(.invalidPayload))
        #expect(receive(masked(.text, Array("eight by") + bytes)).events.isFailure(.invalidPayload))
        #expect(receive(masked(.binary, bytes)).events == [.binary(bytes)])
    }

    @Test("the first invalid byte fails at once, before its frame or message is complete")
    func failFast() {
        // κόσμε, then U+110000 and "edited", as in Autobahn 6.4.
        let text: [UInt8] =
            [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5, 0xF4, 0x90, 0x80, 0x80] + Array("edited")
        let frame = masked(.text, text)
        let headerBytes = 6
        for count in 0..<text.count {
            let events = receive(Array(frame.prefix(headerBytes + count))).events
            #expect(events.isFailure(.invalidPayload) == (count >= 13), "\(count)")
        }
        for split in 1...13 {
            let fragments =
                masked(.text, Array(text[..<split]), isFinal: false)
                + masked(.continuation, Array(text[split..<max(split, 13)]), isFinal: false)
            #expect(receive(fragments).events.isFailure(.invalidPayload), "\(split)")
        }
    }

    @Test("a character may be split between fragments, but must be complete at the end of the message")
    func splitCharacter() {
        let bell = Array("🔔")
        for split in 0...bell.count {
            let fragments =
                masked(.text, Array(bell[..<split]), isFinal: false) + masked(.ping, [])
                + masked(.continuation, Array(bell[split...]))
            #expect(receive(fragments).events == [.ping([]), .text(bell)])
        }
        let cut = masked(.text, Array(bell[..<2]), isFinal: false) + masked(.continuation, [bell[2]])
        #expect(receive(cut).events.isFailure(.invalidPayload))
    }

    @Test("random bytes are judged as the standard library judges them, whole and split")
    func againstStandardLibrary() {
        var generator = SeededGenerator(seed: 3)
        // Bytes at the edges of RFC 3629's ranges, so that valid sequences are common.
        let edges: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF3,
            0xF4,
            0xF5,
        ]
        var validCount = 0
        for _ in 0..<30_000 {
            let bytes = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                edges[Int.random(in: 0..<edges.count, using: &generator)]
            }
            let expected = String(validating: bytes, as: UTF8.self) != nil
            validCount += expected ? 1 : 0
            #expect(isValid(bytes) == expected, "\(bytes)")
            var validator = UTF8Validator()
            let split = bytes.allSatisfy { byte in withUnsafeBytes(of: byte) { validator.consume($0) } }
            #expect((split && validator.isComplete) == expected, "\(bytes)")
        }
        #expect(validCount > 1000)
    }
}
