/// How much of one HTTP message is accepted. The parsers never hold more than these and the bytes given to one
/// `append`.
public struct HTTPLimits: Sendable {
    /// Bytes of start line and fields with their line ends, and again of the trailer section; beyond: 431.
    public var headBytesMax: Int
    /// Fields, trailers included; beyond: 431.
    public var headerCountMax: Int
    /// Bytes of the body after chunks are joined; beyond: 413.
    public var bodyBytesMax: Int
    /// Bytes of the request target; beyond: 414.
    public var targetBytesMax: Int

    /// Bytes of a request line besides its target: method, version and two spaces.
    static let requestLineOverheadBytesMax = 64
    /// Bytes of a chunk's size line with its extensions; beyond: 400.
    static let chunkLineBytesMax = 256
    /// Hex digits of a chunk's size, leading zeros counted; beyond: 400.
    static let chunkSizeDigitsMax = 16
    /// Bytes of all chunk extensions of one message; beyond: 400. Without it, a byte a chunk could carry hundreds that
    /// nobody counts (RFC 9112 §7.1.1).
    static let chunkExtensionBytesMax = 4_096
    /// Empty lines skipped before a request line; RFC 9112 §2.2 asks for at least one.
    static let emptyLinesMax = 1

    /// Limits with the given values; all must be positive.
    public init(
        headBytesMax: Int = 16_384, headerCountMax: Int = 100, bodyBytesMax: Int = 1_048_576,
        targetBytesMax: Int = 8192
    ) {
        self.headBytesMax = headBytesMax
        self.headerCountMax = headerCountMax
        self.bodyBytesMax = bodyBytesMax
        self.targetBytesMax = targetBytesMax
    }
}

/// Why the bytes of a peer are no acceptable HTTP message. It is final: the parser that threw it throws it again, and
/// the connection is to be closed after the answer.
public struct HTTPParseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status to answer a request with: 400, 413, 414, 417, 431, 501 or 505. Of no meaning to a client.
    public let status: Int
    /// One plain fact with its source; never quotes what the peer sent.
    public let message: String

    /// An error with this status and message.
    public init(status: Int, message: String) {
        self.status = status
        self.message = message
    }

    /// The message.
    public var description: String { message }

    static func badRequest(_ message: String) -> HTTPParseError { HTTPParseError(status: 400, message: message) }
}
