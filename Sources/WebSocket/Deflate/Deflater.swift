import CZlib

/// Compresses messages (RFC 7692 §7.2.1).
///
/// `@unchecked Sendable`: used by one owner at a time, who got it from ``ZlibPool`` or made it; zlib's streams may be used
/// on any thread, one at a time.
final class Deflater: @unchecked Sendable {
    /// How to compress.
    struct Settings: Equatable, Sendable {
        /// The window the receiver has, 8 to 15.
        var windowBits: UInt8
        var memoryLevel: UInt8
        /// 1, fast, to 9, small.
        var level: UInt8

        /// zlib's raw compressor refuses a window of 2^8 bytes, as its matching looks ahead further than that. For a
        /// receiver with that window it is given 2^9 and ``strategy``.
        var zlibWindowBits: UInt8 { max(windowBits, DeflateMemory.compressorWindowBitsMin) }

        /// For a window of 2^8 bytes only runs of one byte are matched: by zlib.h, Z_RLE limits distances to one, so
        /// no reference goes beyond any window.
        var strategy: Int32 { windowBits < DeflateMemory.compressorWindowBitsMin ? Z_RLE : Z_DEFAULT_STRATEGY }
    }

    /// What a sync flush ends with and the sender cuts off (RFC 7692 §7.2.1).
    static let tailBytes = 4
    /// One call to zlib takes a 32-bit length.
    static let messageBytesMax = 1 << 30

    /// zlib keeps the stream's address, so it must not move.
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

    /// Forgets all it has seen: what follows refers to nothing before.
    func reset() { deflateReset(stream) }

    /// Takes another level and strategy; window and memory level stay. Only just after ``reset()``.
    func change(to other: Settings) {
        guard other.level != settings.level || other.strategy != settings.strategy else { return }
        deflateParams(stream, Int32(other.level), other.strategy)
        settings = other
    }

    /// Compresses a message, after those since the last ``reset()``.
    /// - Parameter output: `payload.count + tailBytes` bytes: more is of no use.
    /// - Returns: how many bytes of output to send, fewer than the payload's; nil when it does not become smaller. Reset it
    ///   then, as it has seen what the receiver will not.
    func compress(_ payload: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
        guard payload.count <= Self.messageBytesMax else { return nil }
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: payload.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(payload.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(min(output.count, payload.count + Self.tailBytes))
        let space = Int(stream.pointee.avail_out)
        // RFC 7692 §7.2.1: an empty block without compression at the end, which is what Z_SYNC_FLUSH writes; its last four
        // bytes are removed. With output left over, the flush is complete.
        guard deflate(stream, Z_SYNC_FLUSH) == Z_OK, stream.pointee.avail_in == 0, stream.pointee.avail_out > 0 else {
            return nil
        }
        let count = space - Int(stream.pointee.avail_out) - Self.tailBytes
        return count > 0 && count < payload.count ? count : nil
    }
}
