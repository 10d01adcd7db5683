/// Error for an invalid binary frame. It describes the fault without the frame's content.
public struct BinaryFrameError: Error, Equatable, CustomStringConvertible, Sendable {
    /// One fact about the frame.
    public let description: String

    package init(_ description: String) { self.description = description }

    package static let truncated = BinaryFrameError("the frame ends too early")
}

/// Reads and checks the numbers and texts of binary frames and of messages between nodes. It has one owner.
package struct BinaryReader {
    /// Largest number: JavaScript represents integers exactly up to it.
    static let numberMax: UInt64 = 1 << 53 - 1
    /// Highest number of bytes of a varint with 53 bits.
    private static let varintBytesMax = 8

    private let bytes: [UInt8]
    private var offset = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var isAtEnd: Bool { offset == bytes.count }

    /// Number of unread bytes.
    package var remaining: Int { bytes.count - offset }

    package mutating func byte() throws(BinaryFrameError) -> UInt8 {
        guard offset < bytes.count else { throw .truncated }
        defer { offset += 1 }
        return bytes[offset]
    }

    package mutating func varint() throws(BinaryFrameError) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<Self.varintBytesMax {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) << (7 * UInt64(index))
            guard value <= Self.numberMax else { break }
            if byte < 0x80 { return value }
        }
        throw BinaryFrameError("a number is too large")
    }

    /// Reads a number with an upper bound.
    package mutating func varint(max: Int, _ what: StaticString) throws(BinaryFrameError) -> Int {
        let value = try varint()
        guard value <= UInt64(max) else { throw BinaryFrameError("\(what) is out of its range") }
        return Int(value)
    }

    package mutating func signed() throws(BinaryFrameError) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    package mutating func signed(in range: ClosedRange<Int64>, _ what: StaticString) throws(BinaryFrameError) -> Int64 {
        let value = try signed()
        guard range.contains(value) else { throw BinaryFrameError("\(what) is out of its range") }
        return value
    }

    /// Reads eight bytes, big-endian.
    package mutating func word() throws(BinaryFrameError) -> UInt64 {
        guard remaining >= 8 else { throw .truncated }
        defer { offset += 8 }
        return bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads a finite number within a range.
    package mutating func double(
        in range: ClosedRange<Double>, _ what: StaticString
    ) throws(BinaryFrameError) -> Double {
        let value = Double(bitPattern: try word())
        guard range.contains(value) else { throw BinaryFrameError("\(what) is out of its range") }
        return value
    }

    package mutating func data(bytesMax: Int, _ what: StaticString) throws(BinaryFrameError) -> [UInt8] {
        let count = try varint(max: bytesMax, what)
        guard count <= remaining else { throw .truncated }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    package mutating func text(bytesMax: Int, _ what: StaticString) throws(BinaryFrameError) -> String {
        let count = try varint(max: bytesMax, what)
        guard count <= remaining else { throw .truncated }
        defer { offset += count }
        guard let text = String(validating: bytes[offset..<offset + count], as: UTF8.self) else {
            throw BinaryFrameError("\(what) is not UTF-8")
        }
        return text
    }
}
