/// JSON written by hand, for what is written thousands of times a second: Foundation's encoder takes longer for a reply than the
/// server for all the rest of a message.
public struct JSONText: Sendable {
    /// What was added.
    public private(set) var bytes: [UInt8] = []

    /// Nothing yet.
    public init(bytesExpected: Int = 0) { bytes.reserveCapacity(bytesExpected) }

    /// Adds JSON as it is. O(bytes).
    public mutating func add(_ json: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
    }

    /// Adds JSON as it is. O(bytes).
    public mutating func add(_ json: [UInt8]) { bytes.append(contentsOf: json) }

    /// Adds what needs no escape, such as a topic's name. O(bytes).
    public mutating func add(plain text: String) { bytes.append(contentsOf: text.utf8) }

    /// Adds a number.
    public mutating func add(_ number: Int64) {
        var rest = number.magnitude
        if rest < 10 {
            if number < 0 { bytes.append(UInt8(ascii: "-")) }
            return bytes.append(UInt8(ascii: "0") + UInt8(rest))
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = digits.count
            while rest > 0 {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(digit)
                rest = quotient
            }
            if number < 0 {
                start -= 1
                digits[start] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: digits[start...])
        }
    }

    /// Adds JSON as it is, and behind it a number.
    public mutating func add(_ json: StaticString, _ number: Int64) {
        add(json)
        add(number)
    }

    /// Adds JSON as it is, and behind it `true` or `false`.
    public mutating func add(_ json: StaticString, _ value: Bool) {
        add(json)
        if value { add("true") } else { add("false") }
    }

    /// Adds JSON as it is, and behind it a moment.
    public mutating func add(_ json: StaticString, _ moment: Timestamp) {
        add(json)
        bytes.append(UInt8(ascii: "\""))
        add(plain: moment.description)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Adds JSON as it is, and behind it a string with what RFC 8259 §7 asks to escape. O(bytes).
    public mutating func add(_ json: StaticString, string text: String) {
        add(json)
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            if utf8.contains(where: Self.needsEscape) { addEscaped(utf8) } else { bytes.append(contentsOf: utf8) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func addEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"): add("\\n")
            case 0..<0x20:
                if byte < 16 { add("\\u000") } else { add("\\u001") }
                bytes.append(Self.hexDigits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}

/// What writes itself as JSON, the same as its `Encodable` form but for the order of members.
public protocol JSONWritable: Encodable {
    func write(to json: inout JSONText)
}

extension WireJSON {
    /// Encodes what writes itself. O(bytes).
    public static func encode(_ value: some JSONWritable) -> [UInt8] {
        var json = JSONText(bytesExpected: 256)
        value.write(to: &json)
        return json.bytes
    }
}

extension RequestID: JSONWritable {
    public func write(to json: inout JSONText) {
        switch self {
        case .number(let number): json.add(number)
        case .string(let text): json.add("", string: text)
        case .null: json.add("null")
        }
    }
}

extension Success: JSONWritable where Result: JSONWritable {
    public func write(to json: inout JSONText) {
        json.add("{\"jsonrpc\":\"2.0\",\"id\":")
        id.write(to: &json)
        json.add(",\"result\":")
        result.write(to: &json)
        json.add("}")
    }
}
