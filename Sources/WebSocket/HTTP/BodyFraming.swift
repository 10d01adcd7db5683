extension HTTPMessageReader.Framing {
    /// How the fields say the body is delimited; nil when they do not (RFC 9112 §6.3).
    ///
    /// Whatever two implementations might read differently is refused, since that is what request smuggling is made
    /// of (RFC 9112 §11.2).
    static func declared(
        by headers: HTTPHeaders, minorVersion: Int, limits: HTTPLimits
    ) throws(HTTPParseError) -> HTTPMessageReader.Framing? {
        let lengths = headers.all("Content-Length")
        let encodings = headers.all("Transfer-Encoding")
        if !encodings.isEmpty {
            // RFC 9112 §6.1: "A server MAY reject a request that contains both Content-Length and Transfer-Encoding".
            guard lengths.isEmpty else {
                throw .badRequest("both Content-Length and Transfer-Encoding (RFC 9112 §6.1)")
            }
            // RFC 9112 §6.1: Transfer-Encoding in HTTP/1.0 means "the framing is faulty".
            guard minorVersion >= 1 else { throw .badRequest("Transfer-Encoding in HTTP/1.0 (RFC 9112 §6.1)") }
            return try chunked(headers.list("Transfer-Encoding"))
        }
        guard let length = lengths.first else { return nil }
        guard lengths.count == 1 else { throw .badRequest("more than one Content-Length (RFC 9112 §6.3)") }
        guard !length.isEmpty, length.utf8.allSatisfy(\.isDigit) else {
            throw .badRequest("Content-Length is not a number (RFC 9110 §8.6)")
        }
        // A number of digits only that Int cannot hold is too large a body, not a malformed one.
        guard let count = Int(length), count <= limits.bodyBytesMax else {
            throw HTTPParseError(status: 413, message: "body is larger than \(limits.bodyBytesMax) bytes")
        }
        return .length(count)
    }

    private static func chunked(_ codings: [String]) throws(HTTPParseError) -> HTTPMessageReader.Framing {
        let chunkedCount = codings.count { HTTPHeaders.same($0, "chunked") }
        if chunkedCount == 1, codings.count == 1 { return .chunked }
        // RFC 9112 §6.3: without chunked as the final encoding "the server MUST respond with the 400"; §7.1: chunked
        // must not be applied more than once.
        if chunkedCount > 1 || (chunkedCount == 1 && !HTTPHeaders.same(codings.last ?? "", "chunked")) {
            throw .badRequest("chunked is not the final transfer coding, once (RFC 9112 §6.1)")
        }
        // RFC 9112 §6.1: "A server that receives a request message with a transfer coding it does not understand SHOULD
        // respond with 501".
        throw HTTPParseError(status: 501, message: "transfer coding other than chunked (RFC 9112 §6.1)")
    }
}
