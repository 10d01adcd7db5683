import Glibc

/// The answer to a connection that is not taken, given without making one of it.
enum RefusedConnection {
    /// Bytes of a request that may have come already and are read away: unread ones would turn the close into a reset, which
    /// can take the answer with it.
    static let requestBytesMax = 16_384

    /// Answers and closes.
    /// - Parameters:
    ///   - response: Nil where an answer could not be understood: TLS.
    static func answer(_ descriptor: Int32, with response: [UInt8]?) {
        if let response {
            withUnsafeTemporaryAllocation(byteCount: requestBytesMax, alignment: 1) { buffer in
                _ = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            }
            // A new socket's buffer takes these few bytes at once.
            _ = send(
                descriptor, response, response.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            shutdown(descriptor, Int32(SHUT_WR))
        }
        close(descriptor)
    }

    /// - Parameters:
    ///   - reason: One line.
    ///   - retryAfter: Seconds.
    static func response(_ status: String, retryAfter: Int, reason: String) -> [UInt8] {
        let body = "\(reason)\n"
        return Array(
            """
            HTTP/1.1 \(status)\r
            Retry-After: \(retryAfter)\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(body.utf8.count)\r
            Cache-Control: no-store\r
            Connection: close\r
            \r
            \(body)
            """.utf8)
    }
}

extension ConnectionAdmission.Refusal {
    /// For the log: one plain fact and what to do.
    var explanation: String {
        switch self {
        case .full: "the limit of connections is reached; see --connections-max and the limit of open files"
        case .noDescriptor: "no file descriptor left; raise the limit (ulimit -n, LimitNOFILE)"
        case .addressOpen: "an address has too many open; see --address-connections-max"
        case .addressRate: "an address opens them too fast; see --address-rate-max"
        }
    }

    func response(retryAfter: Int) -> [UInt8] {
        switch self {
        case .full, .noDescriptor:
            RefusedConnection.response(
                "503 Service Unavailable", retryAfter: retryAfter, reason: "the server is full: try again later")
        case .addressOpen:
            RefusedConnection.response(
                "429 Too Many Requests", retryAfter: retryAfter,
                reason: "too many connections from your address: close some, or try again later")
        case .addressRate:
            RefusedConnection.response(
                "429 Too Many Requests", retryAfter: retryAfter,
                reason: "too many new connections from your address: try again later")
        }
    }
}
