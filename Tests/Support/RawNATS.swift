import Foundation
import Glibc
import Synchronization

/// Somebody who reaches NATS and is no node: reads all that passes, and publishes what it likes (NATS client protocol).
public final class RawNATS: Sendable {
    /// What passed.
    public struct Message: Sendable {
        /// As NATS has it.
        public let subject: String
        /// Its bytes.
        public let payload: [UInt8]
    }
    private struct State {
        var messages: [Message] = []
        var pongs = 0
        var isClosed = false
    }
    private let state = Mutex(State())
    private let descriptor: Int32

    /// Connects and listens to everything.
    public init(port: UInt16) async throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let connected = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw POSIXError(.ECONNREFUSED) }
        Thread { [weak self, descriptor] in Self.read(descriptor) { self?.take($0, $1) ?? () } }.start()
        try await flush("CONNECT {\"verbose\":false,\"pedantic\":false,\"echo\":false}\r\nSUB > 1\r\n")
    }

    deinit { close() }

    /// Goes away.
    public func close() {
        let mustClose = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if mustClose {
            shutdown(descriptor, Int32(SHUT_RDWR))
            Glibc.close(descriptor)
        }
    }

    /// All that passed so far.
    public var messages: [Message] { state.withLock { $0.messages } }

    /// Publishes, and returns when NATS has it.
    public func publish(_ payload: [UInt8], to subject: String) async throws {
        try await flush("PUB \(subject) \(payload.count)\r\n", payload + [13, 10])
    }

    private func flush(_ text: String, _ payload: [UInt8] = []) async throws {
        let before = state.withLock { $0.pongs }
        let bytes = Array(text.utf8) + payload + Array("PING\r\n".utf8)
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw POSIXError(.EPIPE) }
            offset += count
        }
        _ = try await eventually("NATS answers") { self.state.withLock { $0.pongs } > before ? true : nil }
    }

    private func take(_ line: String, _ payload: [UInt8]) {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case "MSG": state.withLock { $0.messages.append(Message(subject: words[1], payload: payload)) }
        case "PONG": state.withLock { $0.pongs += 1 }
        case "PING":
            let pong = Array("PONG\r\n".utf8)
            _ = send(descriptor, pong, pong.count, Int32(MSG_NOSIGNAL))
        default: break
        }
    }

    private static func read(_ descriptor: Int32, _ take: (String, [UInt8]) -> Void) {
        var buffer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            buffer += chunk[..<count]
            while let end = buffer.firstIndex(of: 10) {
                let line = String(decoding: buffer[..<end], as: UTF8.self).trimmingCharacters(in: .newlines)
                var next = end + 1
                var payload: [UInt8] = []
                if line.hasPrefix("MSG "), let size = line.split(separator: " ").last.flatMap({ Int($0) }) {
                    guard buffer.count >= next + size + 2 else { break }
                    payload = Array(buffer[next..<next + size])
                    next += size + 2
                }
                buffer.removeFirst(next)
                take(line, payload)
            }
        }
    }
}
