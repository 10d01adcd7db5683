import Foundation

@testable import WebSocket

extension FuzzTarget {
    static let text = [
        FuzzTarget("utf8", inputBytesMax: 256, run: TextRules.utf8),
        FuzzTarget("header-values", inputBytesMax: 512, run: TextRules.headerValues),
    ]
}

/// The small grammars inside of messages.
private enum TextRules {
    // MARK: UTF-8

    /// Against the standard library's own, and at each byte.
    static func utf8(_ input: [UInt8]) throws {
        let isValid = String(validating: input, as: UTF8.self) != nil
        for cut in Cut.allCases {
            var validator = UTF8Validator()
            let isAccepted = cut.pieces(of: input).allSatisfy { piece in
                piece.withUnsafeBytes { validator.consume($0) }
            }
            try demandEqual(isAccepted && validator.isComplete, isValid, "cut into \(cut) valid UTF-8 is accepted")
        }
        try checkFirstInvalidByte(input)
        try checkMasking(input)
        let text = String(decoding: input, as: UTF8.self)
        let reason = FrameEncoder.truncated(text)
        try demand(
            reason.count <= FrameEncoder.closeReasonBytesMax && text.utf8.starts(with: reason)
                && String(validating: reason, as: UTF8.self) != nil, "a reason is cut between two characters")
    }

    /// RFC 6455 §8.1: text fails at once. What was accepted can become valid; what was refused cannot.
    private static func checkFirstInvalidByte(_ input: [UInt8]) throws {
        var validator = UTF8Validator()
        var prefix: [UInt8] = []
        for byte in input {
            prefix.append(byte)
            let isAccepted = [byte].withUnsafeBytes { validator.consume($0) }
            // Only the last character can be open: at most three more bytes, the first of which some lead bytes restrict.
            let canBecomeValid = [
                [], [0x80], [0xA0], [0x80, 0x80], [0x90, 0x80], [0xA0, 0x80], [0x80, 0x80, 0x80], [0x90, 0x80, 0x80],
            ].contains { String(validating: prefix + $0, as: UTF8.self) != nil }
            try demandEqual(isAccepted, canBecomeValid, "invalid UTF-8 is found at its first byte")
            guard isAccepted else { return }
        }
    }

    /// RFC 6455 §5.3, byte by byte.
    private static func checkMasking(_ input: [UInt8]) throws {
        var reader = InputReader(input)
        let mask = UInt32(reader.number(4))
        let offset = Int(reader.byte())
        let source = Array(reader.rest)
        let expected = source.enumerated().map { index, byte in
            byte ^ UInt8(truncatingIfNeeded: mask >> UInt32(24 - (offset + index) % 4 * 8))
        }
        var target = [UInt8](repeating: 0, count: source.count)
        let isASCII = source.withUnsafeBytes { from in
            target.withUnsafeMutableBytes { Masking.copy(from, mask: mask, offset: offset, to: $0) }
        }
        try demandEqual(target, expected, "masking is the XOR of RFC 6455 §5.3")
        try demandEqual(isASCII, expected.allSatisfy { $0 < 0x80 }, "ASCII is told from other text")
    }

    // MARK: Header fields

    static func headerValues(_ input: [UInt8]) throws {
        try checkPercentDecoding(input)
        let text = fieldText(input)
        try demand(
            Array(text.utf8) == input || text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } == input,
            "no byte of a field is lost")
        let headers: HTTPHeaders = ["x": text]
        let list = headers.list("X")
        for element in list {
            try demand(
                !element.isEmpty && !element.utf8.contains(UInt8(ascii: ",")), "a list's elements are between commas")
        }
        let joined: HTTPHeaders = ["x": list.joined(separator: " , ,")]
        try demandEqual(joined.list("x"), list, "a list written again is the same")
        // Foundation's decoder takes no whitespace by default either.
        let isKey = text.utf8.count == 24 && Data(base64Encoded: text)?.count == HandshakeKey.nonceBytes
        try demand(!isKey || HandshakeKey.isValid(text), "sixteen bytes in base64 are a key (RFC 6455 §4.2.1)")
        try demand(!HandshakeKey.isValid(text) || isKey, "a key is sixteen bytes in base64 (RFC 6455 §4.2.1)")
        var bytes: [UInt8] = []
        appendField("Name", text, to: &bytes)
        try demand(
            bytes.dropLast(2).allSatisfy(\.isFieldValueCharacter) && bytes.suffix(2) == [0x0D, 0x0A],
            "a field is one line, whatever its value")
    }

    private static func checkPercentDecoding(_ input: [UInt8]) throws {
        // Targets hold nothing else.
        guard input.allSatisfy(\.isVisible) else { return }
        for plusIsSpace in [false, true] {
            guard let decoded = percentDecoded(input, plusIsSpace: plusIsSpace) else { continue }
            try demand(!decoded.utf8.contains(0), "no NUL comes from decoding")
            let encoded = decoded.utf8.flatMap { byte in
                Array("%".utf8) + Array(String(byte >> 4, radix: 16).utf8) + Array(String(byte & 15, radix: 16).utf8)
            }
            try demandEqual(
                percentDecoded(encoded, plusIsSpace: plusIsSpace), decoded, "encoded again it is the same")
            // Foundation decodes what is well-formed alike.
            if !plusIsSpace {
                try demandEqual(
                    String(decoding: input, as: UTF8.self).removingPercentEncoding, decoded,
                    "percent-encoding means what it means to others")
            }
        }
    }
}
