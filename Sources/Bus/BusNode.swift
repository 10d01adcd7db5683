/// Identifies one run of a node. Drawn at random at each start, so a restarted node has a new identifier.
public struct NodeID: Sendable, Hashable, CustomStringConvertible {
    /// 64 random bits.
    public let bits: UInt64

    public init(bits: UInt64) { self.bits = bits }

    public static func random() -> NodeID { NodeID(bits: .random(in: 1...UInt64.max)) }

    /// 16 hexadecimal digits.
    public var description: String {
        let digits = String(bits, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// A node of the campus.
public struct BusNode: Sendable, Hashable {
    /// Identifies this run of the node.
    public let id: NodeID
    /// Name chosen by the operator.
    public let name: String

    /// - Parameters:
    ///   - id: Identifies this run of the node.
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
