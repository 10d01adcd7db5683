import WebSocket

/// Who may talk to this server from a browser.
extension ServerConfiguration {
    /// Pages of other sites must not connect in a visitor's name; programs send no Origin (RFC 6455 §10.2). Two Origin fields,
    /// `null`, and anything that is no `http` or `https` origin are somebody else's.
    func allowsOrigin(of request: HTTPRequest, isSecure: Bool) -> Bool {
        let fields = request.headers.all("Origin")
        guard let field = fields.first else { return true }
        guard fields.count == 1, let origin = HTTPOrigin(field) else { return false }
        if allowedOrigins.contains(where: { HTTPOrigin($0) == origin }) { return true }
        guard let host = HTTPAuthority(request.headers["Host"] ?? "") else { return false }
        return origin.isOwn(host: host, isSecure: isSecure)
    }

    /// Whether the request names a host that this server answers for. With a list, a name that somebody else points at this
    /// address (DNS rebinding) is refused, and so is a request by address.
    func allowsHost(of request: HTTPRequest) -> Bool {
        guard !hostNames.isEmpty else { return true }
        guard let host = HTTPAuthority(request.headers["Host"] ?? "")?.host else { return false }
        return hostNames.contains { HTTPAuthority($0)?.host == host }
    }
}
