import CLibpq
import Glibc

/// The result of a statement: its rows, or the number of affected rows. Immutable. Rows keep the result's memory alive.
public struct PostgresRows: Sendable, RandomAccessCollection {
    let answer: Answer

    /// libpq's result, freed when its last row is released.
    ///
    /// `@unchecked Sendable`: nothing changes the result after it was received, and libpq allows reading from any thread
    /// (PostgreSQL manual §34.20).
    final class Answer: @unchecked Sendable {
        let result: OpaquePointer
        init(_ result: OpaquePointer) { self.result = result }
        deinit { PQclear(result) }
    }

    /// Takes ownership of `result`.
    init(_ result: OpaquePointer) {
        answer = Answer(result)
        endIndex = Int(PQntuples(result))
    }

    /// Number of rows that an INSERT, UPDATE, DELETE or SELECT affected; 0 for other statements.
    public var affected: Int { Int(String(cString: PQcmdTuples(answer.result))) ?? 0 }

    /// The command tag, such as `COMMIT` or `INSERT 0 1`.
    public var commandTag: String { String(cString: PQcmdStatus(answer.result)) }

    /// The column names, in order.
    public var columns: [String] {
        (0..<PQnfields(answer.result)).map { PQfname(answer.result, $0).map { String(cString: $0) } ?? "" }
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public let endIndex: Int

    /// The row at `index`. Traps if the index is out of range. O(1).
    public subscript(index: Int) -> PostgresRow {
        precondition(index >= 0 && index < endIndex, "row out of range")
        return PostgresRow(answer: answer, index: Int32(index))
    }
}

/// One row, whose columns are read by name.
///
/// Every reader throws ``PostgresError/decoding(column:expected:)`` with the column's name if the column is absent, has another
/// type, or is null and the reader is not an optional one.
public struct PostgresRow: Sendable {
    let answer: PostgresRows.Answer
    let index: Int32

    /// Whether the column is null. Throws if there is no such column.
    public func isNull(_ column: String) throws(PostgresError) -> Bool {
        PQgetisnull(answer.result, index, try number(of: column, expected: "a column")) == 1
    }

    /// A `smallint`, `integer` or `bigint`.
    public func int(_ column: String) throws(PostgresError) -> Int64 {
        try required(column, "a whole number", optionalInt(column))
    }

    /// A `smallint`, `integer` or `bigint`; nil for `NULL`.
    public func optionalInt(_ column: String) throws(PostgresError) -> Int64? {
        try read(column, "a whole number") { Int64(Self.string($0)) }
    }

    /// A `double precision`, `real`, `numeric` or integer.
    public func double(_ column: String) throws(PostgresError) -> Double {
        try required(column, "a number", optionalDouble(column))
    }

    /// A `double precision`, `real`, `numeric` or integer; nil for `NULL`.
    public func optionalDouble(_ column: String) throws(PostgresError) -> Double? {
        try read(column, "a number") { Double(Self.string($0)) }
    }

    public func bool(_ column: String) throws(PostgresError) -> Bool {
        try required(column, "a truth value", optionalBool(column))
    }

    public func optionalBool(_ column: String) throws(PostgresError) -> Bool? {
        try read(column, "a truth value") { Self.bool(Self.string($0)) }
    }

    /// Text. Any type can be read as its PostgreSQL text representation.
    public func text(_ column: String) throws(PostgresError) -> String {
        try required(column, "text", optionalText(column))
    }

    /// Text; nil for `NULL`.
    public func optionalText(_ column: String) throws(PostgresError) -> String? {
        try read(column, "text") { Self.string($0) }
    }

    /// A `timestamptz` in milliseconds since 1970-01-01T00:00:00Z. `infinity` is `Int64.max`.
    public func timestamp(_ column: String) throws(PostgresError) -> Int64 {
        try required(column, "a timestamp", optionalTimestamp(column))
    }

    /// A `timestamptz` in milliseconds since 1970-01-01T00:00:00Z; nil for `NULL`.
    public func optionalTimestamp(_ column: String) throws(PostgresError) -> Int64? {
        try read(column, "a timestamp") { PostgresTimestamp.milliseconds(text: $0) }
    }

    /// A UUID in lower case with hyphens.
    public func uuid(_ column: String) throws(PostgresError) -> String {
        try required(column, "a UUID", optionalUUID(column))
    }

    /// A UUID in lower case with hyphens; nil for `NULL`.
    public func optionalUUID(_ column: String) throws(PostgresError) -> String? {
        try read(column, "a UUID") { Self.isUUID($0) ? Self.string($0) : nil }
    }

    /// The bytes of a `bytea`.
    public func bytes(_ column: String) throws(PostgresError) -> [UInt8] {
        try required(column, "bytes", optionalBytes(column))
    }

    /// The bytes of a `bytea`; nil for `NULL`.
    public func optionalBytes(_ column: String) throws(PostgresError) -> [UInt8]? {
        try read(column, "bytes", Self.hexDecoded)
    }
}

extension PostgresRow {
    /// Elements of a `bigint[]`. Throws if an element is null.
    public func intArray(_ column: String) throws(PostgresError) -> [Int64] {
        try array(column, "whole numbers") { Int64($0) }
    }

    /// Elements of a `double precision[]`. Throws if an element is null.
    public func doubleArray(_ column: String) throws(PostgresError) -> [Double] {
        try array(column, "numbers") { Double($0) }
    }

    /// Elements of a `double precision[]`; nil for `NULL`.
    public func optionalDoubleArray(_ column: String) throws(PostgresError) -> [Double?] {
        let elements = try elements(column, "an array of numbers")
        var values: [Double?] = []
        for element in elements {
            let value = element.flatMap { Double($0) }
            if element != nil && value == nil {
                throw .decoding(column: column, expected: "an array of numbers")
            }
            values.append(value)
        }
        return values
    }

    /// Elements of a `text[]`. Throws if an element is null.
    public func textArray(_ column: String) throws(PostgresError) -> [String] {
        try array(column, "texts") { $0 }
    }

    /// Elements of a `text[]`; nil for `NULL`.
    public func optionalTextArray(_ column: String) throws(PostgresError) -> [String?] {
        try elements(column, "an array of texts")
    }

    /// Elements of a `boolean[]`. Throws if an element is null.
    public func boolArray(_ column: String) throws(PostgresError) -> [Bool] {
        try array(column, "truth values", Self.bool)
    }

    /// Elements of a `timestamptz[]` in milliseconds since 1970-01-01T00:00:00Z. Throws if an element is null.
    public func timestampArray(_ column: String) throws(PostgresError) -> [Int64] {
        try array(column, "timestamps") { element in
            var element = element
            return element.withUTF8 { PostgresTimestamp.milliseconds(text: UnsafeRawBufferPointer($0)) }
        }
    }

    private func array<Element>(
        _ column: String, _ expected: String, _ parse: (String) -> Element?
    ) throws(PostgresError) -> [Element] {
        var values: [Element] = []
        for element in try elements(column, "an array of \(expected)") {
            guard let value = element.flatMap(parse) else {
                throw .decoding(column: column, expected: "an array of \(expected)")
            }
            values.append(value)
        }
        return values
    }

    private func elements(_ column: String, _ expected: String) throws(PostgresError) -> [String?] {
        try required(column, expected, read(column, expected) { ArrayLiteral.elements($0) })
    }
}

extension PostgresRow {
    private func number(of column: String, expected: String) throws(PostgresError) -> Int32 {
        let count = PQnfields(answer.result)
        let number = column.withCString { name in
            // PQfnumber would fold case and interpret quotes. A plain comparison matches the exact name.
            (0..<count).first { field in PQfname(answer.result, field).map { strcmp($0, name) == 0 } ?? false }
        }
        guard let number else { throw .decoding(column: column, expected: expected) }
        return number
    }

    private func read<Value>(
        _ column: String, _ expected: String, _ parse: (UnsafeRawBufferPointer) -> Value?
    ) throws(PostgresError) -> Value? {
        let field = try number(of: column, expected: expected)
        guard PQgetisnull(answer.result, index, field) == 0 else { return nil }
        let length = Int(PQgetlength(answer.result, index, field))
        guard let value = parse(UnsafeRawBufferPointer(start: PQgetvalue(answer.result, index, field), count: length))
        else { throw .decoding(column: column, expected: expected) }
        return value
    }

    private func required<Value>(
        _ column: String, _ expected: String, _ value: Value?
    ) throws(PostgresError) -> Value {
        guard let value else { throw .decoding(column: column, expected: expected) }
        return value
    }

    private static func string(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func bool(_ text: String) -> Bool? {
        switch text {
        case "t", "true": true
        case "f", "false": false
        default: nil
        }
    }

    private static func hexDecoded(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard bytes.count >= 2, bytes.count % 2 == 0, bytes[0] == UInt8(ascii: "\\"), bytes[1] == UInt8(ascii: "x")
        else { return nil }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count / 2 - 1)
        for index in stride(from: 2, to: bytes.count, by: 2) {
            guard let high = hexValue(bytes[index]), let low = hexValue(bytes[index + 1]) else { return nil }
            decoded.append(high << 4 | low)
        }
        return decoded
    }

    /// Whether the text has the form of 8-4-4-4-12 hexadecimal digits.
    private static func isUUID(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count == 36
            && bytes.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : hexValue(byte) != nil
            }
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 97...102: byte - 87
        case 65...70: byte - 55
        default: nil
        }
    }
}
