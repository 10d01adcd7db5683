/// An HTTP response with its whole body in memory.
public struct HTTPResponse: Sendable {
    /// The status code, 100 to 599.
    public var status: Int
    /// The fields, except those that `encoded` adds.
    public var headers: HTTPHeaders
    /// The body, or its beginning.
    public var body: [UInt8]
    /// The rest of the body after `body`: slices of arrays that many responses share without copying.
    public var bodyTail: [ArraySlice<UInt8>] = []
    /// An object that represents the body's share of a budget. It is released when the body has been sent or the
    /// connection has ended.
    public var hold: (any AnyObject & Sendable)?
    /// Minimum average rate, in bytes per second, at which the peer must read the body; nil for the server's default.
    public var bytesPerSecondMin: Int?
    /// Whether a browser may show the body as a page or run it as a worker, so that it needs the policies of a document.
    public var needsPolicies = true

    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A response with a plain-text body.
    public init(status: Int, text: String) {
        self.init(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }

    /// The interim response to `Expect: 100-continue` (RFC 9110 §15.2.1).
    public static var continueBytes: [UInt8] { Array("HTTP/1.1 100 Continue\r\n\r\n".utf8) }

    /// Head and body in one array, for small responses. See ``head(keepAlive:common:)``.
    /// - Parameter headOnly: True for the answer to HEAD: the head of the whole response without its body
    ///   (RFC 9110 §9.3.2).
    public func encoded(keepAlive: Bool, headOnly: Bool = false) -> [UInt8] {
        headOnly || !hasBody ? head(keepAlive: keepAlive) : bodyTail.reduce(head(keepAlive: keepAlive) + body, +)
    }

    /// Bytes of `body` and `bodyTail`: the Content-Length.
    public var contentLength: Int { bodyTail.reduce(body.count) { $0 + $1.count } }

    /// Whether a body follows the head. RFC 9110 §8.6: no Content-Length "in any response with a status code of 1xx
    /// (Informational) or 204". A 304 has no body either (§15.4.5), and its length would have to be that of the full
    /// response.
    public var hasBody: Bool { status >= 200 && status != 204 && status != 304 }

    /// The bytes before the body, which is then sent separately without a copy. The same for GET and HEAD, as
    /// RFC 9110 §9.3.2 requires.
    ///
    /// Content-Length and Connection are added. They replace such fields in `headers`, except connection options like
    /// "Upgrade". Transfer-Encoding is left out, because the body is sent by length. Control bytes in values become
    /// spaces.
    /// - Parameters:
    ///   - keepAlive: Whether the connection stays open after the response.
    ///   - common: Field lines, with their line ends, that every response has.
    public func head(keepAlive: Bool, common: [UInt8] = []) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256 + common.count)
        bytes.append(contentsOf: "HTTP/1.1 \(status) \(Self.reasonPhrase(for: status))\r\n".utf8)
        for (name, value) in headers where !Self.isFraming(name) { appendField(name, value, to: &bytes) }
        bytes.append(contentsOf: common)
        if hasBody { appendField("Content-Length", String(contentLength), to: &bytes) }
        let options = headers.list("Connection").filter {
            !HTTPHeaders.same($0, "close") && !HTTPHeaders.same($0, "keep-alive")
        }
        // RFC 9110 §15.2: a 1xx is not the last response, so it does not state whether the connection persists.
        let persistence = status < 200 ? [] : [keepAlive ? "keep-alive" : "close"]
        let connection = (options + persistence).joined(separator: ", ")
        if !connection.isEmpty { appendField("Connection", connection, to: &bytes) }
        bytes.append(contentsOf: "\r\n".utf8)
        return bytes
    }

    /// The field lines of `headers` in the form that ``head(keepAlive:common:)`` takes, to be encoded once.
    public static func lines(_ headers: HTTPHeaders) -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in headers { appendField(name, value, to: &bytes) }
        return bytes
    }

    private static func isFraming(_ name: String) -> Bool {
        ["Content-Length", "Connection", "Transfer-Encoding"].contains { HTTPHeaders.same(name, $0) }
    }

    /// The reason phrase of RFC 9110 §15 (and RFC 6585); empty for a status not used here, which the grammar allows.
    public static func reasonPhrase(for status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: ""
        }
    }
}
