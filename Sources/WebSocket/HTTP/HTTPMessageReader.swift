/// A reader for the part of HTTP/1.1 that requests and responses share (RFC 9112 §2): a start line, field lines, and a
/// body by length, by chunks or up to the end of the connection. The parsers that use it read the start line and choose
/// the framing.
///
/// States: startLine → fields → (owner calls `beginBody`) → body phases → startLine.
struct HTTPMessageReader: Sendable {
    enum Phase: Sendable, Equatable {
        case startLine, fields
        case awaitingFraming
        case body(remaining: Int)
        case bodyUntilClose
        case chunkSize
        case chunkData(remaining: Int)
        case chunkEnd
        case trailers
        /// Another protocol follows; the buffered bytes belong to it.
        case upgraded
    }

    enum Framing: Sendable, Equatable { case length(Int), chunked, untilClose }

    enum Step: Sendable, Equatable {
        case needMore
        case startLine([UInt8])
        case headComplete
        case complete
    }

    /// The owner may change the limits between two messages, or before a body begins.
    var limits: HTTPLimits
    /// Maximum bytes of a start line without its line end, and the status if it is longer.
    private let startLineBytesMax: Int
    private let startLineStatus: Int

    private(set) var phase = Phase.startLine
    private(set) var headers = HTTPHeaders()
    private(set) var body: [UInt8] = []
    private var buffer = ByteQueue()
    /// Length of the buffer's prefix without a line feed; keeps byte-by-byte input linear.
    private var scanned = 0
    private var headBytes = 0
    private var fieldCount = 0
    private var emptyLines = 0
    private var extensionBytes = 0

    init(limits: HTTPLimits, startLineBytesMax: Int, startLineStatus: Int) {
        self.limits = limits
        self.startLineBytesMax = min(startLineBytesMax, limits.headBytesMax)
        self.startLineStatus = startLineStatus
    }

    /// True if no message has begun and nothing is buffered.
    var isIdle: Bool { phase == .startLine && buffer.isEmpty }

    /// Approximate bytes held of an incomplete message; 0 if none has begun.
    var heldBytes: Int { buffer.count + headBytes + body.count }

    var bufferIsEmpty: Bool { buffer.isEmpty }

    mutating func append(_ bytes: UnsafeRawBufferPointer) { buffer.append(bytes) }

    /// Advances by one step; call again until `.needMore`.
    mutating func step() throws(HTTPParseError) -> Step {
        while true {
            switch phase {
            case .startLine:
                guard let line = try nextLine(bytesMax: startLineBytesMax, status: startLineStatus) else {
                    return .needMore
                }
                if line.isEmpty {
                    // RFC 9112 §2.2: "SHOULD ignore at least one empty line (CRLF) received prior to the request-line".
                    emptyLines += 1
                    guard emptyLines <= HTTPLimits.emptyLinesMax else {
                        throw .badRequest("more than one empty line before a start line (RFC 9112 §2.2)")
                    }
                    continue
                }
                headBytes = line.count + 2
                phase = .fields
                return .startLine(line)
            case .fields:
                guard let line = try nextHeadLine() else { return .needMore }
                if line.isEmpty {
                    phase = .awaitingFraming
                    return .headComplete
                }
                try headers.add(field: line)
            case .awaitingFraming, .upgraded:
                return .needMore
            case .trailers:
                guard let line = try nextHeadLine() else { return .needMore }
                if line.isEmpty { return .complete }
                // RFC 9110 §6.5.1: trailers may be discarded; their syntax is checked nevertheless.
                var discarded = HTTPHeaders()
                try discarded.add(field: line)
            default:
                guard try stepBody() else { return .needMore }
                if phase == .body(remaining: 0) { return .complete }
            }
        }
    }

    /// Sets the body framing (RFC 9112 §6.3) of the message whose head is complete.
    mutating func beginBody(_ framing: Framing) {
        switch framing {
        case .length(let length): phase = .body(remaining: length)
        case .chunked: phase = .chunkSize
        case .untilClose: phase = .bodyUntilClose
        }
    }

    /// Takes the finished message's fields and body, and prepares for the next message.
    mutating func takeMessage() -> (headers: HTTPHeaders, body: [UInt8]) {
        defer {
            headers = HTTPHeaders()
            body = []
            (headBytes, fieldCount, emptyLines, extensionBytes) = (0, 0, 0, 0)
            phase = .startLine
        }
        return (headers, body)
    }

    mutating func upgrade() { phase = .upgraded }

    /// Takes all buffered bytes.
    mutating func takeRemainder() -> [UInt8] {
        scanned = 0
        return buffer.take(buffer.count)
    }

    mutating func replaceField(_ name: String, _ value: String) { headers.set(name, value) }

    // MARK: - Bodies

    /// Reads body bytes; false if more input is needed.
    private mutating func stepBody() throws(HTTPParseError) -> Bool {
        switch phase {
        case .body(let remaining):
            let left = remaining - buffer.move(atMost: remaining, to: &body)
            phase = .body(remaining: left)
            return left == 0
        case .bodyUntilClose:
            guard buffer.count <= limits.bodyBytesMax - body.count else { throw bodyTooLarge }
            _ = buffer.move(atMost: buffer.count, to: &body)
            return false
        case .chunkSize:
            guard let line = try nextLine(bytesMax: HTTPLimits.chunkLineBytesMax, status: 400) else { return false }
            let size = try chunkSize(line)
            headBytes = size == 0 ? 0 : headBytes
            phase = size == 0 ? .trailers : .chunkData(remaining: size)
            return true
        case .chunkData(let remaining):
            let left = remaining - buffer.move(atMost: remaining, to: &body)
            phase = left == 0 ? .chunkEnd : .chunkData(remaining: left)
            return left == 0
        case .chunkEnd:
            // RFC 9112 §7.1: chunk = chunk-size [ chunk-ext ] CRLF chunk-data CRLF
            guard buffer.count >= 2 else { return false }
            guard buffer[0] == .carriageReturn, buffer[1] == .lineFeed else {
                throw .badRequest("chunk data is longer than its size says (RFC 9112 §7.1)")
            }
            buffer.drop(2)
            phase = .chunkSize
            return true
        default:
            return false
        }
    }

    /// The size in a chunk's size line. Extensions are ignored, as §7.1.1 requires for unknown ones.
    private mutating func chunkSize(_ line: [UInt8]) throws(HTTPParseError) -> Int {
        guard let chunk = Framing.ChunkLine(line) else { throw .badRequest("malformed chunk size (RFC 9112 §7.1)") }
        extensionBytes += chunk.extensionBytes
        guard extensionBytes <= HTTPLimits.chunkExtensionBytesMax else {
            throw .badRequest("chunk extensions are longer than \(HTTPLimits.chunkExtensionBytesMax) bytes")
        }
        guard chunk.size <= limits.bodyBytesMax - body.count else { throw bodyTooLarge }
        return chunk.size
    }

    var bodyTooLarge: HTTPParseError {
        HTTPParseError(status: 413, message: "body is larger than \(limits.bodyBytesMax) bytes")
    }

    // MARK: - Lines

    private mutating func nextHeadLine() throws(HTTPParseError) -> [UInt8]? {
        // Two of the remaining bytes are the line end.
        guard let line = try nextLine(bytesMax: limits.headBytesMax - headBytes - 2, status: 431) else { return nil }
        headBytes += line.count + 2
        if !line.isEmpty {
            fieldCount += 1
            guard fieldCount <= limits.headerCountMax else {
                throw HTTPParseError(status: 431, message: "more than \(limits.headerCountMax) header fields")
            }
        }
        return line
    }

    /// The next line without its CRLF; nil if it is incomplete. A line longer than `bytesMax` fails at the same byte,
    /// however the input is split.
    private mutating func nextLine(bytesMax: Int, status: Int) throws(HTTPParseError) -> [UInt8]? {
        let end = buffer.firstOffset(of: .lineFeed, from: scanned)
        guard (end ?? buffer.count) <= bytesMax + 1 else {
            throw HTTPParseError(status: status, message: "line is longer than \(max(bytesMax, 0)) bytes")
        }
        guard let end else {
            scanned = buffer.count
            return nil
        }
        scanned = 0
        // RFC 9112 §2.2 lets a recipient accept a bare LF. It is refused here, because two parsers that disagree about
        // it enable request smuggling (§11.2).
        guard end > 0, buffer[end - 1] == .carriageReturn else {
            throw .badRequest("line does not end in CRLF (RFC 9112 §2.2)")
        }
        var line = buffer.take(end + 1)
        line.removeLast(2)
        return line
    }
}

extension HTTPHeaders {
    /// Parses and adds field-line = field-name ":" OWS field-value OWS (RFC 9112 §5).
    mutating func add(field line: [UInt8]) throws(HTTPParseError) {
        // RFC 9112 §5.2: obs-fold is to be rejected with 400, or replaced; rejecting leaves nothing to interpret.
        guard line.first?.isOptionalWhitespace != true else {
            throw .badRequest("folded header line (RFC 9112 §5.2)")
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw .badRequest("header line without a colon (RFC 9112 §5)")
        }
        // RFC 9112 §5.1: "A server MUST reject […] any received request message that contains whitespace between a
        // header field name and colon". A token holds none.
        guard isToken(line[..<colon]) else { throw .badRequest("header name is not a token (RFC 9112 §5.1)") }
        let value = trimmingOptionalWhitespace(line[(colon + 1)...])
        guard value.allSatisfy(\.isFieldValueCharacter) else {
            throw .badRequest("control byte in a header value (RFC 9110 §5.5)")
        }
        add(String(decoding: line[..<colon], as: UTF8.self), fieldText(value))
    }
}
