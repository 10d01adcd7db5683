import CZlib

/// A message compressor (RFC 7692 §7.2.1).
///
/// `@unchecked Sendable`: used by one owner at a time, which created it or took it from ``ZlibPool``. zlib's streams
/// may be used on any thread, one at a time.
final class Deflater: @unchecked Sendable {
    /// The compression parameters.
    struct Settings: Equatable, Sendable {
        /// Base-2 logarithm of the receiver's window, 8 to 15.
        var windowBits: UInt8
        var memoryLevel: UInt8
        /// 1 (fast) to 9 (small).
        var level: UInt8

        /// The window passed to zlib. Its raw compressor refuses 2^8 bytes, because its matching looks further ahead.
        /// For a receiver with that window, zlib gets 2^9 and the restricted ``strategy``.
        var zlibWindowBits: UInt8 { max(windowBits, DeflateMemory.compressorWindowBitsMin) }

        /// The strategy passed to zlib. For a window of 2^8 bytes it matches only runs of one byte: by zlib.h, Z_RLE
        /// limits distances to one, so no reference exceeds any window.
        var strategy: Int32 { windowBits < DeflateMemory.compressorWindowBitsMin ? Z_RLE : Z_DEFAULT_STRATEGY }
    }

    /// Bytes at the end of a sync flush, which the sender removes (RFC 7692 §7.2.1).
    static let tailBytes = 4
    /// Limit of one call to zlib, which takes a 32-bit length.
    static let messageBytesMax = 1 << 30

    /// Allocated separately, because zlib keeps the stream's address, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private(set) var settings: Settings

    init?(_ settings: Settings) {
        self.settings = settings
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Negative: raw DEFLATE, without zlib's header.
        let code = deflateInit2_(
            stream, Int32(settings.level), Z_DEFLATED, -Int32(settings.zlibWindowBits), Int32(settings.memoryLevel),
            settings.strategy, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { return nil }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Discards the context: later output refers to no earlier input.
    func reset() { deflateReset(stream) }

    /// Changes the level and strategy; window and memory level stay. Call only directly after ``reset()``.
    func change(to other: Settings) {
        guard other.level != settings.level || other.strategy != settings.strategy else { return }
        deflateParams(stream, Int32(other.level), other.strategy)
        settings = other
    }

    /// Compresses a message with the context since the last ``reset()``.
    /// - Parameter output: `payload.count + tailBytes` bytes; more is not used.
    /// - Returns: The number of output bytes to send, fewer than the payload's; nil if the message does not become
    ///   smaller. Then reset the compressor, because its context contains a message that the receiver does not get.
    func compress(_ payload: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
        guard payload.count <= Self.messageBytesMax else { return nil }
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: payload.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(payload.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(min(output.count, payload.count + Self.tailBytes))
        let space = Int(stream.pointee.avail_out)
        // RFC 7692 §7.2.1: the data ends with an empty uncompressed block, which Z_SYNC_FLUSH writes; its last four
        // bytes are removed. If output space is left, the flush is complete.
        guard deflate(stream, Z_SYNC_FLUSH) == Z_OK, stream.pointee.avail_in == 0, stream.pointee.avail_out > 0 else {
            return nil
        }
        let count = space - Int(stream.pointee.avail_out) - Self.tailBytes
        return count > 0 && count < payload.count ? count : nil
    }
}
