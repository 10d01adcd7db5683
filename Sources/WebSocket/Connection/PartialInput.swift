/// What a connection holds while a header, frame or message is not complete; there is none in between.
///
/// `@unchecked Sendable`: owned by one ``WebSocketConnection``, which cannot be copied.
final class PartialInput: @unchecked Sendable {
    /// The frame whose payload is being read.
    struct Frame {
        let header: FrameHeader
        var received = 0
        var remaining: Int { header.payloadBytes - received }
    }

    /// The first bytes of a header that is not complete, fewer than `FrameHeader.bytesMax`.
    var headerBytes: [UInt8] = []
    var frame: Frame?
    var message: MessageAssembly?
    var inflater: Inflater?
    var controlPayload: [UInt8] = []

    /// About what this holds, the decompressor included; never 0.
    var heldBytes: Int {
        1 + headerBytes.count + controlPayload.count + (message?.heldBytes ?? 0) + (inflater?.heldBytes ?? 0)
    }

    var isEmpty: Bool { headerBytes.isEmpty && frame == nil && message == nil }
}

/// What permessage-deflate holds from one message to the next, only with context takeover (RFC 7692 §7.1.1).
///
/// `@unchecked Sendable`: owned by one ``WebSocketConnection``, which cannot be copied.
final class DeflateContexts: @unchecked Sendable {
    /// Made for the first message that is compressed.
    var compressor: Deflater?
    /// The compressor has seen what the peer has not, or not seen what it has.
    var compressorIsStale = false
    /// The end of what was received: all that a decompressor must know of the past.
    var receiveWindow: [UInt8] = []
}
