// Character classes and small grammars of RFC 9110 §5.6 and RFC 3986 §2, shared by both parsers and the handshake.

extension UInt8 {
    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")

    var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    var isLetter: Bool { asciiLowercased >= 0x61 && asciiLowercased <= 0x7A }

    /// OWS = *( SP / HTAB ) (RFC 9110 §5.6.3)
    var isOptionalWhitespace: Bool { self == .space || self == .tab }

    /// VCHAR: visible US-ASCII (RFC 5234 appendix B.1).
    var isVisible: Bool { self >= 0x21 && self <= 0x7E }

    /// tchar (RFC 9110 §5.6.2)
    var isTokenCharacter: Bool {
        if isDigit || isLetter { return true }
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            return true
        default: return false
        }
    }

    /// field-content: visible characters, space, tab and obs-text (RFC 9110 §5.5).
    var isFieldValueCharacter: Bool { self == .tab || (self >= 0x20 && self != 0x7F) }

    var hexDigitValue: UInt8? {
        if isDigit { return self - 0x30 }
        let lower = asciiLowercased
        return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : nil
    }
}

/// Whether the bytes are a token: 1*tchar (RFC 9110 §5.6.2).
func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(\.isTokenCharacter)
}

func trimmingOptionalWhitespace<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
    guard let first = bytes.firstIndex(where: { !$0.isOptionalWhitespace }),
        let last = bytes.lastIndex(where: { !$0.isOptionalWhitespace })
    else { return bytes[bytes.endIndex...] }
    return bytes[first...last]
}

/// A field value as text: UTF-8 if valid, otherwise ISO 8859-1, its historical meaning (RFC 9110 §5.5), so that no byte
/// is lost.
func fieldText(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
    return String(scalars)
}

/// Decodes %XX (RFC 3986 §2.1) and, in queries, "+" as a space, as browsers encode form data.
///
/// Nil if a percent sign lacks its two hex digits, if the result is not UTF-8, or if it contains a NUL, which no file
/// name and no database text can hold.
func percentDecoded(_ bytes: some Collection<UInt8>, plusIsSpace: Bool) -> String? {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var rest = bytes.makeIterator()
    while let byte = rest.next() {
        if byte == UInt8(ascii: "%") {
            guard let high = rest.next()?.hexDigitValue, let low = rest.next()?.hexDigitValue, high | low != 0
            else { return nil }
            decoded.append(high << 4 | low)
        } else {
            decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? .space : byte)
        }
    }
    return String(validating: decoded, as: UTF8.self)
}

/// Appends `name: value CRLF`. A name that is not a token is left out, and control bytes in the value become spaces. No
/// value can therefore split a message (RFC 9110 §5.5).
func appendField(_ name: String, _ value: String, to bytes: inout [UInt8]) {
    guard isToken(name.utf8) else { return }
    bytes.append(contentsOf: name.utf8)
    bytes.append(contentsOf: ": ".utf8)
    bytes.append(contentsOf: value.utf8.lazy.map { $0.isFieldValueCharacter ? $0 : .space })
    bytes.append(contentsOf: "\r\n".utf8)
}
