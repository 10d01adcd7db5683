import EventLoop
import WebSocket

final class TestEcho: @unchecked Sendable, SocketConnectionDelegate {
    private let socket: SocketConnection
    private var protocolCore = WebSocketConnection(role: .server)

    init(socket: SocketConnection) { self.socket = socket }

    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer) {
        protocolCore.receive(bytes)
        while let event = protocolCore.nextEvent() {
            if case .text(let message) = event { socket.send(FrameEncoder.text(message)) }
        }
        socket.send(protocolCore.takeOutput())
        if protocolCore.state == .closed { socket.closeAfterFlush() }
    }

    func connectionReachedEnd(_ connection: SocketConnection) { connection.closeAfterFlush() }

    func connectionClosed(_ connection: SocketConnection, error: (any Error)?) {}
}
