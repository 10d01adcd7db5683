/// One element of Sec-WebSocket-Extensions: an offer in a request, an answer in a response (RFC 6455 §9.1).
struct WebSocketExtension: Equatable, Sendable {
    struct Parameter: Equatable, Sendable {
        let name: String
        let value: String?
    }

    let name: String
    var parameters: [Parameter] = []

    /// The elements of all fields together, in order; nil if one is malformed. The header "MAY appear multiple times"
    /// (RFC 6455 §9.1). `HTTPLimits.headBytesMax` bounds their number.
    ///
    /// Names are compared case-sensitively: RFC 6455 does not state that extension tokens ignore case.
    static func parse(_ fields: [String]) -> [WebSocketExtension]? {
        var all: [WebSocketExtension] = []
        for field in fields {
            var parser = ExtensionParser(field)
            guard let elements = parser.list() else { return nil }
            all += elements
        }
        return all
    }
}

/// A parser for extension-list = 1#extension (RFC 6455 §9.1), by the rules of RFC 2616 §2.1. Spaces and tabs may
/// separate tokens. A list may have empty elements, but not only such elements.
private struct ExtensionParser {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func list() -> [WebSocketExtension]? {
        var elements: [WebSocketExtension] = []
        while true {
            skipSpace()
            if index < bytes.count, bytes[index] != UInt8(ascii: ",") {
                guard let element = element() else { return nil }
                elements.append(element)
            }
            guard index < bytes.count else { return elements.isEmpty ? nil : elements }
            guard take(",") else { return nil }
        }
    }

    /// extension = extension-token *( ";" extension-param )
    private mutating func element() -> WebSocketExtension? {
        guard let name = token() else { return nil }
        var element = WebSocketExtension(name: name)
        while take(";") {
            guard let name = token() else { return nil }
            guard take("=") else {
                element.parameters.append(.init(name: name, value: nil))
                continue
            }
            guard let value = index < bytes.count && bytes[index] == UInt8(ascii: "\"") ? quotedToken() : token() else {
                return nil
            }
            element.parameters.append(.init(name: name, value: value))
        }
        return element
    }

    private mutating func token() -> String? {
        let start = index
        while index < bytes.count, bytes[index].isTokenCharacter { index += 1 }
        guard index > start else { return nil }
        defer { skipSpace() }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// RFC 6455 §9.1: "the value after quoted-string unescaping MUST conform to the 'token' ABNF".
    private mutating func quotedToken() -> String? {
        index += 1
        var value: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\") { index += 1 }
            guard index < bytes.count, bytes[index].isTokenCharacter else { return nil }
            value.append(bytes[index])
            index += 1
        }
        guard index < bytes.count, !value.isEmpty else { return nil }
        index += 1
        skipSpace()
        return String(decoding: value, as: UTF8.self)
    }

    /// Consumes a separator and the space after it.
    private mutating func take(_ separator: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: separator) else { return false }
        index += 1
        skipSpace()
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count, bytes[index].isOptionalWhitespace { index += 1 }
    }
}
