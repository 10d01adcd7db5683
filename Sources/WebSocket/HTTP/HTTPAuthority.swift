/// `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2): the server's name in Host, in an absolute-form target and in
/// Origin.
public struct HTTPAuthority: Sendable, Hashable {
    /// The host in lower case. An IPv6 address keeps its brackets; a name loses its trailing dot.
    public let host: String
    /// The explicit port; nil stands for the scheme's default.
    public let port: UInt16?

    /// - Parameter host: In lower case.
    public init(host: String, port: UInt16? = nil) {
        self.host = host
        self.port = port
    }

    /// Parses the value of a Host field; nil if it is malformed or the host is empty.
    public init?(_ text: String) {
        self.init(text.utf8)
    }

    init?(_ bytes: some Collection<UInt8>) {
        let text = Array(bytes)
        let hostEnd: Int
        if text.first == UInt8(ascii: "[") {
            guard let close = text.firstIndex(of: UInt8(ascii: "]")), Self.isIPv6(text[1..<close]) else { return nil }
            hostEnd = close + 1
        } else {
            hostEnd = text.firstIndex(of: UInt8(ascii: ":")) ?? text.count
            guard text[..<hostEnd].allSatisfy(\.isRegisteredNameCharacter) else { return nil }
        }
        var host = text[..<hostEnd].map(\.asciiLowercased)
        if host.last == UInt8(ascii: ".") { host.removeLast() }
        // One trailing dot denotes the root (RFC 1034 §3.1); a name does not end in an empty label.
        guard let last = host.last, last != UInt8(ascii: ".") else { return nil }
        self.host = String(decoding: host, as: UTF8.self)
        guard hostEnd < text.count else {
            port = nil
            return
        }
        guard text[hostEnd] == UInt8(ascii: ":") else { return nil }
        let digits = text[(hostEnd + 1)...]
        guard digits.allSatisfy(\.isDigit) else { return nil }
        // RFC 3986 §3.2.3: port = *DIGIT; an empty port means the scheme's default.
        guard !digits.isEmpty else {
            port = nil
            return
        }
        guard let number = UInt16(String(decoding: digits, as: UTF8.self)) else { return nil }
        port = number
    }

    /// The effective port for this scheme.
    public func port(scheme: String) -> UInt16 { port ?? (scheme == "https" || scheme == "wss" ? 443 : 80) }

    /// Whether the bytes consist of hex groups, colons and possibly a trailing IPv4 address (RFC 3986 §3.2.2). Whether
    /// they form an address is not checked, because nothing here connects to it.
    private static func isIPv6(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count >= 2 && bytes.count <= 45 && bytes.contains(UInt8(ascii: ":"))
            && bytes.allSatisfy { $0.hexDigitValue != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
    }
}

/// The origin of a page (RFC 6454 §6.1), as browsers write it: `scheme "://" host [ ":" port ]`.
public struct HTTPOrigin: Sendable, Hashable {
    /// `http` or `https`.
    public let scheme: String
    /// The host, in lower case.
    public let host: String
    /// The explicit port, or the scheme's default.
    public let port: UInt16

    /// Parses an Origin field or a configured origin. Nil for `null` (a sandboxed page, a file), for other schemes, for
    /// anything after the port, and for more than one origin.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        for scheme in ["https", "http"] {
            let prefix = Array("\(scheme)://".utf8)
            guard bytes.prefix(prefix.count).map(\.asciiLowercased) == prefix else { continue }
            guard let authority = HTTPAuthority(bytes[prefix.count...]) else { return nil }
            self.scheme = scheme
            host = authority.host
            port = authority.port(scheme: scheme)
            return
        }
        return nil
    }

    /// Whether a page of this origin belongs to the server with the name `host`.
    ///
    /// Behind a proxy that terminates TLS, the page's scheme is https while the server's is http, so only host and port
    /// decide. A server that speaks TLS itself has no pages of scheme http.
    /// - Parameters:
    ///   - host: The request's Host.
    ///   - isSecure: True if the server speaks TLS itself.
    public func isOwn(host: HTTPAuthority, isSecure: Bool) -> Bool {
        if isSecure, scheme != "https" { return false }
        return self.host == host.host && port == host.port(scheme: scheme)
    }
}

extension UInt8 {
    /// True for characters of a reg-name or an IPv4 address (RFC 3986 §3.2.2) except sub-delims: no host has these, and
    /// implementations differ about them.
    fileprivate var isRegisteredNameCharacter: Bool {
        isDigit || isLetter || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
    }
}
