import COpenSSL
import Glibc

/// Opens connections from one address as fast as possible.
struct ConnectsAttack: AttackScript {
    let summary = "connections from one address, opened and reset as fast as can be"
    // Needed because the attackers use loopback addresses, which are otherwise not limited.
    let serverArguments = ["--limit-loopback"]

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        var answers: [String: Int] = [:]
        while !target.isOver {
            let attacker = try target.connect()
            attacker.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            attacker.wait(seconds: 5) { !attacker.statuses.isEmpty }
            answers[attacker.statuses.first.map { "\($0)" } ?? attacker.answer, default: 0] += 1
        }
        let refused = answers["429"] ?? 0
        return [
            AttackAnswer("a connection after the other", answers, is: "200", "429", "reset"),
            AttackAnswer("in the end", [refused > 0 ? "429" : "never refused": max(1, refused)], is: "429"),
        ]
    }
}

/// Opens more connections from one address than it may have.
struct CrowdAttack: AttackScript {
    private static let openMax = 300
    private static let connections = 400
    let summary = "400 connections from an address that may have 300"
    let serverArguments = ["--limit-loopback", "--address-connections-max", "\(openMax)"]

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let swarm = Swarm()
        for _ in 0..<Self.connections {
            let attacker = try target.connect()
            attacker.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            swarm.add(attacker)
        }
        swarm.watch(seconds: max(2, Double(target.end - min(target.end, LoadLoop.now)) / 1e9))
        let refused = swarm.answers.filter { $0.key.hasPrefix("429") }.values.reduce(0, +)
        return [
            AttackAnswer("400 requests", swarm.answers, is: "200, open", "429, closed", "429, reset"),
            AttackAnswer(
                "those beyond the limit", ["\(refused) refused": 1],
                is: "\(Self.connections - Self.openMax) refused"),
        ]
    }
}

/// Opens more connections than the server has descriptors.
struct DescriptorsAttack: AttackScript {
    let summary = "600 connections to a server that may have 500 descriptors"
    let descriptorsMax: Int? = 500
    // The server must not spin on connections that it cannot accept.
    let serverUseMax: Double? = 0.25

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let answers = try crowd(target)
        // The earlier connections have ended, and the server may take a moment to notice.
        var late = "nothing"
        for _ in 0..<20 where late != "200, closed" {
            let visitor = try target.connect()
            visitor.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            visitor.wait(seconds: 5)
            late = visitor.answer
            usleep(100_000)
        }
        return answers + [AttackAnswer("one more, when these have left", [late: 1], is: "200, closed")]
    }

    private func crowd(_ target: AttackTarget) throws -> [AttackAnswer] {
        let swarm = Swarm()
        for _ in 0..<600 { swarm.add(try target.connect()) }
        // The accepted connections are idle, but below the limit of 15 s for a first request.
        swarm.watch(seconds: max(2, Double(target.end - min(target.end, LoadLoop.now)) / 1e9))
        let answers = swarm.answers
        let taken = swarm.members.filter { !$0.socket.hasEnded }
        for attacker in taken {
            attacker.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        }
        swarm.watch(seconds: 5)
        let refused = answers.filter { $0.key.hasPrefix("503") }.values.reduce(0, +)
        return [
            AttackAnswer("600 connections", answers, is: "open", "503, closed", "503, reset"),
            AttackAnswer("those beyond the limit", [refused > 0 ? "503" : "never refused": max(1, refused)], is: "503"),
            AttackAnswer(
                "those that were taken, when they ask",
                taken.reduce(into: [:]) { $0[$1.answer, default: 0] += 1 }, is: "200, closed"),
        ]
    }
}

/// Performs TLS handshakes without using the connections.
struct HandshakesAttack: AttackScript {
    static let atOnce = 200
    let summary = "200 TLS handshakes at a time, without end"
    let usesTLS = true

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        guard let tls = target.tls else { throw BenchError(description: "the server speaks no TLS") }
        var shakers: [Handshake] = []
        var answers: [String: Int] = [:]
        while !target.isOver || !shakers.isEmpty {
            while shakers.count < Self.atOnce, !target.isOver { shakers.append(try Handshake(target, tls)) }
            shakers.removeAll { shaker in
                guard let answer = shaker.step() else { return false }
                answers[answer, default: 0] += 1
                return true
            }
            usleep(500)
        }
        return [AttackAnswer("full handshakes", answers, is: "done", "closed")]
    }
}

/// A client's side of a TLS handshake, step by step.
private final class Handshake {
    private let socket: LoadSocket
    private let ssl: OpaquePointer

    init(_ target: AttackTarget, _ tls: LoadSocket.TLS) throws {
        socket = try LoadSocket(port: target.port, source: AttackTarget.firstSource)
        socket.resetOnClose()
        socket.setNonBlocking()
        guard let made = SSL_new(tls.context) else { throw BenchError(description: "OpenSSL makes no session") }
        ssl = made
        SSL_set_fd(ssl, socket.descriptor)
    }

    deinit { SSL_free(ssl) }

    /// - Returns: The result; nil while the handshake is incomplete.
    func step() -> String? {
        let status = SSL_connect(ssl)
        if status == 1 { return "done" }
        let reason = SSL_get_error(ssl, status)
        return reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE ? nil : "closed"
    }
}

/// Begins TLS handshakes without completing them.
struct HalfHandshakesAttack: AttackScript {
    let summary = "1,000 connections to the TLS port that send nothing, or half a ClientHello"
    let usesTLS = true

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        let silent = Swarm()
        let half = Swarm()
        for index in 0..<1_000 {
            let attacker = try Attacker(port: target.port, tls: nil, source: AttackTarget.firstSource)
            // The header announces a record of 512 bytes, of which only a few follow.
            if index % 2 == 0 { attacker.send([0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3, 1, 2, 3]) }
            (index % 2 == 0 ? half : silent).add(attacker)
        }
        silent.watch(seconds: 20)
        half.watch(seconds: 20)
        return [
            AttackAnswer("nothing said", silent.answers, is: "closed", "reset"),
            AttackAnswer("half a ClientHello", half.answers, is: "closed", "reset", "bytes, closed"),
        ]
    }
}
