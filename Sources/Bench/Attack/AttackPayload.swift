import CZlib
import EventLoop
import Glibc
import WebSocket

/// Sends small messages that decompress to very large ones.
struct BombAttack: AttackScript {
    let summary = "20 connections send bombs of 64 MiB in 64 KB, then megabytes in a kilobyte each"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let bomb = Self.compressed([UInt8](repeating: 0x20, count: 64 * 1_048_576))
        let bombs = try storm(
            target, connections: 20, open: { _ in try target.upgrade(isGuest: true, deflate: true) },
            bytes: Frame.make(1, bomb, reserved: 0x40))
        let megabyte = Self.compressed([UInt8](repeating: 0x20, count: 1_048_000) + [0x31])
        let legal = [UInt8](Array(repeating: Frame.make(1, megabyte, reserved: 0x40), count: 200).joined())
        let megabytes = try storm(
            AttackTarget(copying: target, seconds: 8), connections: 20,
            open: { try target.upgrade(token: target.tokens[$0], deflate: true) }, bytes: legal)
        return [
            AttackAnswer("64 MiB in 64 KB", bombs.answers, is: "close 1009"),
            AttackAnswer(
                "allowed megabytes in a kilobyte each", megabytes.answers,
                is: ["close 4009", "open"] + Self.cutWhilePouring),
        ]
    }

    /// Compresses by RFC 7692 §7.2.1, using zlib directly.
    static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        campanile_deflateInit2(&stream, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY)
        defer { deflateEnd(&stream) }
        var input = bytes
        let room = bytes.count / 500 + 1_024
        return input.withUnsafeMutableBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: room) { output, count in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(room)
                deflate(&stream, Z_SYNC_FLUSH)
                // Without the 00 00 FF FF of the empty block.
                count = room - Int(stream.avail_out) - 4
            }
        }
    }
}

/// Begins messages that decompress to much data, and never completes them.
struct HalvesAttack: AttackScript {
    let summary = "400 guests send a kilobyte that is nearly a megabyte, but not the rest, and answer pings"
    /// The maximum that two loops may hold, and the arrays' spare capacity.
    let memoryGrowthBytesMax = 2 * IncompleteInputLimiter.bytesMaxDefault + 32 * 1_048_576
    static let secondsMax = 75.0

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let half = BombAttack.compressed([UInt8](repeating: 0x20, count: 1_000_000)) + [0, 0, 0xFF, 0xFF]
        let swarm = Swarm()
        for _ in 0..<400 {
            let attacker = try target.upgrade(isGuest: true, deflate: true)
            attacker.send(Frame.make(1, half, isFinal: false, reserved: 0x40))
            swarm.add(attacker)
        }
        swarm.watch(seconds: Self.secondsMax)
        return [AttackAnswer("half messages", swarm.answers, is: "close 1008", "close 1013")]
    }
}

/// Requests much data and does not read it.
struct NoReadingAttack: AttackScript {
    let summary = "50 WebSockets ask for the campus in batches, 50 connections for files, and read nothing"
    static let secondsMax = 100.0

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let before = target.serverDescriptors
        let info = #"{"jsonrpc":"2.0","id":1,"method":"campus.info"}"#
        let batch = "[" + Array(repeating: info, count: 50).joined(separator: ",") + "]"
        let frames = [UInt8](
            Array(repeating: FrameEncoder.text(Array(batch.utf8), mask: 7), count: 100).joined())
        let files = Array(
            String(repeating: "GET /lib/leaflet/leaflet.js HTTP/1.1\r\nHost: x\r\n\r\n", count: 300).utf8)
        let sockets = try (0..<50).map { index in
            // One address each, so that no request rate limit applies.
            let attacker = try target.upgrade(source: UInt16(10 + index), isGuest: true)
            attacker.socket.receiveLittle()
            _ = attacker.socket.writeSome(frames[...])
            return attacker
        }
        let downloads = try (0..<50).map { _ in
            let attacker = try target.connect()
            attacker.socket.receiveLittle()
            _ = attacker.socket.writeSome(files[...])
            return attacker
        }
        // From the last bytes that the kernel accepted, the limit is 60 s for a WebSocket and 30 s for HTTP, checked
        // every second. When the descriptors are gone, the server has closed the connections.
        var waited = 0.0
        while target.serverDescriptors > before, waited < Self.secondsMax {
            usleep(500_000)
            waited += 0.5
        }
        let left = target.serverDescriptors - before
        let answers = withExtendedLifetime((sockets, downloads)) {
            AttackAnswer(
                "100 peers that do not read", ["\(max(0, left)) left after \(Int(waited)) s": 1], is: "0 left")
        }
        return [answers]
    }
}

/// Sends bytes of no known protocol, and invalid frames.
struct GarbageAttack: AttackScript {
    let summary = "random bytes, TLS to the plain port, frames against the rules"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        var generator = SystemRandomNumberGenerator()
        let random = (0..<4_096).map { _ in UInt8.random(in: 0...255, using: &generator) }
        // The beginning of a TLS 1.3 ClientHello.
        let tls: [UInt8] = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3] + random.prefix(500)
        let half = AttackTarget(copying: target, seconds: 4)
        let http = try repeatSamples(
            half, [("random bytes", random + Array("\r\n\r\n".utf8)), ("TLS to the plain port", tls + [10, 13, 10])])
        let frames: [(String, [UInt8], [String])] = [
            ("a frame without a mask", Frame.make(1, [0x7B, 0x7D], isMasked: false), ["close 1002"]),
            ("a reserved bit", Frame.make(1, [0x7B], reserved: 0x20), ["close 1002"]),
            ("compressed without agreement", Frame.make(1, [0x7B], reserved: 0x40), ["close 1002"]),
            ("an unknown opcode", Frame.make(3, []), ["close 1002"]),
            ("a ping in fragments", Frame.make(9, [], isFinal: false), ["close 1002"]),
            ("a ping of 126 bytes", Frame.make(9, random.suffix(126)), ["close 1002"]),
            ("a continuation of nothing", Frame.make(0, [0x7B]), ["close 1002"]),
            ("text that is not UTF-8", Frame.make(1, [0xC3, 0x28]), ["close 1007"]),
            ("a surrogate in text", Frame.make(1, [0xED, 0xA0, 0x80]), ["close 1007"]),
            ("a close with half a code", Frame.make(8, [3]), ["close 1002"]),
            ("a close with 1005", Frame.make(8, [0x03, 0xED]), ["close 1002"]),
            ("a close with 999", Frame.make(8, [0x03, 0xE7]), ["close 1002"]),
            ("a close whose reason is not UTF-8", Frame.make(8, [0x03, 0xE8, 0xFF]), ["close 1007"]),
            ("a binary message", Frame.make(2, [1, 2, 3]), ["close 1003"]),
        ]
        return [
            AttackAnswer("random bytes", http[0], is: "400, closed", "400, reset"),
            AttackAnswer("TLS to the plain port", http[1], is: "400, closed", "400, reset"),
        ]
            + (try repeatFrames(AttackTarget(copying: target, seconds: 4), frames.map { ($0.0, $0.1, $0.2) }))
    }
}

/// Subscribes and unsubscribes endlessly.
struct SubscriptionsAttack: AttackScript {
    let summary = "20 accounts send 100,000 subscribes and unsubscribes"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let bytes = [UInt8](
            (0..<500).flatMap { index -> [[UInt8]] in
                let topic = #"{"topic":"zone/\#(target.zones[index % target.zones.count])/positions"}"#
                return [Attacker.request("subscribe", topic), Attacker.request("unsubscribe", topic)]
            }.joined())
        let storm = try storm(
            target, connections: 20, open: { try target.upgrade(token: target.tokens[$0]) }, bytes: bytes)
        return [
            AttackAnswer("subscribe, unsubscribe, …", storm.answers, is: ["close 4009"] + Self.cutWhilePouring),
            AttackAnswer("before that", storm.errors, is: "error 1005"),
        ]
    }
}

/// Sends JSON that is deeply nested, long, wide or invalid.
struct JSONAttack: AttackScript {
    let summary = "JSON nested 500,000 deep, long numbers and names, batches of 51"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let depth = 500_000
        let info = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let samples: [(String, String, [Int])] = [
            ("[[[[…", String(repeating: "[", count: depth), [-32600]),
            ("[[[[…]]]]", String(repeating: "[", count: depth) + String(repeating: "]", count: depth), [-32600]),
            (#"{"a":{"a":…"#, String(repeating: #"{"a":"#, count: 150_000), [-32600]),
            (
                "deep params",
                #"{"jsonrpc":"2.0","id":1,"method":"ping","params":"# + String(repeating: "[", count: 400_000)
                    + String(repeating: "]", count: 400_000) + "}", [-32600]
            ),
            ("15,000 deep, below the limit of values", String(repeating: "[", count: 15_000), [-32700]),
            ("a number of 500,000 digits", String(repeating: "9", count: depth), [-32700, -32600, -32602]),
            ("a string of a megabyte", "\"" + String(repeating: "x", count: 1_000_000) + "\"", [-32600]),
            (
                "300,000 members", "{" + Array(repeating: #""":1"#, count: 150_000).joined(separator: ",") + "}",
                [-32600]
            ),
            ("a batch of 51", "[" + Array(repeating: info, count: 51).joined(separator: ",") + "]", [-32600]),
            ("a batch of nothing", "[]", [-32600]),
            ("a batch of 500,000", "[" + Array(repeating: "1", count: depth).joined(separator: ",") + "]", [-32600]),
        ]
        let frames = samples.map { FrameEncoder.text(Array($0.1.utf8), mask: 7) }
        var answers = [[String: Int]](repeating: [:], count: samples.count)
        var attacker = try target.upgrade(isGuest: true)
        repeat {
            for index in samples.indices {
                let before = attacker.errorCodes
                let messages = attacker.messages
                attacker.send(frames[index])
                attacker.wait(seconds: 10) { attacker.messages > messages }
                let code = attacker.errorCodes.first { $0.value > before[$0.key] ?? 0 }?.key
                answers[index][code.map { "error \($0)" } ?? attacker.answer, default: 0] += 1
                if attacker.socket.hasEnded { attacker = try target.upgrade(isGuest: true) }
            }
        } while !target.isOver
        return zip(samples, answers).map { sample, counts in
            // A megabyte counts as many requests, so the rate limit applies soon.
            let expected = sample.2.map { "error \($0)" } + ["error 1005", "close 4009"]
            return AttackAnswer(sample.0, expected: expected.joined(separator: " or "), seen: counts) {
                seen in expected.contains { seen.hasPrefix($0) }
            }
        }
    }
}
