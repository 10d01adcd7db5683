import COpenSSL
import CEpoll
import Glibc

/// A minimal client connection, so that the cost of the client affects the measurement little.
///
/// Not thread-safe: used by one thread.
final class LoadSocket {
    /// The OpenSSL context for TLS connections.
    ///
    /// `@unchecked Sendable`: an `SSL_CTX` is thread-safe once set up (OpenSSL, SSL_CTX_new(3)).
    struct TLS: @unchecked Sendable {
        let context: OpaquePointer
    }

    let descriptor: Int32
    private var ssl: OpaquePointer?
    var isSecure: Bool { ssl != nil }
    /// Payload bytes of the current frame that have not arrived yet.
    private var frameLeft = 0
    private var header: [UInt8] = []
    /// Number of complete data frames received.
    private(set) var framesReceived = 0
    /// Bytes received after the handshake.
    private(set) var bytesReceived = 0
    /// Pings that are not answered yet.
    private var pingsReceived = 0
    /// True once the server has closed the connection.
    private(set) var hasEnded = false
    /// True if the connection ended with a reset.
    private(set) var wasReset = false
    /// Time at which the message in flight was sent, in nanoseconds.
    var sentAt: UInt64 = 0

    /// Connects, blocking by default.
    /// - Parameters:
    ///   - source: Last part of a 127.1.0.0/16 source address; 0 lets the kernel choose.
    ///   - waits: False only begins to connect. Once the socket is writable, check ``connectError``. Not with TLS.
    init(
        port: UInt16, tls: TLS? = nil, source: UInt16 = 0, session: OpaquePointer? = nil, waits: Bool = true
    ) throws {
        let flags = Int32(SOCK_CLOEXEC.rawValue) | (waits ? 0 : Int32(SOCK_NONBLOCK.rawValue))
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | flags, 0)
        guard descriptor >= 0 else { throw Self.error("socket") }
        Self.setNoDelay(descriptor)
        if source != 0 {
            var own = Self.loopback(port: 0)
            own.sin_addr.s_addr = (0x7F01_0000 | UInt32(source)).bigEndian
            var on: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &on, socklen_t(MemoryLayout<Int32>.size))
            _ = Self.call(&own) { bind(descriptor, $0, $1) }
        }
        var address = Self.loopback(port: port)
        guard Self.call(&address, { connect(descriptor, $0, $1) }) == 0 || (!waits && errno == EINPROGRESS) else {
            throw Self.error("connect")
        }
        guard let tls else { return }
        guard let made = SSL_new(tls.context) else { throw Self.error("SSL_new") }
        ssl = made
        SSL_set_fd(made, descriptor)
        if let session { SSL_set_session(made, session) }
        guard SSL_connect(made) == 1 else { throw BenchError(description: "TLS handshake failed") }
    }

    deinit {
        if let ssl { SSL_free(ssl) }
        close(descriptor)
    }

    /// The `errno` of a failed connection attempt; 0 if it succeeded.
    var connectError: Int32 {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
        return error
    }

    /// Resets the connection on close, so that no TIME_WAIT remains if this side closes first.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Sets a small receive buffer, so that a reader that stops soon causes backpressure. Call it before receiving.
    func receiveLittle() {
        var bytes: Int32 = 4_096
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends as many bytes as the kernel accepts without blocking. Not for blocking or TLS sockets.
    /// - Returns: The number of bytes sent.
    func writeSome(_ bytes: ArraySlice<UInt8>) -> Int {
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count < 0, errno != EAGAIN, errno != EINTR { cannotWrite = true }
        return max(0, count)
    }

    /// True if the last send failed because the connection is broken.
    private(set) var cannotWrite = false

    /// Upgrades to WebSocket; blocks.
    func upgrade(path: String, extensions: String? = nil) throws {
        var request = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        request += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        if let extensions { request += "Sec-WebSocket-Extensions: \(extensions)\r\n" }
        write(Array((request + "\r\n").utf8))
        var head: [UInt8] = []
        var byte: [UInt8] = [0]
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            let count = byte.withUnsafeMutableBytes { read(into: $0) }
            guard count == 1, head.count < 16_384 else { throw BenchError(description: "the server did not upgrade") }
            head.append(byte[0])
        }
        guard head.starts(with: Array("HTTP/1.1 101".utf8)) else {
            throw BenchError(description: "the server refused: \(String(decoding: head.prefix(80), as: UTF8.self))")
        }
    }

    func setNonBlocking() { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }

    /// Sends all bytes and waits while the socket is full. Gives up if the server reads nothing for ten seconds.
    func write(_ bytes: [UInt8]) {
        var offset = 0
        var waits = 0
        while offset < bytes.count, !hasEnded {
            let count = bytes.withUnsafeBytes { raw in
                ssl.map { Int(SSL_write($0, raw.baseAddress! + offset, Int32(raw.count - offset))) }
                    ?? send(descriptor, raw.baseAddress! + offset, raw.count - offset, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                offset += count
                waits = 0
            } else if waits == 100 {
                hasEnded = true
            } else if ssl == nil, errno != EAGAIN, errno != EINTR {
                hasEnded = true
                return
            } else {
                waits += 1
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                Glibc.poll(&poll, 1, 100)
            }
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if let ssl { return Int(SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))) }
        return recv(descriptor, buffer.baseAddress, buffer.count, 0)
    }

    /// Reads all available bytes and passes them to `body` unchanged. Not for blocking sockets.
    func receive(_ buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        while !hasEnded {
            let count = read(into: buffer)
            guard count > 0 else {
                if let ssl {
                    let reason = SSL_get_error(ssl, Int32(count))
                    hasEnded = reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE
                } else {
                    hasEnded = count == 0 || (errno != EAGAIN && errno != EINTR)
                    wasReset = count < 0 && errno == ECONNRESET
                }
                return
            }
            bytesReceived += count
            body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Reads once and passes the bytes to `body`; remaining bytes are announced again. Not for blocking or TLS sockets.
    func receiveOnce(_ buffer: UnsafeMutableRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        guard count > 0 else {
            hasEnded = count == 0 || (errno != EAGAIN && errno != EINTR)
            wasReset = count < 0 && errno == ECONNRESET
            return
        }
        bytesReceived += count
        body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }

    /// Reads all available bytes, counts the frames and answers pings.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) {
        while true {
            let count = read(into: buffer)
            guard count > 0 else {
                if count == 0 || (ssl == nil && errno != EAGAIN) { hasEnded = true }
                break
            }
            bytesReceived += count
            countFrames(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            if ssl == nil, count < buffer.count { break }
        }
        while pingsReceived > 0 {
            pingsReceived -= 1
            // A pong without payload, masked by zeros.
            write([0x8A, 0x80, 0, 0, 0, 0])
        }
    }

    private func countFrames(in bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count {
            if frameLeft > 0 {
                let taken = min(frameLeft, bytes.count - index)
                frameLeft -= taken
                index += taken
                continue
            }
            header.append(bytes[index])
            index += 1
            guard header.count >= 2 else { continue }
            let short = Int(header[1] & 0x7F)
            let extra = short == 127 ? 8 : short == 126 ? 2 : 0
            guard header.count == 2 + extra else { continue }
            frameLeft = extra == 0 ? short : header[2...].reduce(0) { $0 << 8 | Int($1) }
            switch header[0] & 0x0F {
            case 0x8: hasEnded = true
            case 0x9: pingsReceived += 1
            case 0xA: break
            default: if header[0] & 0x80 != 0 { framesReceived += 1 }
            }
            header.removeAll(keepingCapacity: true)
        }
    }

    /// Reads bytes without frames, as from the baseline server: every `messageBytes` are one message.
    func receiveRaw(_ buffer: UnsafeMutableRawBufferPointer, messageBytes: Int) {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else {
                if count == 0 || errno != EAGAIN { hasEnded = true }
                break
            }
            bytesReceived += count
            framesReceived = bytesReceived / messageBytes
            if count < buffer.count { break }
        }
    }

    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    static func setNoDelay(_ descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func call(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    private static func error(_ call: String) -> BenchError {
        BenchError(description: "\(call): \(String(cString: strerror(errno)))")
    }
}
