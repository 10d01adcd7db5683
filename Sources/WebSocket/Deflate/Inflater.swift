import CZlib

/// Decompresses the DEFLATE blocks of one message after another (RFC 7692 §7.2.2). Between two messages only the window
/// is kept, because a message ends at a byte boundary, after an empty block.
///
/// No sender may use a distance beyond the agreed window (RFC 7692 §7.1.2). Such a distance is refused once the bytes
/// it refers to are no longer available, which depends on how the input arrives. Until then it refers to the same
/// message.
///
/// `@unchecked Sendable`: used by one owner at a time, which created it or took it from ``ZlibPool``. zlib's streams
/// may be used on any thread, one at a time.
final class Inflater: @unchecked Sendable {
    /// The result of ``inflate(_:into:)``.
    enum Progress {
        /// All input is used up.
        case needsInput
        /// The output is full; call again.
        case outputIsFull
        /// The data is not DEFLATE, or refers to data beyond the window.
        case corrupt
        /// zlib could not allocate memory.
        case outOfMemory
    }

    /// The four bytes that a sender removes and a receiver restores (RFC 7692 §7.2.2).
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    /// Maximum blocks with BFINAL set in one message. Each costs a restart with the old window. A sender that flushes
    /// with final blocks needs one per flush.
    static let finalBlocksMax = 256

    /// Allocated separately, because zlib keeps the stream's address, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var windowBits: UInt8
    private var finalBlocks = 0
    /// True if a block with BFINAL set has ended and no data has followed yet.
    private var isBehindFinalBlock = false

    init?(windowBits: UInt8) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        self.windowBits = windowBits
        // Negative: raw DEFLATE, without zlib's header.
        guard
            inflateInit2_(stream, -Int32(windowBits), ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
    }

    var heldBytes: Int { DeflateMemory.inflateBytes(windowBits: windowBits) }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Prepares for a message.
    /// - Parameter window: The end of the earlier messages; empty without context takeover.
    func begin(windowBits: UInt8, window: [UInt8]) -> Bool {
        guard inflateReset2(stream, -Int32(windowBits)) == Z_OK else { return false }
        self.windowBits = windowBits
        finalBlocks = 0
        isBehindFinalBlock = false
        return window.isEmpty || inflateSetDictionary(stream, window, UInt32(window.count)) == Z_OK
    }

    /// The last bytes of the decompressed data, at most 2^windowBits, in an array of exactly that size.
    func window() -> [UInt8] {
        var length: UInt32 = 0
        guard inflateGetDictionary(stream, nil, &length) == Z_OK else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            count = inflateGetDictionary(stream, buffer.baseAddress, nil) == Z_OK ? Int(length) : 0
        }
    }

    /// Decompresses. Advances both buffers past the bytes used.
    func inflate(
        _ input: inout UnsafeRawBufferPointer, into output: inout UnsafeMutableRawBufferPointer
    ) -> Progress {
        run(&input, into: &output, flush: Z_NO_FLUSH)
    }

    /// Restores the tail at the end of a message. All of the payload has been output by then: the tail only ends an
    /// empty block.
    /// - Returns: Whether the message is complete; false if it ends inside a block.
    func finish() -> Bool {
        // RFC 7692 §7.2.3.4 shows an empty block after one with BFINAL set; the data is complete without it as well.
        if isBehindFinalBlock { return true }
        return Self.tail.withUnsafeBytes { tail in
            var byte: UInt8 = 0
            return withUnsafeMutableBytes(of: &byte) { space in
                var input = tail
                // At most one iteration per byte: Z_BLOCK stops after each block, and data_type then states whether the
                // input is at a block boundary.
                while !input.isEmpty {
                    var output = space
                    guard case .needsInput = run(&input, into: &output, flush: Z_BLOCK) else { return false }
                }
                return isBehindFinalBlock || stream.pointee.data_type == 128
            }
        }
    }

    private func run(
        _ input: inout UnsafeRawBufferPointer, into output: inout UnsafeMutableRawBufferPointer, flush: Int32
    ) -> Progress {
        while true {
            if isBehindFinalBlock {
                if input.isEmpty { return .needsInput }
                if let failure = restart() { return failure }
            }
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.pointee.avail_in = UInt32(input.count)
            stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(output.count)
            let code = CZlib.inflate(stream, flush)
            input = UnsafeRawBufferPointer(rebasing: input.suffix(Int(stream.pointee.avail_in)))
            output = UnsafeMutableRawBufferPointer(rebasing: output.suffix(Int(stream.pointee.avail_out)))
            switch code {
            case Z_STREAM_END: isBehindFinalBlock = true
            // Z_BUF_ERROR: no progress was possible, for lack of input or output space.
            case Z_OK, Z_BUF_ERROR: return output.isEmpty ? .outputIsFull : .needsInput
            case Z_MEM_ERROR: return .outOfMemory
            default: return .corrupt
            }
        }
    }

    /// Restarts after a block with BFINAL set, keeping the window. To RFC 7692 §7.2.1 such a block is like any other,
    /// "the next DEFLATE block follows the padded data if any".
    private func restart() -> Progress? {
        finalBlocks += 1
        guard finalBlocks <= Self.finalBlocksMax else { return .corrupt }
        let window = window()
        guard inflateReset(stream) == Z_OK,
            window.isEmpty || inflateSetDictionary(stream, window, UInt32(window.count)) == Z_OK
        else { return .outOfMemory }
        isBehindFinalBlock = false
        return nil
    }
}
