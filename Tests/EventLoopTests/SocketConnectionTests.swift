import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

/// Sends back what it hears, and closes when the peer does.
final class Echo: SocketConnectionDelegate, Sendable {
    private let isCopying: Bool
    init(isCopying: Bool = false) { self.isCopying = isCopying }

    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) {
        if isCopying { connection.send(copying: bytes) } else { connection.send(Array(bytes)) }
    }
    func connectionReachedEnd(_ connection: SocketConnection) { connection.closeAfterFlush() }
    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) {}
}

/// Counts what it hears and tells when enough came or the connection closed.
final class Collector: SocketConnectionDelegate, Sendable {
    private let state = Mutex(
        (bytes: [UInt8](), wanted: 0, waiter: CheckedContinuation<Void, Never>?.none, closed: false))
    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var isClosed: Bool { state.withLock { $0.closed } }

    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) {
        let waiter = state.withLock { state in
            state.bytes.append(contentsOf: bytes)
            guard state.bytes.count >= state.wanted else { return CheckedContinuation<Void, Never>?.none }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
    func connectionReachedEnd(_ connection: SocketConnection) { connection.closeAfterFlush() }
    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) {
        let waiter = state.withLock { state in
            state.closed = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
    func wait(forBytes count: Int) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                guard state.bytes.count < count, !state.closed else { return true }
                state.wanted = count
                state.waiter = continuation
                return false
            }
            if ready { continuation.resume() }
        }
    }
    func waitForClose() async { await wait(forBytes: .max) }
}

/// Reads so many bytes and then no more.
final class Sipper: SocketConnectionDelegate, Sendable {
    private let state: Mutex<(left: Int, waiter: CheckedContinuation<Void, Never>?)>

    init(bytes: Int) { state = Mutex((bytes, nil)) }

    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) {
        let waiter = state.withLock { state in
            state.left -= bytes.count
            guard state.left <= 0 else { return CheckedContinuation<Void, Never>?.none }
            connection.setReading(false)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
    func connectionReachedEnd(_ connection: SocketConnection) {}
    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) {}

    func waitUntilFull() async {
        await withCheckedContinuation { continuation in
            let isFull = state.withLock { state in
                if state.left > 0 { state.waiter = continuation }
                return state.left <= 0
            }
            if isFull { continuation.resume() }
        }
    }
}

@Suite("Socket connection")
struct SocketConnectionTests {
    let resolver = WorkerPool(label: "test-resolver", concurrentMax: 1, waitingMax: 16)

    private func echoListener(
        loops: [EventLoop], tls: TLSContext? = nil, isCopying: Bool = false
    ) throws -> Listener {
        let echo = Echo(isCopying: isCopying)
        return try Listener(host: "127.0.0.1", port: 0, loops: loops, tls: tls) { try? $0.start(delegate: echo) }
    }

    /// A certificate for `localhost` that only this test trusts.
    private func certificate() throws -> (certificate: String, key: String) {
        let directory = try TestDirectory.make("tls")
        let (certificate, key) = ("\(directory)/cert.pem", "\(directory)/key.pem")
        _ = try ChildProcess.run([
            "/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
        ])
        return (certificate, key)
    }

    @Test("Who reads slowly gets the rest of what was queued when its connection closed, also after its own end")
    func slowClose() async throws {
        let loop = try EventLoop(label: "server")
        let clients = try EventLoop(label: "client")
        let limit = Duration.milliseconds(20)
        loop.execute { loop.lingerMax = limit }
        let accepted = Accepted()
        let listener = try Listener(host: "127.0.0.1", port: 0, loops: [loop]) {
            accepted.add($0)
            try? $0.start(delegate: Collector())
        }
        let collector = Collector()
        let connection = try await SocketConnection.connect(
            host: "127.0.0.1", port: listener.address.port, loop: clients, resolver: resolver, delegate: collector)
        clients.execute { connection.setReading(false) }
        let server = await accepted.connection(0)
        let bytes = [UInt8](repeating: 7, count: 3_000_000)
        await withCheckedContinuation { done in
            loop.execute {
                for piece in 0..<3 { server.send(Array(bytes[piece * 1_000_000..<(piece + 1) * 1_000_000])) }
                server.closeAfterFlush()
                // Far longer than a closing connection waits for its peer.
                loop.schedule(after: limit * 10) { done.resume() }
            }
        }
        clients.execute {
            shutdown(connection.descriptor, Int32(SHUT_WR))
            connection.setReading(true)
        }
        await collector.wait(forBytes: bytes.count)
        // Arrays of megabytes are not to be printed when they differ.
        #expect(collector.bytes.count == bytes.count)
        #expect(collector.bytes.elementsEqual(bytes))
        await collector.waitForClose()
        listener.stop()
    }

    @Test("With a limit, a connection closes in time whatever its peer has not read")
    func closeWithin() async throws {
        let loop = try EventLoop(label: "server")
        let accepted = Accepted()
        let served = Collector()
        let listener = try Listener(host: "127.0.0.1", port: 0, loops: [loop]) {
            accepted.add($0)
            try? $0.start(delegate: served)
        }
        let clients = try EventLoop(label: "client")
        let connection = try await SocketConnection.connect(
            host: "127.0.0.1", port: listener.address.port, loop: clients, resolver: resolver, delegate: Collector())
        clients.execute { connection.setReading(false) }
        let server = await accepted.connection(0)
        loop.execute {
            server.send([UInt8](repeating: 7, count: 4_000_000))
            server.closeAfterFlush(within: .milliseconds(20))
        }
        await served.waitForClose()
        #expect(served.isClosed)
        clients.execute { connection.abort() }
        listener.stop()
    }

    @Test(
        "three megabytes come back whole and in order, through partial writes", arguments: [false, true], [false, true])
    func largeEcho(encrypted: Bool, isCopying: Bool) async throws {
        let loops = [try EventLoop(label: "a"), try EventLoop(label: "b")]
        let files = encrypted ? try certificate() : nil
        let server = try files.map { try TLSContext(certificateFile: $0.certificate, keyFile: $0.key) }
        let client = try files.map { try TLSContext.client(authorityFile: $0.certificate) }
        let listener = try echoListener(loops: loops, tls: server, isCopying: isCopying)
        let collector = Collector()
        let connection = try await SocketConnection.connect(
            host: "localhost", port: listener.address.port, loop: loops[1], tls: client, resolver: resolver,
            delegate: collector)
        let message = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        loops[1].execute {
            for start in stride(from: 0, to: message.count, by: 9_973) {
                connection.send(Array(message[start..<min(start + 9_973, message.count)]))
            }
        }
        await collector.wait(forBytes: message.count)
        #expect(collector.bytes == message)
        listener.stop()
    }

    @Test("a server certificate for another name, or from nobody we know, is refused")
    func untrustedCertificate() async throws {
        let loop = try EventLoop(label: "a")
        let files = try certificate()
        let listener = try echoListener(
            loops: [loop], tls: try TLSContext(certificateFile: files.certificate, keyFile: files.key))
        await #expect(throws: TLSError.self) {
            _ = try await SocketConnection.connect(
                host: "localhost", port: listener.address.port, loop: loop, tls: try .client(), resolver: resolver,
                delegate: Collector())
        }
        await #expect(throws: TLSError.self) {
            _ = try await SocketConnection.connect(
                host: "127.0.0.1", port: listener.address.port, loop: loop,
                tls: try .client(authorityFile: files.certificate), resolver: resolver, delegate: Collector())
        }
        listener.stop()
    }

    @Test("a full send queue closes the connection and says so")
    func overflowCloses() async throws {
        let loop = try EventLoop(label: "a")
        let listener = try Listener(host: "127.0.0.1", port: 0, loops: [loop]) { connection in
            // A peer that never reads.
            try? connection.start(delegate: Echo())
            connection.setReading(false)
        }
        let collector = Collector()
        let connection = try await SocketConnection.connect(
            host: "127.0.0.1", port: listener.address.port, loop: loop, resolver: resolver, delegate: collector)
        let accepted = await withCheckedContinuation { (done: CheckedContinuation<[Bool], Never>) in
            loop.execute {
                let megabyte = [UInt8](repeating: 1, count: 1_048_576)
                done.resume(returning: (0..<5).map { _ in connection.send(megabyte) })
            }
        }
        #expect(accepted == [true, true, true, true, false])
        await collector.waitForClose()
        listener.stop()
    }

    @Test("a peer that stops reading is ended one limit after the last kilobyte it took, however much it took before")
    func stall() async throws {
        let loop = try EventLoop(label: "a")
        // Taken late in part; the rest is more than two kernels hold: tcp_rmem allows 32 MiB, where it was raised.
        let sipper = Sipper(bytes: 24 << 20)
        let listener = try Listener(host: "127.0.0.1", port: 0, loops: [loop]) { try? $0.start(delegate: sipper) }
        let collector = Collector()
        let connection = try await SocketConnection.connect(
            host: "127.0.0.1", port: listener.address.port, loop: loop, resolver: resolver, delegate: collector)
        loop.execute { connection.send([UInt8](repeating: 1, count: 80 << 20)) }
        await sipper.waitUntilFull()
        let (first, second) = await withCheckedContinuation { (done: CheckedContinuation<(Bool, Bool), Never>) in
            loop.execute {
                let (now, limit) = (EventLoop.nowNanoseconds, SocketConnection.stallMax.nanoseconds)
                let first = connection.checkStall(now: now, limit: limit)
                done.resume(returning: (first, connection.checkStall(now: now + limit, limit: limit)))
            }
        }
        #expect(first && !second)
        #expect(collector.isClosed)
        listener.stop()
    }

    @Test("one message larger than the queue's limit leaves when nothing waits before it")
    func oneLargeMessage() async throws {
        let loop = try EventLoop(label: "a")
        let message = [UInt8](repeating: 7, count: 6 * 1_048_576)
        let listener = try Listener(host: "127.0.0.1", port: 0, loops: [loop]) { connection in
            try? connection.start(delegate: Echo())
            connection.send(message)
        }
        let collector = Collector()
        _ = try await SocketConnection.connect(
            host: "127.0.0.1", port: listener.address.port, loop: loop, resolver: resolver, delegate: collector)
        await collector.wait(forBytes: message.count)
        #expect(collector.bytes.count == message.count)
        listener.stop()
    }

    @Test("a peer that resets while nothing is read from it is gone, and does not keep its loop busy")
    func resetWhileNotReading() async throws {
        let loop = try EventLoop(label: "a")
        let closed = Collector()
        let accepted = Mutex<CheckedContinuation<Void, Never>?>(nil)
        let listener = try Listener(host: "127.0.0.1", port: 0, loops: [loop]) { connection in
            try? connection.start(delegate: closed)
            connection.setReading(false)
            accepted.withLock { $0.take() }?.resume()
        }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = listener.address.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        await withCheckedContinuation { continuation in
            accepted.withLock { $0 = continuation }
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var reset = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
        await closed.waitForClose()
        listener.stop()
    }

    /// A port of this machine that is bound and refuses connections, until its descriptor is closed.
    private func takenPort() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isBound)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    @Test("an attempt to connect that fails is told to the caller alone")
    func failedAttempt() async throws {
        let loop = try EventLoop(label: "a")
        // Taken, so that no other program listens there meanwhile, but not listened on.
        let (taken, port) = try takenPort()
        defer { close(taken) }
        let collector = Collector()
        await #expect(throws: SystemError.self) {
            _ = try await SocketConnection.connect(
                host: "127.0.0.1", port: port, loop: loop, resolver: resolver, delegate: collector)
        }
        #expect(!collector.isClosed)
    }

    @Test("a port in use is an error that names the call and the reason")
    func portInUse() throws {
        let loop = try EventLoop(label: "a")
        let listener = try echoListener(loops: [loop])
        let error = #expect(throws: SystemError.self) {
            _ = try Listener(host: "127.0.0.1", port: listener.address.port, loops: [loop]) { _ in }
        }
        #expect(error?.description == "bind: Address already in use")
        listener.stop()
    }
}
