import Foundation
import WebSocket
import Wire

/// A JSON-RPC connection of the race. Not thread-safe: used by one thread.
final class RaceClient {
    let socket: LoadSocket
    private var core = WebSocketConnection(role: .client)
    private var lastID = 0

    init(_ socket: LoadSocket) { self.socket = socket }

    func send<Method: RPCMethod>(request method: Method.Type, _ params: Method.Params) {
        guard let json = try? WireJSON.encode(params) else { return }
        send(method: Method.name, params: json)
    }

    /// - Parameter params: Encoded as JSON.
    func send(method: String, params: [UInt8]) {
        lastID += 1
        let head = #"{"jsonrpc":"2.0","id":\#(lastID),"method":"\#(method)","params":"#
        socket.write(core.textFrame(Array(head.utf8) + params + Array("}".utf8)))
    }

    func send(binary: [UInt8]) { socket.write(core.binaryFrame(binary)) }

    /// Reads all available bytes, passes each message to `body` and answers pings.
    func receive(_ buffer: UnsafeMutableRawBufferPointer, _ body: (WebSocketEvent) -> Void) {
        socket.receive(buffer) { take($0, body) }
    }

    /// Reads at most this many bytes.
    func receive(upTo bytes: Int, _ buffer: UnsafeMutableRawBufferPointer, _ body: (WebSocketEvent) -> Void) {
        let count = socket.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(bytes, buffer.count)]))
        if count > 0 { take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), body) }
    }

    private(set) var hasEnded = false
    /// The close code and reason, or the protocol violation.
    private(set) var ending: String?
    private var isInMidFrame = false

    /// Reads once and counts position frames in the receive buffer, without decoding. Incomplete frames and all others
    /// go through the connection's core, which passes their messages to `body`.
    func count(
        _ buffer: UnsafeMutableRawBufferPointer, _ count: (UnsafeRawBufferPointer) -> Void,
        _ body: (WebSocketEvent) -> Void
    ) {
        socket.receiveOnce(buffer) { bytes in
            var rest = bytes
            while !isInMidFrame, let payload = Self.binaryFrame(of: rest) {
                count(payload)
                rest = UnsafeRawBufferPointer(
                    rebasing: rest[(rest.count - Self.bytes(behind: payload, in: rest))...])
            }
            guard !rest.isEmpty else { return }
            take(rest, body)
            isInMidFrame = core.unfinishedBytes > 0
        }
    }

    private static func bytes(behind payload: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer) -> Int {
        guard let start = bytes.baseAddress, let first = payload.baseAddress else { return 0 }
        return bytes.count - (first - start) - payload.count
    }

    /// The payload of the unfragmented binary frame at the start of the bytes (RFC 6455 §5.2); nil if they begin with
    /// another frame, or if it is incomplete.
    private static func binaryFrame(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard bytes.count >= 2, bytes[0] == 0x82 else { return nil }
        var head = 2
        var length = Int(bytes[1])
        if length == 126 {
            guard bytes.count >= 4 else { return nil }
            head = 4
            length = Int(bytes[2]) << 8 | Int(bytes[3])
        }
        guard length < 65_536, length > 0, bytes.count >= head + length, head == 4 || length < 126 else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[head..<(head + length)])
    }

    private func take(_ bytes: UnsafeRawBufferPointer, _ body: (WebSocketEvent) -> Void) {
        core.receive(bytes)
        while let event = core.nextEvent() {
            switch event {
            case .closed(let code, let reason):
                hasEnded = true
                ending = "\(code?.rawValue ?? 1005) \(reason)"
            case .failed(_, let violation):
                hasEnded = true
                ending = "\(violation)"
            default: body(event)
            }
        }
        let output = core.takeOutput()
        if !output.isEmpty { socket.write(output) }
    }

    /// Whether a message is a publication and no reply. The members of its JSON have any order.
    static func isPublication(_ json: [UInt8]) -> Bool { json.firstRange(of: publicationMark) != nil }

    private static let publicationMark = Array(#""method":"push""#.utf8)

    /// Waits for the next reply; blocks.
    func awaitReply<Method: RPCMethod>(to method: Method.Type, _ load: LoadLoop) throws -> Method.Result {
        try awaitReply(Method.Result.self, to: Method.name, load)
    }

    /// As ``awaitReply(to:_:)``, for `subscribe`, whose topic determines the type of the reply.
    func awaitReply<Reply: Codable & Sendable>(
        _ type: Reply.Type, to method: String, _ load: LoadLoop
    ) throws -> Reply {
        var reply: [UInt8]?
        let deadline = LoadLoop.now + 10_000_000_000
        while reply == nil, !socket.hasEnded, LoadLoop.now < deadline {
            receive(load.buffer) { event in
                // A publication may come before the reply to the subscription.
                if case .text(let json) = event, !Self.isPublication(json) { reply = json }
            }
            if reply == nil { usleep(200) }
        }
        guard let reply else { throw BenchError(description: "no answer to \(method)") }
        do {
            return try WireJSON.decode(Success<Reply>.self, from: reply).result
        } catch {
            throw BenchError(
                description: "the answer to \(method): \(String(decoding: reply.prefix(300), as: UTF8.self))")
        }
    }
}
