import CEpoll
import Glibc

/// Listening socket: bound here, inherited from a supervisor, or received from another process. Closed when it is released.
public final class ListeningSocket: Sendable {
    /// Connections the kernel holds until they are accepted.
    static let backlogMax: Int32 = 4_096
    /// Addresses of one name that are used.
    static let addressesMax = 16
    /// Unsent bytes of a connection that the kernel accepts (TCP_NOTSENT_LOWAT). Further bytes stay in the connection's own queue,
    /// where they can be counted, skipped or dropped. By default the kernel buffers up to 4 MB for each peer that does not read.
    /// The kernel accepts more when half of these bytes are sent: at 2 kB/s well within ``SocketConnection/stallMax``.
    static let unsentKernelBytesMax: Int32 = 131_072
    /// Attempts to bind several addresses with port 0: the port that the kernel chose for the first address may be in use on
    /// another.
    static let portAttemptsMax = 8

    /// The address it listens on.
    public let address: SocketAddress
    let descriptor: Int32

    /// The descriptor is not a listening TCP socket.
    public struct NotListening: Error, CustomStringConvertible, Sendable {
        let descriptor: Int32
        public var description: String { "descriptor \(descriptor) is not a listening TCP socket" }
    }

    private init(bound descriptor: Int32) {
        self.descriptor = descriptor
        // Accepted connections inherit the option.
        var unsent = Self.unsentKernelBytesMax
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &unsent, socklen_t(MemoryLayout<Int32>.size))
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &storage) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        address = SocketAddress(storage)
    }

    /// Takes ownership of a descriptor that listens already, and closes it even if the initialiser throws.
    /// - Throws: ``NotListening``.
    public convenience init(adopting descriptor: Int32) throws {
        func option(_ name: Int32) -> Int32? {
            var value: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
        }
        let isInternet = option(SO_DOMAIN).map { $0 == AF_INET || $0 == AF_INET6 } ?? false
        guard isInternet, option(SO_ACCEPTCONN) == 1, option(SO_TYPE) == Int32(SOCK_STREAM.rawValue) else {
            close(descriptor)
            throw NotListening(descriptor: descriptor)
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        self.init(bound: descriptor)
    }

    deinit { close(descriptor) }

    /// Binds every address of a name, such as ::1 and 127.0.0.1 for `localhost`, on one port, and listens. Blocks for name
    /// resolution: call it off the loops.
    /// - Parameters:
    ///   - host: A numeric address or a name. `::` alone also accepts IPv4.
    ///   - port: The port, or 0 for any free one.
    /// - Throws: ``SystemError`` (`bind: Address already in use`), ``SocketAddress/ResolutionError``.
    public static func bind(host: String, port: UInt16) throws -> [ListeningSocket] {
        let candidates = try SocketAddress.resolve(host: host, port: port, passive: true).prefix(addressesMax)
        guard !candidates.isEmpty else { throw SocketAddress.ResolutionError(host: host, reason: "no address") }
        for attempt in 1... {
            do {
                return try bind(Array(candidates), port: port)
            } catch let error as SystemError where error.code == EADDRINUSE && port == 0 && attempt < portAttemptsMax {
                continue
            }
        }
        return []
    }

    private static func bind(_ candidates: [SocketAddress.Resolved], port: UInt16) throws -> [ListeningSocket] {
        var sockets: [ListeningSocket] = []
        var port = port
        var lastError: (any Error)?
        for candidate in candidates {
            do {
                let socket = try bind(candidate, port: port, isAlone: candidates.count == 1)
                port = socket.address.port
                sockets.append(socket)
            } catch let error as SystemError where error.code == EADDRNOTAVAIL || error.code == EAFNOSUPPORT {
                // The name has an address that this machine lacks, such as ::1 without IPv6.
                lastError = error
            }
        }
        if sockets.isEmpty, let lastError { throw lastError }
        return sockets
    }

    private static func bind(
        _ resolved: SocketAddress.Resolved, port: UInt16, isAlone: Bool
    ) throws -> ListeningSocket {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(resolved.family, flags, 0)
        guard descriptor >= 0 else { throw SystemError(call: "socket", code: errno) }
        let length = socklen_t(MemoryLayout<Int32>.size)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, length)
        if resolved.family == AF_INET6 {
            // Without this option `::` would occupy the port for IPv4 too and conflict with the IPv4 address.
            var only: Int32 = isAlone ? 0 : 1
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, length)
        }
        var storage = resolved.storage
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            // sin_port and sin6_port have the same offset.
            pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port = port.bigEndian }
            return pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, resolved.length)
            }
        }
        guard status == 0, listen(descriptor, backlogMax) == 0 else {
            let error = SystemError(call: status == 0 ? "listen" : "bind", code: errno)
            close(descriptor)
            throw error
        }
        return ListeningSocket(bound: descriptor)
    }
}
