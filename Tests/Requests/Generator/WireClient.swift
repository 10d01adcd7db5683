import Foundation
import Glibc

/// A blocking client of a server on this machine: a WebSocket, or a kept-alive HTTP connection. Used on one thread.
public final class WireClient {
    /// The server did not answer, or ended the connection.
    public enum Trouble: Error, Equatable {
        /// The server ended the connection.
        case ended
        /// No answer within ``silenceSecondsMax``.
        case silent
        /// The server answered with 500.
        case failed
    }

    /// Seconds without a byte: a busy machine may take long.
    static let silenceSecondsMax = 60

    private var descriptor: Int32 = -1
    private let port: UInt16
    /// Nil over HTTP.
    private let isWebSocket: Bool
    private let token: String?
    private var buffer: [UInt8] = []
    private var bufferStart = 0

    /// Connects.
    /// - Parameters:
    ///   - isWebSocket: Else requests go to `POST /rpc`.
    ///   - token: Nil for a guest.
    public init(port: UInt16, isWebSocket: Bool, token: String?) throws {
        (self.port, self.isWebSocket, self.token) = (port, isWebSocket, token)
        try connect()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Connects again, as the same account.
    public func connect() throws {
        if descriptor >= 0 { close(descriptor) }
        (buffer, bufferStart) = ([], 0)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: Self.silenceSecondsMax, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var now: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &now, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Trouble.ended }
        guard isWebSocket else { return }
        try send(
            Array(
                ("GET /ws HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                    + "Sec-WebSocket-Protocol: campanile.v1\r\n\r\n").utf8))
        _ = try readHead()
        let params = token.map { "{\"token\":\(JSONTree.quoted($0))}" } ?? "{}"
        _ = try answer(to: Array(#"{"jsonrpc":"2.0","id":0,"method":"hello","params":\#(params)}"#.utf8), id: 0)
    }

    /// Sends a request and waits for its answer.
    /// - Parameter id: The request's; an answer with the id null counts, too.
    /// - Returns: The answer's JSON; empty over HTTP when there is none.
    public func answer(to request: [UInt8], id: Int) throws -> [UInt8] {
        guard isWebSocket else { return try post(request) }
        try send(Self.frame(1, request))
        let own = Array("\"id\":\(id)".utf8)
        let none = Array("\"id\":null".utf8)
        while true {
            let (opcode, payload) = try nextFrame()
            if opcode == 1, Self.contains(payload, own) || Self.contains(payload, none) { return payload }
        }
    }

    /// Sends anything whatever, and then a request that the server must answer.
    /// - Returns: All text messages that came until then.
    public func answers(to message: [UInt8], isBinary: Bool = false, until request: [UInt8], id: Int) throws
        -> [[UInt8]]
    {
        guard isWebSocket else { return [try post(message), try post(request)] }
        try send(Self.frame(isBinary ? 2 : 1, message) + Self.frame(1, request))
        let own = Array("\"id\":\(id)".utf8)
        var all: [[UInt8]] = []
        while true {
            let (opcode, payload) = try nextFrame()
            guard opcode == 1 else { continue }
            all.append(payload)
            if Self.contains(payload, own) { return all }
        }
    }

    // MARK: HTTP

    private func post(_ body: [UInt8]) throws -> [UInt8] {
        let bearer = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let head =
            "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n\(bearer)"
            + "Content-Length: \(body.count)\r\n\r\n"
        try send(Array(head.utf8) + body)
        let response = try readHead().lowercased()
        let status = Int(response.split(separator: " ").dropFirst().first ?? "") ?? 0
        let start = response.range(of: "content-length: ")?.upperBound ?? response.endIndex
        let body = try read(Int(response[start...].prefix { $0.isNumber }) ?? 0)
        if status == 500 { throw Trouble.failed }
        // Such as 401: the account is signed out.
        if (status != 200 && status != 204) || response.contains("connection: close") { throw Trouble.ended }
        return body
    }

    /// The status that a request's head is answered with.
    public func status(of head: String) throws -> Int {
        try send(Array(head.utf8))
        return try Int(readHead().split(separator: " ").dropFirst().first ?? "") ?? 0
    }

    private func readHead() throws -> String {
        let mark = Array("\r\n\r\n".utf8)
        while true {
            if let end = Self.find(buffer[bufferStart...], mark) {
                let head = String(decoding: buffer[bufferStart..<end], as: UTF8.self)
                bufferStart = end + mark.count
                return head
            }
            try readMore()
        }
    }

    // MARK: Frames

    /// Masked with zeros, which is allowed and costs nothing.
    private static func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x80 | opcode]
        switch payload.count {
        case ..<126: bytes.append(0x80 | UInt8(payload.count))
        case ..<65_536: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default: bytes += [0x80 | 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        return bytes + [0, 0, 0, 0] + payload
    }

    private func nextFrame() throws -> (opcode: UInt8, payload: [UInt8]) {
        let head = try read(2)
        var length = Int(head[1] & 127)
        if length == 126 {
            length = try read(2).reduce(0) { $0 << 8 | Int($1) }
        } else if length == 127 {
            length = try read(8).reduce(0) { $0 << 8 | Int($1) }
        }
        let payload = try read(length)
        if head[0] & 15 == 8 { throw Trouble.ended }
        if head[0] & 15 == 9 { try send(Self.frame(10, payload)) }
        return (head[0] & 15, payload)
    }

    // MARK: Bytes

    private func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Trouble.ended }
            sent += count
        }
    }

    private func read(_ count: Int) throws -> [UInt8] {
        while buffer.count - bufferStart < count { try readMore() }
        defer { bufferStart += count }
        return Array(buffer[bufferStart..<bufferStart + count])
    }

    private func readMore() throws {
        if bufferStart > 65_536 || bufferStart == buffer.count {
            buffer.removeFirst(bufferStart)
            bufferStart = 0
        }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { throw count < 0 && errno == EAGAIN ? Trouble.silent : Trouble.ended }
        buffer += chunk.prefix(count)
    }

    static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool { find(bytes[...], part) != nil }

    private static func find(_ bytes: ArraySlice<UInt8>, _ part: [UInt8]) -> Int? {
        bytes.withUnsafeBytes { (all: UnsafeRawBufferPointer) -> Int? in
            guard let base = all.baseAddress, let first = part.first, all.count >= part.count else { return nil }
            var index = 0
            while index <= all.count - part.count {
                guard let hit = memchr(base + index, Int32(first), all.count - part.count - index + 1) else {
                    return nil
                }
                index = UnsafeRawPointer(hit) - base
                if memcmp(base + index, part, part.count) == 0 { return bytes.startIndex + index }
                index += 1
            }
            return nil
        }
    }
}
