/// Writes the numbers and texts of binary frames. It has one owner.
package struct BinaryWriter {
    package private(set) var bytes: [UInt8] = []

    /// Highest number of bytes of a written number.
    package static let numberBytesMax = 10

    package init() {}

    /// Reserves room for `count` more bytes. If the capacity is too small, it grows by at least `growth`.
    package mutating func reserve(_ count: Int, growth: Int) {
        guard bytes.capacity - bytes.count < count else { return }
        bytes.reserveCapacity(bytes.count + max(count, growth))
    }

    package mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// Writes LEB128: seven bits per byte, lowest first; the top bit marks a following byte. Numbers up to 127 take one byte.
    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    package mutating func varint(_ value: some BinaryInteger) { varint(UInt64(clamping: value)) }

    /// Writes a zigzag number (0, -1, 1, -2, …), so that small numbers of either sign are short. -64 to 63 take one byte.
    package mutating func signed(_ value: Int64) { varint(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    /// Writes a length, then UTF-8.
    package mutating func text(_ value: String) {
        varint(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    /// Writes eight bytes, big-endian.
    package mutating func word(_ value: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    /// Writes the 64 bits of a number.
    package mutating func double(_ value: Double) { word(value.bitPattern) }

    /// Writes a length, then the bytes.
    package mutating func data(_ value: [UInt8]) {
        varint(value.count)
        bytes.append(contentsOf: value)
    }
}
