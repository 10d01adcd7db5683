/// A statement's parameters in libpq's form: NUL-terminated texts in one buffer.
struct ParameterBuffer: Sendable {
    /// Limit of PostgreSQL's protocol, which counts parameters in 16 bits.
    static let parametersMax = 65_535

    private var bytes: [UInt8] = []
    /// Offset of each parameter in `bytes`, or -1 for `NULL`.
    private var offsets: [Int] = []

    /// - Throws: ``PostgresError/server(sqlState:message:constraint:)`` with 22021 for text that holds a NUL, which PostgreSQL
    ///   cannot store and a C string would silently truncate; with 54023 for too many parameters.
    init(_ parameters: [PostgresValue]) throws(PostgresError) {
        guard parameters.count <= Self.parametersMax else {
            throw .server(sqlState: "54023", message: "a statement has too many parameters", constraint: nil)
        }
        offsets.reserveCapacity(parameters.count)
        for parameter in parameters { try append(parameter) }
    }

    /// Calls `body` with pointers to the parameters. The pointers are valid only during the call.
    func withPointers<R>(_ body: (_ count: Int32, _ values: UnsafePointer<UnsafePointer<CChar>?>?) -> R) -> R {
        guard !offsets.isEmpty else { return body(0, nil) }
        return bytes.withUnsafeBytes { raw in
            let base = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = offsets.map { offset in offset < 0 ? nil : base.map { $0 + offset } }
            return pointers.withUnsafeBufferPointer { body(Int32($0.count), $0.baseAddress) }
        }
    }

    private mutating func append(_ value: PostgresValue) throws(PostgresError) {
        if case .null = value {
            offsets.append(-1)
            return
        }
        offsets.append(bytes.count)
        switch value {
        case .null: break
        case .int(let value): append(value)
        case .double(let value): append(value)
        case .bool(let value): bytes.append(value ? UInt8(ascii: "t") : UInt8(ascii: "f"))
        case .text(let value), .uuid(let value): try append(text: value)
        case .timestamp(let value): bytes.append(contentsOf: PostgresTimestamp.text(milliseconds: value).utf8)
        case .bytes(let value): append(hex: value)
        case .intArray(let values): try append(array: values) { buffer, value in buffer.append(value) }
        case .doubleArray(let values): try append(array: values) { buffer, value in buffer.append(value) }
        case .textArray(let values): try append(array: values, Self.appendQuoted)
        case .boolArray(let values):
            try append(array: values) { buffer, value in
                buffer.bytes.append(value ? UInt8(ascii: "t") : UInt8(ascii: "f"))
            }
        case .timestampArray(let values): try append(array: values, Self.appendQuotedTimestamp)
        case .optionalIntArray(let values): try append(array: values) { buffer, value in buffer.append(value) }
        case .optionalDoubleArray(let values): try append(array: values) { buffer, value in buffer.append(value) }
        case .optionalTextArray(let values): try append(array: values, Self.appendQuoted)
        case .optionalTimestampArray(let values): try append(array: values, Self.appendQuotedTimestamp)
        }
        bytes.append(0)
    }

    private mutating func append(_ value: Int64) {
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Appends a number, and 0 for a magnitude below the smallest normal `real`.
    ///
    /// PostgreSQL rejects a text that it would round to zero, and the column's type is not known here.
    private mutating func append(_ value: Double) {
        let value = value.magnitude < Double(Float.leastNormalMagnitude) ? 0 : value
        let text = value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : "\(value)"
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func append(text: String) throws(PostgresError) {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        if bytes[start...].contains(0) { throw Self.holdsNUL }
    }

    private static let holdsNUL = PostgresError.server(
        sqlState: "22021", message: "text for the database holds a NUL character", constraint: nil)

    private mutating func append(hex values: [UInt8]) {
        bytes.append(contentsOf: "\\x".utf8)
        bytes.reserveCapacity(bytes.count + 2 * values.count + 1)
        for value in values {
            bytes.append(Self.hexDigits[Int(value >> 4)])
            bytes.append(Self.hexDigits[Int(value & 15)])
        }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)

    // MARK: Arrays

    /// Appends an array literal (PostgreSQL manual §8.15.2).
    ///
    /// Text elements are always quoted, so PostgreSQL never reads the word NULL, a brace or a comma in them as syntax.
    private mutating func append<Element>(
        array values: [Element?],
        _ appendElement: (inout ParameterBuffer, Element) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for value in values {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            if let value {
                try appendElement(&self, value)
            } else {
                bytes.append(contentsOf: "NULL".utf8)
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func appendQuoted(_ buffer: inout ParameterBuffer, _ text: String) throws(PostgresError) {
        buffer.bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == 0 { throw holdsNUL }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { buffer.bytes.append(UInt8(ascii: "\\")) }
            buffer.bytes.append(byte)
        }
        buffer.bytes.append(UInt8(ascii: "\""))
    }

    private static func appendQuotedTimestamp(
        _ buffer: inout ParameterBuffer, _ milliseconds: Int64
    ) throws(PostgresError) {
        try appendQuoted(&buffer, PostgresTimestamp.text(milliseconds: milliseconds))
    }
}

/// A statement with encoded parameters. Encoding happens on the caller's thread to keep it off the loop.
struct EncodedStatement: Sendable {
    let sql: String
    let parameters: ParameterBuffer

    init(_ sql: String, _ parameters: [PostgresValue] = []) throws(PostgresError) {
        // A NUL would truncate the SQL, as it would truncate a parameter.
        guard !sql.utf8.contains(0) else {
            throw .server(sqlState: "42601", message: "the SQL holds a NUL character", constraint: nil)
        }
        self.sql = sql
        self.parameters = try ParameterBuffer(parameters)
    }

    init(_ statement: PostgresStatement) throws(PostgresError) {
        try self.init(statement.sql, statement.parameters)
    }
}
