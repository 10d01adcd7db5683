/// The XOR masking of RFC 6455 §5.3; applying it twice restores the original.
enum Masking {
    /// Four 64-bit words, processed together.
    private typealias Words = SIMD4<UInt64>
    private static let wordsBytes = 32
    static let nonASCII: UInt64 = 0x8080_8080_8080_8080

    /// Masks or unmasks in place.
    /// - Parameters:
    ///   - mask: The masking key, read as a big-endian number: 0x37fa213d is sent as 37 fa 21 3d.
    ///   - offset: The position of `bytes` in the frame's payload.
    static func apply(_ mask: UInt32, offset: Int, to bytes: UnsafeMutableRawBufferPointer) {
        guard mask != 0 else { return }
        _ = copy(UnsafeRawBufferPointer(bytes), mask: mask, offset: offset, to: bytes)
    }

    /// Copies bytes, masked or unmasked. `target` has the same length as `source`. It may be the same memory, but must
    /// not overlap otherwise.
    /// - Returns: Whether the result is ASCII, which is valid UTF-8 (RFC 3629 §3) without further checks.
    @discardableResult
    static func copy(
        _ source: UnsafeRawBufferPointer, mask: UInt32, offset: Int = 0, to target: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let from = source.baseAddress, let to = target.baseAddress else { return true }
        // RFC 6455 §5.3: "transformed-octet-i = original-octet-i XOR masking-key-octet-(i MOD 4)"
        let shift = UInt32(offset & 3) * 8
        let rotated = (shift == 0 ? mask : mask << shift | mask >> (32 - shift)).bigEndian
        let word = UInt64(rotated) << 32 | UInt64(rotated)
        let words = Words(repeating: word)
        let count = source.count
        var index = 0
        var seenWords = Words(repeating: 0)
        while index + wordsBytes <= count {
            let value = from.loadUnaligned(fromByteOffset: index, as: Words.self) ^ words
            seenWords |= value
            // Stored word by word, which needs no alignment; the compiler combines the stores.
            for lane in 0..<4 { to.storeBytes(of: value[lane], toByteOffset: index + lane * 8, as: UInt64.self) }
            index += wordsBytes
        }
        var seen = seenWords[0] | seenWords[1] | seenWords[2] | seenWords[3]
        while index + 8 <= count {
            let value = from.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ word
            seen |= value
            to.storeBytes(of: value, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        // The last bytes; `index` is a multiple of 4, so the key needs no further rotation.
        var key = word
        while index < count {
            let value = from.load(fromByteOffset: index, as: UInt8.self) ^ UInt8(truncatingIfNeeded: key)
            seen |= UInt64(value)
            to.storeBytes(of: value, toByteOffset: index, as: UInt8.self)
            key >>= 8
            index += 1
        }
        return seen & nonASCII == 0
    }

    /// A random key. RFC 6455 §5.3 requires it to be unpredictable, "derived from a strong source of entropy": the
    /// system's generator.
    static func randomKey() -> UInt32 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
