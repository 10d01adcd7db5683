import WebSocket

/// Opens WebSockets without ever sending hello.
struct NoHelloAttack: AttackScript {
    let summary = "1,000 WebSockets that never say hello"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let swarm = Swarm()
        for _ in 0..<1_000 { swarm.add(try target.upgrade()) }
        swarm.watch(seconds: 20)
        return [AttackAnswer("no hello", swarm.answers, is: "close 4001")]
    }
}

/// Simulates phones that lost their network: connected, but without any answer.
struct VanishedAttack: AttackScript {
    let summary = "500 WebSockets that do not answer pings (every 2 s here)"
    let serverArguments = ["--ping-interval", "2"]

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let swarm = Swarm()
        for _ in 0..<500 { swarm.add(try target.upgrade(isGuest: true)) }
        swarm.watch(seconds: 15, answersPings: false)
        return [AttackAnswer("no pong", swarm.answers, is: "closed without a close frame", "reset without")]
    }
}

extension AttackScript {
    /// The endings of a connection whose client keeps sending after the close frame. The server's reset may overtake
    /// that frame (RFC 1122 §4.2.2.13: closed with data unread, TCP "SHOULD send a RST to show that data was lost").
    /// The client notices it by a failed write or read.
    static var cutWhilePouring: [String] { ["closed without a close frame", "reset without a close frame"] }

    /// Attacks over several connections at a time, and over new ones when they end, until the time is up.
    /// - Returns: Number of reactions, and of errors, by kind.
    func storm(
        _ target: AttackTarget, connections: Int, open: (Int) throws -> Attacker, bytes: [UInt8]
    ) throws -> (answers: [String: Int], errors: [String: Int]) {
        var answers: [String: Int] = [:]
        var errors: [String: Int] = [:]
        repeat {
            let attackers = try (0..<connections).map(open)
            var isBusy = true
            var offsets = [Int](repeating: 0, count: connections)
            let end = max(target.end, LoadLoop.now + 3_000_000_000)
            while isBusy, LoadLoop.now < end {
                isBusy = false
                for (index, attacker) in attackers.enumerated() where !attacker.isDone {
                    isBusy = true
                    attacker.pour(bytes, &offsets[index])
                }
            }
            let patience = LoadLoop.now + 3_000_000_000
            for attacker in attackers {
                let left = Double(patience - min(patience, LoadLoop.now)) / 1e9
                attacker.wait(seconds: left) { attacker.isDone }
                answers[attacker.answer, default: 0] += 1
                for (code, count) in attacker.errorCodes { errors["error \(code)", default: 0] += count }
            }
        } while !target.isOver
        return (answers, errors)
    }
}

/// Sends pings endlessly.
struct PingsAttack: AttackScript {
    let summary = "20 connections send pings as fast as they are taken"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let pings = [UInt8](Array(repeating: FrameEncoder.ping(mask: 7), count: 2_000).joined())
        let empty = try storm(
            target, connections: 20, open: { _ in try target.upgrade(isGuest: true) }, bytes: pings)
        let pongs = [UInt8](Array(repeating: FrameEncoder.pong(mask: 7), count: 2_000).joined())
        let unasked = try storm(
            target, connections: 20, open: { _ in try target.upgrade(isGuest: true) }, bytes: pongs)
        return [
            AttackAnswer("pings", empty.answers, is: "close 4009"),
            AttackAnswer("unsolicited pongs", unasked.answers, is: "close 4009"),
        ]
    }
}

/// Sends many minimal requests.
struct TinyRequestsAttack: AttackScript {
    let summary = "20 accounts send `ping` requests, 20 guests empty messages, as fast as they are taken"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let requests = [UInt8](Array(repeating: Attacker.request("ping"), count: 500).joined())
        let empty = [UInt8](Array(repeating: FrameEncoder.text([], mask: 7), count: 2_000).joined())
        let members = try storm(
            target, connections: 20, open: { try target.upgrade(token: target.tokens[$0]) }, bytes: requests)
        let guests = try storm(
            AttackTarget(copying: target, seconds: 8), connections: 20,
            open: { try target.upgrade(source: UInt16(10 + $0), isGuest: true) }, bytes: empty)
        return [
            AttackAnswer("requests of accounts", members.answers, is: ["close 4009"] + Self.cutWhilePouring),
            AttackAnswer("before that", members.errors, is: "error 1005"),
            AttackAnswer(
                "empty messages of guests", guests.answers, is: ["close 4009", "open"] + Self.cutWhilePouring),
        ]
    }
}

/// Sends messages that never end.
struct FragmentsAttack: AttackScript {
    let summary = "20 connections send fragments of one byte, or none, without end"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        try [("of a byte", [UInt8(ascii: "x")]), ("without a byte", [])].map { name, payload in
            // The first frame begins the message and the others continue it. The first frame of the next round violates
            // the protocol.
            let start = Frame.make(1, payload, isFinal: false)
            let rest = Array(repeating: Frame.make(0, payload, isFinal: false), count: 20_000).joined()
            let result = try storm(
                target, connections: 20, open: { _ in try target.upgrade(isGuest: true) }, bytes: start + rest)
            return AttackAnswer("fragments \(name)", result.answers, is: "close 1008")
        }
    }
}

/// Sends frames and messages beyond the size limit.
struct BigFramesAttack: AttackScript {
    let summary = "frames and messages beyond 1 MiB"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let half = [UInt8](repeating: 0x20, count: 600_000)
        let samples: [(String, [UInt8])] = [
            ("a frame that declares 1 MiB and a byte", Frame.make(1, [], declared: 1_048_577)),
            ("a frame that declares 2^62 bytes", Frame.make(1, [], declared: 1 << 62)),
            ("a message of 1.2 MB in two frames", Frame.make(1, half, isFinal: false) + Frame.make(0, half)),
        ]
        return try repeatFrames(target, samples.map { ($0.0, $0.1, ["close 1009"]) })
    }
}

extension AttackScript {
    /// Sends each sample on a WebSocket of its own, repeatedly.
    func repeatFrames(
        _ target: AttackTarget, _ samples: [(name: String, bytes: [UInt8], expected: [String])]
    ) throws -> [AttackAnswer] {
        var answers = [[String: Int]](repeating: [:], count: samples.count)
        repeat {
            for (index, sample) in samples.enumerated() {
                let attacker = try target.upgrade(isGuest: true)
                attacker.send(sample.bytes)
                attacker.wait(seconds: 5) { attacker.isDone }
                answers[index][attacker.answer, default: 0] += 1
            }
        } while !target.isOver
        return zip(samples, answers).map { sample, counts in
            AttackAnswer(sample.name, expected: sample.expected.joined(separator: " or "), seen: counts) { seen in
                sample.expected.contains { seen.hasPrefix($0) }
            }
        }
    }
}

/// Builds frames that a regular encoder would not produce.
enum Frame {
    static func make(
        _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, reserved: UInt8 = 0, isMasked: Bool = true,
        declared: UInt64? = nil
    ) -> [UInt8] {
        let length = declared ?? UInt64(payload.count)
        var bytes = [(isFinal ? 0x80 : 0) | reserved | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        switch length {
        case ..<126: bytes.append(mask | UInt8(length))
        case ..<65_536: bytes += [mask | 126, UInt8(length >> 8), UInt8(length & 255)]
        default: bytes += [mask | 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
        }
        // A mask of zeros leaves the payload unchanged.
        return bytes + (isMasked ? [0, 0, 0, 0] : []) + payload
    }
}
