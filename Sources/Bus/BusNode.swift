/// A run of a node: drawn anew when it starts, so that a node that was started again is another one.
public struct NodeID: Sendable, Hashable, CustomStringConvertible {
    /// 64 random bits.
    public let bits: UInt64

    /// - Parameter bits: As they were drawn.
    public init(bits: UInt64) { self.bits = bits }

    /// One that nobody has.
    public static func random() -> NodeID { NodeID(bits: .random(in: 1...UInt64.max)) }

    /// 16 digits.
    public var description: String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// A node of the campus.
public struct BusNode: Sendable, Hashable {
    /// This run of it.
    public let id: NodeID
    /// What its operator calls it.
    public let name: String

    /// - Parameters:
    ///   - id: This run of it.
    ///   - name: 1 to ``BusLimits/nodeNameBytesMax`` of `A-Z a-z 0-9 . _ -`.
    /// - Throws: ``BusError/invalidName(_:)``.
    public init(id: NodeID = .random(), name: String) throws(BusError) {
        guard Self.isName(name) else {
            throw .invalidName(
                "a node's name has 1 to \(BusLimits.nodeNameBytesMax) letters, digits, dots, hyphens and underscores")
        }
        self.id = id
        self.name = name
    }

    static func isName(_ name: String) -> Bool {
        (1...BusLimits.nodeNameBytesMax).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 48...57, 65...90, 97...122, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
                default: false
                }
            }
    }
}
