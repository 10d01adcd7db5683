/// One side's preferences for permessage-deflate (RFC 7692).
///
/// The memory held for a connection, by zlib's own formulas, never exceeds ``memoryBytesMax``:
///
/// - Receiving: 2^bits + 7 kB while a compressed message is incomplete. Between messages nothing, or with context
///   takeover at most the last 2^bits bytes received.
/// - Sending: nothing between messages, because all connections share a few compressors. With context takeover
///   2^(bits + 2) + 2^(memory level + 9), from the first compressed message until
///   ``WebSocketConnection/releaseCompressor()``.
///
/// To stay within the limit, negotiation first shrinks the send window, down to 2^9 bytes. It then gives up context
/// takeover for sending. It then shrinks the receive window, if the peer permits that, and finally declines the
/// extension.
public struct DeflateConfiguration: Sendable, Equatable {
    /// Whether sent messages may refer to earlier ones (§7.1.1). False: no memory is held between messages, and each
    /// broadcast is compressed once for all receivers. True: small messages that resemble each other become much
    /// smaller.
    public var sendContextTakeover = false
    /// Whether received messages may refer to earlier ones (§7.1.1). False: no memory is held between messages.
    public var receiveContextTakeover = false
    /// Base-2 logarithm of the largest send window, 9 to 15 (§7.1.2).
    public var sendWindowBitsMax: UInt8 = 15
    /// Base-2 logarithm of the largest receive window, 8 to 15 (§7.1.2). Below 15, a server declines offers without
    /// client_max_window_bits, because such a client does not let the server choose.
    public var receiveWindowBitsMax: UInt8 = 15
    /// Maximum bytes that zlib may hold for one connection. 39,936 suffice to receive from any peer; with less, some
    /// offers are declined.
    public var memoryBytesMax = 65_536
    /// Compression level, 1 (fast) to 9 (small). Messages of up to a few kB take as long at 3 as at 1.
    public var level: UInt8 = 3
    /// Shorter messages are sent uncompressed: a packet's headers are longer than the possible saving.
    public var messageBytesMin = 200
    /// Longer messages are sent uncompressed: compression blocks the event loop for about 6 ms per MiB of JSON.
    public var messageBytesMax = 1_048_576

    /// Creates the defaults: no context takeover, windows of 2^15 bytes, at most 64 kB of memory.
    public init() {}

    /// Whether receiving and sending with these windows fits ``memoryBytesMax``, by the formulas above.
    func fits(sendBits: UInt8?, receiveBits: UInt8) -> Bool {
        let sending = sendBits.map {
            DeflateMemory.deflateBytes(windowBits: $0, memoryLevel: DeflateMemory.memoryLevel(windowBits: $0))
        }
        return DeflateMemory.inflateBytes(windowBits: receiveBits) + (sending ?? 0) <= memoryBytesMax
    }

    /// The largest windows that fit ``memoryBytesMax``.
    /// - Parameters:
    ///   - sendBits: The largest window that the peer can receive, 8 to 15.
    ///   - receiveBits: The smallest and largest window that may be requested.
    /// - Returns: Nil if nothing fits.
    func windows(
        sendBits: UInt8, sendContextTakeover: Bool, receiveBits: ClosedRange<UInt8>
    ) -> (sendBits: UInt8, sendContextTakeover: Bool, receiveBits: UInt8)? {
        let largest = min(sendBits, max(sendWindowBitsMax, DeflateMemory.compressorWindowBitsMin))
        if sendContextTakeover {
            // A context is of no use with 2^8 bytes, where only runs are matched (see Deflater).
            var bits = largest
            while bits >= DeflateMemory.compressorWindowBitsMin {
                if fits(sendBits: bits, receiveBits: receiveBits.upperBound) {
                    return (bits, true, receiveBits.upperBound)
                }
                bits -= 1
            }
        }
        var bits = receiveBits.upperBound
        while !fits(sendBits: nil, receiveBits: bits) {
            guard bits > receiveBits.lowerBound else { return nil }
            bits -= 1
        }
        return (largest, false, bits)
    }

    /// The configuration with all values clamped to the documented ranges.
    var clamped: DeflateConfiguration {
        var result = self
        result.sendWindowBitsMax = min(max(sendWindowBitsMax, DeflateMemory.compressorWindowBitsMin), 15)
        result.receiveWindowBitsMax = min(max(receiveWindowBitsMax, 8), 15)
        result.level = min(max(level, 1), 9)
        result.messageBytesMin = max(messageBytesMin, 1)
        result.messageBytesMax = min(max(messageBytesMax, 0), Deflater.messageBytesMax)
        return result
    }
}

/// The negotiated parameters from this side's view (RFC 7692 §7.1), for
/// ``WebSocketConnection/init(role:limits:deflate:)``.
public struct DeflateAgreement: Sendable, Hashable {
    /// Whether sent messages may refer to earlier ones.
    public let sendContextTakeover: Bool
    /// Whether received messages may refer to earlier ones.
    public let receiveContextTakeover: Bool
    /// Base-2 logarithm of the send window, 8 to 15.
    public let sendWindowBits: UInt8
    /// Base-2 logarithm of the receive window, 8 to 15.
    public let receiveWindowBits: UInt8
    /// Compression level, 1 to 9.
    let level: UInt8
    private let messageBytesMin32: UInt32
    private let messageBytesMax32: UInt32

    /// Shorter messages are sent uncompressed.
    public var messageBytesMin: Int { Int(messageBytesMin32) }
    /// Longer messages are sent uncompressed.
    public var messageBytesMax: Int { Int(messageBytesMax32) }

    init(
        sendContextTakeover: Bool, receiveContextTakeover: Bool, sendWindowBits: UInt8, receiveWindowBits: UInt8,
        configuration: DeflateConfiguration
    ) {
        let configuration = configuration.clamped
        self.sendContextTakeover = sendContextTakeover
        self.receiveContextTakeover = receiveContextTakeover
        self.sendWindowBits = sendWindowBits
        self.receiveWindowBits = receiveWindowBits
        level = configuration.level
        messageBytesMin32 = UInt32(clamping: configuration.messageBytesMin)
        messageBytesMax32 = UInt32(clamping: configuration.messageBytesMax)
    }

    /// Maximum bytes that zlib holds for a connection with this agreement.
    public var memoryBytesMax: Int {
        DeflateMemory.inflateBytes(windowBits: receiveWindowBits)
            + (sendContextTakeover
                ? DeflateMemory.deflateBytes(
                    windowBits: sendWindowBits,
                    memoryLevel: DeflateMemory.memoryLevel(windowBits: sendWindowBits)) : 0)
    }

    func compresses(messageBytes: Int) -> Bool {
        messageBytes >= messageBytesMin && messageBytes <= messageBytesMax
    }
}
