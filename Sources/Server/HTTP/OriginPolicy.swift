import EventLoop
import WebSocket

/// Checks of the connection, and of the `Origin` and `Host` fields.
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

    /// Whether nobody but this machine can use the server: it has no TLS, no trusted proxy, and plain HTTP is for this machine.
    public var answersThisMachineAlone: Bool {
        tls == nil && trustedProxies.isEmpty && plainHTTPNetworks == NetworkPrefix.loopback
    }

    /// Whether the request may come over this connection: over TLS, from a network that may use plain HTTP, or from a trusted proxy that
    /// does not say that its own client used plain HTTP.
    /// - Parameter peer: Network address of the peer.
    func allowsTransport(of request: HTTPRequest, from peer: String, isSecure: Bool) -> Bool {
        guard !isSecure, let address = IPAddress(peer) else { return true }
        if plainHTTPNetworks.contains(where: { $0.contains(address) }) { return true }
        guard trustedProxies.contains(where: { $0.contains(address) }) else { return false }
        return request.headers["X-Forwarded-Proto"].map { $0.lowercased() != "http" } ?? true
    }

    /// Whether the request names a host of this server. With configured names, requests for other names that point to this address (DNS
    /// rebinding) and requests by address are refused.
    func allowsHost(of request: HTTPRequest) -> Bool {
        guard !hostNames.isEmpty else { return true }
        guard let host = HTTPAuthority(request.headers["Host"] ?? "")?.host else { return false }
        return hostNames.contains { HTTPAuthority($0)?.host == host }
    }

    /// Host names of a server that only this machine reaches.
    public static let loopbackNames = ["localhost", "127.0.0.1", "[::1]"]

    /// Whether only people on this machine reach the server. An operator who names hosts, proxies, networks or other sites has others in
    /// mind.
    public var listensToThisMachineAlone: Bool {
        let address = host == "::1" ? "[::1]" : host
        return Self.loopbackNames.contains(address) && hostNames.isEmpty && trustedProxies.isEmpty
            && allowedOrigins.isEmpty && plainHTTPNetworks == NetworkPrefix.loopback
    }
}
