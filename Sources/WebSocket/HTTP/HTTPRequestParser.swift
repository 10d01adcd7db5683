/// An incremental parser for HTTP requests (RFC 9112), independent of how the bytes are split. Pipelined requests are
/// returned one by one. It does no I/O and has no isolation; it belongs to the owner of the connection.
///
/// After each `append`, call `next` until it returns nil. After a request with `isWebSocketUpgrade` it stops parsing:
/// the following bytes are WebSocket frames, for `takeRemainder`. A refused upgrade therefore ends the connection.
public struct HTTPRequestParser: Sendable {
    private var reader: HTTPMessageReader
    private var line: RequestLine?
    private var failure: HTTPParseError?
    private var continueIsDue = false
    /// The limit for requests whose body needs no admission.
    private let bodyBytesMax: Int
    private var isPending = false
    /// Selects by method and path the requests whose body the owner must admit first. Parsing stops at their head,
    /// which ``pending`` then returns. Nil selects none.
    public var asksBefore: (@Sendable (_ method: String, _ path: String) -> Bool)?
    /// The head of the request whose body waits for ``admitBody(bytesMax:)``.
    public var pending: HTTPRequest? {
        line.flatMap { isPending ? request($0, reader.headers, body: []) : nil }
    }

    /// Creates a parser for one connection, from its first byte.
    public init(limits: HTTPLimits = .init()) {
        bodyBytesMax = limits.bodyBytesMax
        reader = HTTPMessageReader(
            limits: limits, startLineBytesMax: limits.targetBytesMax + HTTPLimits.requestLineOverheadBytesMax,
            startLineStatus: 414)
    }

    /// True if no request is partly received, so that the connection may be closed without truncating one.
    public var isIdle: Bool { reader.isIdle && failure == nil }

    /// Approximate bytes held of an incomplete request; 0 if none has begun. The owner limits how long it may stay
    /// incomplete.
    public var unfinishedBytes: Int { isIdle ? 0 : reader.heldBytes }

    /// Takes the next bytes and copies them. Ignored after a failure.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        reader.append(bytes)
    }

    /// The next complete request, or nil if more bytes are needed. A failure is final: later calls throw it again.
    public mutating func next() throws(HTTPParseError) -> HTTPRequest? {
        if let failure { throw failure }
        do throws(HTTPParseError) {
            return try parse()
        } catch {
            failure = error
            _ = reader.takeRemainder()
            throw error
        }
    }

    /// The bytes received after an upgrade request. Returned once.
    public mutating func takeRemainder() -> [UInt8] { reader.takeRemainder() }

    /// True once for each request whose head has `Expect: 100-continue` and arrived without any of its body. The client
    /// then waits for `HTTPResponse.continueBytes` (RFC 9110 §10.1.1). Ask after `next` returned nil.
    public mutating func takeContinueIsDue() -> Bool {
        defer { continueIsDue = false }
        return continueIsDue
    }

    private mutating func parse() throws(HTTPParseError) -> HTTPRequest? {
        while true {
            switch try reader.step() {
            case .needMore: return nil
            case .startLine(let bytes): line = try RequestLine(bytes, limits: reader.limits)
            case .headComplete:
                try checkHead()
                if let line, asksBefore?(line.method, line.path) == true {
                    isPending = true
                    return nil
                }
                try beginBody()
            case .complete: return takeRequest()
            }
        }
    }

    /// Admits the body of the ``pending`` request. Then call ``next()``, which also throws any failure.
    /// - Parameter bytesMax: Maximum bytes of this body, instead of the general limit; exceeding it gives 413.
    public mutating func admitBody(bytesMax: Int) {
        guard isPending, failure == nil else { return }
        isPending = false
        reader.limits.bodyBytesMax = bytesMax
        do throws(HTTPParseError) {
            try beginBody()
        } catch {
            failure = error
            _ = reader.takeRemainder()
        }
    }

    private mutating func checkHead() throws(HTTPParseError) {
        guard let line else { return }
        // RFC 9112 §3.2: "A server MUST respond with a 400 […] to any HTTP/1.1 request message that lacks a Host header
        // field and to any request message that contains more than one Host header field line or […] an invalid field
        // value".
        let hosts = reader.headers.all("Host")
        guard hosts.count == 1 || (hosts.isEmpty && line.minorVersion == 0) else {
            throw .badRequest("not exactly one Host header (RFC 9112 §3.2)")
        }
        // An empty Host is valid: the target has no authority (§3.2).
        guard hosts.allSatisfy({ $0.isEmpty || HTTPAuthority($0) != nil }) else {
            throw .badRequest("malformed Host header (RFC 9112 §3.2)")
        }
        // RFC 9112 §3.2.2: an origin server "MUST ignore the received Host header field (if any) and instead replace it
        // with the host information of the request-target".
        if let authority = line.authority { reader.replaceField("Host", authority) }
    }

    private mutating func beginBody() throws(HTTPParseError) {
        guard let line else { return }
        // RFC 9112 §6.3: a request that declares no body has none.
        let framing =
            try HTTPMessageReader.Framing.declared(
                by: reader.headers, minorVersion: line.minorVersion, limits: reader.limits) ?? .length(0)
        // RFC 9110 §10.1.1: "A server that receives an Expect field value containing a member other than 100-continue
        // MAY respond with a 417". Two parsers that disagree about an expectation would disagree about where the body
        // is.
        guard
            line.minorVersion == 0 || reader.headers.list("Expect").allSatisfy({ HTTPHeaders.same($0, "100-continue") })
        else {
            throw HTTPParseError(status: 417, message: "Expect is not 100-continue (RFC 9110 §10.1.1)")
        }
        reader.beginBody(framing)
        // RFC 9110 §10.1.1: ignored in HTTP/1.0, and unnecessary if part of the body has already arrived.
        continueIsDue =
            framing != .length(0) && line.minorVersion == 1 && reader.bufferIsEmpty
            && reader.headers.contains(token: "100-continue", in: "Expect")
    }

    private mutating func takeRequest() -> HTTPRequest? {
        continueIsDue = false
        let (headers, body) = reader.takeMessage()
        reader.limits.bodyBytesMax = bodyBytesMax
        guard let line else { return nil }
        self.line = nil
        let request = request(line, headers, body: body)
        if request.isWebSocketUpgrade { reader.upgrade() }
        return request
    }

    private func request(_ line: RequestLine, _ headers: HTTPHeaders, body: [UInt8]) -> HTTPRequest {
        let isCurrent = line.minorVersion == 1
        // RFC 9110 §7.8: "A server MUST ignore an Upgrade header field that is received in an HTTP/1.0 request."
        let isUpgrade =
            isCurrent && headers.contains(token: "websocket", in: "Upgrade")
            && headers.contains(token: "upgrade", in: "Connection")
        // RFC 9112 §9.3
        let keepAlive =
            !headers.contains(token: "close", in: "Connection")
            && (isCurrent || headers.contains(token: "keep-alive", in: "Connection"))
        return HTTPRequest(
            method: line.method, target: line.target, path: line.path, query: line.query, headers: headers, body: body,
            keepAlive: keepAlive, isWebSocketUpgrade: isUpgrade)
    }
}
