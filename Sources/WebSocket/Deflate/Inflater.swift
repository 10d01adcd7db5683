import CZlib

/// Decompresses the DEFLATE blocks of one message after another (RFC 7692 §7.2.2). Between two messages all there is to
/// keep is the window: a message ends at a byte boundary, behind an empty block.
///
/// A distance beyond the window that was agreed, which no sender may use (RFC 7692 §7.1.2), is refused once what it refers to
/// is not at hand any more: when, depends on how the bytes arrive. Until then it refers to the same message.
///
/// `@unchecked Sendable`: used by one owner at a time, who got it from ``ZlibPool`` or made it; zlib's streams may be used
/// on any thread, one at a time.
final class Inflater: @unchecked Sendable {
    /// What ``inflate(_:into:)`` came to.
    enum Progress {
        /// All input is used up.
        case needsInput
        /// The output is full; call again.
        case outputIsFull
        /// The data is not DEFLATE, or refers to what is beyond the window.
        case corrupt
        /// zlib got no memory.
        case outOfMemory
    }

    /// The four bytes a sender cuts off and a receiver puts back (RFC 7692 §7.2.2).
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    /// Blocks with BFINAL set in one message. Each costs a new start with the old window; who flushes by them needs one a
    /// flush.
    static let finalBlocksMax = 256

    /// zlib keeps the stream's address, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var windowBits: UInt8
    private var finalBlocks = 0
    /// A block with BFINAL set has ended and nothing has followed yet.
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

    /// Makes ready for a message.
    /// - Parameter window: what the messages before it ended with; empty without context takeover.
    func begin(windowBits: UInt8, window: [UInt8]) -> Bool {
        guard inflateReset2(stream, -Int32(windowBits)) == Z_OK else { return false }
        self.windowBits = windowBits
        finalBlocks = 0
        isBehindFinalBlock = false
        return window.isEmpty || inflateSetDictionary(stream, window, UInt32(window.count)) == Z_OK
    }

    /// The last bytes of what was decompressed, at most 2^windowBits, in an array no larger than they are.
    func window() -> [UInt8] {
        var length: UInt32 = 0
        guard inflateGetDictionary(stream, nil, &length) == Z_OK else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            count = inflateGetDictionary(stream, buffer.baseAddress, nil) == Z_OK ? Int(length) : 0
        }
    }

    /// Decompresses. Both sides are advanced by what was used.
    func inflate(
        _ input: inout UnsafeRawBufferPointer, into output: inout UnsafeMutableRawBufferPointer
    ) -> Progress {
        run(&input, into: &output, flush: Z_NO_FLUSH)
    }

    /// Puts the tail back at the end of a message. All that the message holds has been made before: the tail is only the end
    /// of the empty block that was begun.
    /// - Returns: whether the message is complete; it is not when it ends in the middle of a block.
    func finish() -> Bool {
        // RFC 7692 §7.2.3.4 shows an empty block behind one with BFINAL set; without it the data is complete all the same.
        if isBehindFinalBlock { return true }
        return Self.tail.withUnsafeBytes { tail in
            var byte: UInt8 = 0
            return withUnsafeMutableBytes(of: &byte) { space in
                var input = tail
                // At most a turn a byte: Z_BLOCK stops behind each block and says in data_type whether that is where we are.
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
            // Z_BUF_ERROR: no progress was possible, for want of input or output.
            case Z_OK, Z_BUF_ERROR: return output.isEmpty ? .outputIsFull : .needsInput
            case Z_MEM_ERROR: return .outOfMemory
            default: return .corrupt
            }
        }
    }

    /// Goes on behind a block with BFINAL set, with the window as it is: to RFC 7692 §7.2.1 such a block is one like others,
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
