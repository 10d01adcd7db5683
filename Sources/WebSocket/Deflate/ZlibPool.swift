import Synchronization

/// zlib's streams and buffers between two messages, shared by all connections: a connection without context takeover
/// holds none while it is idle, and none is made for each message. From any thread; a lock is held for a push or pop only.
enum ZlibPool {
    /// Idle decompressors kept, about 40 kB each.
    static let inflatersIdleMax = 8
    /// Idle compressors kept of each window size, 4 to 256 kB each by ``DeflateMemory``.
    static let deflatersIdleMax = 4
    /// Idle buffers kept.
    static let scratchIdleMax = 8

    private static let inflaters = Idle<Inflater>(countMax: inflatersIdleMax)
    private static let scratches = Idle<Scratch>(countMax: scratchIdleMax)
    /// By window bits from 9.
    private static let deflaters = (0..<7).map { _ in Idle<Deflater>(countMax: deflatersIdleMax) }

    /// Nil when there is no memory.
    static func inflater(windowBits: UInt8, window: [UInt8]) -> Inflater? {
        guard let inflater = inflaters.take() ?? Inflater(windowBits: windowBits),
            inflater.begin(windowBits: windowBits, window: window)
        else { return nil }
        return inflater
    }

    static func giveBack(_ inflater: Inflater) { inflaters.put(inflater) }

    static func withScratch<R, E: Error>(_ body: (Scratch) throws(E) -> R) throws(E) -> R {
        let scratch = scratches.take() ?? Scratch()
        defer { scratches.put(scratch) }
        return try body(scratch)
    }

    /// Runs `body` with a compressor that has seen nothing. Nil when there is no memory.
    /// - Parameters:
    ///   - windowBits: of the receiver, 8 to 15.
    ///   - messageBytes: the message's length: for a short message a smaller window is as good and cheaper to make ready.
    static func withDeflater<R>(
        windowBits: UInt8, messageBytes: Int, level: UInt8, _ body: (Deflater) -> R?
    ) -> R? {
        let bits = usefulWindowBits(windowBits, messageBytes: messageBytes)
        let settings = Deflater.Settings(
            windowBits: bits, memoryLevel: DeflateMemory.memoryLevel(windowBits: bits), level: level)
        let idle = deflaters[Int(settings.zlibWindowBits - DeflateMemory.compressorWindowBitsMin)]
        guard let deflater = idle.take() ?? Deflater(settings) else { return nil }
        // Reset when taken rather than when given back: what it has seen is of no harm meanwhile.
        deflater.reset()
        deflater.change(to: settings)
        defer { idle.put(deflater) }
        return body(deflater)
    }

    /// The smallest window that is as good for a message of this length, compressed by itself, as the receiver's: one that
    /// holds it all with the 262 bytes that zlib keeps ahead. Different receivers then share one result more often.
    static func usefulWindowBits(_ windowBits: UInt8, messageBytes: Int) -> UInt8 {
        // No distance in a message is longer than the message, so one that fits into 2^8 bytes may use 2^9.
        if windowBits < DeflateMemory.compressorWindowBitsMin, messageBytes > 1 << Int(windowBits) { return windowBits }
        var bits = DeflateMemory.compressorWindowBitsMin
        while bits < windowBits, 1 << Int(bits) < messageBytes + 262 { bits += 1 }
        return bits
    }

    /// A bounded stack.
    private final class Idle<Element: AnyObject & Sendable>: Sendable {
        private let countMax: Int
        private let elements = Mutex<[Element]>([])

        init(countMax: Int) { self.countMax = countMax }

        func take() -> Element? { elements.withLock { $0.popLast() } }

        func put(_ element: Element) {
            elements.withLock { if $0.count < countMax { $0.append(element) } }
        }
    }
}

/// Room for unmasked input and for output while zlib works.
///
/// `@unchecked Sendable`: used by one owner at a time, inside ``ZlibPool/withScratch(_:)``.
final class Scratch: @unchecked Sendable {
    /// Bytes of each half. Output is checked against its limits whenever a half is full.
    static let halfBytes = 16_384

    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * halfBytes, alignment: 16)

    var input: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: memory[..<Self.halfBytes]) }
    var output: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: memory[Self.halfBytes...]) }

    deinit { memory.deallocate() }
}
