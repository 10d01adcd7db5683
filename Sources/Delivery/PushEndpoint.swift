import EventLoop

/// A browser's address at its push service (RFC 8030 §5.2), as strict as those of push services are: nothing that two programs
/// could read in two ways.
public struct PushEndpoint: Sendable, Equatable {
    /// Bytes of one.
    public static let bytesMax = 1_024

    /// As it was given.
    public let url: String
    /// The push service's name.
    public let host: String
    /// `https://host` and the port, if there is one: what a push service's tokens are made out to (RFC 8292 §2).
    public let origin: String

    /// What is wrong with one.
    public struct Invalid: Error, CustomStringConvertible {
        /// One plain fact.
        public let description: String
    }

    /// - Parameters:
    ///   - url: As a browser gives it.
    ///   - allowedHosts: Names, or addresses, that the operator lets through whatever they are, at any port.
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
                throw Invalid(description: "has a port that is none")
            }
            guard port == 443 || allowedHosts.contains(host) else {
                throw Invalid(description: "must be at port 443, as push services are")
            }
            if port != 443 { origin += ":\(port)" }
        }
        guard allowedHosts.contains(host) || PublicAddress.mayBePublic(name: host) else {
            throw Invalid(description: "must lead to a push service by its public name")
        }
        (self.url, self.host, self.origin) = (url, host, origin)
    }

    /// RFC 3986 §3.3 and §3.4: a path and a query.
    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~!$&'()*+,;=:@%/?".utf8.contains(byte)
        }
    }
}
