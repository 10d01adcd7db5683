import TestSupport
import Testing

@testable import WebSocket

@Suite("Random input neither crashes a parser nor depends on how it is split")
struct FuzzTests {
    private static let inputCount = 20_000

    /// A few random edits: change, remove, insert or repeat.
    private static func mutate(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.remove(at: index)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
            default: bytes.insert(contentsOf: bytes[index...].prefix(16), at: index)
            }
        }
        return bytes
    }

    /// A few frames, mostly in keeping with the rules.
    private static func frames(using generator: inout SeededGenerator) -> [UInt8] {
        let opcodes: [Opcode] = [.text, .text, .binary, .continuation, .continuation, .ping, .pong, .close]
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
            let opcode = opcodes[Int.random(in: 0..<opcodes.count, using: &generator)]
            let payload =
                opcode == .close
                ? [0x03, UInt8.random(in: 0xE0...0xFF, using: &generator)]
                : Array(Array("Campanile κόσμε 🔔").prefix(Int.random(in: 0...24, using: &generator)))
            bytes += masked(
                opcode, payload, isFinal: Bool.random(using: &generator) || opcode.isControl,
                mask: UInt32.random(in: 0 ... .max, using: &generator))
        }
        return bytes
    }

    @Test("WebSocket frames")
    func webSocket() {
        var generator = SeededGenerator(seed: 20_260)
        let limits = WebSocketLimits(messageBytesMax: 60, frameBytesMax: 40, fragmentsMax: 3)
        var messages = 0
        var failures = 0
        for number in 0..<Self.inputCount {
            let bytes = Self.mutate(Self.frames(using: &generator), using: &generator)
            let whole = receive(bytes, limits: limits)
            let split = receive(bytes, cut: .random(UInt64(number)), limits: limits)
            if split != whole { Issue.record("input \(number) differs when split: \(bytes)") }
            for event in whole.events {
                switch event {
                case .text, .binary: messages += 1
                case .failed: failures += 1
                default: break
                }
            }
            // What is sent is always a valid stream of server frames.
            let echoed = receive(whole.output, role: .client).events
            if case .failed(_, let reason) = echoed.last { Issue.record("output to \(number): \(reason): \(bytes)") }
        }
        // The inputs reach both sides of the rules.
        #expect(messages > 1000 && failures > 1000)
    }

    @Test("HTTP requests")
    func requests() {
        var generator = SeededGenerator(seed: 9112)
        var messages = 0
        var errors = 0
        for number in 0..<Self.inputCount {
            let sample = SplitInvarianceTests.requests[number % SplitInvarianceTests.requests.count]
            let bytes = Self.mutate(wire(sample), using: &generator)
            let limits =
                number % 2 == 0
                ? HTTPLimits() : HTTPLimits(headBytesMax: 60, headerCountMax: 3, bodyBytesMax: 12, targetBytesMax: 12)
            let whole = parseRequests(bytes, limits: limits)
            let split = parseRequests(bytes, cut: .random(UInt64(number)), limits: limits)
            if split != whole { Issue.record("input \(number) differs when split: \(bytes)") }
            messages += whole.messages.count
            errors += whole.error == nil ? 0 : 1
        }
        #expect(messages > 1000 && errors > 1000)
    }

    @Test("HTTP responses")
    func responses() {
        var generator = SeededGenerator(seed: 9110)
        for number in 0..<Self.inputCount / 4 {
            let sample = SplitInvarianceTests.responses[number % SplitInvarianceTests.responses.count]
            let bytes = Self.mutate(wire(sample), using: &generator)
            let whole = parseResponses(bytes)
            let split = parseResponses(bytes, cut: .random(UInt64(number)))
            if split != whole { Issue.record("input \(number) differs when split: \(bytes)") }
        }
    }
}
