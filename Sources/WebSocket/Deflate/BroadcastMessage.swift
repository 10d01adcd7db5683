import Synchronization

/// A message for many receivers. Its plain frame is encoded once, and each compressed form at most once, when the first
/// connection needs it (``WebSocketConnection/frame(of:)``).
///
/// Each further receiver costs an atomic load and a reference: no allocation, lock or copy. Immutable to its users;
/// usable from any thread.
public final class BroadcastMessage: Sendable {
    /// The uncompressed server frame.
    public let frame: [UInt8]
    private let payloadBytes: Int
    /// Compressed forms by window bits, from 8. They are encoded outside any lock: if two threads encode the same form,
    /// one result is kept.
    private let bits8 = AtomicLazyReference<Compressed>()
    private let bits9 = AtomicLazyReference<Compressed>()
    private let bits10 = AtomicLazyReference<Compressed>()
    private let bits11 = AtomicLazyReference<Compressed>()
    private let bits12 = AtomicLazyReference<Compressed>()
    private let bits13 = AtomicLazyReference<Compressed>()
    private let bits14 = AtomicLazyReference<Compressed>()
    private let bits15 = AtomicLazyReference<Compressed>()

    /// A text message. The payload must be UTF-8, which is not checked here.
    public convenience init(text payload: [UInt8]) {
        self.init(FrameEncoder.text(payload), payloadBytes: payload.count)
    }

    /// A binary message.
    public convenience init(binary payload: [UInt8]) {
        self.init(FrameEncoder.binary(payload), payloadBytes: payload.count)
    }

    private init(_ frame: [UInt8], payloadBytes: Int) {
        self.frame = frame
        self.payloadBytes = payloadBytes
    }

    /// A compressed frame; nil if it would not be smaller.
    private final class Compressed: Sendable {
        let frame: [UInt8]?
        init(_ frame: [UInt8]?) { self.frame = frame }
    }

    var opcode: Opcode { frame[0] & 0x0F == Opcode.text.rawValue ? .text : .binary }

    var payload: [UInt8] { Array(frame.suffix(payloadBytes)) }

    /// The message, compressed without context for a window within the agreement; nil if it is to be sent uncompressed.
    func compressedFrame(_ deflate: DeflateAgreement) -> [UInt8]? {
        guard deflate.compresses(messageBytes: payloadBytes) else { return nil }
        // A message that fits a small window compresses the same with all larger ones (see usefulWindowBits), so
        // receivers share the result.
        switch ZlibPool.usefulWindowBits(deflate.sendWindowBits, messageBytes: payloadBytes) {
        case 8: return compressed(bits8, 8, deflate.level)
        case 9: return compressed(bits9, 9, deflate.level)
        case 10: return compressed(bits10, 10, deflate.level)
        case 11: return compressed(bits11, 11, deflate.level)
        case 12: return compressed(bits12, 12, deflate.level)
        case 13: return compressed(bits13, 13, deflate.level)
        case 14: return compressed(bits14, 14, deflate.level)
        default: return compressed(bits15, 15, deflate.level)
        }
    }

    private func compressed(
        _ slot: borrowing AtomicLazyReference<Compressed>, _ windowBits: UInt8, _ level: UInt8
    ) -> [UInt8]? {
        if let made = slot.load() { return made.frame }
        return slot.storeIfNil(
            Compressed(FrameEncoder.deflated(opcode, payload, windowBits: windowBits, level: level))
        ).frame
    }
}
