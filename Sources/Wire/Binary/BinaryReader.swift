/// What is wrong with a binary frame. One plain fact; never its content.
public struct BinaryFrameError: Error, Equatable, CustomStringConvertible, Sendable {
    /// One plain fact.
    public let description: String

    init(_ description: String) { self.description = description }

    static let truncated = BinaryFrameError("the frame ends too early")
}

/// Reads the numbers and texts of binary frames, each of them checked. Owned by one reader.
struct BinaryReader {
    /// The largest number: JavaScript's numbers are exact up to it.
    static let numberMax: UInt64 = 1 << 53 - 1
    /// Bytes that a number of 53 bits needs.
    private static let varintBytesMax = 8

    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    /// Bytes that are left.
    var remaining: Int { bytes.count - offset }

    mutating func byte() throws(BinaryFrameError) -> UInt8 {
        guard offset < bytes.count else { throw .truncated }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func varint() throws(BinaryFrameError) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<Self.varintBytesMax {
            let byte = try byte()
            value |= UInt64(byte & 0x7F) << (7 * UInt64(index))
            guard value <= Self.numberMax else { break }
            if byte < 0x80 { return value }
        }
        throw BinaryFrameError("a number is too large")
    }

    /// A number of which there is a largest.
    mutating func varint(max: Int, _ what: StaticString) throws(BinaryFrameError) -> Int {
        let value = try varint()
        guard value <= UInt64(max) else { throw BinaryFrameError("\(what) is out of its range") }
        return Int(value)
    }

    mutating func signed() throws(BinaryFrameError) -> Int64 {
        let value = try varint()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func signed(in range: ClosedRange<Int64>, _ what: StaticString) throws(BinaryFrameError) -> Int64 {
        let value = try signed()
        guard range.contains(value) else { throw BinaryFrameError("\(what) is out of its range") }
        return value
    }

    mutating func text(bytesMax: Int, _ what: StaticString) throws(BinaryFrameError) -> String {
        let count = try varint(max: bytesMax, what)
        guard count <= remaining else { throw .truncated }
        defer { offset += count }
        guard let text = String(validating: bytes[offset..<offset + count], as: UTF8.self) else {
            throw BinaryFrameError("\(what) is not UTF-8")
        }
        return text
    }
}
