import CampanileClient
import Foundation
import WebSocket
import Wire

/// A minimal client that follows the documented reconnection policy. It says hello with its token, subscribes from its
/// last position, optionally views a map, and reconnects by ``Backoff``.
///
/// Not thread-safe: used by the fleet's thread.
final class StormClient {
    /// The state of the client's connection.
    enum Phase {
        /// Waits until ``StormClient/wakeAt``.
        case waiting
        case connecting, upgrading, helloing, subscribing
        /// Hello was answered and the subscription recovered.
        case resumed
    }

    /// The parameters of the run.
    struct Setting {
        let port: UInt16
        let topic: String
        let clientsPerAddress: Int
        let connection = CampanileConnection.Options()
        let backoff = Backoff()
        /// A connection that lasted this long resets the backoff.
        let stableNanoseconds: UInt64 = 5_000_000_000
    }

    /// An event of a connection attempt.
    enum Event {
        case refused(String)
        case failed(String)
        case recovered(publications: Int, hasMore: Bool)
        /// The subscription was not fully recovered, with the reason.
        case unrecovered(RecoveryFailure?)
    }

    let index: Int
    private let setting: Setting
    private let token: String
    private let view: [UInt8]?
    private let report: (Event) -> Void
    private var socket: LoadSocket?
    private var core = WebSocketConnection(role: .client)
    private var head: [UInt8] = []
    private var attempt = 0
    private var connectedAt: UInt64 = 0
    private(set) var phase = Phase.waiting
    /// Time of the next own action: the end of the backoff, or of a timeout.
    private(set) var wakeAt: UInt64
    /// Time at which the client had resumed.
    private(set) var resumedAt: UInt64 = 0
    let ledger: StormLedger

    /// - Parameters:
    ///   - view: Parameters of `positions.view`, as JSON; nil for a client without a map.
    ///   - startAt: Time of the first connection, in monotonic nanoseconds.
    init(
        index: Int, setting: Setting, view: [UInt8]?, ledger: StormLedger, startAt: UInt64,
        report: @escaping (Event) -> Void
    ) {
        (self.index, self.setting, self.view, self.ledger, self.report) = (index, setting, view, ledger, report)
        token = IdleScenario.token(index)
        wakeAt = startAt
    }

    var descriptor: Int32? { socket?.descriptor }

    /// Ends the connection like a lost network, without a close frame.
    func drop(_ load: LoadLoop) { end(load, closeCode: nil, reason: "dropped") }

    /// Acts at ``wakeAt``: connects, or ends an attempt that timed out.
    func wake(_ load: LoadLoop) {
        switch phase {
        case .waiting: connect(load)
        case .resumed: wakeAt = .max
        default:
            report(.failed("no answer in time while \(phase)"))
            end(load, closeCode: nil, reason: "")
        }
    }

    private func enter(_ phase: Phase, within limit: Duration?) {
        self.phase = phase
        wakeAt = limit.map { LoadLoop.now + UInt64($0 / .nanoseconds(1)) } ?? .max
    }

    // MARK: Connecting

    private func connect(_ load: LoadLoop) {
        do {
            let made = try LoadSocket(
                port: setting.port, source: UInt16(1 + index / setting.clientsPerAddress), waits: false)
            made.resetOnClose()
            load.add(made, isConnecting: true)
            socket = made
            core = WebSocketConnection(role: .client)
            head = []
            connectedAt = LoadLoop.now
            enter(.connecting, within: setting.connection.connectTimeout)
        } catch {
            report(.refused("\(error)"))
            end(load, closeCode: nil, reason: "")
        }
    }

    private func upgrade(_ socket: LoadSocket, _ load: LoadLoop) {
        let error = socket.connectError
        guard error == 0 else {
            report(.refused(String(cString: strerror(error))))
            return end(load, closeCode: nil, reason: "")
        }
        load.connected(socket)
        socket.write(
            Array(
                """
                GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                Sec-WebSocket-Protocol: \(CampanileConnection.subprotocol)\r\n\r\n
                """.utf8))
        enter(.upgrading, within: setting.connection.connectTimeout)
    }

    private func sayHello() {
        connectedAt = LoadLoop.now
        send(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\",\"params\":{\"token\":\"\(token)\","
                + "\"client\":{\"name\":\"campanile bench\",\"version\":\"1\"}}}")
        enter(.helloing, within: setting.connection.callTimeout)
    }

    private func subscribe() {
        let since = ledger.position.map { ",\"since\":{\"epoch\":\($0.epoch),\"offset\":\($0.offset)}" } ?? ""
        send(
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscribe\",\"params\":{\"topic\":\"\(setting.topic)\"\(since)}}"
        )
        enter(.subscribing, within: setting.connection.callTimeout)
    }

    private func send(_ json: String) { socket?.write(core.textFrame(Array(json.utf8))) }

    // MARK: Receiving

    /// Handles a socket that is readable, or writable for the first time.
    func ready(_ load: LoadLoop) {
        guard let socket else { return }
        if phase == .connecting { upgrade(socket, load) }
        guard self.socket === socket else { return }
        var isOver = false
        socket.receive(load.buffer) { bytes in
            if !isOver { isOver = !take(bytes, load) }
        }
        if self.socket === socket, socket.hasEnded {
            if phase != .resumed { report(.failed("the connection ended while \(phase)")) }
            end(load, closeCode: nil, reason: "")
        }
    }

    /// - Returns: False if the connection has ended.
    private func take(_ bytes: UnsafeRawBufferPointer, _ load: LoadLoop) -> Bool {
        if phase == .upgrading {
            head += bytes
            guard let end = head.firstRange(of: Array("\r\n\r\n".utf8)) else { return true }
            guard head.starts(with: Array("HTTP/1.1 101".utf8)) else {
                report(.refused(String(decoding: head.prefix { $0 != 13 }, as: UTF8.self)))
                self.end(load, closeCode: nil, reason: "")
                return false
            }
            let rest = Array(head[end.upperBound...])
            head = []
            sayHello()
            rest.withUnsafeBytes { core.receive($0) }
        } else {
            core.receive(bytes)
        }
        while let event = core.nextEvent() {
            switch event {
            case .text(let message): take(message, load)
            case .closed(let code, let reason):
                if phase != .resumed { report(.failed("closed with \(code?.rawValue ?? 1005) while \(phase)")) }
                end(load, closeCode: code?.rawValue, reason: reason)
                return false
            case .failed(_, let reason):
                report(.failed(reason))
                end(load, closeCode: nil, reason: "")
                return false
            default: break
            }
            guard socket != nil else { return false }
        }
        let output = core.takeOutput()
        if !output.isEmpty { socket?.write(output) }
        return true
    }

    private static let push = Array("{\"jsonrpc\":\"2.0\",\"method\":\"push\"".utf8)

    private func take(_ message: [UInt8], _ load: LoadLoop) {
        if message.starts(with: Self.push) { return ledger.take(push: message) }
        switch phase {
        case .helloing:
            guard (try? WireJSON.decode(Success<Hello.Result>.self, from: message)) != nil else {
                return refuse("hello", message, load)
            }
            subscribe()
        case .subscribing:
            guard let reply = try? WireJSON.decode(Success<Resumed<TestPublication>>.self, from: message).result else {
                return refuse("subscribe", message, load)
            }
            resume(reply)
        default: break
        }
    }

    private func resume(_ reply: Resumed<TestPublication>) {
        let hadPosition = ledger.position != nil
        ledger.take(reply: reply)
        let hasMore = reply.more == true
        if hadPosition {
            let count = reply.publications.count
            report(reply.recovered ? .recovered(publications: count, hasMore: hasMore) : .unrecovered(reply.reason))
        }
        if hasMore { return subscribe() }
        resumedAt = LoadLoop.now
        enter(.resumed, within: nil)
        guard let view, let params = String(bytes: view, encoding: .utf8) else { return }
        send("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"\(PositionsView.name)\",\"params\":\(params)}")
    }

    private func refuse(_ method: String, _ message: [UInt8], _ load: LoadLoop) {
        let error = try? WireJSON.decode(Failure.self, from: message).error
        report(.refused("\(method): \(error.map { "\($0.code) \($0.message)" } ?? "an answer that cannot be read")"))
        end(load, closeCode: nil, reason: "")
    }

    // MARK: Disconnecting

    private func end(_ load: LoadLoop, closeCode: UInt16?, reason: String) {
        if let socket { load.remove(socket) }
        let lasted = LoadLoop.now - min(LoadLoop.now, connectedAt)
        if phase == .resumed, lasted >= setting.stableNanoseconds { attempt = 0 }
        socket = nil
        enter(.waiting, within: setting.backoff.delay(attempt: attempt, closeCode: closeCode, reason: reason))
        attempt += 1
    }
}
