import CEpoll
import Glibc

extension SocketConnection {
    /// Connects to a server and returns once the connection is open, including the TLS handshake. The delegate receives its calls
    /// as usual.
    /// - Parameters:
    ///   - host: Name or address; also the name that the certificate must contain.
    ///   - resolver: Runs the blocking name resolution.
    /// - Throws: ``SystemError``, ``SocketAddress/ResolutionError``, ``TLSError``.
    public static func connect(
        host: String, port: UInt16, loop: EventLoop, tls: TLSContext? = nil, resolver: WorkerPool,
        delegate: any SocketConnectionDelegate & Sendable
    ) async throws -> SocketConnection {
        let addresses = try await resolver.run { try SocketAddress.resolve(host: host, port: port, passive: false) }
        var lastError: any Error = SocketAddress.ResolutionError(host: host, reason: "no address")
        for address in addresses {
            do {
                return try await connect(to: address, host: host, loop: loop, tls: tls, delegate: delegate)
            } catch {
                lastError = error
            }
        }
        throw lastError
    }

    private static func connect(
        to address: SocketAddress.Resolved, host: String, loop: EventLoop, tls: TLSContext?,
        delegate: any SocketConnectionDelegate & Sendable
    ) async throws -> SocketConnection {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, flags, 0)
        guard descriptor >= 0 else { throw SystemError(call: "socket", code: errno) }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var storage = address.storage
        let status = withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, address.length) }
        }
        guard status == 0 || errno == EINPROGRESS else {
            let error = SystemError(call: "connect", code: errno)
            close(descriptor)
            throw error
        }
        let session: TLSSession?
        do {
            session = try tls.map {
                try $0.makeSession(
                    descriptor: descriptor, serverName: host, port: SocketAddress(address.storage).port)
            }
        } catch {
            close(descriptor)
            throw error
        }
        let connection = SocketConnection(
            descriptor: descriptor, peer: SocketAddress(address.storage), loop: loop, tls: session, phase: .connecting)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            loop.execute {
                connection.onConnected { continuation.resume(with: $0) }
                do {
                    try connection.start(delegate: delegate)
                } catch {
                    connection.finish(error: error)
                }
            }
        }
        return connection
    }
}
