/// What owns a connection hears of it. All calls come on the connection's loop.
public protocol SocketConnectionDelegate: AnyObject {
    /// Bytes arrived. They are valid during the call only, copy what must stay; and nobody else's, so they may be overwritten.
    func connection(_ connection: SocketConnection, received bytes: UnsafeRawBufferPointer)
    /// The peer will send no more. What was written is still delivered after ``SocketConnection/closeAfterFlush()``.
    func connectionReachedEnd(_ connection: SocketConnection)
    /// All queued bytes are with the kernel.
    func connectionDrained(_ connection: SocketConnection)
    /// The connection is gone; the last call. `error` is nil after an orderly close.
    func connectionClosed(_ connection: SocketConnection, error: (any Error)?)
}

extension SocketConnectionDelegate {
    /// By default nothing waits for an empty queue.
    public func connectionDrained(_ connection: SocketConnection) {}
}

/// The write queue was full: the peer reads too slowly for what it is sent.
public struct SendQueueOverflow: Error, CustomStringConvertible, Sendable {
    /// One plain fact.
    public var description: String { "the peer reads too slowly: its send queue is full" }
}

/// The peer stopped reading: for the whole of the limit it took less than ``SocketConnection/stallBytesMin``.
public struct WriteStalled: Error, CustomStringConvertible, Sendable {
    /// One plain fact.
    public var description: String { "the peer does not read: what it was sent waits too long" }
}
