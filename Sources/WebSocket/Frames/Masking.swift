/// The XOR of RFC 6455 §5.3; applying it twice gives the original back.
enum Masking {
    /// Masks or unmasks in place, eight bytes at a time.
    /// - Parameters:
    ///   - mask: the masking key read as a big-endian number: 0x37fa213d is sent as 37 fa 21 3d.
    ///   - offset: where in the frame's payload `bytes` begin.
    static func apply(_ mask: UInt32, offset: Int, to bytes: UnsafeMutableRawBufferPointer) {
        guard mask != 0, let base = bytes.baseAddress else { return }
        // RFC 6455 §5.3: "transformed-octet-i = original-octet-i XOR masking-key-octet-(i MOD 4)"
        let shift = UInt32(offset & 3) * 8
        let rotated = (shift == 0 ? mask : mask << shift | mask >> (32 - shift)).bigEndian
        let word = UInt64(rotated) << 32 | UInt64(rotated)
        let wordsEnd = bytes.count & ~7
        var index = 0
        while index < wordsEnd {
            let value = base.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ word
            base.storeBytes(of: value, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        withUnsafeBytes(of: rotated) { key in
            while index < bytes.count {
                bytes[index] ^= key[index & 3]
                index += 1
            }
        }
    }

    /// RFC 6455 §5.3: the key must be unpredictable, "derived from a strong source of entropy": the system's.
    static func randomKey() -> UInt32 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
