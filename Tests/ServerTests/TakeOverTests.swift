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

    @Test("No connection is refused while another server takes over, or fails to", arguments: [false, true])
    func takeOver(failing: Bool) async throws {
        // Not where other tests' servers listen, one of which could be given the port that is free at the end.
        let server = try await TestServer.start { $0.host = failing ? "127.0.0.2" : "127.0.0.3" }
        let connection = try await server.connect()
        let knocking = Knocking(host: server.host, port: server.port)
        let knockers = (0..<4).map { _ in Task { await knocking.run() } }
        // However the test ends.
        defer { knocking.stop() }
        let outcome = try await server.takeOver(failing: failing)
        #expect(outcome == (failing ? .servesAgain : .replaced))
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
    private func slowReader(
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

    /// What the other side hears when the channel was dropped.
    private static let gone = "the other server is gone"
    private static let busy = "the running server is being taken over by another one already"

    /// Why a call failed.
    private func failure(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch { return "\(error)" }
    }

    @Test("A server that is told to stop while another one prepares to take over stops at once")
    func stopWhileOffering() async throws {
        let server = try await TestServer.start()
        let connection = try await server.connect()
        let (_, running) = try await server.run()
        let asker = try #require(try await TakeOver.begin(dataDirectory: server.dataDirectory))
        // However many ask, the stop is not forgotten.
        for _ in 0..<12 {
            let said = await failure { _ = try await TakeOver.begin(dataDirectory: server.dataDirectory) }
            #expect(said == Self.busy)
        }
        running.cancel()
        let said = await failure {
            try await asker.channel.blocking { _ = try $0.receive(within: TakeOverMessage.answerTimeMax) }
        }
        try #require(said == Self.gone)
        #expect(try await running.value == .stopped)
        guard case .disconnected(_, 1012) = await connection.untilEnded() else {
            Issue.record("not told of the stop")
            return
        }
        #expect(try await TakeOver.begin(dataDirectory: server.dataDirectory) == nil)
    }

    @Test("A server that is told to stop while another one starts in its place starts nothing again, and lets it go on")
    func stopWhileCompleting() async throws {
        let server = try await TestServer.start()
        let (run, running) = try await server.run()
        let old = run.server
        let next = try #require(try await TakeOver.begin(dataDirectory: server.dataDirectory))
        try await next.proceed()
        #expect(await failure { _ = try await TakeOver.begin(dataDirectory: server.dataDirectory) } == Self.busy)
        running.cancel()
        let said = await failure {
            try await next.channel.blocking { _ = try $0.receive(within: TakeOverMessage.answerTimeMax) }
        }
        try #require(said == Self.gone)
        #expect(try await running.value == .stopped)
        #expect(run.server === old)
        try await next.finish(nil)
    }

    @Test("A server that is told to stop while it sends its last answers gives them up")
    func stopWhileSayingFarewell() async throws {
        let server = try await TestServer.start()
        let old = try #require(await server.server)
        let (slow, _) = try await slowReader(of: server, old.environment)
        await old.stop(isHandingOver: true)
        #expect(old.environment.registry.sendingCount == 1)
        let isOver = Atomic(false)
        let farewell = Task {
            await old.sayFarewell()
            isOver.store(true, ordering: .releasing)
        }
        farewell.cancel()
        _ = try await eventually("the farewell is over", within: CampanileServer.handedOverSendingTimeMax / 2) {
            isOver.load(ordering: .acquiring) ? true : nil
        }
        _ = try await eventually("nothing is being sent") {
            old.environment.registry.sendingCount == 0 ? true : nil
        }
        slow.close()
    }

    @Test("Who asks while another one is taking over is told so at once, and may when that one has given up")
    func busy() async throws {
        let server = try await TestServer.start()
        _ = try await server.run()
        do {
            let first = try #require(try await TakeOver.begin(dataDirectory: server.dataDirectory))
            for _ in 0..<3 {
                let said = await failure { _ = try await TakeOver.begin(dataDirectory: server.dataDirectory) }
                #expect(said == Self.busy)
            }
            _ = first
        }
        let next = try await eventually("another one may ask") {
            try? await TakeOver.begin(dataDirectory: server.dataDirectory)
        }
        #expect(!next.sockets.isEmpty)
        await server.stop()
    }

    @Test("A new server that was given up for lost is told that the old one serves again, which another can replace")
    func resumed() async throws {
        let server = try await TestServer.start()
        let (run, _) = try await server.run()
        let old = run.server
        let lost = try #require(try await TakeOver.begin(dataDirectory: server.dataDirectory))
        try await lost.proceed()
        // As good as waiting for too long.
        try lost.channel.send("nonsense")
        _ = try await eventually("it serves again") { run.server === old ? nil : true }
        let connection = try await server.connect()
        _ = try await connection.call(Ping.self)
        await #expect(throws: UnixChannel.Failure.self) { try await lost.finish(nil) }
        let next = try await eventually("another one may ask") {
            try? await TakeOver.begin(dataDirectory: server.dataDirectory)
        }
        #expect(!next.sockets.isEmpty)
        await connection.close()
        await server.stop()
    }

    @Test("The successor's control socket is in place before the other server goes, which leaves the name alone")
    func successor() async throws {
        let directory = try TestDirectory.make("control")
        let path = directory + "/control.sock"
        let sockets = try ListeningSocket.bind(host: "127.0.0.1", port: 0)
        func handOver(_ control: ControlSocket) async throws {
            for await handOver in control.requests {
                try await handOver.offer(sockets)
                return try await handOver.complete(control)
            }
        }
        func inode() throws -> UInt64? {
            try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64
        }
        let first = try ControlSocket(dataDirectory: directory)
        async let replaced: Void = handOver(first)
        let takeOver = try #require(try await TakeOver.begin(dataDirectory: directory))
        try await takeOver.proceed()
        let second = try ControlSocket(dataDirectory: directory)
        let mine = try inode()
        try await takeOver.finish(second)
        try await replaced
        #expect(try inode() == mine)
        // Even a name that nobody has replaced stays: the replacement could come at any moment.
        async let left: Void = handOver(second)
        let again = try #require(try await TakeOver.begin(dataDirectory: directory))
        try await again.proceed()
        try await again.finish(nil)
        try await left
        #expect(try inode() == mine)
    }

    @Test("A new server that gives up before the old one was asked to go changes nothing")
    func givenUp() async throws {
        let server = try await TestServer.start()
        let connection = try await server.connect()
        let directory = try TestDirectory.make("control")
        let control = try ControlSocket(dataDirectory: directory)
        let sockets = try ListeningSocket.bind(host: "127.0.0.1", port: 0)
        async let offered: Bool = {
            for await handOver in control.requests {
                do {
                    try await handOver.offer(sockets)
                    return true
                } catch { return false }
            }
            return true
        }()
        do {
            let takeOver = try #require(try await TakeOver.begin(dataDirectory: directory))
            #expect(takeOver.sockets.map(\.address) == sockets.map(\.address))
        }
        let isHandedOver = await offered
        #expect(!isHandedOver)
        _ = try await connection.call(Ping.self)
        control.close()
        await connection.close()
        await server.stop()
    }

    @Test("Without a running server there is nobody to ask, also when one was killed and left its socket behind")
    func nobody() async throws {
        let directory = try TestDirectory.make("control")
        #expect(try await TakeOver.begin(dataDirectory: directory) == nil)
        #expect(try await TakeOver.begin(dataDirectory: directory + "/missing") == nil)
        let stale = try UnixChannel.listen(directory: directory, name: TakeOverMessage.socketName)
        close(stale)
        #expect(FileManager.default.fileExists(atPath: directory + "/control.sock"))
        #expect(try await TakeOver.begin(dataDirectory: directory) == nil)
        // And a server that starts there takes the name over.
        let control = try ControlSocket(dataDirectory: directory)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/control.sock")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        // A successor's socket stays when this one goes.
        let next = try ControlSocket(dataDirectory: directory)
        control.close()
        #expect(FileManager.default.fileExists(atPath: directory + "/control.sock"))
        next.close()
        #expect(!FileManager.default.fileExists(atPath: directory + "/control.sock"))
    }
}
