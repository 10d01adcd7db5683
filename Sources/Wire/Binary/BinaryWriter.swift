/// Writes the numbers and texts of binary frames. Owned by one writer.
package struct BinaryWriter {
    package private(set) var bytes: [UInt8] = []

    /// Bytes of the longest number that is written.
    package static let numberBytesMax = 10

    package init() {}

    /// Makes room for so many bytes more, and when there is none, for `growth` more at once.
    package mutating func reserve(_ count: Int, growth: Int) {
        guard bytes.capacity - bytes.count < count else { return }
        bytes.reserveCapacity(bytes.count + max(count, growth))
    }

    package mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// LEB128: seven bits a byte, the lowest first, the top bit says that more follow. One byte up to 127.
    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    package mutating func varint(_ value: some BinaryInteger) { varint(UInt64(clamping: value)) }

    /// Zigzag: 0, -1, 1, -2, … so that small numbers of either sign are short. One byte from -64 to 63.
    package mutating func signed(_ value: Int64) { varint(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    /// UTF-8, behind its length.
    package mutating func text(_ value: String) {
        varint(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    /// Eight bytes, big-endian.
    package mutating func word(_ value: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    /// All of its bits.
    package mutating func double(_ value: Double) { word(value.bitPattern) }

    /// Bytes, behind their number.
    package mutating func data(_ value: [UInt8]) {
        varint(value.count)
        bytes.append(contentsOf: value)
    }
}
