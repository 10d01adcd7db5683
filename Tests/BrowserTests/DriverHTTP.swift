import Foundation
import Glibc

/// HTTP to chromedriver over a socket of its own for each request: URLSession on Linux does not read chromedriver's headers.
enum DriverHTTP {
    /// Seconds without a byte before a command is given up.
    static let silenceSecondsMax = 60
    private static let queue = DispatchQueue(label: "chromedriver", attributes: .concurrent)

    /// Sends a JSON request and gives back the reply's body. The blocking calls run off the threads of Swift's tasks.
    static func send(_ method: String, port: UInt16, path: String, body: Data) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try exchange(method, port, path, body) }) }
        }
    }

    private static func exchange(_ method: String, _ port: UInt16, _ path: String, _ body: Data) throws -> Data {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var limit = timeval(tv_sec: silenceSecondsMax, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Browser.Failure(description: "chromedriver is not there: \(errno)") }
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        let request = Array(head.utf8) + body
        var offset = 0
        while offset < request.count {
            let sent = request[offset...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent < 0, errno == EINTR { continue }
            guard sent > 0 else { throw Browser.Failure(description: "chromedriver takes no request: \(errno)") }
            offset += sent
        }
        return try readReply(descriptor, to: "\(method) \(path)")
    }

    private static func readReply(_ descriptor: Int32, to request: String) throws -> Data {
        var data = Data()
        var chunk = [UInt8](repeating: 0, count: 262_144)
        var end: Int?
        while true {
            if let mark = data.range(of: Data("\r\n\r\n".utf8)) {
                let head = String(decoding: data[..<mark.lowerBound], as: UTF8.self)
                if let length = head.lowercased().firstMatch(of: /content-length: *(\d+)/).flatMap({ Int($0.1) }) {
                    end = mark.upperBound + length
                }
                if let end, data.count >= end { return data[mark.upperBound..<end] }
            }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            let problem = errno
            // A signal, which ends a wait with a limit in any case (signal(7)).
            if count < 0, problem == EINTR { continue }
            guard count > 0 else {
                throw Browser.Failure(description: "chromedriver gave no whole reply to \(request): \(problem)")
            }
            data.append(contentsOf: chunk[..<count])
        }
    }
}
