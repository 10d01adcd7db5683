import COpenSSL
import Synchronization

/// Secret key shared by all nodes of a campus.
public struct BusKey: Sendable, Equatable {
    public static let keyBytes = 32

    /// Identifies the key while keys are being replaced, 0 to 255.
    public let number: UInt8
    let bytes: [UInt8]

    /// - Parameters:
    ///   - number: Identifies the key.
    ///   - bytes: ``keyBytes`` random bytes. The initialiser returns nil for any other number of bytes.
    public init?(number: UInt8, bytes: [UInt8]) {
        guard bytes.count == Self.keyBytes else { return nil }
        self.number = number
        self.bytes = bytes
    }

    /// Returns a new random key.
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
    /// Hides the key from reflection.
    public var customMirror: Mirror { Mirror(self, children: ["number": number]) }
}

/// Keys of a node: the key it encrypts with, and further keys that other nodes may still encrypt with. From any thread.
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
    ///   - sealing: The key for messages of this node.
    ///   - others: Further keys accepted in messages of other nodes.
    public init(_ sealing: BusKey, others: [BusKey] = []) {
        keys = Mutex(Keys(sealing: sealing, accepted: Self.accepted(sealing, others)))
    }

    private static func accepted(_ sealing: BusKey, _ others: [BusKey]) -> [UInt8: BusKey] {
        var accepted = [sealing.number: sealing]
        for key in others.prefix(keysMax - 1) where accepted[key.number] == nil { accepted[key.number] = key }
        return accepted
    }

    /// Replaces all keys. A message encrypted with a removed key counts as forged.
    public func replace(_ sealing: BusKey, others: [BusKey]) {
        let accepted = Self.accepted(sealing, others)
        keys.withLock { keys in
            guard keys.sealing != sealing || keys.accepted != accepted else { return }
            keys = Keys(sealing: sealing, accepted: accepted, generation: keys.generation + 1)
        }
    }

    /// The key to encrypt with, and a generation number that changes with each replacement.
    var sealing: (key: BusKey, generation: Int) { keys.withLock { ($0.sealing, $0.generation) } }

    func accepted(_ number: UInt8) -> (key: BusKey?, generation: Int) {
        keys.withLock { ($0.accepted[number], $0.generation) }
    }
}
