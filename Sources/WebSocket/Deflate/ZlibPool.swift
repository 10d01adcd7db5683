import Synchronization

/// Idle zlib streams and buffers, shared by all connections. A connection without context takeover holds none while it
/// is idle, and messages reuse them. Usable from any thread; a lock is held only for a push or pop.
enum ZlibPool {
    /// Maximum idle decompressors, about 40 kB each.
    static let inflatersIdleMax = 8
    /// Maximum idle compressors of each window size, 4 to 256 kB each by ``DeflateMemory``.
    static let deflatersIdleMax = 4
    /// Maximum idle buffers.
    static let scratchIdleMax = 8

    private static let inflaters = Idle<Inflater>(countMax: inflatersIdleMax)
    private static let scratches = Idle<Scratch>(countMax: scratchIdleMax)
    /// By window bits, from 9.
    private static let deflaters = (0..<7).map { _ in Idle<Deflater>(countMax: deflatersIdleMax) }

    /// A decompressor prepared with `window`; nil if there is no memory.
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

    /// Runs `body` with a compressor without context. Nil if there is no memory.
    /// - Parameters:
    ///   - windowBits: Window bits of the receiver, 8 to 15.
    ///   - messageBytes: Length of the message. For a short message a smaller window compresses as well and is cheaper to prepare.
    static func withDeflater<R>(
        windowBits: UInt8, messageBytes: Int, level: UInt8, _ body: (Deflater) -> R?
    ) -> R? {
        let bits = usefulWindowBits(windowBits, messageBytes: messageBytes)
        let settings = Deflater.Settings(
            windowBits: bits, memoryLevel: DeflateMemory.memoryLevel(windowBits: bits), level: level)
        let idle = deflaters[Int(settings.zlibWindowBits - DeflateMemory.compressorWindowBitsMin)]
        guard let deflater = idle.take() ?? Deflater(settings) else { return nil }
        // Reset when taken rather than when returned: the old context does no harm in between.
        deflater.reset()
        deflater.change(to: settings)
        defer { idle.put(deflater) }
        return body(deflater)
    }

    /// The smallest window that compresses a message of this length, without context, as well as the receiver's window.
    /// It holds the whole message and the 262 bytes that zlib keeps ahead. Different receivers then share one result
    /// more often.
    static func usefulWindowBits(_ windowBits: UInt8, messageBytes: Int) -> UInt8 {
        // No distance in a message is longer than the message, so a message that fits into 2^8 bytes may use 2^9.
        if windowBits < DeflateMemory.compressorWindowBitsMin, messageBytes > 1 << Int(windowBits) { return windowBits }
        var bits = DeflateMemory.compressorWindowBitsMin
        while bits < windowBits, 1 << Int(bits) < messageBytes + 262 { bits += 1 }
        return bits
    }

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

/// Buffers for unmasked input and for output while zlib runs.
///
/// `@unchecked Sendable`: used by one owner at a time, inside ``ZlibPool/withScratch(_:)``.
final class Scratch: @unchecked Sendable {
    /// Bytes of each half. The output is checked against its limits each time a half is full.
    static let halfBytes = 16_384

    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * halfBytes, alignment: 16)

    var input: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: memory[..<Self.halfBytes]) }
    var output: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: memory[Self.halfBytes...]) }

    deinit { memory.deallocate() }
}
