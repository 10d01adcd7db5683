import EventLoop
import WebSocket

/// Sends back every message it gets: `GET /test/echo`, for conformance suites and measurements. There only with
/// ``ServerConfiguration/testEndpoints``, as it does a stranger's work without asking who it is.
///
/// With much waiting to be read by the peer it takes no further message and stops reading, so that the peer is slowed down
/// by TCP. Held at most: the queue below and one message, what one read brought, and one message that is not complete.
///
/// `@unchecked Sendable`: confined to the connection's loop, as all of ``SocketConnection`` is.
final class EchoSession: @unchecked Sendable, SocketConnectionDelegate {
    static let path = "/test/echo"
    /// Wide enough for the largest messages and most fragments of the Autobahn suite.
    static let limits = WebSocketLimits(
        messageBytesMax: 16 * 1_048_576, frameBytesMax: 16 * 1_048_576, fragmentsMax: 1 << 17)
    /// With more than this queued, no message is taken until the peer has read all of it.
    static let queuedBytesMax = 1_048_576

    /// Both sides may keep their context, with any window; messages of any length are compressed.
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
    /// Unchecked: nothing that is called during an access comes back to it.
    @exclusivity(unchecked) private var connection: WebSocketConnection
    /// An answer that did not fit the queue any more.
    private var waiting: [UInt8]?
    private var isReading = true
    private var peerEnded = false

    init(socket: SocketConnection, deflate: DeflateAgreement?) {
        self.socket = socket
        connection = WebSocketConnection(role: .server, limits: Self.limits, deflate: deflate)
    }

    /// Takes what came right behind the handshake. On the loop.
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

    /// What the peer asked is still answered.
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

    /// One access to the connection's state for all that is here: nothing that is called meanwhile comes back to it.
    /// - Returns: False when the connection is over.
    private func answer(_ connection: inout WebSocketConnection) -> Bool {
        while socket.isOpen, hasRoom, let event = connection.nextEvent() {
            // The core's own answers go out before anything that follows from the event.
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

    /// A frame of any size fits an empty queue; behind others, up to the limit.
    private func send(_ frame: [UInt8]) {
        if socket.queuedBytes == 0 || socket.queuedBytes + frame.count <= Self.queuedBytesMax {
            socket.send(frame)
        } else {
            waiting = frame
        }
    }
}
