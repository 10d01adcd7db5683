/// An incremental UTF-8 validator (RFC 3629 §4). It detects an invalid byte at once, and a character may be split
/// anywhere.
struct UTF8Validator: Sendable {
    /// Number of continuation bytes still missing, and the range of the next one. After E0, ED, F0 and F4 the first
    /// range is narrower, which excludes overlong forms, surrogates and code points beyond U+10FFFF.
    private var missing: UInt8 = 0
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// True if the input so far does not end inside a character.
    var isComplete: Bool { missing == 0 }

    /// Validates the next bytes. Returns false if they cannot continue valid UTF-8; the validator is then of no further
    /// use.
    mutating func consume(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        let count = bytes.count
        var index = 0
        // The rest of a character that an earlier call began.
        while missing > 0, index < count {
            guard consume(base.load(fromByteOffset: index, as: UInt8.self)) else { return false }
            index += 1
        }
        while index < count {
            // Most text is ASCII: 32 bytes at a time, then eight.
            while index + 32 <= count {
                let words = base.loadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self)
                guard (words[0] | words[1] | words[2] | words[3]) & Masking.nonASCII == 0 else { break }
                index += 32
            }
            while index + 8 <= count,
                base.loadUnaligned(fromByteOffset: index, as: UInt64.self) & Masking.nonASCII == 0
            {
                index += 8
            }
            let end = min(count, index + 32)
            while index < end {
                let length = index + 4 <= count ? Self.character(base + index) : 0
                if length > 0 {
                    index += length
                    continue
                }
                // Invalid, or the last bytes: check one byte at a time, so that the error is found at its exact
                // position.
                guard consume(base.load(fromByteOffset: index, as: UInt8.self)) else { return false }
                index += 1
                while missing > 0, index < count {
                    guard consume(base.load(fromByteOffset: index, as: UInt8.self)) else { return false }
                    index += 1
                }
            }
        }
        return true
    }

    /// The length of the valid character at the start of four readable bytes; 0 if there is none.
    @inline(__always)
    private static func character(_ base: UnsafeRawPointer) -> Int {
        // Big-endian, so that the first byte is the most significant.
        let four = UInt32(bigEndian: base.loadUnaligned(as: UInt32.self))
        if four < 0x8000_0000 { return 1 }
        if four & 0xE0C0_0000 == 0xC080_0000 { return four >= 0xC200_0000 ? 2 : 0 }
        if four & 0xF0C0_C000 == 0xE080_8000 {
            let scalar = (four >> 12 & 0xF000) | (four >> 10 & 0xFC0) | (four >> 8 & 0x3F)
            return scalar >= 0x800 && scalar & 0xF800 != 0xD800 ? 3 : 0
        }
        if four & 0xF8C0_C0C0 == 0xF080_8080 {
            let scalar = (four >> 6 & 0x1C_0000) | (four >> 4 & 0x3_F000) | (four >> 2 & 0xFC0) | (four & 0x3F)
            return scalar >= 0x1_0000 && scalar <= 0x10_FFFF ? 4 : 0
        }
        return 0
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
