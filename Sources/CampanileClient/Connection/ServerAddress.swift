import Foundation

/// Where a server is, from a URL as people write it.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A text that is no server's URL.
    public struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
        /// One plain fact and what to do.
        public let description: String
    }

    /// Name or address, an IPv6 address without its brackets; with TLS also the name the certificate must bear.
    public let host: String
    /// 1 to 65,535.
    public let port: UInt16
    /// TLS is spoken (`https`, `wss`).
    public let isSecure: Bool
    /// The WebSocket endpoint's path: `/ws`, after the URL's own path when the server is behind a proxy.
    public let path: String

    /// - Parameter url: `http://host:port`, `https://…`, `ws://…` or `wss://…`; the port may be left out (80 or 443).
    ///   A path is put before `/ws`, unless it ends in that already.
    /// - Throws: ``Invalid`` with what to write instead.
    public init(url: String) throws(Invalid) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let host = parts.host, !host.isEmpty
        else { throw Invalid(description: "not a server's URL: write it like http://localhost:8080") }
        switch scheme {
        case "http", "ws": isSecure = false
        case "https", "wss": isSecure = true
        default: throw Invalid(description: "the URL's scheme is none of http, https, ws and wss: use one of them")
        }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
            throw Invalid(description: "a server's URL has no user, query or fragment: leave them out")
        }
        guard let port = UInt16(exactly: parts.port ?? (isSecure ? 443 : 80)), port > 0 else {
            throw Invalid(description: "the URL's port is not 1 to 65535: correct it")
        }
        self.port = port
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard !self.host.isEmpty else {
            throw Invalid(description: "not a server's URL: write it like http://localhost:8080")
        }
        var path = parts.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        self.path = path.hasSuffix("/ws") ? path : path + "/ws"
    }

    /// The `Host` field (RFC 9110 §7.2): with the port unless it is the scheme's own.
    var hostField: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// As a WebSocket URL.
    public var description: String { "\(isSecure ? "wss" : "ws")://\(hostField)\(path)" }
}
