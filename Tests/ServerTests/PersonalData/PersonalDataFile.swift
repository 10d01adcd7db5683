import TestSupport

extension TestServer {
    /// A file of what is kept of an account, as soon as there is room for it: other tests may take theirs from the same server, which
    /// makes two at a time.
    func personalData(_ path: String, of token: String) async throws -> RawResponse {
        let port = port
        return try await eventually("the last file has left") {
            let socket = try RawSocket(port: port)
            defer { socket.close() }
            try await socket.send("GET \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n")
            let response = try await socket.response()
            return [429, 503].contains(response.status) ? nil : response
        }
    }
}
