import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite("Listener")
struct ListenerTests {
    let resolver = WorkerPool(label: "test-resolver", concurrentMax: 4, waitingMax: 256)

    private func listener(
        _ loops: [EventLoop], _ limits: ConnectionAdmission.Limits, tls: TLSContext? = nil, accepted: Accepted? = nil
    ) throws -> Listener {
        let echo = Echo()
        return try Listener(
            host: "127.0.0.1", port: 0, loops: loops, tls: tls,
            admission: ConnectionAdmission(limits, loopCount: loops.count)
        ) {
            accepted?.add($0)
            try? $0.start(delegate: echo)
        }
    }

    private func connect(_ listener: Listener, _ loop: EventLoop, _ collector: Collector = Collector()) async throws
        -> SocketConnection
    {
        try await SocketConnection.connect(
            host: "127.0.0.1", port: listener.address.port, loop: loop, resolver: resolver, delegate: collector)
    }

    private func text(_ collector: Collector) -> String { String(decoding: collector.bytes, as: UTF8.self) }

    @Test("connections go to the loop with the fewest, and those that end count no more")
    func spread() async throws {
        let loops = try (0..<3).map { try EventLoop(label: "loop-\($0)") }
        let client = try EventLoop(label: "client")
        let accepted = Accepted()
        let listener = try listener(loops, ConnectionAdmission.Limits(connectionsMax: 100), accepted: accepted)
        for index in 0..<9 {
            _ = try await connect(listener, client)
            _ = await accepted.connection(index)
        }
        #expect(listener.admission.statistics.openByLoop == [3, 3, 3])
        // All of one loop's end: the next ones are its.
        for index in 0..<9 {
            let connection = await accepted.connection(index)
            if connection.loop === loops[1] { connection.loop.execute { connection.abort() } }
        }
        await withCheckedContinuation { done in loops[1].execute { done.resume() } }
        #expect(listener.admission.statistics.openByLoop == [3, 0, 3])
        for index in 9..<12 {
            _ = try await connect(listener, client)
            #expect(await accepted.connection(index).loop === loops[1])
        }
        #expect(listener.admission.statistics.open == 9)
        #expect(listener.admission.statistics.accepted == 12)
        listener.stop()
    }

    @Test("above connectionsMax a new connection hears 503 with Retry-After, and is taken again when one has ended")
    func full() async throws {
        let loop = try EventLoop(label: "a")
        let accepted = Accepted()
        let listener = try listener([loop], ConnectionAdmission.Limits(connectionsMax: 2), accepted: accepted)
        let first = try await connect(listener, loop)
        _ = try await connect(listener, loop)
        _ = await accepted.connection(1)
        let refused = Collector()
        _ = try await connect(listener, loop, refused)
        await refused.waitForClose()
        #expect(text(refused).hasPrefix("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\n"))
        #expect(text(refused).hasSuffix("\r\n\r\nthe server is full: try again later\n"))
        #expect(listener.admission.statistics.refused == [.full: 1])

        let server = await accepted.connection(0)
        await withCheckedContinuation { done in
            loop.execute {
                first.abort()
                server.abort()
                done.resume()
            }
        }
        let collector = Collector()
        let next = try await connect(listener, loop, collector)
        loop.execute { next.send([1]) }
        await collector.wait(forBytes: 1)
        #expect(collector.bytes == [1])
        listener.stop()
    }

    @Test("an address with too many open, or opening too fast, hears 429; a trusted network is exempt")
    func addresses() async throws {
        let loop = try EventLoop(label: "a")
        for (openMax, burst, words) in [(1, 100, "close some"), (100, 1, "new connections")] {
            var limits = ConnectionAdmission.Limits(connectionsMax: 100)
            limits.addresses.openMax = openMax
            limits.addresses.burstMax = burst
            limits.addresses.perSecondMax = 1
            limits.exempt = []
            let accepted = Accepted()
            let listener = try listener([loop], limits, accepted: accepted)
            _ = try await connect(listener, loop)
            _ = await accepted.connection(0)
            let refused = Collector()
            _ = try await connect(listener, loop, refused)
            await refused.waitForClose()
            #expect(text(refused).hasPrefix("HTTP/1.1 429 Too Many Requests\r\nRetry-After: "))
            #expect(text(refused).contains(words))
            listener.stop()

            limits.exempt = NetworkPrefix.loopback
            let open = try self.listener([loop], limits, accepted: accepted)
            for index in 1..<4 {
                _ = try await connect(open, loop)
                _ = await accepted.connection(index)
            }
            #expect(open.admission.statistics.refused.isEmpty)
            #expect(open.admission.statistics.addresses == 0)
            open.stop()
        }
    }

    @Test("over TLS a refused connection is closed without a word")
    func fullOverTLS() async throws {
        let loop = try EventLoop(label: "a")
        let files = try SelfSignedCertificate.findOrMake(in: try TestDirectory.make("tls"))
        let context = try TLSContext(certificateFile: files.certificateFile, keyFile: files.keyFile)
        let listener = try listener([loop], ConnectionAdmission.Limits(connectionsMax: 0), tls: context)
        let refused = Collector()
        _ = try await connect(listener, loop, refused)
        await refused.waitForClose()
        #expect(refused.bytes.isEmpty)
        listener.stop()
    }

    @Test("a name's every address is listened on, on one port")
    func everyAddress() async throws {
        let loop = try EventLoop(label: "a")
        let echo = Echo()
        let listener = try Listener(host: "localhost", port: 0, loops: [loop]) { try? $0.start(delegate: echo) }
        #expect(Set(listener.addresses.map(\.port)).count == 1)
        let expected = try SocketAddress.addresses(of: "localhost")
        for address in listener.addresses {
            #expect(expected.contains(address.host))
            let collector = Collector()
            let connection = try await SocketConnection.connect(
                host: address.host, port: address.port, loop: loop, resolver: resolver, delegate: collector)
            loop.execute { connection.send([9]) }
            await collector.wait(forBytes: 1)
            #expect(collector.bytes == [9])
        }
        listener.stop()
    }

    @Test("a socket that listens already is taken over; a descriptor that does not is refused")
    func adoption() async throws {
        let loop = try EventLoop(label: "a")
        let bound = try ListeningSocket.bind(host: "127.0.0.1", port: 0)
        let adopted = try ListeningSocket(adopting: dup(bound[0].descriptor))
        #expect(adopted.address == bound[0].address)
        let echo = Echo()
        let listener = Listener(sockets: [adopted], loops: [loop]) { try? $0.start(delegate: echo) }
        let collector = Collector()
        let connection = try await connect(listener, loop, collector)
        loop.execute { connection.send([3]) }
        await collector.wait(forBytes: 1)
        #expect(collector.bytes == [3])
        listener.stop()
        #expect(throws: ListeningSocket.NotListening.self) {
            _ = try ListeningSocket(adopting: open("/dev/null", O_RDONLY))
        }
        #expect(throws: ListeningSocket.NotListening.self) {
            _ = try ListeningSocket(adopting: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        }
    }
}
