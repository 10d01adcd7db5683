import CEpoll
import Glibc

/// Connection between two processes of one machine that carries short messages and descriptors (unix(7), `SOCK_SEQPACKET`). Calls
/// block: never use it on a loop.
public final class UnixChannel: Sendable {
    /// Largest message; a message is one line.
    public static let messageBytesMax = 1_024
    /// Connections that wait to be accepted.
    static let backlogMax: Int32 = 4

    /// The channel or the other side failed.
    public struct Failure: Error, CustomStringConvertible, Sendable {
        public let description: String

        public init(_ description: String) { self.description = description }
    }

    let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    // MARK: Opening

    /// Connects to a listener.
    /// - Returns: Nil if no process listens there.
    /// - Throws: ``SystemError``; ``Failure`` if the listener belongs to another user.
    public static func connect(directory: String, name: String) throws -> UnixChannel? {
        let channel = UnixChannel(try makeSocket())
        let status = try withAddress(directory, name) { address, length in
            Glibc.connect(channel.descriptor, address, length)
        }
        guard status == 0 else {
            if errno == ENOENT || errno == ECONNREFUSED { return nil }
            throw SystemError(call: "connect \(directory)/\(name)", code: errno)
        }
        guard channel.isTrusted else { throw Failure("\(directory)/\(name) belongs to another user") }
        return channel
    }

    /// Listens, replacing an earlier listener with the same name. Only processes of the same user and of root may connect: the
    /// socket has mode 0600, and each connection is checked again.
    /// - Returns: The descriptor. The caller closes it, and unlinks the name if it still refers to this socket.
    public static func listen(directory: String, name: String) throws -> Int32 {
        let descriptor = try makeSocket()
        do {
            // Bound under a temporary name first: renaming then replaces the old socket atomically.
            let unfinished = "\(name).\(getpid())"
            unlink("\(directory)/\(unfinished)")
            let status = try withAddress(directory, unfinished) { Glibc.bind(descriptor, $0, $1) }
            guard status == 0, chmod("\(directory)/\(unfinished)", 0o600) == 0,
                Glibc.listen(descriptor, backlogMax) == 0,
                rename("\(directory)/\(unfinished)", "\(directory)/\(name)") == 0
            else { throw SystemError(call: "listen on \(directory)/\(name)", code: errno) }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Accepts a connection; nil if none waits, or if it belongs to another user.
    public static func accept(on listening: Int32) -> UnixChannel? {
        let descriptor = campanile_accept4(listening, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
        guard descriptor >= 0 else { return nil }
        let channel = UnixChannel(descriptor)
        return channel.isTrusted ? channel : nil
    }

    private static func makeSocket() throws -> Int32 {
        let descriptor = campanile_seqpacket_socket()
        guard descriptor >= 0 else { throw SystemError(call: "socket", code: errno) }
        return descriptor
    }

    /// Calls `body` with the address of a socket. A socket's path is limited to 107 bytes, so the directory is named by a
    /// descriptor, and its own path can have any length.
    private static func withAddress(
        _ directory: String, _ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        let parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard parent >= 0 else {
            if errno == ENOENT { return -1 }
            throw SystemError(call: "open \(directory)", code: errno)
        }
        defer {
            let code = errno
            close(parent)
            errno = code
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("/proc/self/fd/\(parent)/\(name)".utf8)
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemError(call: "bind", code: ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Shuts the channel down for both sides: a blocked call returns immediately, and later calls fail. The other side can still
    /// read messages already sent. From any thread.
    public func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private var isTrusted: Bool {
        var user: UInt32 = 0
        guard campanile_peer_user(descriptor, &user) == 0 else { return false }
        return user == geteuid() || user == 0
    }

    // MARK: Messages

    /// Sends a message.
    /// - Parameters:
    ///   - message: At most ``messageBytesMax``.
    ///   - sockets: At most 16; the other side receives its own descriptors for them.
    public func send(_ message: String, sockets: [ListeningSocket] = []) throws {
        let bytes = Array(message.utf8)
        let descriptors = sockets.map(\.descriptor)
        let sent = campanile_send_descriptors(
            descriptor, bytes, bytes.count, descriptors, Int32(descriptors.count))
        guard sent == bytes.count else { throw SystemError(call: "send to the other server", code: errno) }
    }

    /// Waits for a message.
    /// - Throws: ``Failure`` if no message arrives in time, or the other side is gone.
    public func receive(within limit: Duration) throws -> (message: String, sockets: [ListeningSocket]) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let (seconds, attoseconds) = limit.components
        let milliseconds = Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
        guard poll(&entry, 1, milliseconds) > 0 else {
            throw Failure("the other server did not answer within \(limit)")
        }
        var bytes = [UInt8](repeating: 0, count: Self.messageBytesMax)
        var descriptors = [Int32](repeating: -1, count: campanile_descriptors_max)
        var count: Int32 = 0
        let received = campanile_receive_descriptors(descriptor, &bytes, bytes.count, &descriptors, &count)
        guard received > 0 else { throw Failure("the other server is gone") }
        let adopted = descriptors.prefix(Int(count)).map { number in
            Result { try ListeningSocket(adopting: number) }
        }
        return (String(decoding: bytes.prefix(received), as: UTF8.self), try adopted.map { try $0.get() })
    }
}
