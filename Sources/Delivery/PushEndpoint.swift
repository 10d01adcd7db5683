import EventLoop

/// A browser's URL at its push service (RFC 8030 §5.2).
///
/// The accepted syntax is as narrow as push services need, so that two programs cannot read a URL differently.
public struct PushEndpoint: Sendable, Equatable {
    /// Maximum bytes of a URL.
    public static let bytesMax = 1_024

    /// The URL as given.
    public let url: String
    /// The push service's host name.
    public let host: String
    /// `https://host` and the port, if the URL has one: the audience of the server's token (RFC 8292 §2).
    public let origin: String

    /// Reason why a URL was rejected.
    public struct Invalid: Error, CustomStringConvertible {
        public let description: String
    }

    /// - Parameters:
    ///   - url: The URL from a browser.
    ///   - allowedHosts: Host names or addresses that the operator allows without checks, at any port.
    /// - Throws: ``Invalid``.
    public init(_ url: String, allowedHosts: Set<String> = []) throws(Invalid) {
        guard url.utf8.count <= Self.bytesMax, url.hasPrefix("https://") else {
            throw Invalid(description: "must begin with https:// and have at most \(Self.bytesMax) bytes")
        }
        let rest = url.utf8.dropFirst(8)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        let path = rest.dropFirst(authority.count)
        guard !path.isEmpty, path.allSatisfy(Self.isPathByte) else {
            throw Invalid(description: "must be a push service's address with a path, without white space and #")
        }
        let parts = authority.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        let host = String(decoding: parts[0], as: UTF8.self).lowercased()
        var origin = "https://\(host)"
        if parts.count > 1 {
            guard parts[1].count <= 5, let port = UInt16(String(decoding: parts[1], as: UTF8.self)), port > 0 else {
                throw Invalid(description: "has an invalid port")
            }
            guard port == 443 || allowedHosts.contains(host) else {
                throw Invalid(description: "must use port 443")
            }
            if port != 443 { origin += ":\(port)" }
        }
        guard allowedHosts.contains(host) || PublicAddress.mayBePublic(name: host) else {
            throw Invalid(description: "must lead to a push service by its public name")
        }
        (self.url, self.host, self.origin) = (url, host, origin)
    }

    /// Whether a byte may occur in a path or query (RFC 3986 §3.3 and §3.4).
    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~!$&'()*+,;=:@%/?".utf8.contains(byte)
        }
    }
}
