/// Encodes whole frames (RFC 6455 §5.2), ready to be written. Without a mask they are a server's frames, and the same
/// bytes may go to any number of receivers. A client passes a new mask for each frame (§5.3), see `randomMask`.
///
/// A mask is read as a big-endian number: 0x37fa213d is sent as 37 fa 21 3d.
public enum FrameEncoder {
    /// Maximum bytes of a close frame's reason: 125 less the code (RFC 6455 §5.5.1).
    public static let closeReasonBytesMax = 123

    /// A text message in one frame. The payload must be UTF-8, which is not checked here.
    public static func text(_ payload: [UInt8], mask: UInt32? = nil) -> [UInt8] {
        frame(.text, payload, mask: mask)
    }

    /// A binary message in one frame.
    public static func binary(_ payload: [UInt8], mask: UInt32? = nil) -> [UInt8] {
        frame(.binary, payload, mask: mask)
    }

    /// A ping; the payload is cut to 125 bytes (RFC 6455 §5.5).
    public static func ping(_ payload: [UInt8] = [], mask: UInt32? = nil) -> [UInt8] {
        control(.ping, payload, mask: mask)
    }

    /// A pong; the payload is cut to 125 bytes (RFC 6455 §5.5).
    public static func pong(_ payload: [UInt8] = [], mask: UInt32? = nil) -> [UInt8] {
        control(.pong, payload, mask: mask)
    }

    /// A close frame (RFC 6455 §5.5.1). Its body is empty without a code, or with a code that may not be sent. The
    /// reason is cut to 123 bytes at a character boundary.
    public static func close(code: CloseCode?, reason: String = "", mask: UInt32? = nil) -> [UInt8] {
        guard let code, code.isSendable else { return frame(.close, [], mask: mask) }
        var payload = [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)]
        payload.append(contentsOf: truncated(reason))
        return frame(.close, payload, mask: mask)
    }

    /// A fresh masking key from the system's cryptographic source (RFC 6455 §10.3).
    public static func randomMask() -> UInt32 { Masking.randomKey() }

    /// The longest prefix of at most 123 bytes that ends on a UTF-8 boundary.
    static func truncated(_ reason: String) -> ArraySlice<UInt8> {
        let bytes = Array(reason.utf8)
        guard bytes.count > closeReasonBytesMax else { return bytes[...] }
        var end = closeReasonBytesMax
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return bytes[..<end]
    }

    private static func control(_ opcode: Opcode, _ payload: [UInt8], mask: UInt32?) -> [UInt8] {
        payload.withUnsafeBytes { bytes in
            frame(
                opcode, UnsafeRawBufferPointer(rebasing: bytes.prefix(FrameHeader.controlPayloadBytesMax)), mask: mask)
        }
    }

    static func frame(
        _ opcode: Opcode, _ payload: [UInt8], isFinal: Bool = true, reservedBits: UInt8 = 0, mask: UInt32? = nil
    ) -> [UInt8] {
        payload.withUnsafeBytes { frame(opcode, $0, isFinal: isFinal, reservedBits: reservedBits, mask: mask) }
    }

    /// A frame with header and payload in one allocation of the exact size.
    static func frame(
        _ opcode: Opcode, _ payload: UnsafeRawBufferPointer, isFinal: Bool = true, reservedBits: UInt8 = 0,
        mask: UInt32? = nil
    ) -> [UInt8] {
        let headerBytes = headerBytes(payloadBytes: payload.count, isMasked: mask != nil)
        var bytes = ByteArrays.zeros(count: headerBytes + payload.count)
        bytes.withUnsafeMutableBytes { buffer in
            let firstByte = (isFinal ? 0x80 : 0) | reservedBits | opcode.rawValue
            writeHeader(firstByte, payloadBytes: payload.count, mask: mask, to: buffer)
            let body = UnsafeMutableRawBufferPointer(rebasing: buffer[headerBytes...])
            if let mask { Masking.copy(payload, mask: mask, to: body) } else { body.copyMemory(from: payload) }
        }
        return bytes
    }

    /// Length of a header (RFC 6455 §5.2), 2 to 14 bytes.
    static func headerBytes(payloadBytes: Int, isMasked: Bool = false) -> Int {
        (payloadBytes <= 125 ? 2 : payloadBytes <= 0xFFFF ? 4 : 10) + (isMasked ? 4 : 0)
    }

    /// Writes the header of an uncompressed message in one frame.
    static func writeHeader(_ opcode: Opcode, payloadBytes: Int, to buffer: UnsafeMutableRawBufferPointer) {
        writeHeader(0x80 | opcode.rawValue, payloadBytes: payloadBytes, mask: nil, to: buffer)
    }

    private static func writeHeader(
        _ firstByte: UInt8, payloadBytes: Int, mask: UInt32?, to buffer: UnsafeMutableRawBufferPointer
    ) {
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        var count = 2
        buffer[0] = firstByte
        // RFC 6455 §5.2: "the minimal number of bytes MUST be used to encode the length".
        switch payloadBytes {
        case ...125: buffer[1] = maskBit | UInt8(payloadBytes)
        case ...0xFFFF:
            buffer[1] = maskBit | 126
            append(UInt16(payloadBytes), to: buffer, at: &count)
        default:
            buffer[1] = maskBit | 127
            append(UInt64(payloadBytes), to: buffer, at: &count)
        }
        if let mask { append(mask, to: buffer, at: &count) }
    }

    /// Writes a number in network byte order.
    private static func append<Number: FixedWidthInteger>(
        _ number: Number, to buffer: UnsafeMutableRawBufferPointer, at count: inout Int
    ) {
        buffer.storeBytes(of: number.bigEndian, toByteOffset: count, as: Number.self)
        count += MemoryLayout<Number>.size
    }
}
