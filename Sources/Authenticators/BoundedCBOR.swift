/// Checks the sizes that CBOR (RFC 8949 §3) declares, before a library reads it: libcbor allocates memory for as many elements as the head
/// of an array or map declares, 16 bytes each, before it looks at them.
enum BoundedCBOR {
    /// Whether every string, array and map of a sequence of data items fits into the bytes behind its head. Other faults are left to the
    /// library. O(number of bytes).
    static func fits(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let head = rest.popFirst() {
            guard let argument = readArgument(head & 0x1F, from: &rest) else { return false }
            switch head >> 5 {
            case 2, 3:
                guard argument <= UInt64(rest.count) else { return false }
                rest = rest.dropFirst(Int(argument))
            case 4: guard argument <= UInt64(rest.count) else { return false }
            case 5: guard argument <= UInt64(rest.count / 2) else { return false }
            default: break
            }
        }
        return true
    }

    /// The argument of a head, 0 for an item of indefinite length; nil for a reserved or incomplete one.
    private static func readArgument(_ information: UInt8, from rest: inout ArraySlice<UInt8>) -> UInt64? {
        switch information {
        case 0..<24: return UInt64(information)
        case 24...27:
            let count = 1 << Int(information - 24)
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
        case 31: return 0
        default: return nil
        }
    }
}
