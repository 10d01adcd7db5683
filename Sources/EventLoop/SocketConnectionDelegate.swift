/// Owner of a connection, which receives its events. All calls come on the connection's loop.
public protocol SocketConnectionDelegate: AnyObject {
    /// Receives bytes. They are valid during the call only; copy them to keep them. No other code uses the buffer meanwhile, so it
    /// may be overwritten.
    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer)
    /// The peer will send no more bytes. Queued bytes are still sent after ``SocketConnection/closeAfterFlush()``.
    func connectionReachedEnd(_ connection: SocketConnection)
    /// The kernel has taken all queued bytes.
    func connectionDrained(_ connection: SocketConnection)
    /// The connection is closed; this is the last call. `error` is nil after an orderly close.
    func connectionClosed(_ connection: SocketConnection, error: (any Error)?)
}

extension SocketConnectionDelegate {
    /// Does nothing.
    public func connectionDrained(_ connection: SocketConnection) {}
}

/// The write queue is full: the peer reads too slowly.
public struct SendQueueOverflow: Error, CustomStringConvertible, Sendable {
    public var description: String { "the peer reads too slowly: its send queue is full" }
}

/// The peer stopped reading: during the whole limit it took less than ``SocketConnection/stallBytesMin``.
public struct WriteStalled: Error, CustomStringConvertible, Sendable {
    public var description: String { "the peer does not read: queued bytes were not sent in time" }
}
