import Foundation

/// A WebSocket client that may break every rule.
final class RawWebSocket: Sendable {
    struct Frame: Sendable {
        let opcode: UInt8
        let payload: [UInt8]

        /// Of a close frame.
        var closeCode: Int? { payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }
        var text: String { String(decoding: payload, as: UTF8.self) }
        func object() throws -> [String: Any] {
            try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any] ?? [:]
        }
        var id: Int? { (try? object())?["id"] as? Int }
        var errorCode: Int? { ((try? object())?["error"] as? [String: Any])?["code"] as? Int }
    }

    let socket: RawSocket

    /// Connects and upgrades.
    /// - Parameters:
    ///   - hello: Says hello, too.
    ///   - deflate: Offers permessage-deflate, and must get it.
    init(
        port: UInt16, isSlow: Bool = false, hello: Bool = true, token: String? = nil, deflate: Bool = false
    ) async throws {
        socket = try RawSocket(port: port, isSlow: isSlow)
        var extra = "Sec-WebSocket-Protocol: campanile.v1\r\n"
        if deflate { extra += "Sec-WebSocket-Extensions: permessage-deflate\r\n" }
        try await socket.send(Self.upgradeRequest(port: port, extra: extra))
        let response = try await socket.response()
        guard !deflate || response.headers["sec-websocket-extensions"] != nil else {
            throw RawSocket.Failure(description: "no compression")
        }
        guard response.status == 101 else { throw RawSocket.Failure(description: "no upgrade: \(response.status)") }
        if hello {
            try await send(
                #"{"jsonrpc":"2.0","id":0,"method":"hello","params":{\#(token.map { "\"token\":\"\($0)\"" } ?? "")}}"#)
            let reply = try await next()
            guard reply.id == 0, reply.errorCode == nil else { throw RawSocket.Failure(description: reply.text) }
        }
    }

    /// Gives every frame that comes to `body`, until it returns false or the connection ends.
    func eachFrame(_ body: (Frame) -> Bool) async {
        while true {
            do {
                guard body(try await next()) else { return }
            } catch let failure as RawSocket.Failure where failure.description == "nothing came in time" {
                continue
            } catch {
                return
            }
        }
    }

    /// Takes a connection that was upgraded already.
    init(upgraded socket: RawSocket) { self.socket = socket }

    static func upgradeRequest(
        port: UInt16, path: String = "/ws", extra: String = "Sec-WebSocket-Protocol: campanile.v1\r\n"
    )
        -> String
    {
        "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(extra)\r\n"
    }

    /// A masked frame.
    static func frame(
        _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, isCompressed: Bool = false,
        declaredLength: Int? = nil
    ) -> [UInt8] {
        let length = declaredLength ?? payload.count
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode]
        switch length {
        case ..<126: bytes.append(0x80 | UInt8(length))
        case ..<65_536: bytes += [0x80 | 126, UInt8(length >> 8), UInt8(length & 255)]
        default: bytes += [0x80 | 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
        }
        let mask: [UInt8] = [1, 2, 3, 4]
        bytes += mask
        bytes += payload.enumerated().map { $0.element ^ mask[$0.offset & 3] }
        return bytes
    }

    static func text(_ text: String) -> [UInt8] { frame(1, Array(text.utf8)) }

    func send(_ text: String) async throws { try await socket.send(Self.text(text)) }

    func request(_ id: Int, _ method: String, _ params: String = "{}") async throws {
        try await send(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#)
    }

    /// The next frame from the server.
    func next() async throws -> Frame {
        let head = try await socket.read(2)
        var length = Int(head[1] & 127)
        if length == 126 {
            length = try await socket.read(2).reduce(0) { $0 << 8 | Int($1) }
        } else if length == 127 {
            length = try await socket.read(8).reduce(0) { $0 << 8 | Int($1) }
        }
        return Frame(opcode: head[0] & 15, payload: try await socket.read(length))
    }

    /// The next reply; pushes and pings before it are left out.
    func reply() async throws -> Frame {
        while true {
            let frame = try await next()
            if frame.opcode == 8 { throw RawSocket.Failure(description: "closed with \(frame.closeCode ?? 0)") }
            if frame.opcode == 1, frame.id != nil { return frame }
        }
    }

    /// The close code with which the server ends the connection; whatever comes before it is left out.
    func closeCode() async throws -> Int? {
        while true {
            let frame = try await next()
            if frame.opcode == 8 { return frame.closeCode }
        }
    }
}
