import Glibc

/// Refuses an accepted socket with an HTTP response, without creating a connection for it.
enum RefusedConnection {
    /// Bytes of a request that are read and discarded. Unread bytes would make the close send a reset, which can destroy the
    /// response.
    static let requestBytesMax = 16_384

    /// Sends a response and closes the socket.
    /// - Parameters:
    ///   - response: Nil for a TLS client, which could not read a plain response.
    static func answer(_ descriptor: Int32, with response: [UInt8]?) {
        if let response {
            withUnsafeTemporaryAllocation(byteCount: requestBytesMax, alignment: 1) { buffer in
                _ = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            }
            // The send buffer of a new socket takes these few bytes without blocking.
            _ = send(
                descriptor, response, response.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            shutdown(descriptor, Int32(SHUT_WR))
        }
        close(descriptor)
    }

    /// Builds an HTTP response.
    /// - Parameters:
    ///   - reason: One line for the body.
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
    /// Text for the log: what is wrong and what to do.
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
