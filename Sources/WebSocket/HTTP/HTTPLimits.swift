/// Limits on one received HTTP message. A parser never holds more than these and the bytes of one `append`.
public struct HTTPLimits: Sendable {
    /// Maximum bytes of the start line and fields with their line ends, and separately of the trailer section;
    /// exceeding it gives 431.
    public var headBytesMax: Int
    /// Maximum number of fields, including trailers; exceeding it gives 431.
    public var headerCountMax: Int
    /// Maximum bytes of the body after chunks are joined; exceeding it gives 413.
    public var bodyBytesMax: Int
    /// Maximum bytes of the request target; exceeding it gives 414.
    public var targetBytesMax: Int

    /// Maximum bytes of a request line besides its target: method, version and two spaces.
    static let requestLineOverheadBytesMax = 64
    /// Maximum bytes of a chunk's size line with its extensions; exceeding it gives 400.
    static let chunkLineBytesMax = 256
    /// Maximum hex digits of a chunk's size, including leading zeros; exceeding it gives 400.
    static let chunkSizeDigitsMax = 16
    /// Maximum bytes of all chunk extensions of one message; exceeding it gives 400. Otherwise each one-byte chunk
    /// could carry hundreds of uncounted bytes (RFC 9112 §7.1.1).
    static let chunkExtensionBytesMax = 4_096
    /// Empty lines skipped before a request line; RFC 9112 §2.2 recommends at least one.
    static let emptyLinesMax = 1

    /// Creates limits; all must be positive.
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

/// The reason why received bytes are not an acceptable HTTP message. It is final: the parser that threw it throws it
/// again. Close the connection after the answer.
public struct HTTPParseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status of the answer to a request: 400, 413, 414, 417, 431, 501 or 505. Meaningless to a client.
    public let status: Int
    /// The violated rule with its source; never quotes input from the peer.
    public let message: String

    public init(status: Int, message: String) {
        self.status = status
        self.message = message
    }

    public var description: String { message }

    static func badRequest(_ message: String) -> HTTPParseError { HTTPParseError(status: 400, message: message) }
}
