import Foundation
import Glibc
import WebSocket

/// Guesses passwords and tokens, and creates accounts endlessly.
struct GuessingAttack: AttackScript {
    static let connections = 20
    /// One registration in this many creates an account, which costs a password hash; the others test whether a name is
    /// taken.
    private static let newAccountEvery = 8
    /// Extra time for the registrations: a hundred are allowed at once, and some of them wait for hashes.
    private static let patienceNanoseconds: UInt64 = 20_000_000_000
    let summary =
        "20 connections guess passwords, 20 make accounts and try names, 20 guess tokens, as fast as they are answered"
    // Two passwords are hashed at a time, with 32 MiB each.
    let memoryGrowthBytesMax = 128 * 1_048_576

    func run(_ target: AttackTarget) throws -> [AttackAnswer] {
        // One address each, so that each reaches its own limit.
        let passwords = try Volley(target, "account.login", source: 2) {
            #"{"email":"victim\#($0 % 3)@example.org","password":"Guess\#($0)x"}"#
        }
        let accounts = try Volley(target, "account.register", source: 3) {
            let name = $0 % Self.newAccountEvery == 0 ? "sock\($0)" : "bench1"
            return #"{"username":"\#(name)","email":"\#(name)@example.org","password":"Secret123"}"#
        }
        let tokens = try Volley(target, "account.me", source: 4, token: "guess") { _ in "{}" }
        while !target.isOver || (!accounts.isLimited && LoadLoop.now < target.end + Self.patienceNanoseconds) {
            for volley in [passwords, accounts, tokens] { try volley.step() }
            usleep(500)
        }
        return [
            AttackAnswer("guessed passwords", passwords.counts, is: "200, error 1007", "429", "200, error 1005"),
            AttackAnswer("guessed passwords, in the end", passwords.whetherLimited, is: "limited"),
            AttackAnswer(
                "new accounts, and names that are taken", accounts.counts, is: "200, done", "200, error 1008", "429"),
            AttackAnswer("new accounts, in the end", accounts.whetherLimited, is: "limited"),
            AttackAnswer("guessed tokens", tokens.counts, is: "401", "429"),
            AttackAnswer("guessed tokens, in the end", tokens.whetherLimited, is: "limited"),
        ]
    }
}

/// Connections that repeat a request as soon as it is answered.
private final class Volley {
    private final class Asker {
        var socket: LoadSocket
        var parser = HTTPResponseParser()
        var isWaiting = false

        init(_ socket: LoadSocket) { self.socket = socket }
    }

    private let target: AttackTarget
    private let source: UInt16
    private let head: String
    private let method: String
    private let params: (Int) -> String
    private var askers: [Asker] = []
    private var number = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    /// Number of answers by kind.
    private(set) var counts: [String: Int] = [:]

    init(
        _ target: AttackTarget, _ method: String, source: UInt16, token: String? = nil,
        _ params: @escaping (Int) -> String
    ) throws {
        self.target = target
        self.source = source
        self.method = method
        self.params = params
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        head = "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\(authorization)"
        askers = try (0..<GuessingAttack.connections).map { _ in Asker(try connect()) }
    }

    deinit { buffer.deallocate() }

    private func connect() throws -> LoadSocket {
        let socket = try LoadSocket(port: target.port, tls: target.tls, source: source)
        socket.resetOnClose()
        socket.setNonBlocking()
        return socket
    }

    private var limited: Int {
        counts.filter { $0.key.hasPrefix("429") || $0.key.hasSuffix("1005") }.values.reduce(0, +)
    }
    var isLimited: Bool { limited > 0 }
    var whetherLimited: [String: Int] { isLimited ? ["limited": limited] : ["never limited": 1] }

    func step() throws {
        for asker in askers {
            if asker.socket.hasEnded {
                // The server closes a connection after a hundred 429 answers in a row.
                asker.socket = try connect()
                asker.parser = HTTPResponseParser()
                asker.isWaiting = false
            }
            if !asker.isWaiting { ask(asker) }
            asker.socket.receive(buffer) { asker.parser.append($0) }
            guard let response = try asker.parser.next() else { continue }
            asker.isWaiting = false
            let text = String(decoding: response.body, as: UTF8.self)
            let isError = text.contains(#""error":"#)
            let code =
                isError ? text.components(separatedBy: #""code":"#).last?.prefix { $0 == "-" || $0.isNumber } : nil
            let outcome = code.map { ", error \($0)" } ?? (response.status == 200 ? ", done" : "")
            counts["\(response.status)\(outcome)", default: 0] += 1
        }
    }

    private func ask(_ asker: Asker) {
        number += 1
        let body = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params(number))}"#
        asker.socket.write(Array("\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8))
        asker.isWaiting = true
    }
}
