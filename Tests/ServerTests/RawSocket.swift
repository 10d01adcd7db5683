import Foundation
import Glibc

/// A TCP connection that sends any bytes whatever, for what a well-behaved client never does.
///
/// Blocking calls run on a queue of its own, never on the threads of Swift's tasks. `@unchecked Sendable`: one test uses
/// it, one call at a time.
final class RawSocket: @unchecked Sendable {
    /// Seconds without a byte before a test fails.
    static let silenceSecondsMax = 60

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "raw-socket")
    private var isClosed = false
    private(set) var buffer: [UInt8] = []

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter isSlow: A small receive buffer, so that a reader who stops is soon felt. The send buffer is left alone: a small one
    ///   waits for the peer's delayed acknowledgements, 40 ms a few kilobytes.
    init(host: String = "127.0.0.1", port: UInt16, isSlow: Bool = false) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "socket: \(errno)") }
        var limit = timeval(tv_sec: Self.silenceSecondsMax, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if isSlow {
            var segment: Int32 = 536
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, &segment, 4)
            var bytes: Int32 = 4_096
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, 4)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure(description: "connect: \(errno)") }
    }

    deinit { if !isClosed { Glibc.close(descriptor) } }

    private func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(
                    with: Result {
                        guard !self.isClosed else { throw Failure(description: "closed") }
                        return try body()
                    })
            }
        }
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws { try await run { try self.sendNow(bytes) } }

    /// Also while somebody waits for what the peer sends. Few bytes, so that it does not block.
    func sendNow(_ bytes: [UInt8]) throws {
        var offset = 0
        while offset < bytes.count {
            let sent = bytes[offset...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { throw Failure(description: "send: \(errno)") }
            offset += sent
        }
    }

    /// Sends copies of `bytes` until the peer takes no more for `patience` seconds.
    /// - Returns: Whole and partial bytes that were taken.
    func sendUntilRefused(_ bytes: [UInt8], bytesMax: Int, patience: Double) async throws -> Int {
        try await run { [descriptor] in
            var total = 0
            while total < bytesMax {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&entry, 1, Int32(patience * 1_000)) > 0 else { return total }
                let offset = total % bytes.count
                let sent = bytes[offset...].withUnsafeBytes {
                    Glibc.send(
                        descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                }
                guard sent > 0 else { throw Failure(description: "send: \(errno)") }
                total += sent
            }
            return total
        }
    }

    /// Reads more into ``buffer``.
    /// - Returns: False at the end of the stream.
    @discardableResult
    func readMore() async throws -> Bool {
        let chunk = try await run { [descriptor] in
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count >= 0 else {
                throw Failure(description: errno == EAGAIN ? "nothing came in time" : "recv: \(errno)")
            }
            return Array(chunk.prefix(count))
        }
        buffer += chunk
        return !chunk.isEmpty
    }

    /// Exactly so many bytes.
    func read(_ count: Int) async throws -> [UInt8] {
        while buffer.count < count {
            guard try await readMore() else { throw Failure(description: "the stream ended too early") }
        }
        let bytes = Array(buffer.prefix(count))
        buffer.removeFirst(count)
        return bytes
    }

    /// Everything until the peer closes; a reset counts as the end.
    func readToEnd() async throws -> [UInt8] {
        do {
            while try await readMore() {}
        } catch let failure as Failure where failure.description.hasPrefix("recv") {}
        defer { buffer = [] }
        return buffer
    }

    /// One HTTP response.
    func response(headOnly: Bool = false) async throws -> RawResponse {
        let mark = Array("\r\n\r\n".utf8)
        var end: Int?
        while true {
            end = (0...max(0, buffer.count - 4)).first { buffer.count >= $0 + 4 && Array(buffer[$0..<$0 + 4]) == mark }
            if end != nil { break }
            guard try await readMore() else { throw Failure(description: "the stream ended in a head") }
        }
        let head = String(decoding: try await read((end ?? 0) + 4), as: UTF8.self)
        var lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
        let status = Int(lines.removeFirst().split(separator: " ")[1]) ?? 0
        var headers: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        let length = headOnly || status == 304 || status == 101 ? 0 : Int(headers["content-length"] ?? "0") ?? 0
        return RawResponse(status: status, headers: headers, body: try await read(length))
    }

    func shutDownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes with a reset: what a killed phone looks like.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        shutdown(descriptor, Int32(SHUT_RDWR))
        queue.async { [descriptor] in Glibc.close(descriptor) }
    }
}

struct RawResponse: Sendable {
    let status: Int
    let headers: [String: String]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
    func json() throws -> Any {
        try JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed)
    }
    func object() throws -> [String: Any] { try json() as? [String: Any] ?? [:] }
}
