import COpenSSL
import Synchronization

/// A key that all nodes of a campus have, and nobody else.
public struct BusKey: Sendable, Equatable {
    /// Bytes of a key.
    public static let keyBytes = 32

    /// Tells one key from another while it is replaced, 0 to 255.
    public let number: UInt8
    let bytes: [UInt8]

    /// - Parameters:
    ///   - number: Tells one key from another.
    ///   - bytes: ``keyBytes`` random bytes; nil is returned for another number of them.
    public init?(number: UInt8, bytes: [UInt8]) {
        guard bytes.count == Self.keyBytes else { return nil }
        self.number = number
        self.bytes = bytes
    }

    /// One that nobody has.
    public static func random(number: UInt8 = 1) -> BusKey {
        var bytes = [UInt8](repeating: 0, count: keyBytes)
        let isDone = RAND_bytes(&bytes, Int32(keyBytes))
        precondition(isDone == 1, "OpenSSL has no random numbers")
        return BusKey(number: number, uncheckedBytes: bytes)
    }

    private init(number: UInt8, uncheckedBytes bytes: [UInt8]) {
        self.number = number
        self.bytes = bytes
    }
}

extension BusKey: CustomStringConvertible, CustomReflectable {
    /// The number; never the key.
    public var description: String { "key \(number)" }
    /// Reflection would find the key too.
    public var customMirror: Mirror { Mirror(self, children: ["number": number]) }
}

/// The keys that a node has now: the one it seals with, and those that other nodes may still seal with. From any thread.
public final class BusKeyring: Sendable {
    /// Keys that are accepted at the same time.
    public static let keysMax = 4

    private struct Keys {
        var sealing: BusKey
        var accepted: [UInt8: BusKey]
        var generation = 0
    }
    private let keys: Mutex<Keys>

    /// - Parameters:
    ///   - sealing: For what this node says.
    ///   - others: Those that other nodes may say something with.
    public init(_ sealing: BusKey, others: [BusKey] = []) {
        keys = Mutex(Keys(sealing: sealing, accepted: Self.accepted(sealing, others)))
    }

    private static func accepted(_ sealing: BusKey, _ others: [BusKey]) -> [UInt8: BusKey] {
        var accepted = [sealing.number: sealing]
        for key in others.prefix(keysMax - 1) where accepted[key.number] == nil { accepted[key.number] = key }
        return accepted
    }

    /// Replaces all of them. What the others seal with a key that is gone counts as forged.
    public func replace(_ sealing: BusKey, others: [BusKey]) {
        let accepted = Self.accepted(sealing, others)
        keys.withLock { keys in
            guard keys.sealing != sealing || keys.accepted != accepted else { return }
            keys = Keys(sealing: sealing, accepted: accepted, generation: keys.generation + 1)
        }
    }

    /// The key to seal with, and a number that changes with the keys.
    var sealing: (key: BusKey, generation: Int) { keys.withLock { ($0.sealing, $0.generation) } }

    func accepted(_ number: UInt8) -> (key: BusKey?, generation: Int) {
        keys.withLock { ($0.accepted[number], $0.generation) }
    }
}
