import CampanileClient
import EventLoop
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Server

@Suite("One server takes another's place")
struct TakeOverTests {
    /// Connects again and again until told to stop, and notes every attempt that was not answered.
    private final class Knocking: Sendable {
        private let state = Mutex((isDone: false, answered: 0, failures: [String]()))
        let host: String
        let port: UInt16

        init(host: String = "127.0.0.1", port: UInt16) { (self.host, self.port) = (host, port) }

        var answered: Int { state.withLock { $0.answered } }
        var failures: [String] { state.withLock { $0.failures } }
        func stop() { state.withLock { $0.isDone = true } }

        func run() async {
            while !state.withLock({ $0.isDone }) {
                do {
                    let socket = try RawSocket(host: host, port: port)
                    defer { socket.close() }
                    try await socket.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                    let status = try await socket.response().status
                    state.withLock { state in
                        if status == 200 { state.answered += 1 } else { state.failures.append("\(status)") }
                    }
                } catch {
                    state.withLock { $0.failures.append("\(error)") }
                    // To connect blocks a thread that all tests share: where nobody listens any more, this must not be all they do.
                    try? await Task.sleep(for: .milliseconds(20))
                }
            }
        }
    }

    @Test(
        "No connection is refused while another server takes over, or fails to",
        arguments: [("127.0.0.3", nil), ("127.0.0.2", .beforeStart), ("127.0.0.5", .inMigration)]
            as [(String, TestServer.TakeOverFailure?)])
    func takeOver(host: String, failing: TestServer.TakeOverFailure?) async throws {
        // Not where other tests' servers listen, one of which could be given the port that is free at the end.
        let server = try await TestServer.start { $0.host = host }
        let connection = try await server.connect()
        let knocking = Knocking(host: server.host, port: server.port)
        let knockers = (0..<4).map { _ in Task { await knocking.run() } }
        // However the test ends.
        defer { knocking.stop() }
        let outcome = try await server.takeOver(failing: failing)
        #expect(outcome == (failing == nil ? .replaced : .servesAgain))
        // Those who were connected were told to come back, and can.
        guard case .disconnected(_, 1012) = await connection.untilEnded() else {
            Issue.record("not told of the restart")
            return
        }
        let again = try await server.connect()
        _ = try await again.call(Ping.self)
        knocking.stop()
        for knocker in knockers { await knocker.value }
        #expect(knocking.failures.isEmpty)
        #expect(knocking.answered > 0)
        await again.close()
        await server.stop()
        #expect(throws: RawSocket.Failure.self) { try RawSocket(host: server.host, port: server.port) }
    }

    private static let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
    private static let post =
        "POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \(ping.utf8.count)\r\n\r\n"
        + ping

    @Test("A request on a kept-alive connection that comes while the server stops is answered, with Connection: close")
    func keptAliveWhileStopping() async throws {
        let server = try await TestServer.start { $0.keptAliveGraceTime = .seconds(60) }
        let web = try await RawWebSocket(port: server.port)
        let socket = try RawSocket(port: server.port)
        try await socket.send(Self.post)
        #expect(try await socket.response().headers["connection"] != "close")
        async let stopped: Void = server.stop()
        // The server has begun to stop when it closes WebSockets.
        while try await web.next().closeCode != 1012 {}
        try await socket.send(Self.post)
        let last = try await socket.response()
        #expect(last.status == 200)
        #expect(last.headers["connection"] == "close")
        await stopped
    }

    /// Sends requests on one connection as long as it is kept alive, then on the next one, and notes each without an answer.
    private final class KeptAliveClient: Sendable {
        private let state = Mutex((isDone: false, answered: 0, closes: 0, failures: [String]()))
        let host: String
        let port: UInt16

        init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

        var answered: Int { state.withLock { $0.answered } }
        /// Connections whose last answer announced the close.
        var closes: Int { state.withLock { $0.closes } }
        var failures: [String] { state.withLock { $0.failures } }
        func stop() { state.withLock { $0.isDone = true } }

        func run() async {
            while !state.withLock({ $0.isDone }) {
                do {
                    let socket = try RawSocket(host: host, port: port)
                    defer { socket.close() }
                    var isKept = true
                    while isKept, !state.withLock({ $0.isDone }) {
                        try await socket.send(TakeOverTests.post)
                        let answer = try await socket.response()
                        isKept = answer.headers["connection"] != "close"
                        let isAnswered = answer.status == 200
                        state.withLock { state in
                            if isAnswered { state.answered += 1 } else { state.failures.append("\(answer.status)") }
                            if !isKept { state.closes += 1 }
                        }
                    }
                } catch {
                    state.withLock { $0.failures.append("\(error)") }
                    try? await Task.sleep(for: .milliseconds(20))
                }
            }
        }
    }

    @Test("Kept-alive clients lose no request over take-overs one after the other")
    func keptAliveClients() async throws {
        let server = try await TestServer.start {
            $0.host = "127.0.0.4"
            $0.keptAliveGraceTime = .seconds(60)
            $0.rateLimits = .off
        }
        let client = KeptAliveClient(host: server.host, port: server.port)
        let clients = (0..<8).map { _ in Task { await client.run() } }
        defer { client.stop() }
        for takeOvers in 1...4 {
            let before = client.answered
            _ = try await eventually("requests are answered") { client.answered > before + 100 ? true : nil }
            #expect(try await server.takeOver() == .replaced)
            #expect(client.closes >= takeOvers)
        }
        client.stop()
        for task in clients { await task.value }
        #expect(client.failures.isEmpty)
        await server.stop()
    }

    /// One who has asked for far more than the buffers on the way hold, and reads nothing.
    /// - Returns: Also the body of each answer.
    func slowReader(
        of server: TestServer, _ environment: ServerEnvironment
    ) async throws -> (RawSocket, body: [UInt8]) {
        let path = "/lib/leaflet/leaflet.js"
        let whole = try RawSocket(port: server.port)
        try await whole.send("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let body = try await whole.response().body
        let slow = try RawSocket(port: server.port, isSlow: true)
        let before = environment.metrics.http.duration.count
        try await slow.send(String(repeating: "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n", count: 200))
        let answers = UInt64(HTTPConnection.answerBelowBytes / body.count + 1)
        _ = try await eventually("as much is to be sent as may be") {
            environment.metrics.http.duration.count >= before + answers ? true : nil
        }
        return (slow, body)
    }

    @Test("A take-over does not wait for who reads slowly, who gets the rest of the answer from the old server")
    func slowReader() async throws {
        let server = try await TestServer.start()
        let old = try #require(await server.server)
        let environment = old.environment
        let (slow, body) = try await slowReader(of: server, environment)
        await old.stop(isHandingOver: true)
        // Here the other server would start.
        #expect(environment.registry.count == 0)
        #expect(environment.registry.sendingCount == 1)
        async let farewell: Void = old.sayFarewell()
        let rest = try await slow.readToEnd()
        #expect(rest.count > body.count)
        #expect(rest.suffix(body.count).elementsEqual(body))
        await farewell
        #expect(environment.registry.sendingCount == 0)
    }

    @Test("Who reads nothing of an answer does not keep a server that stops")
    func hostileReader() async throws {
        let server = try await TestServer.start()
        let environment = try #require(await server.server).environment
        let (slow, _) = try await slowReader(of: server, environment)
        await server.stop()
        #expect(environment.registry.count == 0)
        // What was left is given up, and the connection with it.
        _ = try await eventually("nothing is being sent") { environment.registry.sendingCount == 0 ? true : nil }
        slow.close()
    }

    @Test("Who begins a request while the server stops, and sends it byte by byte, does not keep it")
    func drip() async throws {
        let server = try await TestServer.start()
        let old = try #require(await server.server)
        let environment = old.environment
        let socket = try RawSocket(port: server.port)
        _ = try await eventually("the connection is there") { environment.registry.count == 1 ? true : nil }
        async let stop: Void = old.stop(isHandingOver: true)
        _ = try await eventually("it stops") { environment.registry.isStopping ? true : nil }
        // It may have been sent away before that.
        try? await socket.send("G")
        await stop
        #expect(environment.registry.count == 0)
        socket.close()
    }
}
