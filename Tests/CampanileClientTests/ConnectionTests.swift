import EventLoop
import Foundation
import Synchronization
import Testing
import WebSocket
import Wire

@testable import CampanileClient

@Suite("Connection", .timeLimit(.minutes(3)))
struct ConnectionTests {
    private func loops() throws -> ClientLoops { try #require(FakeServer.clientLoops) }

    @Test(
        "server URLs are read as people write them",
        arguments: [
            ("http://localhost:8080", "ws://localhost:8080/ws"), ("https://campus.example", "wss://campus.example/ws"),
            ("ws://[::1]:9/", "ws://[::1]:9/ws"), ("wss://h:443/live/ws", "wss://h/live/ws"),
        ])
    func addresses(url: String, expected: String) throws {
        #expect(try ServerAddress(url: url).description == expected)
    }

    @Test(
        "what is no server's URL is refused",
        arguments: [
            "", "localhost:8080", "ftp://h", "http://", "http://h:0", "http://h:70000", "http://u:p@h", "http://h?x",
            "wss://[]:9/x",
        ])
    func badAddresses(url: String) {
        #expect(throws: ServerAddress.Invalid.self) { try ServerAddress(url: url) }
    }

    @Test("nobody listening is an unreachable server")
    func unreachable() async throws {
        // Port 1 is nobody's; a port just given up might be taken by a test that runs at the same time.
        let address = try ServerAddress(url: "http://127.0.0.1:1")
        let loops = try loops()
        let error = await #expect(throws: ClientError.self) {
            _ = try await CampanileConnection.connect(to: address, loops: loops)
        }
        guard case .unreachable? = error else {
            Issue.record("not unreachable: \(String(describing: error))")
            return
        }
    }

    @Test("a peer that accepts but never answers a ping is found half-open")
    func halfOpen() async throws {
        // A peer that reads, answers the handshake by hand, and then is silent for ever.
        let loop = try #require(FakeServer.loop)
        let listener = try Listener(host: "127.0.0.1", port: 0, loops: [loop]) { try? $0.start(delegate: Mute()) }
        var options = CampanileConnection.Options()
        options.keepAliveInterval = .milliseconds(30)
        let connection = try await CampanileConnection.connect(
            to: ServerAddress(url: "ws://127.0.0.1:\(listener.address.port)"), loops: loops(), options: options)
        let ended = await connection.untilEnded()
        guard case .disconnected(let reason, nil) = ended else {
            Issue.record("not disconnected: \(ended)")
            return
        }
        #expect(reason.contains("ping"))
        await #expect(throws: ended) { try await connection.call(Ping.self) }
        listener.stop()
    }

    @Test("a peer that answers pings stays connected through many intervals")
    func keptAlive() async throws {
        let server = try FakeServer { _, _ in .result(Ping.Result(serverTime: .now)) }
        var options = CampanileConnection.Options()
        // A busy machine may hold up both sides for some of a shorter one.
        options.keepAliveInterval = .seconds(1)
        let connection = try await CampanileConnection.connect(to: server.address, loops: loops(), options: options)
        await FakeServer.loop?.sleep(for: .seconds(5))
        _ = try await connection.call(Ping.self)
        #expect(await connection.isOpen)
        await connection.close()
        await #expect(throws: ClientError.closed) { try await connection.call(Ping.self) }
        server.stop()
    }

    @Test("a cancelled call fails at once and the connection goes on")
    func cancellation() async throws {
        let server = try FakeServer { request, before in
            before == 0 ? .silence : .result(Ping.Result(serverTime: .now))
        }
        let connection = try await CampanileConnection.connect(to: server.address, loops: loops())
        let call = Task { try await connection.call(Ping.self) }
        while server.received.isEmpty { await Task.yield() }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        _ = try await connection.call(Ping.self)
        await connection.close()
    }

    @Test("a close code reaches the requests that wait, and a revoked token ends the resilient client")
    func closeCode() async throws {
        let server = try FakeServer { _, _ in .close(4003) }
        let client = ResilientClient(address: server.address, loops: try loops(), options: quickOptions())
        await client.start()
        let error = await #expect(throws: ClientError.self) { try await client.call(Ping.self, Empty()) }
        guard case .disconnected(_, 4003)? = error else {
            Issue.record("not 4003: \(String(describing: error))")
            return
        }
        await #expect(throws: ClientError.self) { try await client.connected() }
        #expect(server.connectionsMade == 1)
    }

    @Test("a topic's stream begins with a snapshot, keeps the order of the wire, and goes on after a reconnection")
    func topics() async throws {
        let server = try FakeServer { request, _ in
            guard request.method == Subscribe.name else { return .result(Empty()) }
            return .result(
                Subscribed(
                    topic: "zone/7/positions", snapshot: ZoneSnapshot(serverTime: .now, runners: [], trails: [:])))
        }
        let client = ResilientClient(address: server.address, loops: try loops(), options: quickOptions())
        await client.start()
        var events = try await client.subscribe(to: .zone(7)).makeAsyncIterator()
        for round in 1...2 {
            guard case .snapshot? = await events.next() else {
                Issue.record("no snapshot in round \(round)")
                return
            }
            for index in 1...3 {
                let time = Timestamp(milliseconds: Int64(index))
                server.push(
                    try WireJSON.encode(
                        Push(topic: "zone/7/positions", data: ZoneUpdate(serverTime: time, runners: [], left: []))))
            }
            for index in 1...3 {
                guard case .update(let update)? = await events.next() else {
                    Issue.record("no update \(index) in round \(round)")
                    return
                }
                #expect(update.serverTime.milliseconds == Int64(index))
            }
            if round == 1 { await client.reconnect("test") }
        }
        #expect(await client.reconnections == 1)
        await client.close()
        while await events.next() != nil {}
    }

    @Test("waits double up to their maximum, and jitter takes a part of them")
    func backoff() {
        let backoff = Backoff(base: .milliseconds(100), max: .seconds(5), random: { 0.5 })
        #expect((0...7).map(backoff.delay) == [50, 100, 200, 400, 800, 1_600, 2_500, 2_500].map(Duration.milliseconds))
        #expect(backoff.delay(attempt: 0, closeCode: 1012, reason: "") == .milliseconds(2_500))
        // The server says when.
        let reason = RestartNotice.reason(milliseconds: 1_234)
        #expect(backoff.delay(attempt: 0, closeCode: 1012, reason: reason) == .milliseconds(1_234))
        #expect(backoff.delay(attempt: 3, closeCode: 1012, reason: reason) == .milliseconds(1_234))
        #expect(backoff.delay(attempt: 0, closeCode: 1011, reason: reason) == .milliseconds(50))
        #expect(backoff.delay(attempt: 1_000) == .milliseconds(2_500))
        // A connection that was too slow comes back without a delay. If that fails, it waits as after any other end.
        let tooSlow = CampanileCloseCode.tooSlow.rawValue
        #expect(backoff.delay(attempt: 0, closeCode: tooSlow, reason: "") == .zero)
        #expect(backoff.delay(attempt: 1, closeCode: tooSlow, reason: "") == .milliseconds(100))
    }
}

/// Answers the handshake and is silent from then on.
final class Mute: SocketConnectionDelegate, @unchecked Sendable {
    private var parser = HTTPRequestParser()
    private var isOpen = false
    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) {
        guard !isOpen else { return }
        parser.append(bytes)
        guard let request = try? parser.next(),
            case .accept(let response, _, _) = ServerHandshake.respond(
                to: request, subprotocols: [CampanileConnection.subprotocol])
        else { return }
        isOpen = true
        connection.send(response)
    }
    func connectionReachedEnd(_ connection: SocketConnection) { connection.closeAfterFlush() }
    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) {}
}
