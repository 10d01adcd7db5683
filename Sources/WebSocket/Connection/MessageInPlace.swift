/// A message decoded in the receive buffer, without a copy or an allocation. Valid as long as that buffer is.
public struct MessageInPlace {
    /// True for a text message, whose payload is valid UTF-8; false for a binary message.
    public let isText: Bool
    /// The unmasked payload.
    public let payload: UnsafeMutableRawBufferPointer

    /// The same message as a server frame, encoded in the same buffer. A server's header is as long as a client's
    /// without the mask (RFC 6455 §5.2), so it fits in front of the payload.
    public func serverFrame() -> UnsafeRawBufferPointer? {
        guard let start = payload.baseAddress else { return nil }
        let headerBytes = FrameEncoder.headerBytes(payloadBytes: payload.count)
        let frame = UnsafeMutableRawBufferPointer(start: start - headerBytes, count: headerBytes + payload.count)
        FrameEncoder.writeHeader(isText ? .text : .binary, payloadBytes: payload.count, to: frame)
        return UnsafeRawBufferPointer(frame)
    }
}

extension WebSocketConnection {
    /// Decodes a message in the receive buffer if the buffer holds exactly one complete, uncompressed frame from a
    /// client, and no earlier bytes or events are pending.
    ///
    /// Returns nil in all other cases, including protocol violations. The bytes are then unchanged, for
    /// ``receive(_:)``.
    /// - Parameter bytes: The received bytes; overwritten if a message is returned.
    public mutating func messageInPlace(_ bytes: UnsafeMutableRawBufferPointer) -> MessageInPlace? {
        guard role == .server, hasTakenAll, partial == nil,
            let header = try? FrameHeader(UnsafeRawBufferPointer(bytes), from: .client, extensions: .none),
            header.isFinal, header.opcode == .text || header.opcode == .binary,
            // Subtract instead of adding: a payload length may be as large as 2^63 - 1 (RFC 6455 §5.2).
            bytes.count - header.headerBytes == header.payloadBytes,
            header.payloadBytes <= min(limits.frameBytesMax, limits.messageBytesMax), limits.fragmentsMax > 0
        else { return nil }
        let payload = UnsafeMutableRawBufferPointer(rebasing: bytes[header.headerBytes...])
        let isASCII = Masking.copy(UnsafeRawBufferPointer(payload), mask: header.mask, to: payload)
        let isText = header.opcode == .text
        if isText, !isASCII {
            var utf8 = UTF8Validator()
            guard utf8.consume(UnsafeRawBufferPointer(payload)), utf8.isComplete else {
                Masking.apply(header.mask, offset: 0, to: payload)
                return nil
            }
        }
        return MessageInPlace(isText: isText, payload: payload)
    }
}
