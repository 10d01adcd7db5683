/// The part of HTTP/1.1 that requests and responses share (RFC 9112 §2): a start line, field lines, and a body by
/// length, by chunks or up to the end of the connection. The parsers above it read the start line and choose the
/// framing. States: startLine → fields → (owner calls `beginBody`) → body phases → startLine.
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
        /// Another protocol follows; what is buffered belongs to it.
        case upgraded
    }

    enum Framing: Sendable, Equatable { case length(Int), chunked, untilClose }

    enum Step: Sendable, Equatable {
        case needMore
        case startLine([UInt8])
        case headComplete
        case complete
    }

    /// Between two messages, or before a body is begun, its owner may change them.
    var limits: HTTPLimits
    /// Bytes of a start line without its line end, and the status when there are more.
    private let startLineBytesMax: Int
    private let startLineStatus: Int

    private(set) var phase = Phase.startLine
    private(set) var headers = HTTPHeaders()
    private(set) var body: [UInt8] = []
    private var buffer = ByteQueue()
    /// How much of the buffer is known to hold no line feed; keeps byte-by-byte input linear.
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

    /// No message begun and nothing buffered.
    var isIdle: Bool { phase == .startLine && buffer.isEmpty }

    /// About what is held of a message that is not whole; 0 when none is begun.
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
                // RFC 9110 §6.5.1: trailers may be discarded; they are held to the same syntax all the same.
                var discarded = HTTPHeaders()
                try discarded.add(field: line)
            default:
                guard try stepBody() else { return .needMore }
                if phase == .body(remaining: 0) { return .complete }
            }
        }
    }

    /// Says how the body of the message whose head is complete is delimited (RFC 9112 §6.3).
    mutating func beginBody(_ framing: Framing) {
        switch framing {
        case .length(let length): phase = .body(remaining: length)
        case .chunked: phase = .chunkSize
        case .untilClose: phase = .bodyUntilClose
        }
    }

    /// Takes the finished message's fields and body and makes ready for the next one.
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

    /// Everything buffered; the reader keeps nothing of it.
    mutating func takeRemainder() -> [UInt8] {
        scanned = 0
        return buffer.take(buffer.count)
    }

    mutating func replaceField(_ name: String, _ value: String) { headers.set(name, value) }

    // MARK: - Bodies

    /// Reads body bytes; false when more input is needed.
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

    /// The size a chunk's line tells; its extensions are ignored, as §7.1.1 requires of those unknown.
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
        // Two of what is left are the line end.
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

    /// The next line without its CRLF, nil when it is not complete. A line that is or must become longer than
    /// `bytesMax` fails at once, at the same byte however the input is split.
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
        // RFC 9112 §2.2 lets a recipient accept a bare LF; two readers that disagree about it can be played against
        // each other (§11.2, request smuggling), so it is refused.
        guard end > 0, buffer[end - 1] == .carriageReturn else {
            throw .badRequest("line does not end in CRLF (RFC 9112 §2.2)")
        }
        var line = buffer.take(end + 1)
        line.removeLast(2)
        return line
    }
}

extension HTTPHeaders {
    /// field-line = field-name ":" OWS field-value OWS (RFC 9112 §5)
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
