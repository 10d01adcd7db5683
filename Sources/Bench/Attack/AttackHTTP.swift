import WebSocket

/// Slowloris: sends one header byte every few seconds.
struct SlowHeadersAttack: AttackScript {
    static let connections = 1_000
    let summary = "1,000 connections send a byte of a header every 3 s"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let swarm = try drip(
            target, connections: Self.connections, everySeconds: 3, start: "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        return [AttackAnswer("a request that never ends", swarm.answers, is: "408, closed")]
    }
}

/// Sends a request body slowly and never completes it.
struct SlowBodyAttack: AttackScript {
    static let connections = 500
    let summary = "500 connections POST /rpc and send a byte of the body a second"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let start =
            "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
        let swarm = try drip(target, connections: Self.connections, everySeconds: 1, start: start)
        return [AttackAnswer("a body that never ends", swarm.answers, is: "408, closed")]
    }
}

/// Keeps connections open without using them.
struct SilentAttack: AttackScript {
    static let connections = 500
    // The server's limit for a second request is one minute.
    private static let secondsMax = 70.0
    let summary = "500 connections say nothing, 500 ask once and stay"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let silent = Swarm()
        let stayed = Swarm()
        for _ in 0..<Self.connections {
            silent.add(try target.connect())
            let attacker = try target.connect()
            attacker.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            stayed.add(attacker)
        }
        silent.watch(seconds: 20)
        stayed.watch(seconds: Self.secondsMax)
        return [
            AttackAnswer("no request", silent.answers, is: "closed"),
            AttackAnswer("no second request", stayed.answers, is: "200, closed"),
        ]
    }
}

extension AttackScript {
    /// Longer than any of the server's limits for a request.
    fileprivate static var dripSecondsMax: Double { 30 }

    fileprivate func drip(
        _ target: AttackTarget, connections: Int, everySeconds: Double, start: String
    ) throws -> Swarm {
        let swarm = Swarm()
        for _ in 0..<connections {
            let attacker = try target.connect()
            attacker.send(start)
            swarm.add(attacker)
        }
        let end = LoadLoop.now + UInt64(Self.dripSecondsMax * 1e9)
        while !swarm.isOver, LoadLoop.now < end {
            swarm.watch(seconds: everySeconds)
            for attacker in swarm.members where attacker.statuses.isEmpty { attacker.send("x") }
        }
        return swarm
    }

    /// Sends each sample on a connection of its own, repeatedly, and records the reactions by sample.
    func repeatSamples(
        _ target: AttackTarget, _ samples: [(name: String, bytes: [UInt8])]
    ) throws -> [[String: Int]] {
        var answers = [[String: Int]](repeating: [:], count: samples.count)
        repeat {
            for (index, sample) in samples.enumerated() {
                let attacker = try target.connect()
                attacker.send(sample.bytes)
                attacker.wait(seconds: 5)
                answers[index][attacker.answer, default: 0] += 1
            }
        } while !target.isOver
        return answers
    }
}

/// Exceeds the size limits of requests.
struct OversizedAttack: AttackScript {
    let summary = "heads, targets and bodies beyond their limits, one after the other"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let limits = HTTPLimits()
        let post = "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        let chunk = "10000\r\n" + String(repeating: " ", count: 65_536) + "\r\n"
        let many = (0...limits.headerCountMax).map { "X-\($0): y\r\n" }.joined()
        let samples = [
            ("a header of 17 KB", "GET / HTTP/1.1\r\nHost: x\r\nX: " + Self.filler(17_000) + "\r\n\r\n", "431"),
            ("101 headers", "GET / HTTP/1.1\r\nHost: x\r\n\(many)\r\n", "431"),
            ("a target of 9,000 bytes", "GET /" + Self.filler(9_000) + " HTTP/1.1\r\nHost: x\r\n\r\n", "414"),
            ("a body of 2 MiB, declared", post + "Content-Length: 2097152\r\n\r\n", "413"),
            (
                "a body of 2 MiB, in chunks",
                post + "Transfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: 32), "413"
            ),
        ]
        let answers = try repeatSamples(target, samples.map { ($0.0, Array($0.1.utf8)) })
        return zip(samples, answers).map { AttackAnswer($0.0, $1, is: "\($0.2), closed", "\($0.2), reset") }
    }

    private static func filler(_ count: Int) -> String { String(repeating: "a", count: count) }
}

/// Sends requests that a proxy in front of the server could interpret differently.
struct SmugglingAttack: AttackScript {
    let summary = "requests that two servers might cut differently"

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let hidden = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        let post = "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        let samples = [
            ("length and chunks", post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden),
            ("two lengths", post + "Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}" + hidden),
            ("a list of lengths", post + "Content-Length: 2, 40\r\n\r\n{}" + hidden),
            ("a signed length", post + "Content-Length: +2\r\n\r\n{}" + hidden),
            ("bare LF", "GET / HTTP/1.1\nHost: x\n\n" + hidden),
            ("bare CR", "GET / HTTP/1.1\r\nHost: x\rX: y\r\n\r\n" + hidden),
            ("a chunk's size that is none", post + "Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n" + hidden),
            ("a chunk without its end", post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n" + hidden),
            ("a coding twice", post + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n" + hidden),
            ("a folded header", "GET / HTTP/1.1\r\nHost: x\r\nX: y\r\n z\r\n\r\n" + hidden),
            ("a blank before the colon", post + "Content-Length : 2\r\n\r\n{}" + hidden),
            ("two hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n" + hidden),
            ("no host", "GET / HTTP/1.1\r\n\r\n" + hidden),
        ]
        let answers = try repeatSamples(target, samples.map { ($0.0, Array($0.1.utf8)) })
        return zip(samples, answers).map { AttackAnswer($0.0, $1, is: "400, closed", "400, reset", "501, closed") }
    }
}
