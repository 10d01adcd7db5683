import Foundation
import WebSocket
import Wire

/// A connection of the race: JSON-RPC out, messages in. Not thread-safe: used by one thread.
final class RaceClient {
    let socket: LoadSocket
    private var core = WebSocketConnection(role: .client)
    private var lastID = 0

    init(_ socket: LoadSocket) { self.socket = socket }

    func send<Method: RPCMethod>(request method: Method.Type, _ params: Method.Params) {
        guard let json = try? WireJSON.encode(params) else { return }
        send(method: Method.name, params: json)
    }

    /// - Parameter params: As JSON.
    func send(method: String, params: [UInt8]) {
        lastID += 1
        let head = #"{"jsonrpc":"2.0","id":\#(lastID),"method":"\#(method)","params":"#
        socket.write(core.textFrame(Array(head.utf8) + params + Array("}".utf8)))
    }

    func send(binary: [UInt8]) { socket.write(core.binaryFrame(binary)) }

    /// Reads what there is and gives each message to `body`; pings are answered.
    func receive(_ buffer: UnsafeMutableRawBufferPointer, _ body: (WebSocketEvent) -> Void) {
        socket.receive(buffer) { take($0, body) }
    }

    /// Reads no more than so many bytes.
    func receive(upTo bytes: Int, _ buffer: UnsafeMutableRawBufferPointer, _ body: (WebSocketEvent) -> Void) {
        let count = socket.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(bytes, buffer.count)]))
        if count > 0 { take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), body) }
    }

    private(set) var hasEnded = false

    private func take(_ bytes: UnsafeRawBufferPointer, _ body: (WebSocketEvent) -> Void) {
        core.receive(bytes)
        while let event = core.nextEvent() {
            switch event {
            case .closed, .failed: hasEnded = true
            default: body(event)
            }
        }
        let output = core.takeOutput()
        if !output.isEmpty { socket.write(output) }
    }

    /// The next reply; blocks.
    func awaitReply<Method: RPCMethod>(to method: Method.Type, _ load: LoadLoop) throws -> Method.Result {
        var reply: [UInt8]?
        let deadline = LoadLoop.now + 10_000_000_000
        while reply == nil, !socket.hasEnded, LoadLoop.now < deadline {
            receive(load.buffer) { if case .text(let json) = $0 { reply = json } }
            if reply == nil { usleep(200) }
        }
        guard let reply else { throw BenchError(description: "no answer to \(Method.name)") }
        do {
            return try WireJSON.decode(Success<Method.Result>.self, from: reply).result
        } catch {
            throw BenchError(
                description: "the answer to \(Method.name): \(String(decoding: reply.prefix(300), as: UTF8.self))")
        }
    }
}
