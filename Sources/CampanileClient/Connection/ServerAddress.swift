import Foundation

/// A server's address, from a URL.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// The text is not a server's URL.
    public struct Invalid: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String
    }

    /// Host name or address, an IPv6 address without brackets. With TLS, the certificate must match it.
    public let host: String
    /// The port, 1 to 65,535.
    public let port: UInt16
    /// Whether to use TLS (`https`, `wss`).
    public let isSecure: Bool
    /// Path of the WebSocket endpoint: `/ws`, after the URL's own path if the server is behind a proxy.
    public let path: String

    /// - Parameter url: `http://host:port`, `https://…`, `ws://…` or `wss://…`. The port is optional (80 or 443). A path is put
    ///   before `/ws`, unless it already ends in that.
    /// - Throws: ``Invalid`` with the correct form.
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

    /// The `Host` field (RFC 9110 §7.2), with the port unless it is the scheme's default.
    var hostField: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// The address as a WebSocket URL.
    public var description: String { "\(isSecure ? "wss" : "ws")://\(hostField)\(path)" }
}
