import Foundation
import Synchronization
import Testing

@testable import EventLoop

/// Sends back what it hears, and closes when the peer does.
final class Echo: SocketConnectionDelegate, Sendable {
    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) {
        connection.send(Array(bytes))
    }
    func connectionReachedEnd(_ connection: SocketConnection) { connection.closeAfterFlush() }
    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) {}
}

/// Counts what it hears and tells when enough came or the connection closed.
final class Collector: SocketConnectionDelegate, Sendable {
    private let state = Mutex(
        (bytes: [UInt8](), wanted: 0, waiter: CheckedContinuation<Void, Never>?.none, closed: false))
    var bytes: [UInt8] { state.withLock { $0.bytes } }

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

@Suite("Socket connection")
struct SocketConnectionTests {
    let resolver = WorkerPool(label: "test-resolver", concurrentMax: 1, waitingMax: 16)

    private func echoListener(loops: [EventLoop], tls: TLSContext? = nil) throws -> Listener {
        let echo = Echo()
        return try Listener(host: "127.0.0.1", port: 0, loops: loops, tls: tls) { try? $0.start(delegate: echo) }
    }

    /// A certificate for `localhost` that only this test trusts.
    private func certificate() throws -> (certificate: String, key: String) {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("campanile-tls-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let certificate = directory.appendingPathComponent("cert.pem").path
        let key = directory.appendingPathComponent("key.pem").path
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        openssl.arguments = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
        ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        return (certificate, key)
    }

    @Test("three megabytes come back whole and in order, through partial writes", arguments: [false, true])
    func largeEcho(encrypted: Bool) async throws {
        let loops = [try EventLoop(label: "a"), try EventLoop(label: "b")]
        let files = encrypted ? try certificate() : nil
        let server = try files.map { try TLSContext(certificateFile: $0.certificate, keyFile: $0.key) }
        let client = try files.map { try TLSContext.client(authorityFile: $0.certificate) }
        let listener = try echoListener(loops: loops, tls: server)
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
