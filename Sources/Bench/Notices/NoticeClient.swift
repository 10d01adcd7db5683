import CampanileClient
import WebSocket
import Wire

/// A signed-in client that subscribes to notices from its last position and records their arrival times.
///
/// Not thread-safe: used by the fleet's thread.
final class NoticeClient {
    /// Clients per source address, whose ports do not suffice for all.
    private static let clientsPerAddress = 4_000
    /// Acknowledgements are sent at a random time within this limit.
    private static let acknowledgeNanosecondsMax: UInt64 = 2_000_000_000

    /// The state of the client's connection.
    enum Phase { case away, connecting, upgrading, helloing, subscribing, listening }

    private struct Answer: Decodable {
        let result: Resumed<NoticeEvent>?
        let error: RPCError?
        let params: Push<NoticeEvent>.Params?
    }

    let index: Int
    private let port: UInt16
    private var socket: LoadSocket?
    private var core = WebSocketConnection(role: .client)
    private var head: [UInt8] = []
    private var position: TopicPosition?
    private(set) var phase = Phase.away
    /// The last error.
    private(set) var trouble: String?
    /// Arrival time of each notice, in monotonic nanoseconds.
    private(set) var arrivals: [Int64: UInt64] = [:]
    /// Number of notices received again.
    private(set) var doubled = 0
    /// Whether the client acknowledges notices.
    var acknowledges = false
    private(set) var acknowledgeAt: UInt64 = .max
    private var unacknowledged: Int64?

    init(index: Int, port: UInt16) { (self.index, self.port) = (index, port) }

    var descriptor: Int32? { socket?.descriptor }

    func connect(_ load: LoadLoop) throws {
        let made = try LoadSocket(port: port, source: UInt16(1 + index / Self.clientsPerAddress), waits: false)
        made.resetOnClose()
        load.add(made, isConnecting: true)
        socket = made
        core = WebSocketConnection(role: .client)
        head = []
        phase = .connecting
    }

    func disconnect(_ load: LoadLoop) {
        if let socket { load.remove(socket) }
        (socket, phase) = (nil, .away)
    }

    private func fail(_ why: String, _ load: LoadLoop) {
        trouble = "\(why) while \(phase)"
        disconnect(load)
    }

    /// Handles a socket that is readable, or writable for the first time.
    func ready(_ load: LoadLoop) {
        guard let socket else { return }
        if phase == .connecting {
            guard socket.connectError == 0 else { return fail("no connection", load) }
            load.connected(socket)
            socket.write(
                Array(
                    """
                    GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                    Sec-WebSocket-Protocol: \(CampanileConnection.subprotocol)\r\n\r\n
                    """.utf8))
            phase = .upgrading
        }
        var isOver = false
        socket.receive(load.buffer) { bytes in if !isOver { isOver = !take(bytes, load) } }
        if self.socket === socket, socket.hasEnded { fail("the connection ended", load) }
    }

    private func send(_ json: String) { socket?.write(core.textFrame(Array(json.utf8))) }

    /// - Returns: False if the connection has ended.
    private func take(_ bytes: UnsafeRawBufferPointer, _ load: LoadLoop) -> Bool {
        if phase == .upgrading {
            head += bytes
            guard let end = head.firstRange(of: Array("\r\n\r\n".utf8)) else { return true }
            guard head.starts(with: Array("HTTP/1.1 101".utf8)) else {
                fail("refused", load)
                return false
            }
            let rest = Array(head[end.upperBound...])
            send(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\",\"params\":{\"token\":\"\(IdleScenario.token(index))\"}}"
            )
            phase = .helloing
            rest.withUnsafeBytes { core.receive($0) }
        } else {
            core.receive(bytes)
        }
        while let event = core.nextEvent() {
            switch event {
            case .text(let message): take(message, load)
            case .closed(let code, _): fail("closed with \(code?.rawValue ?? 1005)", load)
            case .failed(_, let reason): fail(reason, load)
            default: break
            }
            guard socket != nil else { return false }
        }
        let output = core.takeOutput()
        if !output.isEmpty { socket?.write(output) }
        return true
    }

    private func take(_ message: [UInt8], _ load: LoadLoop) {
        if phase == .helloing {
            guard (try? WireJSON.decode(Success<Hello.Result>.self, from: message)) != nil else {
                return fail("hello was refused", load)
            }
            let since = position.map { ",\"since\":{\"epoch\":\($0.epoch),\"offset\":\($0.offset)}" } ?? ""
            send("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscribe\",\"params\":{\"topic\":\"notices\"\(since)}}")
            phase = .subscribing
            return
        }
        let now = LoadLoop.now
        guard let answer = try? WireJSON.decode(Answer.self, from: message) else {
            // The answer to an acknowledgement has no content.
            return
        }
        if let error = answer.error { return fail("\(error.code) \(error.message)", load) }
        if let push = answer.params { take(push.data, at: now, offset: push.offset) }
        guard let reply = answer.result, phase == .subscribing else { return }
        for one in reply.publications { take(one.data, at: now, offset: one.offset) }
        position = TopicPosition(epoch: reply.epoch, offset: reply.offset)
        phase = .listening
    }

    private func take(_ event: NoticeEvent, at now: UInt64, offset: Int64?) {
        if let offset { position?.offset = offset }
        guard arrivals[event.number] == nil else { return doubled += 1 }
        arrivals[event.number] = now
        guard acknowledges else { return }
        unacknowledged = event.number
        acknowledgeAt = now + UInt64.random(in: 0..<Self.acknowledgeNanosecondsMax)
    }

    func acknowledge() {
        acknowledgeAt = .max
        guard let unacknowledged else { return }
        send(
            "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"notices.received\",\"params\":{\"notices\":[\(unacknowledged)]}}"
        )
    }
}

/// All notice clients, and the thread that drives them.
///
/// `@unchecked Sendable`: one thread drives it at a time, and its caller waits for it.
final class NoticeFleet: @unchecked Sendable {
    private static let checkMilliseconds: Int32 = 4

    let load = LoadLoop()
    let clients: [NoticeClient]
    private var byDescriptor: [NoticeClient?] = []

    init(count: Int, port: UInt16) { clients = (0..<count).map { NoticeClient(index: $0, port: port) } }

    var listeningCount: Int { clients.count { $0.phase == .listening } }

    /// The first error of any client.
    var trouble: String? { clients.lazy.compactMap(\.trouble).first }

    /// Connects clients at a rate, and waits until all of them are subscribed.
    func connect(_ some: [NoticeClient], perSecond: Double, secondsMax: Double) throws {
        let start = LoadLoop.now
        var next = 0
        try drive(seconds: secondsMax) {
            let due = min(some.count, Int(Double(LoadLoop.now - start) / 1e9 * perSecond) + 1)
            while next < due {
                try some[next].connect(load)
                watch(some[next])
                next += 1
            }
            return next == some.count && some.allSatisfy { $0.phase == .listening }
        }
        guard some.allSatisfy({ $0.phase == .listening }) else {
            throw BenchError(description: "only \(listeningCount) clients ready: \(trouble ?? "no answer in time")")
        }
    }

    private func watch(_ client: NoticeClient) {
        guard let descriptor = client.descriptor.map(Int.init) else { return }
        while byDescriptor.count <= descriptor { byDescriptor.append(nil) }
        byDescriptor[descriptor] = client
    }

    /// Drives the clients until `isDone` or the time is up.
    func drive(seconds: Double, until isDone: () throws -> Bool = { false }) throws {
        let end = LoadLoop.now + UInt64(seconds * 1e9)
        var nextCheck: UInt64 = 0
        while true {
            load.poll(milliseconds: Self.checkMilliseconds) { socket in
                let descriptor = Int(socket.descriptor)
                if byDescriptor.indices.contains(descriptor) { byDescriptor[descriptor]?.ready(load) }
            }
            let now = LoadLoop.now
            guard now >= nextCheck else { continue }
            nextCheck = now + UInt64(Self.checkMilliseconds) * 1_000_000
            for client in clients where client.acknowledgeAt <= now { client.acknowledge() }
            if try isDone() || now >= end { return }
        }
    }
}
