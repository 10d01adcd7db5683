/// The opcodes defined in RFC 6455 §5.2; all others are reserved.
enum Opcode: UInt8, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// RFC 6455 §5.5: "opcodes where the most significant bit of the opcode is 1".
    var isControl: Bool { rawValue & 0x8 != 0 }
}

/// The negotiated extensions, as far as they change how frames are decoded.
struct NegotiatedExtensions: Sendable, Equatable {
    /// Reserved bits, as in a frame's first byte, that may be set on the first frame of a message.
    var messageReservedBits: UInt8 = 0

    static let none = NegotiatedExtensions()
    /// RFC 7692 §6: RSV1 is the "Per-Message Compressed" bit.
    static let deflate = NegotiatedExtensions(messageReservedBits: FrameHeader.compressedBit)

    /// RFC 7692 §6.1: the bit is on the first fragment only, never on "control frames and non-first fragments".
    func allowedReservedBits(on opcode: Opcode) -> UInt8 {
        opcode == .text || opcode == .binary ? messageReservedBits : 0
    }
}

/// A protocol rule that the peer broke, with the close code for the answer.
struct ProtocolViolation: Error, Equatable {
    let code: CloseCode
    let reason: String

    init(_ reason: String, code: CloseCode = .protocolError) {
        self.code = code
        self.reason = reason
    }
}

/// A frame's header (RFC 6455 §5.2).
struct FrameHeader: Sendable, Equatable {
    static let bytesMax = 14
    /// RFC 6455 §5.5: "All control frames MUST have a payload length of 125 bytes or less".
    static let controlPayloadBytesMax = 125
    /// RSV1, as in a frame's first byte.
    static let compressedBit: UInt8 = 0x40

    let opcode: Opcode
    let isFinal: Bool
    let reservedBits: UInt8
    let payloadBytes: Int
    /// The masking key; 0, which changes nothing, for frames from a server.
    let mask: UInt32
    /// Length of the header itself, 2 to 14 bytes.
    let headerBytes: Int

    /// True if this frame begins a compressed message (RFC 7692 §6).
    var isCompressed: Bool { reservedBits & Self.compressedBit != 0 }

    /// Decodes a header from the start of `bytes`; nil if it is incomplete. A violation in the first two bytes is
    /// detected as soon as they arrive.
    init?(
        _ bytes: UnsafeRawBufferPointer, from sender: WebSocketConnection.Role, extensions: NegotiatedExtensions
    ) throws(ProtocolViolation) {
        guard bytes.count >= 2 else { return nil }
        // RFC 6455 §5.2: "If an unknown opcode is received, the receiving endpoint MUST _Fail the WebSocket Connection_."
        guard let opcode = Opcode(rawValue: bytes[0] & 0x0F) else {
            throw ProtocolViolation("reserved opcode (RFC 6455 §5.2)")
        }
        self.opcode = opcode
        isFinal = bytes[0] & 0x80 != 0
        reservedBits = bytes[0] & 0x70
        let length = Int(bytes[1] & 0x7F)
        let isMasked = bytes[1] & 0x80 != 0
        // RFC 6455 §5.2: RSV "MUST be 0 unless an extension is negotiated that defines meanings for non-zero values".
        guard reservedBits & ~extensions.allowedReservedBits(on: opcode) == 0 else {
            throw ProtocolViolation("reserved bit set without an extension (RFC 6455 §5.2)")
        }
        if opcode.isControl {
            guard isFinal else { throw ProtocolViolation("fragmented control frame (RFC 6455 §5.5)") }
            guard length <= Self.controlPayloadBytesMax else {
                throw ProtocolViolation("control frame longer than 125 bytes (RFC 6455 §5.5)")
            }
        }
        // RFC 6455 §5.1: a server closes "upon receiving a frame that is not masked", a client on one that is.
        guard isMasked == (sender == .client) else {
            throw ProtocolViolation(
                isMasked ? "masked frame from a server (RFC 6455 §5.1)" : "unmasked frame from a client (RFC 6455 §5.1)"
            )
        }
        let lengthBytes = length == 127 ? 8 : length == 126 ? 2 : 0
        headerBytes = 2 + lengthBytes + (isMasked ? 4 : 0)
        guard bytes.count >= 2 + lengthBytes else { return nil }
        payloadBytes = try Self.payloadBytes(bytes, length: length)
        guard bytes.count >= headerBytes else { return nil }
        mask =
            isMasked ? UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 2 + lengthBytes, as: UInt32.self)) : 0
    }

    private static func payloadBytes(
        _ bytes: UnsafeRawBufferPointer, length: Int
    ) throws(ProtocolViolation) -> Int {
        // RFC 6455 §5.2: "the minimal number of bytes MUST be used to encode the length".
        switch length {
        case 126:
            let count = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
            guard count > 125 else { throw ProtocolViolation("payload length not minimal (RFC 6455 §5.2)") }
            return Int(count)
        case 127:
            let count = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
            // RFC 6455 §5.2: "the most significant bit MUST be 0".
            guard let count = Int(exactly: count) else {
                throw ProtocolViolation("payload length with its top bit set (RFC 6455 §5.2)")
            }
            guard count > 0xFFFF else { throw ProtocolViolation("payload length not minimal (RFC 6455 §5.2)") }
            return count
        default: return length
        }
    }
}
