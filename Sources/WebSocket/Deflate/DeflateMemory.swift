/// Memory use of zlib's streams, by the formulas of zlib's documentation (zconf.h, "Memory usage").
enum DeflateMemory {
    /// The window sizes that may be negotiated (RFC 7692 §7.1.2): 2^8 to 2^15 bytes.
    static let windowBits: ClosedRange<UInt8> = 8...15
    /// zlib's compressor has no window below 2^9 bytes, see ``Deflater/Settings``.
    static let compressorWindowBitsMin: UInt8 = 9
    static let memoryLevelMin: UInt8 = 1
    static let memoryLevelMax: UInt8 = 8

    /// Bytes of a decompressor: its window and about 7 kB.
    static func inflateBytes(windowBits: UInt8) -> Int { (1 << Int(windowBits)) + 7168 }

    /// Bytes of a compressor: window, hash chains, hash table and pending output.
    static func deflateBytes(windowBits: UInt8, memoryLevel: UInt8) -> Int {
        (1 << (Int(windowBits) + 2)) + (1 << (Int(memoryLevel) + 9))
    }

    /// The memory level for a window: 8, zlib's default, for 2^14 and 2^15 bytes, and less for smaller ones. A large
    /// hash table is useless for a small window and must be cleared for each message.
    static func memoryLevel(windowBits: UInt8) -> UInt8 {
        min(memoryLevelMax, max(compressorWindowBitsMin, windowBits) - 6)
    }
}
