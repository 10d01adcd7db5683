import CEpoll
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

/// Connections as the server accepted them, in that order.
final class Accepted: Sendable {
    private let state = Mutex((connections: [SocketConnection](), waiters: [CheckedContinuation<Void, Never>]()))

    func add(_ connection: SocketConnection) {
        let waiters = state.withLock { state in
            state.connections.append(connection)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func connection(_ index: Int) async -> SocketConnection {
        while true {
            if let found = state.withLock({ $0.connections.indices.contains(index) ? $0.connections[index] : nil }) {
                return found
            }
            await withCheckedContinuation { waiter in
                let isThere = state.withLock { state in
                    if state.connections.indices.contains(index) { return true }
                    state.waiters.append(waiter)
                    return false
                }
                if isThere { waiter.resume() }
            }
        }
    }
}

extension SocketConnection {
    /// What it agreed on, asked on its loop.
    func agreed() async -> TLSDetails? {
        await withCheckedContinuation { done in loop.execute { done.resume(returning: self.tlsDetails) } }
    }
}

/// A TLS echo server with a certificate of its own.
struct SecureEcho {
    let loop: EventLoop
    let certificate: SelfSignedCertificate
    let context: TLSContext
    let listener: Listener
    let accepted = Accepted()
    let resolver = WorkerPool(label: "test-resolver", concurrentMax: 4, waitingMax: 128)

    init(_ loop: EventLoop? = nil) throws {
        let loop = try loop ?? EventLoop(label: "secure")
        self.loop = loop
        certificate = try SelfSignedCertificate.findOrMake(in: try TestDirectory.make("tls"))
        context = try TLSContext(certificateFile: certificate.certificateFile, keyFile: certificate.keyFile)
        let echo = Echo()
        listener = try Listener(host: "127.0.0.1", port: 0, loops: [loop], tls: context) { [accepted] in
            accepted.add($0)
            try? $0.start(delegate: echo)
        }
    }

    var port: UInt16 { listener.address.port }

    func connect(_ client: TLSContext, host: String = "localhost", _ delegate: Collector = Collector()) async throws
        -> SocketConnection
    {
        try await SocketConnection.connect(
            host: host, port: port, loop: loop, tls: client, resolver: resolver, delegate: delegate)
    }

    func client() throws -> TLSContext { try .client(authorityFile: certificate.certificateFile) }
}

@Suite("TLS")
struct TLSTests {
    @Test("TLS 1.1 is refused, 1.2 and 1.3 are spoken, with forward secrecy and authenticated encryption only")
    func versions() async throws {
        let echo = try SecureEcho()
        let old = try await OpenSSLClient.run(port: echo.port, ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
        #expect(old.contains("alert protocol version"))
        let twelve = try await OpenSSLClient.run(port: echo.port, ["-tls1_2"])
        #expect(twelve.contains("New, TLSv1.2, Cipher is ECDHE-ECDSA-AES128-GCM-SHA256"))
        let thirteen = try await OpenSSLClient.run(port: echo.port, ["-tls1_3"])
        #expect(thirteen.contains("New, TLSv1.3, Cipher is TLS_AES_128_GCM_SHA256"))
        #expect(thirteen.contains("Server Temp Key: X25519"))
        // Without AEAD, and of a client that cannot do the groups: refused.
        for arguments in [["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA256"], ["-tls1_3", "-curves", "P-521"]] {
            let refused = try await OpenSSLClient.run(port: echo.port, arguments)
            #expect(refused.contains("alert handshake failure"))
        }
        echo.listener.stop()
    }

    @Test("ALPN: http/1.1 is chosen, a client that wants only h2 hears no_application_protocol, silence is fine")
    func applicationProtocol() async throws {
        let echo = try SecureEcho()
        let both = try await OpenSSLClient.run(port: echo.port, ["-alpn", "h2,http/1.1"])
        #expect(both.contains("ALPN protocol: http/1.1"))
        let other = try await OpenSSLClient.run(port: echo.port, ["-alpn", "h2"])
        #expect(other.contains("alert no application protocol"))
        let none = try await OpenSSLClient.run(port: echo.port, [])
        #expect(none.contains("No ALPN negotiated"))
        #expect(none.contains("New, TLSv1.3"))
        let ours = try await echo.connect(try echo.client())
        #expect(await ours.agreed()?.applicationProtocol == "http/1.1")
        echo.listener.stop()
    }

    @Test("A second connection takes up the first one's session, also after the certificate was read again")
    func resumption() async throws {
        let echo = try SecureEcho()
        let client = try echo.client()
        for round in 0..<3 {
            if round == 2 { try echo.context.reload() }
            let collector = Collector()
            let connection = try await echo.connect(client, collector)
            // The ticket comes with the first bytes that are read.
            echo.loop.execute { connection.send([1, 2, 3]) }
            await collector.wait(forBytes: 3)
            #expect(await connection.agreed()?.isResumed == (round > 0))
            #expect(await echo.accepted.connection(round).agreed()?.isResumed == (round > 0))
            #expect(await connection.agreed()?.version == "TLSv1.3")
        }
        // Each ticket is used once, and somebody else's is not used at all.
        let other = try await echo.connect(try echo.client())
        #expect(await other.agreed()?.isResumed == false)
        echo.listener.stop()
    }

    @Test("TLS 1.2 resumes by ticket, too")
    func resumption12() async throws {
        let echo = try SecureEcho()
        let file = try TestDirectory.make("tls") + "/session"
        let first = try await OpenSSLClient.run(port: echo.port, ["-tls1_2", "-sess_out", file])
        #expect(first.contains("New, TLSv1.2"))
        let second = try await OpenSSLClient.run(port: echo.port, ["-tls1_2", "-sess_in", file])
        #expect(second.contains("Reused, TLSv1.2"))
        echo.listener.stop()
    }

    @Test("A renewed certificate serves new connections while open ones stay; a bad one changes nothing and says why")
    func renewal() async throws {
        let echo = try SecureEcho()
        let oldClient = try echo.client()
        let collector = Collector()
        let open = try await echo.connect(oldClient, collector)

        let files = FileManager.default
        let oldAuthority = try TestDirectory.make("tls") + "/old.pem"
        try files.copyItem(atPath: echo.certificate.certificateFile, toPath: oldAuthority)
        let new = try SelfSignedCertificate.findOrMake(in: try TestDirectory.make("tls"))
        #expect(!echo.context.needsReload)
        for (from, to) in [
            (new.certificateFile, echo.certificate.certificateFile), (new.keyFile, echo.certificate.keyFile),
        ] {
            try files.removeItem(atPath: to)
            try files.copyItem(atPath: from, toPath: to)
        }
        #expect(echo.context.needsReload)
        try echo.context.reload()
        #expect(!echo.context.needsReload)
        let newClient = try TLSContext.client(authorityFile: new.certificateFile)
        _ = try await echo.connect(newClient)
        await #expect(throws: TLSError.self) { _ = try await echo.connect(.client(authorityFile: oldAuthority)) }

        try Data("not a certificate".utf8).write(to: URL(fileURLWithPath: echo.certificate.certificateFile))
        let error = #expect(throws: TLSError.self) { try echo.context.reload() }
        #expect(error?.description.contains(echo.certificate.certificateFile) == true)
        // Told once, not at every look.
        #expect(!echo.context.needsReload)
        _ = try await echo.connect(try .client(authorityFile: new.certificateFile))

        echo.loop.execute { open.send([4, 5, 6]) }
        await collector.wait(forBytes: 3)
        #expect(collector.bytes == [4, 5, 6])
        echo.listener.stop()
    }

    @Test("A storm of handshakes waits in line, and every one gets its turn")
    func storm() async throws {
        let echo = try SecureEcho()
        let clients = try EventLoop(label: "clients")
        let count = 8 * TLSHandshakeQueue.stepsPerIterationMax
        let context = try TLSContext.client(authorityFile: echo.certificate.certificateFile, isResuming: false)
        let echoed = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 0..<count {
                group.addTask {
                    let collector = Collector()
                    let connection = try await SocketConnection.connect(
                        host: "localhost", port: echo.port, loop: clients, tls: context, resolver: echo.resolver,
                        delegate: collector)
                    clients.execute { connection.send([UInt8(number)]) }
                    await collector.wait(forBytes: 1)
                    clients.execute { connection.abort() }
                    return collector.bytes
                }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(echoed == Set((0..<count).map { [UInt8($0)] }))
        echo.listener.stop()
    }

    @Test("No more steps than the budget are done in one turn; the rest waits in line for the next")
    func budget() async throws {
        let echo = try SecureEcho()
        let clients = try EventLoop(label: "clients")
        let late = 5
        let count = TLSHandshakeQueue.stepsPerIterationMax + late
        // Plain connections: the server waits for each one's first flight.
        var connections: [SocketConnection] = []
        for index in 0..<count {
            _ = try await SocketConnection.connect(
                host: "127.0.0.1", port: echo.port, loop: clients, resolver: echo.resolver, delegate: Collector())
            connections.append(await echo.accepted.connection(index))
        }
        let loop = echo.loop
        let steps = connections
        let waiting = await withCheckedContinuation { done in
            loop.execute {
                for connection in steps { connection.handle(events: EPOLLIN.rawValue) }
                // Whoever waits is not watched: it is not put in line twice.
                for connection in steps where connection.isParked { connection.handle(events: EPOLLIN.rawValue) }
                done.resume(returning: loop.handshakes.waiting)
            }
        }
        #expect(waiting == late)
        let left = await withCheckedContinuation { done in
            // Behind the next turn, which was put on the queue before.
            loop.queue.async { done.resume(returning: loop.handshakes.waiting) }
        }
        #expect(left == 0)
        echo.listener.stop()
    }

    @Test("Many small records that are taken from the socket at once are all heard, with nothing more to announce them")
    func manyRecords() async throws {
        let echo = try SecureEcho()
        let clients = try EventLoop(label: "clients")
        let collector = Collector()
        let connection = try await SocketConnection.connect(
            host: "localhost", port: echo.port, loop: clients, tls: try echo.client(), resolver: echo.resolver,
            delegate: collector)
        let accepted = await echo.accepted.connection(0)
        clients.execute { connection.send([0]) }
        await collector.wait(forBytes: 1)
        let messages = (1...100).map { [UInt8($0)] }
        await withCheckedContinuation { done in
            echo.loop.execute {
                accepted.setReading(false)
                done.resume()
            }
        }
        await withCheckedContinuation { done in
            clients.execute {
                for message in messages {
                    connection.send(message)
                    // A record of its own.
                    connection.flush()
                }
                done.resume()
            }
        }
        echo.loop.execute { accepted.setReading(true) }
        await collector.wait(forBytes: 1 + messages.count)
        #expect(collector.bytes == [0] + messages.joined())
        echo.listener.stop()
    }

    @Test("A client that does not get on with its handshake is sent away")
    func halfOpen() async throws {
        let echo = try SecureEcho()
        echo.loop.execute { echo.loop.handshakes.timeLimit = .milliseconds(50) }
        let collector = Collector()
        // A plain connection that never says anything.
        _ = try await SocketConnection.connect(
            host: "127.0.0.1", port: echo.port, loop: echo.loop, resolver: echo.resolver, delegate: collector)
        await collector.waitForClose()
        #expect(collector.bytes.isEmpty)
        echo.listener.stop()
    }

    @Test("Writing to a peer that is gone is an error of the connection, not the end of the process")
    func brokenPipe() async throws {
        // Whatever started the tests may ignore it.
        let before = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, before) }
        let echo = try SecureEcho()
        let connection = try await echo.connect(try echo.client())
        let peer = await echo.accepted.connection(0)
        let closed = await withCheckedContinuation { (done: CheckedContinuation<Bool, Never>) in
            echo.loop.execute {
                connection.abort()
                // Written on and on, within one turn: the first may still meet an open socket.
                for _ in 0..<100 where peer.isOpen {
                    peer.send([UInt8](repeating: 7, count: 60_000))
                    peer.flush()
                }
                done.resume(returning: !peer.isOpen)
            }
        }
        #expect(closed)
        echo.listener.stop()
    }

    @Test(
        "A self-signed certificate is made once, its key is its owner's alone, and it is good for localhost by name and address"
    )
    func selfSigned() async throws {
        let directory = try TestDirectory.make("tls") + "/tls"
        let made = try SelfSignedCertificate.findOrMake(in: directory)
        let found = try SelfSignedCertificate.findOrMake(in: directory)
        #expect(made.isNew && !found.isNew)
        let mode = try FileManager.default.attributesOfItem(atPath: made.keyFile)[.posixPermissions] as? Int
        #expect(mode == 0o600)

        let echo = try SecureEcho()
        let client = try echo.client()
        for host in ["localhost", "127.0.0.1"] { _ = try await echo.connect(client, host: host) }

        // One whose key is lost is no use.
        try FileManager.default.removeItem(atPath: made.keyFile)
        #expect(try SelfSignedCertificate.findOrMake(in: directory).isNew)
        echo.listener.stop()
    }

    @Test("Where the kernel has no TLS, connections do without, and say so")
    func kernelTLS() async throws {
        let echo = try SecureEcho()
        let connection = try await echo.connect(try echo.client())
        let details = try #require(await connection.agreed())
        if !TLSContext.kernelHasTLS { #expect(!details.kernelSends && !details.kernelReceives) }
        echo.listener.stop()
    }
}
