/// Checks UTF-8 (RFC 3629 §4) as it arrives: an invalid byte is found at once, and a character may be split anywhere.
struct UTF8Validator: Sendable {
    /// Continuation bytes still missing, and the range the next one must be in: the first one after E0, ED, F0 and F4
    /// is narrower, which excludes overlong forms, surrogates and what is beyond U+10FFFF.
    private var missing: UInt8 = 0
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Not inside a character.
    var isComplete: Bool { missing == 0 }

    /// False when these bytes cannot continue valid UTF-8; the validator is then of no further use.
    mutating func consume(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                // Most text is ASCII: eight bytes at a time.
                while index + 8 <= bytes.count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                }
                if index == bytes.count { return true }
            }
            guard consume(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard byte >= lowest, byte <= highest else { return false }
            missing -= 1
            (lowest, highest) = (0x80, 0xBF)
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)
        case 0xED: (missing, highest) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }
}
