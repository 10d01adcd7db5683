import CEpoll
import Glibc

/// IP address and port.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// The numeric address, such as `127.0.0.1` or `::1`.
    public let host: String
    /// 0 to 65,535.
    public let port: UInt16

    /// - Parameters:
    ///   - host: A numeric address.
    ///   - port: The port.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// `host:port`, IPv6 in brackets.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// A name could not be resolved to an address.
    public struct ResolutionError: Error, CustomStringConvertible, Sendable {
        let host: String
        let reason: String
        public var description: String { "\(host): \(reason)" }
    }

    /// Resolved address, ready for `bind` or `connect`.
    struct Resolved: Sendable {
        var storage: sockaddr_storage
        var length: socklen_t
        var family: Int32
    }

    /// Resolves a name or numeric address. Blocks, so never call it on a loop.
    static func resolve(host: String, port: UInt16, passive: Bool) throws -> [Resolved] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = (passive ? AI_PASSIVE : 0) | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host.isEmpty ? nil : host, String(port), &hints, &list)
        guard status == 0 else {
            throw ResolutionError(host: host, reason: String(cString: gai_strerror(status)))
        }
        defer { freeaddrinfo(list) }
        var found: [Resolved] = []
        var next = list
        while let info = next?.pointee {
            var storage = sockaddr_storage()
            memcpy(&storage, info.ai_addr, Int(info.ai_addrlen))
            found.append(Resolved(storage: storage, length: info.ai_addrlen, family: info.ai_family))
            next = info.ai_next
        }
        return found
    }

    /// Returns the numeric addresses of a name, in the order in which to try them, without duplicates. Blocks, so never call it on
    /// a loop.
    /// - Throws: ``ResolutionError``.
    public static func addresses(of host: String) throws -> [String] {
        var found: [String] = []
        for address in try resolve(host: host, port: 0, passive: false) {
            let numeric = SocketAddress(address.storage).host
            if numeric != "?", !found.contains(numeric) { found.append(numeric) }
        }
        return found
    }

    init(_ storage: sockaddr_storage) {
        var storage = storage
        host = IPAddress(storage)?.description ?? "?"
        // sin_port and sin6_port have the same offset.
        port = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
        }
    }
}
