/// Parser of PostgreSQL's text format for one-dimensional arrays (PostgreSQL manual §8.15.6).
enum ArrayLiteral {
    /// The array's elements, each nil for `NULL`. Returns nil if the text is not a one-dimensional array.
    static func elements(_ bytes: UnsafeRawBufferPointer) -> [String?]? {
        guard bytes.count >= 2, bytes[0] == UInt8(ascii: "{"), bytes[bytes.count - 1] == UInt8(ascii: "}") else {
            return nil
        }
        let end = bytes.count - 1
        var elements: [String?] = []
        var index = 1
        while index < end {
            if bytes[index] == UInt8(ascii: "\"") {
                guard let text = quoted(bytes, &index, end) else { return nil }
                elements.append(text)
            } else {
                let start = index
                while index < end, bytes[index] != UInt8(ascii: ",") {
                    // An inner brace begins a second dimension. No query of Campanile reads one.
                    if bytes[index] == UInt8(ascii: "{") { return nil }
                    index += 1
                }
                let text = String(decoding: bytes[start..<index], as: UTF8.self)
                elements.append(text == "NULL" ? nil : text)
            }
            guard index == end || bytes[index] == UInt8(ascii: ",") else { return nil }
            index += 1
        }
        return elements
    }

    private static func quoted(_ bytes: UnsafeRawBufferPointer, _ index: inout Int, _ end: Int) -> String? {
        var text: [UInt8] = []
        index += 1
        while index < end {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                index += 1
                guard index < end else { return nil }
                text.append(bytes[index])
            case let byte:
                text.append(byte)
            }
            index += 1
        }
        return nil
    }
}
