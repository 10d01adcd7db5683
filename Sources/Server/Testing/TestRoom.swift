import EventLoop
import Hub
import HubCore
import Synchronization
import WebSocket

/// A room without access rules, for measurements: a message from one member goes to all listeners on the hub's delivery path. Served at
/// `/test/room` only with test endpoints enabled. Usable from any thread.
final class TestRoom: Sendable {
    private struct State {
        var listeners = SubscriberSet()
        var outbox = Outbox()
    }
    private let state = Mutex(State())

    func join(_ listener: TestRoomSession) { state.withLock { $0.listeners.insert(listener) } }

    func leave(_ listener: TestRoomSession) { state.withLock { $0.listeners.remove(listener) } }

    func publish(_ message: [UInt8]) {
        let delivery = Delivery(topic: .session(1), json: message, lane: .reliable)
        state.withLock { $0.outbox.publish(delivery, to: $0.listeners) }
    }
}

/// A connection in the room. `@unchecked Sendable`: confined to the connection's loop.
final class TestRoomSession: @unchecked Sendable, SocketConnectionDelegate, Subscriber {
    private static let nextID = Atomic<UInt64>(1)

    let subscriberID = nextID.wrappingAdd(1, ordering: .relaxed).oldValue
    private let socket: SocketConnection
    private let room: TestRoom
    private var protocolCore: WebSocketConnection

    var subscriberLoop: EventLoop { socket.loop }

    init(socket: SocketConnection, room: TestRoom, deflate: DeflateAgreement?, isListener: Bool) {
        self.socket = socket
        self.room = room
        protocolCore = WebSocketConnection(role: .server, deflate: deflate)
        if isListener { room.join(self) }
    }

    func prepare() { EventLoop.prefetch(socket) }

    func deliver(_ delivery: Delivery) {
        guard protocolCore.state == .open else { return }
        guard protocolCore.deflate != nil else {
            socket.send(delivery.frame)
            return
        }
        for message in delivery.messages { socket.send(protocolCore.frame(of: message)) }
    }

    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) {
        protocolCore.receive(bytes)
        while let event = protocolCore.nextEvent() {
            if case .text(let message) = event { room.publish(message) }
        }
        socket.send(protocolCore.takeOutput())
        if protocolCore.state == .closed { socket.closeAfterFlush() }
    }

    func connectionReachedEnd(_ connection: SocketConnection) { connection.closeAfterFlush() }

    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) { room.leave(self) }
}
