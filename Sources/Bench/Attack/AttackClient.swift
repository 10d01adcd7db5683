import Foundation
import Glibc
import WebSocket

/// One connection of an attacker, which sends arbitrary bytes and records the server's reactions. Used by one thread.
final class Attacker {
    private static let headBytesMax = 4_096

    let socket: LoadSocket
    private var core: WebSocketConnection?
    /// The beginning of the received HTTP bytes.
    private var head: [UInt8] = []
    /// The end of the WebSocket, as text.
    private var farewell: String?
    /// Number of JSON-RPC errors by code.
    private(set) var errorCodes: [Int: Int] = [:]
    /// Number of received messages.
    private(set) var messages = 0
    private(set) var pongs = 0
    /// Number of received messages that are not errors.
    var results: Int { messages - errorCodes.values.reduce(0, +) }

    init(port: UInt16, tls: LoadSocket.TLS?, source: UInt16) throws {
        socket = try LoadSocket(port: port, tls: tls, source: source)
        socket.resetOnClose()
        socket.setNonBlocking()
    }

    /// Requests a WebSocket and waits for it.
    /// - Throws: ``BenchError`` with the server's answer.
    func upgrade(deflate: Bool = false) throws {
        let handshake = ClientHandshake(
            host: "127.0.0.1", path: "/ws", deflate: deflate ? DeflateConfiguration() : nil)
        send(handshake.request)
        var parser = HTTPResponseParser()
        var taken = 0
        let deadline = LoadLoop.now + 10_000_000_000
        while true {
            waitReadable(milliseconds: 50)
            receive()
            head[taken...].withUnsafeBytes { parser.append($0) }
            taken = head.count
            if let response = try parser.next() {
                core = WebSocketConnection(role: .client, deflate: try handshake.verify(response).deflate)
                parser.takeRemainder().withUnsafeBytes { core?.receive($0) }
                return takeEvents(answersPings: true)
            }
            guard !socket.hasEnded, LoadLoop.now < deadline else {
                throw BenchError(description: "an attacker's WebSocket was not opened: \(answer)")
            }
        }
    }

    private func waitReadable(milliseconds: Int32) {
        var entry = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, milliseconds)
    }

    func sayHello(token: String?) throws {
        request("hello", token.map { #"{"token":"\#($0)"}"# } ?? "{}")
        guard wait(seconds: 10, until: { self.messages > 0 }) else {
            throw BenchError(description: "an attacker got no answer to hello: \(answer)")
        }
    }

    /// Sends bytes unchanged until the server stops reading.
    func send(_ bytes: [UInt8]) { if !socket.hasEnded { socket.write(bytes) } }
    func send(_ text: String) { send(Array(text.utf8)) }

    static func request(_ method: String, _ params: String = "{}", id: Int = 1) -> [UInt8] {
        let text = #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
        return FrameEncoder.text(Array(text.utf8), mask: 0x5A17_C3E4)
    }

    func request(_ method: String, _ params: String = "{}") { send(Self.request(method, params)) }

    /// Handles received data.
    /// - Parameter answersPings: Whether to send the pongs.
    func receive(answersPings: Bool = true) {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            socket.receive(buffer) { bytes in
                if core == nil {
                    head.append(contentsOf: bytes.prefix(Self.headBytesMax - head.count))
                } else {
                    core?.receive(bytes)
                    takeEvents(answersPings: answersPings)
                }
            }
        }
    }

    private func takeEvents(answersPings: Bool) {
        while let event = core?.nextEvent() {
            let output = core?.takeOutput() ?? []
            if answersPings, !output.isEmpty { socket.write(output) }
            switch event {
            case .text(let text):
                messages += 1
                if let code = Self.errorCode(text) { errorCodes[code, default: 0] += 1 }
            case .closed(let code, let reason):
                farewell = "close \(code?.rawValue ?? 1005) \(reason)"
            case .pong: pongs += 1
            case .failed(_, let reason): farewell = "a broken frame: \(reason)"
            case .binary, .ping: break
            }
        }
    }

    private static func errorCode(_ text: [UInt8]) -> Int? {
        let start = String(decoding: text.prefix(400), as: UTF8.self)
        guard start.contains(#""error":"#), let mark = start.range(of: #""code":"#) else { return nil }
        return Int(start[mark.upperBound...].prefix { $0 == "-" || $0.isNumber })
    }

    /// Waits and handles received data.
    /// - Returns: Whether `condition` became true.
    @discardableResult
    func wait(seconds: Double, until condition: () -> Bool = { false }) -> Bool {
        let end = LoadLoop.now + UInt64(seconds * 1e9)
        receive()
        while !condition(), !socket.hasEnded, LoadLoop.now < end {
            waitReadable(milliseconds: 50)
            receive()
        }
        return condition()
    }

    /// True once the server has closed the connection or announced it.
    var isDone: Bool { socket.hasEnded || farewell != nil }

    /// Sends as many bytes of an endless repetition of `bytes` as possible without blocking, and handles received data.
    func pour(_ bytes: [UInt8], _ offset: inout Int) {
        if !socket.cannotWrite {
            offset = (offset + socket.writeSome(bytes[offset...])) % bytes.count
        }
        receive()
    }

    /// The received HTTP statuses, in order.
    var statuses: [Int] {
        String(decoding: head, as: UTF8.self).components(separatedBy: "HTTP/1.1 ").dropFirst()
            .compactMap { Int($0.prefix(3)) }
    }

    /// The server's reaction, including whether it closed the connection.
    var answer: String {
        let end = !socket.hasEnded ? "open" : socket.wasReset ? "reset" : "closed"
        if let farewell { return farewell }
        if core != nil { return socket.hasEnded ? "\(end) without a close frame" : "open" }
        guard !statuses.isEmpty else { return head.isEmpty ? end : "bytes, \(end)" }
        return statuses.map { "\($0)" }.joined(separator: ", ") + ", \(end)"
    }
}

/// Many connections of an attacker on one thread.
final class Swarm {
    private let load = LoadLoop()
    private(set) var members: [Attacker] = []
    private var byDescriptor: [Int32: Attacker] = [:]

    func add(_ attacker: Attacker) {
        members.append(attacker)
        byDescriptor[attacker.socket.descriptor] = attacker
        load.add(attacker.socket)
    }

    /// Handles received data until all connections have ended or the time is up.
    func watch(seconds: Double, answersPings: Bool = true) {
        let end = LoadLoop.now + UInt64(seconds * 1e9)
        while LoadLoop.now < end, members.contains(where: { !$0.socket.hasEnded }) {
            load.poll(milliseconds: 50) { byDescriptor[$0.descriptor]?.receive(answersPings: answersPings) }
        }
    }

    var isOver: Bool { members.allSatisfy { $0.socket.hasEnded } }

    /// Number of connections by reaction.
    var answers: [String: Int] { members.reduce(into: [:]) { $0[$1.answer, default: 0] += 1 } }
}
