/// State of a connection while a header, frame or message is incomplete. The connection has no such object otherwise.
///
/// `@unchecked Sendable`: owned by one ``WebSocketConnection``, which cannot be copied.
final class PartialInput: @unchecked Sendable {
    /// The frame whose payload is being read.
    struct Frame {
        let header: FrameHeader
        var received = 0
        var remaining: Int { header.payloadBytes - received }
    }

    /// The first bytes of an incomplete header, fewer than `FrameHeader.bytesMax`.
    var headerBytes: [UInt8] = []
    var frame: Frame?
    var message: MessageAssembly?
    var inflater: Inflater?
    var controlPayload: [UInt8] = []

    /// Approximate bytes held, including the decompressor's; never 0.
    var heldBytes: Int {
        1 + headerBytes.count + controlPayload.count + (message?.heldBytes ?? 0) + (inflater?.heldBytes ?? 0)
    }

    var isEmpty: Bool { headerBytes.isEmpty && frame == nil && message == nil }
}

/// The permessage-deflate state kept between messages, only with context takeover (RFC 7692 §7.1.1).
///
/// `@unchecked Sendable`: owned by one ``WebSocketConnection``, which cannot be copied.
final class DeflateContexts: @unchecked Sendable {
    /// Created for the first compressed message.
    var compressor: Deflater?
    /// True if the compressor's window no longer matches the peer's: one of them has processed a message that the other
    /// has not.
    var compressorIsStale = false
    /// The last bytes received, uncompressed: the only history that a decompressor needs.
    var receiveWindow: [UInt8] = []
}
