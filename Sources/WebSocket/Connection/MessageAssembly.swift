/// A message while its frames arrive: unmasks, decompresses and checks what comes, and keeps the payload.
struct MessageAssembly {
    let isText: Bool
    private let bytesMax: Int
    /// Nil for a message that is not compressed.
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

    /// Payload bytes on the wire that the next frame may have. A compressed message may be longer than the original, by
    /// an eighth with zlib's worst settings.
    var frameBytesMax: Int { (inflater == nil ? bytesMax : bytesMax + bytesMax / 8 + 64) - wireBytes }

    static let invalidText = ProtocolViolation("text is not UTF-8 (RFC 6455 §8.1)", code: .invalidPayload)
    static let corrupt = ProtocolViolation("compressed message is damaged (RFC 7692 §7.2.2)", code: .invalidPayload)
    static let outOfMemory = ProtocolViolation("no memory to decompress a message", code: .internalError)

    static func tooBig(_ bytesMax: Int) -> ProtocolViolation {
        ProtocolViolation("message too big; at most \(bytesMax) bytes", code: .messageTooBig)
    }

    /// Takes the next bytes of a frame's payload, `offset` bytes into it.
    ///
    /// The array grows with what arrives, never by what a header declares; a message that is here whole gets one exact
    /// allocation.
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
        // RFC 6455 §8.1: invalid UTF-8 fails the connection; here at its first invalid byte, whatever is still to come.
        let isValid = payload.withUnsafeBytes { utf8.consume(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        guard isValid else { throw Self.invalidText }
    }

    /// The whole payload, behind its last frame.
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
        // RFC 7692 §7.2.3.6 has an empty message as one byte. Senders that flush without having written anything get no
        // byte at all from zlib; that is accepted.
        guard wireBytes == 0 || inflater?.finish() == true else { throw Self.corrupt }
    }

    /// Runs the decompressor until it wants more input. At most one byte beyond the limit is ever decompressed, and a
    /// chunk is checked before the next is made.
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
        // In this order so that it does not matter how the message was cut into pieces.
        guard !isText || utf8.consume(fitting) else { throw Self.invalidText }
        guard fitting.count == made.count else { throw Self.tooBig(bytesMax) }
        if payload.isEmpty { payload = Array(fitting) } else { payload.append(contentsOf: fitting) }
    }
}
