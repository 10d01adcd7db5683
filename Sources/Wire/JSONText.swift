/// A buffer for writing JSON by hand, for messages that the server writes thousands of times per second. Foundation's encoder takes
/// longer for a reply than the server takes for the rest of the request.
public struct JSONText: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init(bytesExpected: Int = 0) { bytes.reserveCapacity(bytesExpected) }

    /// Appends JSON text unchanged, in O(bytes).
    public mutating func add(_ json: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
    }

    /// Appends JSON text unchanged, in O(bytes).
    public mutating func add(_ json: [UInt8]) { bytes.append(contentsOf: json) }

    /// Appends text that needs no escaping, such as the name of a topic, in O(bytes).
    public mutating func add(plain text: String) { bytes.append(contentsOf: text.utf8) }

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

    /// Appends JSON text unchanged, then a number.
    public mutating func add(_ json: StaticString, _ number: Int64) {
        add(json)
        add(number)
    }

    /// Appends JSON text unchanged, then `true` or `false`.
    public mutating func add(_ json: StaticString, _ value: Bool) {
        add(json)
        if value { add("true") } else { add("false") }
    }

    /// Appends JSON text unchanged, then a time as a string.
    public mutating func add(_ json: StaticString, _ moment: Timestamp) {
        add(json)
        bytes.append(UInt8(ascii: "\""))
        add(plain: moment.description)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends JSON text unchanged, then a string with the escapes of RFC 8259 §7, in O(bytes).
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

/// A type that writes its own JSON text, equal to its `Encodable` form except for the order of members.
public protocol JSONWritable: Encodable {
    func write(to json: inout JSONText)
}

extension WireJSON {
    /// Encodes a value that writes its own JSON text, in O(bytes).
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

extension Failure: JSONWritable {
    public func write(to json: inout JSONText) {
        json.add("{\"jsonrpc\":\"2.0\",\"id\":")
        id.write(to: &json)
        json.add(",\"error\":")
        error.write(to: &json)
        json.add("}")
    }
}

extension RPCError: JSONWritable {
    public func write(to json: inout JSONText) {
        json.add("{\"code\":", Int64(code))
        json.add(",\"message\":", string: message)
        if let data {
            json.add(",\"data\":{\"name\":", string: data.name)
            if let field = data.field { json.add(",\"field\":", string: field) }
            if let seconds = data.retryAfter, seconds.isFinite {
                json.add(",\"retryAfter\":")
                json.add(plain: seconds.description)
            }
            if let reference = data.reference { json.add(",\"reference\":", string: reference) }
            if let ticket = data.ticket { json.add(",\"ticket\":", string: ticket) }
            if let factors = data.factors {
                for (index, factor) in factors.enumerated() {
                    json.add(index == 0 ? ",\"factors\":[" : ",", string: factor.rawValue)
                }
                json.add(factors.isEmpty ? ",\"factors\":[]" : "]")
            }
            json.add("}")
        }
        json.add("}")
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
