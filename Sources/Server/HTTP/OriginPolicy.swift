import WebSocket

/// Checks of the `Origin` and `Host` fields.
extension ServerConfiguration {
    /// Whether a page of the request's origin may connect. Pages of other sites must not act for a visitor; programs send no Origin
    /// (RFC 6455 §10.2). Two Origin fields, `null`, and values other than `http` or `https` origins are refused.
    func allowsOrigin(of request: HTTPRequest, isSecure: Bool) -> Bool {
        let fields = request.headers.all("Origin")
        guard let field = fields.first else { return true }
        guard fields.count == 1, let origin = HTTPOrigin(field) else { return false }
        if allowedOrigins.contains(where: { HTTPOrigin($0) == origin }) { return true }
        guard let host = HTTPAuthority(request.headers["Host"] ?? "") else { return false }
        return origin.isOwn(host: host, isSecure: isSecure)
    }

    /// Whether the request names a host of this server. With configured names, requests for other names that point to this address (DNS
    /// rebinding) and requests by address are refused.
    func allowsHost(of request: HTTPRequest) -> Bool {
        guard !hostNames.isEmpty else { return true }
        guard let host = HTTPAuthority(request.headers["Host"] ?? "")?.host else { return false }
        return hostNames.contains { HTTPAuthority($0)?.host == host }
    }
}
