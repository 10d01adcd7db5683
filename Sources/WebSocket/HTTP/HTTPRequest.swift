/// One complete HTTP/1.0 or 1.1 request.
public struct HTTPRequest: Sendable {
    /// The method as sent; methods are case-sensitive (RFC 9110 §9.1).
    public var method: String
    /// The request target as sent.
    public var target: String
    /// The path, percent-decoded, without the query; starts with "/", or is "*". Dot segments and doubled slashes are
    /// kept, and a decoded "%2F" is indistinguishable from any other slash.
    public var path: String
    /// The query's names and values in order, percent-decoded, with "+" as a space. A name without "=" has an empty
    /// value.
    public var query: [(String, String)]
    /// The fields of the head, without trailers.
    public var headers: HTTPHeaders
    /// The body after removal of chunking.
    public var body: [UInt8]
    /// Whether the client lets the connection serve another request (RFC 9112 §9.3).
    public var keepAlive: Bool
    /// Whether the client asks to switch to WebSocket (RFC 6455 §4.1): pass the request to `ServerHandshake.respond`.
    public var isWebSocketUpgrade: Bool

    /// Creates a request from parts, without checks.
    public init(
        method: String, target: String, path: String, query: [(String, String)] = [],
        headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [], keepAlive: Bool = true,
        isWebSocketUpgrade: Bool = false
    ) {
        self.method = method
        self.target = target
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.keepAlive = keepAlive
        self.isWebSocketUpgrade = isWebSocketUpgrade
    }
}

/// A parsed request line: method SP request-target SP HTTP-version (RFC 9112 §3).
struct RequestLine: Sendable {
    let method: String
    let target: String
    let path: String
    let query: [(String, String)]
    /// The authority of an absolute-form target (RFC 9112 §3.2.2), which replaces the Host field.
    let authority: String?
    let minorVersion: Int

    init(_ line: [UInt8], limits: HTTPLimits) throws(HTTPParseError) {
        let parts = line.split(separator: .space, omittingEmptySubsequences: false)
        guard parts.count == 3, isToken(parts[0]), !parts[1].isEmpty else {
            throw .badRequest("malformed request line (RFC 9112 §3)")
        }
        minorVersion = try Self.minorVersion(parts[2])
        guard parts[1].count <= limits.targetBytesMax else {
            throw HTTPParseError(
                status: 414, message: "request target is longer than \(limits.targetBytesMax) bytes")
        }
        // A fragment is never sent (RFC 9110 §7.1), and anything but visible ASCII must be percent-encoded.
        guard parts[1].allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "#") }) else {
            throw .badRequest("malformed request target (RFC 9112 §3.2)")
        }
        method = String(decoding: parts[0], as: UTF8.self)
        target = String(decoding: parts[1], as: UTF8.self)
        guard method != "CONNECT" else {
            throw HTTPParseError(status: 501, message: "CONNECT is not supported")
        }
        let (authority, pathAndQuery) = try Self.split(parts[1], method: method)
        let mark = pathAndQuery.firstIndex(of: UInt8(ascii: "?")) ?? pathAndQuery.endIndex
        guard let path = percentDecoded(pathAndQuery[..<mark], plusIsSpace: false) else {
            throw .badRequest("malformed percent-encoding in the path (RFC 3986 §2.1)")
        }
        self.path = path.isEmpty ? "/" : path
        self.authority = authority
        query = try Self.query(pathAndQuery[mark...].dropFirst())
    }

    /// Parses HTTP-version = "HTTP/" DIGIT "." DIGIT (RFC 9112 §2.3); only 1.0 and 1.1 are supported.
    static func minorVersion(_ bytes: ArraySlice<UInt8>) throws(HTTPParseError) -> Int {
        let version = Array(bytes)
        guard version.count == 8, version.starts(with: "HTTP/".utf8), version[5].isDigit,
            version[6] == UInt8(ascii: "."), version[7].isDigit
        else { throw .badRequest("malformed HTTP version (RFC 9112 §2.3)") }
        switch (version[5], version[7]) {
        case (UInt8(ascii: "1"), UInt8(ascii: "0")): return 0
        case (UInt8(ascii: "1"), UInt8(ascii: "1")): return 1
        default: throw HTTPParseError(status: 505, message: "HTTP version is neither 1.0 nor 1.1")
        }
    }

    /// Splits a target in origin-form, absolute-form or, for OPTIONS, asterisk-form (RFC 9112 §3.2).
    private static func split(
        _ target: ArraySlice<UInt8>, method: String
    ) throws(HTTPParseError) -> (authority: String?, pathAndQuery: ArraySlice<UInt8>) {
        if target.first == UInt8(ascii: "/") { return (nil, target) }
        if target.elementsEqual("*".utf8), method == "OPTIONS" { return (nil, target) }
        // RFC 9112 §3.2.2: "a server MUST accept the absolute-form in requests".
        for scheme in ["http://", "https://"]
        where target.prefix(scheme.utf8.count).map(\.asciiLowercased).elementsEqual(scheme.utf8) {
            let rest = target.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            let authority = rest[..<end]
            // RFC 9110 §4.2.4: userinfo in an http URI is to be treated as an error; HTTPAuthority accepts none.
            guard HTTPAuthority(authority) != nil else { break }
            return (String(decoding: authority, as: UTF8.self), rest[end...])
        }
        throw .badRequest("malformed request target (RFC 9112 §3.2)")
    }

    private static func query(_ bytes: ArraySlice<UInt8>) throws(HTTPParseError) -> [(String, String)] {
        var pairs: [(String, String)] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard let name = percentDecoded(pair[..<equals], plusIsSpace: true),
                let value = percentDecoded(pair[equals...].dropFirst(), plusIsSpace: true)
            else { throw .badRequest("malformed percent-encoding in the query (RFC 3986 §2.1)") }
            pairs.append((name, value))
        }
        return pairs
    }
}
