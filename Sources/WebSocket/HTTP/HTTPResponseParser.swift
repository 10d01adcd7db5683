/// An incremental parser for HTTP responses (RFC 9112), independent of how the bytes are split. Use it like
/// `HTTPRequestParser`. It does not know the requests, so it cannot parse answers to HEAD.
///
/// Interim responses other than 101 are skipped. After a 101 it stops parsing: the following bytes are for
/// `takeRemainder`.
public struct HTTPResponseParser: Sendable {
    private var reader: HTTPMessageReader
    private var status = 0
    private var minorVersion = 1
    private var failure: HTTPParseError?

    /// Creates a parser for one connection, from its first byte.
    public init(limits: HTTPLimits = .init()) {
        reader = HTTPMessageReader(limits: limits, startLineBytesMax: limits.headBytesMax, startLineStatus: 431)
    }

    /// True if no response is partly received.
    public var isIdle: Bool { reader.isIdle && failure == nil }

    /// Takes the next bytes and copies them. Ignored after a failure.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        reader.append(bytes)
    }

    /// The next complete response, or nil if more bytes are needed. A failure is final: later calls throw it again.
    public mutating func next() throws(HTTPParseError) -> HTTPResponse? {
        if let failure { throw failure }
        do throws(HTTPParseError) {
            return try parse()
        } catch {
            failure = error
            _ = reader.takeRemainder()
            throw error
        }
    }

    /// Ends the input after the server closed the connection. Returns the response whose body lasts until then
    /// (RFC 9112 §6.3), or nil if none has begun. Throws if a response is cut off (§8).
    public mutating func finish() throws(HTTPParseError) -> HTTPResponse? {
        if let response = try next() { return response }
        switch reader.phase {
        case .bodyUntilClose: return takeResponse()
        case .upgraded: return nil
        default:
            if reader.isIdle { return nil }
            throw .badRequest("connection closed inside a response (RFC 9112 §8)")
        }
    }

    /// The bytes received after a 101. Returned once.
    public mutating func takeRemainder() -> [UInt8] { reader.takeRemainder() }

    private mutating func parse() throws(HTTPParseError) -> HTTPResponse? {
        while true {
            switch try reader.step() {
            case .needMore: return nil
            case .startLine(let bytes): try readStatusLine(bytes)
            case .headComplete: try beginBody()
            case .complete:
                let response = takeResponse()
                if status == 101 { reader.upgrade() }
                // RFC 9110 §15.2: "A client MUST be able to parse one or more 1xx responses received prior to a final
                // response".
                if status >= 200 || status == 101 { return response }
            }
        }
    }

    /// Parses status-line = HTTP-version SP status-code SP [ reason-phrase ] (RFC 9112 §4).
    private mutating func readStatusLine(_ line: [UInt8]) throws(HTTPParseError) {
        let parts = line.split(separator: .space, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].count == 3, parts[1].allSatisfy(\.isDigit),
            parts[2].allSatisfy(\.isFieldValueCharacter)
        else { throw .badRequest("malformed status line (RFC 9112 §4)") }
        minorVersion = try RequestLine.minorVersion(parts[0])
        status = parts[1].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard (100...599).contains(status) else { throw .badRequest("status is not 100 to 599 (RFC 9110 §15)") }
    }

    private mutating func beginBody() throws(HTTPParseError) {
        // RFC 9112 §6.3: 1xx, 204 and 304 end with their head, regardless of their fields.
        if status < 200 || status == 204 || status == 304 { return reader.beginBody(.length(0)) }
        reader.beginBody(
            try HTTPMessageReader.Framing.declared(
                by: reader.headers, minorVersion: minorVersion, limits: reader.limits) ?? .untilClose)
    }

    private mutating func takeResponse() -> HTTPResponse {
        let (headers, body) = reader.takeMessage()
        return HTTPResponse(status: status, headers: headers, body: body)
    }
}
