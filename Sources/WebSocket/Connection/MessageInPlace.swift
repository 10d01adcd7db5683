/// A message that was read where it arrived: nothing is copied and nothing allocated. Valid as long as that memory is.
public struct MessageInPlace {
    /// A text message, which is valid UTF-8, or a binary one.
    public let isText: Bool
    /// The payload, unmasked.
    public let payload: UnsafeMutableRawBufferPointer

    /// The same message as a frame of ours, made where it is: a server's header is as long as a client's without the mask
    /// (RFC 6455 §5.2), so it fits in front of the payload.
    public func serverFrame() -> UnsafeRawBufferPointer? {
        guard let start = payload.baseAddress else { return nil }
        let headerBytes = FrameEncoder.headerBytes(payloadBytes: payload.count)
        let frame = UnsafeMutableRawBufferPointer(start: start - headerBytes, count: headerBytes + payload.count)
        FrameEncoder.writeHeader(isText ? .text : .binary, payloadBytes: payload.count, to: frame)
        return UnsafeRawBufferPointer(frame)
    }
}

extension WebSocketConnection {
    /// Reads a message where it arrived, if that is all there is: one whole frame of a client that is not compressed, with
    /// nothing before it that was not taken, and nothing behind it.
    ///
    /// Nil in all other cases, mistakes of the peer among them; the bytes are then as they were, for ``receive(_:)``.
    /// - Parameter bytes: What arrived; overwritten when there is a message.
    public mutating func messageInPlace(_ bytes: UnsafeMutableRawBufferPointer) -> MessageInPlace? {
        guard role == .server, hasTakenAll, partial == nil,
            let header = try? FrameHeader(UnsafeRawBufferPointer(bytes), from: .client, extensions: .none),
            header.isFinal, header.opcode == .text || header.opcode == .binary,
            // No sum: a length of 2^63 - 1 is a length (RFC 6455 §5.2).
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
