import EventLoop
import Foundation
import Synchronization
import Testing
import WebSocket
import Wire

@testable import CampanileClient

/// What a fake server does with a request.
enum Answer {
    case result(any Encodable & Sendable)
    case error(RPCError)
    /// Close the socket without a goodbye, and without an answer.
    case cut
    /// Close with a WebSocket close code.
    case close(UInt16)
    /// Say nothing.
    case silence
}

/// A request that a fake server received.
struct Received: Sendable {
    let method: String
    let body: [UInt8]
    /// Counts the connections from 1.
    let connection: Int

    func params<M: RPCMethod>(_ method: M.Type) throws -> M.Params {
        try RawRequest(body).params(M.Params.self)
    }
}

/// A server of the real rooms (listener, handshake, frames) whose answers a test decides.
final class FakeServer: Sendable {
    typealias Script = @Sendable (Received, Int) -> Answer

    /// Loops live as long as the test process: a loop that ends under a firing timer is not what is tested here.
    static let loop = try? EventLoop(label: "fake-server")
    static let clientLoops = try? ClientLoops()

    struct State {
        var received: [Received] = []
        var connections: [Int: FakeSession] = [:]
        var connectionsMade = 0
        var hellos: [String?] = []
    }

    let state = Mutex(State())
    let listener: Mutex<Listener?> = Mutex(nil)
    let address: ServerAddress
    private let script: Script

    /// - Parameter script: Gets each request but `hello`, and how many of its method came before.
    init(_ script: @escaping Script = { _, _ in .silence }) throws {
        self.script = script
        let loop = try #require(Self.loop)
        let box = Mutex<FakeServer?>(nil)
        let listener = try Listener(host: "127.0.0.1", port: 0, loops: [loop]) { socket in
            guard let server = box.withLock({ $0 }) else { return socket.abort() }
            server.accept(socket)
        }
        address = try ServerAddress(url: "http://127.0.0.1:\(listener.address.port)")
        self.listener.withLock { $0 = listener }
        box.withLock { $0 = self }
    }

    var received: [Received] { state.withLock { $0.received } }
    var connectionsMade: Int { state.withLock { $0.connectionsMade } }

    func requests(_ method: String) -> [Received] { received.filter { $0.method == method } }

    /// The seqs of all `tracking.points` requests, in the order they came.
    func pointSeqs() throws -> [[Int64]] {
        try requests(TrackingPoints.name).map { try $0.params(TrackingPoints.self).points.map(\.seq) }
    }

    func push(_ bytes: [UInt8]) { send(FrameEncoder.text(bytes)) }

    func push(frame bytes: [UInt8]) { send(FrameEncoder.binary(bytes)) }

    private func send(_ bytes: [UInt8]) {
        Self.loop?.execute {
            for session in self.state.withLock({ Array($0.connections.values) }) { session.socket.send(bytes) }
        }
    }

    func stop() { listener.withLock { $0?.stop() } }

    private func accept(_ socket: SocketConnection) {
        let session = state.withLock { state in
            state.connectionsMade += 1
            let session = FakeSession(server: self, socket: socket, number: state.connectionsMade)
            state.connections[session.number] = session
            return session
        }
        try? socket.start(delegate: session)
    }

    func answer(_ request: Received) -> Answer {
        if request.method == Hello.name {
            let token = try? request.params(Hello.self).token
            state.withLock { $0.hellos.append(token) }
            return .result(
                Hello.Result(
                    account: nil, serverTime: .now, version: "0",
                    campus: CampusInfo(id: 1, name: "Test", version: "1", bounds: nil, zones: [])))
        }
        let before = state.withLock { state in
            defer { state.received.append(request) }
            return state.received.count { $0.method == request.method }
        }
        return script(request, before)
    }
}

/// A reply of any type; `Success` asks for one that can be decoded as well.
struct Reply<Value: Encodable>: Encodable {
    var jsonrpc = "2.0"
    let id: RequestID
    let result: Value
}

/// One connection of a fake server. On its loop.
final class FakeSession: SocketConnectionDelegate, @unchecked Sendable {
    let server: FakeServer
    let socket: SocketConnection
    let number: Int
    private var parser = HTTPRequestParser()
    private var websocket: WebSocketConnection?

    init(server: FakeServer, socket: SocketConnection, number: Int) {
        self.server = server
        self.socket = socket
        self.number = number
    }

    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) {
        if websocket != nil {
            websocket?.receive(bytes)
        } else {
            parser.append(bytes)
            guard let request = try? parser.next(),
                case .accept(let response, _, _) = ServerHandshake.respond(
                    to: request, subprotocols: [CampanileConnection.subprotocol])
            else { return }
            socket.send(response)
            websocket = WebSocketConnection(role: .server)
            parser.takeRemainder().withUnsafeBytes { websocket?.receive($0) }
        }
        drain()
    }

    private func drain() {
        if let output = websocket?.takeOutput(), !output.isEmpty { socket.send(output) }
        while let event = websocket?.nextEvent() {
            switch event {
            case .text(let bytes): answer(bytes)
            case .binary(let bytes): answer(frame: bytes)
            case .closed, .failed: socket.closeAfterFlush()
            default: break
            }
        }
    }

    private func answer(_ bytes: [UInt8]) {
        guard let head = try? RawRequest(bytes), let id = head.id else { return }
        let answer = server.answer(Received(method: head.method, body: bytes, connection: number))
        switch answer {
        case .result(let value): reply(id, value)
        case .error(let error):
            socket.send(FrameEncoder.text(WireJSON.encode(Failure(id: id, error: error))))
        case .cut: socket.abort()
        case .close(let code):
            websocket?.close(code: CloseCode(rawValue: code))
            if let output = websocket?.takeOutput() { socket.send(output) }
        case .silence: break
        }
    }

    /// Points: for the script they are as if they had come as JSON.
    private func answer(frame bytes: [UInt8]) {
        guard let frame = try? TrackFrame(decoding: bytes),
            let body = try? WireJSON.encode(
                Request(
                    id: .number(Int64(frame.id)), method: TrackingPoints.name,
                    params: TrackingPoints.Params(session: frame.session, points: frame.points)))
        else { return }
        let answer = server.answer(Received(method: TrackingPoints.name, body: body, connection: number))
        func reply(_ outcome: TrackReply.Outcome) {
            socket.send(FrameEncoder.binary(TrackReply(id: frame.id, outcome).encoded))
        }
        switch answer {
        case .result(let value as TrackingPoints.Result): reply(.taken(TrackReply.Taken(value)))
        case .result: Issue.record("points are not answered by that")
        case .error(let error): reply(.failed(error))
        case .cut: socket.abort()
        case .close(let code):
            websocket?.close(code: CloseCode(rawValue: code))
            if let output = websocket?.takeOutput() { socket.send(output) }
        case .silence: break
        }
    }

    private func reply(_ id: RequestID, _ value: some Encodable & Sendable) {
        if let bytes = try? WireJSON.encode(Reply(id: id, result: value)) { socket.send(FrameEncoder.text(bytes)) }
    }

    func connectionReachedEnd(_ connection: SocketConnection) { connection.closeAfterFlush() }

    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) {
        server.state.withLock { $0.connections[number] = nil }
    }
}

/// A session as a server would tell it.
func makeSession(state: SessionState = .running, points: Int = 0) -> Session {
    Session(
        id: 42, clientId: "c", owner: Session.Owner(id: 1, username: "ada1"), activity: .run, title: "Urban Adventure",
        state: state, audience: .private, simulated: false, startedAt: Timestamp(milliseconds: 1_000_000),
        endedAt: nil, distance: 0, elapsed: 0, moving: 0, averageSpeed: 0, points: points, lastFixAt: nil)
}

/// Answers as a server does that stores every point.
func wellBehaved(_ request: Received) -> Answer {
    switch request.method {
    case TrackingPoints.name:
        let count = (try? request.params(TrackingPoints.self).points.count) ?? 0
        return .result(
            TrackingPoints.Result(
                stored: count, duplicates: 0, refused: [], notCounted: [], session: makeSession(points: count)))
    case TrackingStop.name: return .result(SessionReply(session: makeSession(state: .finished)))
    default: return .result(SessionReply(session: makeSession()))
    }
}

/// Options whose waits are too short to notice.
func quickOptions() -> ResilientClient.Options {
    var options = ResilientClient.Options()
    options.backoff = Backoff(base: .milliseconds(1), max: .milliseconds(20), restartMax: .milliseconds(5))
    return options
}

/// A fix somewhere on the way.
func makeFix(_ index: Int) -> TrackFix {
    TrackFix(
        lat: -8.0 + Double(index) * 1e-5, lon: -34.9, time: Timestamp(milliseconds: 1_000_000 + Int64(index) * 1_000))
}
