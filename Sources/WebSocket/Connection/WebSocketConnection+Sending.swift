extension WebSocketConnection {
    /// Encodes a text message as one frame for this connection. The frame is compressed if both sides agreed on it, the
    /// payload's length is within ``DeflateConfiguration/messageBytesMin`` and the maximum, and compression makes it
    /// smaller. A client masks it.
    ///
    /// With ``DeflateAgreement/sendContextTakeover``, write each frame exactly once and in the order of creation,
    /// because a later frame may refer to it. Decide which messages to drop before encoding them.
    /// - Parameter payload: UTF-8, which is not checked here.
    public mutating func textFrame(_ payload: [UInt8]) -> [UInt8] { frame(.text, payload) }

    /// Encodes a binary message as one frame for this connection, like ``textFrame(_:)``.
    public mutating func binaryFrame(_ payload: [UInt8]) -> [UInt8] { frame(.binary, payload) }

    /// Encodes a broadcast for this connection. All connections with the same parameters share one frame, by reference.
    ///
    /// A shared frame refers to no earlier message. Every receiver can therefore decode it, even one with context
    /// takeover, and it may be dropped or sent twice. A receiver with context takeover then has the message in its
    /// window while this connection's compressor does not. The compressor therefore starts afresh with its next
    /// message, which a sender may always do (RFC 7692 §7.1.1 permits taking over a context but does not oblige to).
    public mutating func frame(of broadcast: BroadcastMessage) -> [UInt8] {
        // RFC 6455 §5.3: a client masks each frame with a new key, so there is nothing to share.
        guard role == .server else { return frame(broadcast.opcode, broadcast.payload) }
        guard let deflate, let compressed = broadcast.compressedFrame(deflate) else { return broadcast.frame }
        contexts?.compressorIsStale = true
        return compressed
    }

    /// Frees the memory of a compressor that keeps its context, for instance after the connection was idle for a while.
    /// The next message creates a new one. Always allowed: a sender is not obliged to use context takeover.
    public mutating func releaseCompressor() {
        contexts?.compressor = nil
        if contexts?.receiveWindow.isEmpty == true { contexts = nil }
    }

    private mutating func frame(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
        let mask = nextMask()
        if let deflate, deflate.compresses(messageBytes: payload.count),
            let frame = compressedFrame(opcode, payload, deflate, mask: mask)
        {
            return frame
        }
        return FrameEncoder.frame(opcode, payload, mask: mask)
    }

    private mutating func compressedFrame(
        _ opcode: Opcode, _ payload: [UInt8], _ deflate: DeflateAgreement, mask: UInt32?
    ) -> [UInt8]? {
        guard deflate.sendContextTakeover else {
            return FrameEncoder.deflated(
                opcode, payload, windowBits: deflate.sendWindowBits, level: deflate.level, mask: mask)
        }
        let contexts = contexts ?? DeflateContexts()
        self.contexts = contexts
        if contexts.compressor == nil {
            contexts.compressor = Deflater(
                Deflater.Settings(
                    windowBits: deflate.sendWindowBits,
                    memoryLevel: DeflateMemory.memoryLevel(windowBits: deflate.sendWindowBits),
                    level: deflate.level))
        } else if contexts.compressorIsStale {
            contexts.compressor?.reset()
        }
        contexts.compressorIsStale = false
        guard let compressor = contexts.compressor else { return nil }
        let frame = FrameEncoder.deflated(opcode, payload, by: compressor, mask: mask)
        if frame == nil { contexts.compressorIsStale = true }
        return frame
    }
}

extension FrameEncoder {
    /// A message compressed without context; nil if it does not become smaller.
    static func deflated(
        _ opcode: Opcode, _ payload: [UInt8], windowBits: UInt8, level: UInt8, mask: UInt32? = nil
    ) -> [UInt8]? {
        ZlibPool.withDeflater(windowBits: windowBits, messageBytes: payload.count, level: level) { deflater in
            deflated(opcode, payload, by: deflater, mask: mask)
        }
    }

    /// A message compressed with the context of `deflater`; nil if it does not become smaller.
    static func deflated(
        _ opcode: Opcode, _ payload: [UInt8], by deflater: Deflater, mask: UInt32? = nil
    ) -> [UInt8]? {
        payload.withUnsafeBytes { payload in
            let space = payload.count + Deflater.tailBytes
            // RFC 7692 §6.1: "Set the "Per-Message Compressed" bit of the first fragment", here the only one.
            func make(_ output: UnsafeMutableRawBufferPointer) -> [UInt8]? {
                guard let count = deflater.compress(payload, into: output) else { return nil }
                return frame(
                    opcode, UnsafeRawBufferPointer(rebasing: output[..<count]), reservedBits: FrameHeader.compressedBit,
                    mask: mask)
            }
            if space <= Scratch.halfBytes { return ZlibPool.withScratch { make($0.output) } }
            let output = UnsafeMutableRawBufferPointer.allocate(byteCount: space, alignment: 16)
            defer { output.deallocate() }
            return make(output)
        }
    }
}
