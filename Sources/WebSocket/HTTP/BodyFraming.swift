extension HTTPMessageReader.Framing {
    /// The body framing that the fields declare; nil if they declare none (RFC 9112 §6.3).
    ///
    /// A declaration that two implementations might read differently is refused, because request smuggling relies on
    /// such differences (RFC 9112 §11.2).
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
        // The grammar allows leading zeros, but another parser may read them as octal, and real clients send none.
        guard length.utf8.count == 1 || length.utf8.first != UInt8(ascii: "0") else {
            throw .badRequest("Content-Length begins with a zero (RFC 9112 §11.2)")
        }
        // A number of only digits that Int cannot hold is an oversized body, not a malformed field.
        guard let count = Int(length), count <= limits.bodyBytesMax else {
            throw HTTPParseError(status: 413, message: "body is larger than \(limits.bodyBytesMax) bytes")
        }
        return .length(count)
    }

    /// The size line of a chunk. RFC 9112 §7.1.1: "A recipient MUST ignore unrecognized chunk extensions", and "ought
    /// to limit the total length of chunk extensions received".
    struct ChunkLine: Equatable {
        let size: Int
        /// Bytes of the line besides the size.
        let extensionBytes: Int

        /// Parses chunk-size [ chunk-ext ] of a line without its CRLF; nil if malformed. A size is clamped to
        /// `Int.max`.
        init?(_ line: [UInt8]) {
            let digits = line.prefix { $0.hexDigitValue != nil }
            // §7.1: "recipients MUST anticipate potentially large hexadecimal numerals and prevent parsing errors due
            // to integer conversion overflows". More digits than a 64-bit number has are refused, even zeros.
            guard (1...HTTPLimits.chunkSizeDigitsMax).contains(digits.count),
                Self.isExtensions(line[digits.endIndex...])
            else { return nil }
            let value = digits.reduce(UInt64(0)) { $0 << 4 | UInt64($1.hexDigitValue ?? 0) }
            size = Int(clamping: value)
            extensionBytes = line.count - digits.count
        }

        /// Whether the bytes are chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] ), with a
        /// token or a quoted string as value. Checked strictly, because one parser may take for a line end what another
        /// skips.
        private static func isExtensions(_ bytes: ArraySlice<UInt8>) -> Bool {
            var rest = bytes
            while !rest.isEmpty {
                rest = rest.drop(while: \.isOptionalWhitespace)
                guard rest.popFirst() == UInt8(ascii: ";") else { return false }
                rest = rest.drop(while: \.isOptionalWhitespace)
                guard rest.first?.isTokenCharacter == true else { return false }
                rest = rest.drop(while: \.isTokenCharacter)
                let value = rest.drop(while: \.isOptionalWhitespace)
                guard value.first == UInt8(ascii: "=") else { continue }
                rest = value.dropFirst().drop(while: \.isOptionalWhitespace)
                if rest.first == UInt8(ascii: "\"") {
                    guard let end = endOfQuotedString(rest) else { return false }
                    rest = rest[end...]
                } else {
                    guard rest.first?.isTokenCharacter == true else { return false }
                    rest = rest.drop(while: \.isTokenCharacter)
                }
            }
            return true
        }

        /// The index after the closing quotation mark of a quoted-string (RFC 9110 §5.6.4).
        private static func endOfQuotedString(_ bytes: ArraySlice<UInt8>) -> Int? {
            var index = bytes.startIndex + 1
            while index < bytes.endIndex {
                let byte = bytes[index]
                guard byte.isFieldValueCharacter else { return nil }
                if byte == UInt8(ascii: "\"") { return index + 1 }
                index += byte == UInt8(ascii: "\\") ? 2 : 1
            }
            return nil
        }
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
