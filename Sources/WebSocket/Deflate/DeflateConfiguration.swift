/// What one side wants of permessage-deflate (RFC 7692). A plain value.
///
/// Memory held for a connection, by zlib's own formulas, never exceeds ``memoryBytesMax``:
///
/// - to receive: 2^bits + 7 kB while a compressed message is under way. Between messages nothing, or with context takeover
///   the last 2^bits bytes received, at most.
/// - to send: nothing between messages, since all connections share a few compressors. With context takeover
///   2^(bits + 2) + 2^(memory level + 9), from the first compressed message on, until
///   ``WebSocketConnection/releaseCompressor()``.
///
/// To fit, the window to send with shrinks first, to 2^9 bytes; then context takeover is given up for sending; then the
/// window to receive with shrinks, if the peer lets us choose it; then the extension is declined.
public struct DeflateConfiguration: Sendable, Equatable {
    /// Whether our messages may refer to earlier ones (§7.1.1). False: no memory is held between messages, and broadcasts
    /// are compressed once for all. True: small messages that resemble each other become much smaller.
    public var sendContextTakeover = false
    /// Whether the peer's messages may refer to earlier ones (§7.1.1). False: no memory is held between messages.
    public var receiveContextTakeover = false
    /// Our window is at most 2^this bytes, 9 to 15 (§7.1.2).
    public var sendWindowBitsMax: UInt8 = 15
    /// The peer's window is at most 2^this bytes, 8 to 15 (§7.1.2). Below 15 a server declines offers of clients that do not
    /// let it choose, which are those without client_max_window_bits.
    public var receiveWindowBitsMax: UInt8 = 15
    /// Bytes that zlib may hold for one connection. 39,936 let any peer send; below, some are declined.
    public var memoryBytesMax = 65_536
    /// How hard to compress, 1 (fast) to 9 (small). Messages of up to some kB take as long at 3 as at 1.
    public var level: UInt8 = 3
    /// Shorter messages are sent as they are: a packet's headers are longer than what compression could save.
    public var messageBytesMin = 200
    /// Longer messages are sent as they are: compressing holds up the loop, for about 6 ms a MiB of JSON.
    public var messageBytesMax = 1_048_576

    /// No context takeover, windows of 2^15 bytes, at most 64 kB of memory.
    public init() {}

    /// Receiving and sending with these windows, by the formulas above.
    func fits(sendBits: UInt8?, receiveBits: UInt8) -> Bool {
        let sending = sendBits.map {
            DeflateMemory.deflateBytes(windowBits: $0, memoryLevel: DeflateMemory.memoryLevel(windowBits: $0))
        }
        return DeflateMemory.inflateBytes(windowBits: receiveBits) + (sending ?? 0) <= memoryBytesMax
    }

    /// The largest windows that fit.
    /// - Parameters:
    ///   - sendBits: 8 to 15, what the peer can receive.
    ///   - receiveBits: the smallest and largest we may ask for.
    /// - Returns: nil when nothing fits.
    func windows(
        sendBits: UInt8, sendContextTakeover: Bool, receiveBits: ClosedRange<UInt8>
    ) -> (sendBits: UInt8, sendContextTakeover: Bool, receiveBits: UInt8)? {
        let largest = min(sendBits, max(sendWindowBitsMax, DeflateMemory.compressorWindowBitsMin))
        if sendContextTakeover {
            // With 2^8 bytes only runs are matched, see Deflater: there is nothing in a context.
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

    /// Values from outside the documented ranges are brought into them.
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

/// What both sides agreed on, seen from this one (RFC 7692 §7.1). A plain value, to give to
/// ``WebSocketConnection/init(role:limits:deflate:)``.
public struct DeflateAgreement: Sendable, Hashable {
    /// Whether our messages may refer to earlier ones.
    public let sendContextTakeover: Bool
    /// Whether the peer's messages may refer to earlier ones.
    public let receiveContextTakeover: Bool
    /// The window of our messages, 8 to 15.
    public let sendWindowBits: UInt8
    /// The window of the peer's messages, 8 to 15.
    public let receiveWindowBits: UInt8
    /// How hard to compress, 1 to 9.
    let level: UInt8
    private let messageBytesMin32: UInt32
    private let messageBytesMax32: UInt32

    /// Shorter messages are sent as they are.
    public var messageBytesMin: Int { Int(messageBytesMin32) }
    /// Longer messages are sent as they are.
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

    /// Bytes that zlib holds at most for a connection with this agreement.
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
