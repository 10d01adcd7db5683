import EventLoop
import WebSocket

/// Echoes every message: `GET /test/echo`, for conformance suites and measurements. Served only with
/// ``ServerConfiguration/testEndpoints``, because it works for unauthenticated clients.
///
/// If many bytes are queued, the session accepts no further message and stops reading, so that TCP slows down the peer. It holds at most
/// the queue below plus one message, the bytes of one read, and one incomplete message.
///
/// `@unchecked Sendable`: confined to the connection's loop, like all of ``SocketConnection``.
final class EchoSession: @unchecked Sendable, SocketConnectionDelegate {
    static let path = "/test/echo"
    /// Sufficient for the largest messages and most fragments of the Autobahn suite.
    static let limits = WebSocketLimits(
        messageBytesMax: 16 * 1_048_576, frameBytesMax: 16 * 1_048_576, fragmentsMax: 1 << 17)
    /// Number of queued bytes above which the session accepts no message until the peer has read all of them.
    static let queuedBytesMax = 1_048_576

    /// Both sides may keep their context, with any window size; messages of any length are compressed.
    static var deflate: DeflateConfiguration {
        var configuration = DeflateConfiguration()
        configuration.sendContextTakeover = true
        configuration.receiveContextTakeover = true
        configuration.memoryBytesMax = 512 * 1024
        configuration.messageBytesMin = 1
        configuration.messageBytesMax = limits.messageBytesMax
        return configuration
    }

    private let socket: SocketConnection
    /// Unchecked: no code that is called during an access accesses it again.
    @exclusivity(unchecked) private var connection: WebSocketConnection
    /// A reply that did not fit into the queue.
    private var waiting: [UInt8]?
    private var isReading = true
    private var peerEnded = false

    init(socket: SocketConnection, deflate: DeflateAgreement?) {
        self.socket = socket
        connection = WebSocketConnection(role: .server, limits: Self.limits, deflate: deflate)
    }

    /// Processes the bytes that followed the handshake. On the loop.
    func open(remainder: [UInt8]) {
        remainder.withUnsafeBytes { connection.receive($0) }
        answer()
    }

    func connection(_ socket: SocketConnection, received bytes: UnsafeRawBufferPointer) {
        if waiting == nil, socket.queuedBytes == 0, connection.deflate == nil,
            let message = connection.messageInPlace(UnsafeMutableRawBufferPointer(mutating: bytes)),
            let frame = message.serverFrame()
        {
            socket.send(copying: frame)
            return
        }
        connection.receive(bytes)
        answer()
    }

    func connectionDrained(_ socket: SocketConnection) {
        guard waiting != nil || !isReading || peerEnded else { return }
        if let frame = waiting {
            waiting = nil
            socket.send(frame)
        }
        answer()
    }

    /// Handles the end of the peer's side. Received messages are still echoed.
    func connectionReachedEnd(_ socket: SocketConnection) {
        peerEnded = true
        answer()
    }

    func connectionClosed(_ socket: SocketConnection, error: (any Error)?) {}

    private var hasRoom: Bool { waiting == nil && socket.queuedBytes <= Self.queuedBytesMax }

    private func answer() {
        guard answer(&connection) else { return socket.closeAfterFlush() }
        if hasRoom, peerEnded { return socket.closeAfterFlush() }
        guard isReading != hasRoom, socket.isOpen, !peerEnded else { return }
        isReading = hasRoom
        socket.setReading(isReading)
    }

    /// Echoes received messages in a single access to the connection's state; no code that is called during it accesses the state again.
    /// - Returns: False if the connection has ended.
    private func answer(_ connection: inout WebSocketConnection) -> Bool {
        while socket.isOpen, hasRoom, let event = connection.nextEvent() {
            // The protocol core's own replies go out before any effect of the event.
            if connection.hasOutput { socket.send(connection.takeOutput()) }
            switch event {
            case .text(let payload): send(connection.textFrame(payload))
            case .binary(let payload): send(connection.binaryFrame(payload))
            case .ping, .pong: break
            case .closed, .failed: return false
            }
        }
        return true
    }

    /// Sends a frame: one of any size into an empty queue, otherwise up to the queue's limit.
    private func send(_ frame: [UInt8]) {
        if socket.queuedBytes == 0 || socket.queuedBytes + frame.count <= Self.queuedBytesMax {
            socket.send(frame)
        } else {
            waiting = frame
        }
    }
}
