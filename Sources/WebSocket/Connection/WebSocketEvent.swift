/// An event received on a WebSocket connection.
public enum WebSocketEvent: Sendable, Equatable {
    /// A complete text message: valid UTF-8.
    case text([UInt8])
    /// A complete binary message.
    case binary([UInt8])
    /// A ping. Its pong is in the output once the event is taken, unless this side has begun to close.
    case ping([UInt8])
    /// A pong, solicited or not (RFC 6455 §5.5.3).
    case pong([UInt8])
    /// The peer's close. The reply is in the output, unless this side closed first. Send the output, then close the
    /// transport. No event follows. The code is nil if the frame had none.
    case closed(code: CloseCode?, reason: String)
    /// The peer's violation of the protocol or of a limit (RFC 6455 §7.1.7). A close frame with this code is in the
    /// output, unless this side closed first. Send the output, then close the transport. No event follows and no more
    /// input is read.
    case failed(code: CloseCode, reason: String)
}

/// Limits on one received message.
public struct WebSocketLimits: Sendable {
    /// Maximum bytes of a message over all its fragments; a longer one closes the connection with 1009.
    public var messageBytesMax: Int
    /// Maximum payload bytes of one frame; a longer one closes the connection with 1009 before any of them is read.
    public var frameBytesMax: Int
    /// Maximum frames of one message; more close the connection with 1008. This bounds a message of endless empty
    /// fragments.
    public var fragmentsMax: Int

    /// Creates limits; all must be positive.
    public init(messageBytesMax: Int = 1_048_576, frameBytesMax: Int = 1_048_576, fragmentsMax: Int = 1024) {
        self.messageBytesMax = messageBytesMax
        self.frameBytesMax = frameBytesMax
        self.fragmentsMax = fragmentsMax
    }
}
