/// A message whose frames are still arriving: unmasks, decompresses and validates each chunk, and keeps the payload.
struct MessageAssembly {
    let isText: Bool
    private let bytesMax: Int
    /// Nil for an uncompressed message.
    private let inflater: Inflater?
    var fragments = 0
    private var wireBytes = 0
    private var utf8 = UTF8Validator()
    private var payload: [UInt8] = []

    init(isText: Bool, bytesMax: Int, inflater: Inflater?) {
        self.isText = isText
        self.bytesMax = bytesMax
        self.inflater = inflater
    }

    var heldBytes: Int { payload.count }

    /// Payload bytes on the wire that the next frame may have. With zlib's worst settings, a compressed message can be
    /// an eighth longer than the original.
    var frameBytesMax: Int { (inflater == nil ? bytesMax : bytesMax + bytesMax / 8 + 64) - wireBytes }

    static let invalidText = ProtocolViolation("text is not UTF-8 (RFC 6455 §8.1)", code: .invalidPayload)
    static let corrupt = ProtocolViolation("compressed message is damaged (RFC 7692 §7.2.2)", code: .invalidPayload)
    static let outOfMemory = ProtocolViolation("no memory to decompress a message", code: .internalError)

    static func tooBig(_ bytesMax: Int) -> ProtocolViolation {
        ProtocolViolation("message too big; at most \(bytesMax) bytes", code: .messageTooBig)
    }

    /// Adds the next bytes of a frame's payload, which start `offset` bytes into it.
    ///
    /// The payload array grows with the bytes received, never by the length that a header declares. A message that is
    /// complete in one chunk gets one allocation of the exact size.
    mutating func add(_ chunk: UnsafeRawBufferPointer, mask: UInt32, offset: Int) throws(ProtocolViolation) {
        wireBytes += chunk.count
        if inflater != nil { return try inflate(chunk, mask: mask, offset: offset) }
        let start = payload.count
        var isASCII = false
        if start == 0 {
            payload = ByteArrays.zeros(count: chunk.count)
            isASCII = payload.withUnsafeMutableBytes { Masking.copy(chunk, mask: mask, offset: offset, to: $0) }
        } else {
            payload.append(contentsOf: chunk)
            isASCII = payload.withUnsafeMutableBytes { bytes in
                let added = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                return Masking.copy(UnsafeRawBufferPointer(added), mask: mask, offset: offset, to: added)
            }
        }
        guard isText, !(isASCII && utf8.isComplete) else { return }
        // RFC 6455 §8.1: invalid UTF-8 fails the connection. This happens at the first invalid byte, before the rest of
        // the message arrives.
        let isValid = payload.withUnsafeBytes { utf8.consume(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        guard isValid else { throw Self.invalidText }
    }

    /// Returns the whole payload after the last frame.
    mutating func finish() throws(ProtocolViolation) -> [UInt8] {
        if inflater != nil { try finishInflating() }
        guard utf8.isComplete else { throw Self.invalidText }
        var finished: [UInt8] = []
        swap(&finished, &payload)
        return finished
    }

    // MARK: - Compressed messages (RFC 7692 §7.2.2)

    private mutating func inflate(
        _ chunk: UnsafeRawBufferPointer, mask: UInt32, offset: Int
    ) throws(ProtocolViolation) {
        try ZlibPool.withScratch { (scratch: Scratch) throws(ProtocolViolation) in
            var start = 0
            while start < chunk.count {
                let piece = UnsafeRawBufferPointer(rebasing: chunk[start...].prefix(Scratch.halfBytes))
                let target = UnsafeMutableRawBufferPointer(rebasing: scratch.input[..<piece.count])
                Masking.copy(piece, mask: mask, offset: offset + start, to: target)
                var input = UnsafeRawBufferPointer(target)
                try drain(&input, into: scratch.output)
                start += piece.count
            }
        }
    }

    private mutating func finishInflating() throws(ProtocolViolation) {
        // RFC 7692 §7.2.3.6 encodes an empty message as one byte. Senders that flush without having written anything
        // get no byte at all from zlib; such messages are accepted.
        guard wireBytes == 0 || inflater?.finish() == true else { throw Self.corrupt }
    }

    /// Runs the decompressor until it needs more input. It decompresses at most one byte beyond the limit, and checks
    /// each chunk before it produces the next.
    private mutating func drain(
        _ input: inout UnsafeRawBufferPointer, into scratch: UnsafeMutableRawBufferPointer
    ) throws(ProtocolViolation) {
        guard let inflater else { return }
        while true {
            let space = UnsafeMutableRawBufferPointer(
                rebasing: scratch.prefix(bytesMax - payload.count + 1))
            var output = space
            let progress = inflater.inflate(&input, into: &output)
            let made = UnsafeRawBufferPointer(rebasing: space[..<(space.count - output.count)])
            try keep(made)
            switch progress {
            case .needsInput: return
            case .outputIsFull: continue
            case .corrupt: throw Self.corrupt
            case .outOfMemory: throw Self.outOfMemory
            }
        }
    }

    private mutating func keep(_ made: UnsafeRawBufferPointer) throws(ProtocolViolation) {
        let fitting = UnsafeRawBufferPointer(rebasing: made.prefix(bytesMax - payload.count))
        // Validate UTF-8 before the length, so that the result does not depend on how the message was split.
        guard !isText || utf8.consume(fitting) else { throw Self.invalidText }
        guard fitting.count == made.count else { throw Self.tooBig(bytesMax) }
        if payload.isEmpty { payload = Array(fitting) } else { payload.append(contentsOf: fitting) }
    }
}
