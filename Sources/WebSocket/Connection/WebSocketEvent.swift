/// What came in on a WebSocket connection.
public enum WebSocketEvent: Sendable, Equatable {
    /// A complete text message: valid UTF-8.
    case text([UInt8])
    /// A complete binary message.
    case binary([UInt8])
    /// A ping; its pong is in the output once the event was taken, unless we began to close before.
    case ping([UInt8])
    /// A pong, asked for or not (RFC 6455 §5.5.3).
    case pong([UInt8])
    /// The peer closes; our reply is in the output, unless we closed first. Send the output, then close the transport.
    /// No event follows. The code is nil when the frame had none.
    case closed(code: CloseCode?, reason: String)
    /// The peer broke the protocol or a limit (RFC 6455 §7.1.7); a close frame with this code is in the output, unless we
    /// closed first. Send the output, then close the transport. No event follows and no more input is read.
    case failed(code: CloseCode, reason: String)
}

/// How much of one message is accepted.
public struct WebSocketLimits: Sendable {
    /// Bytes of a message over all its fragments; beyond: closed with 1009.
    public var messageBytesMax: Int
    /// Bytes of one frame's payload; beyond: closed with 1009 before any of them is read.
    public var frameBytesMax: Int
    /// Frames of one message; beyond: closed with 1008. The last defence against messages of endless empty fragments.
    public var fragmentsMax: Int

    /// Limits with the given values; all must be positive.
    public init(messageBytesMax: Int = 1_048_576, frameBytesMax: Int = 1_048_576, fragmentsMax: Int = 1024) {
        self.messageBytesMax = messageBytesMax
        self.frameBytesMax = frameBytesMax
        self.fragmentsMax = fragmentsMax
    }
}
