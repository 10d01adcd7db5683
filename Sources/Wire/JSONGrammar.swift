/// A validating scanner for the JSON grammar (RFC 8259).
///
/// Foundation's decoder reads only the requested members and guesses the encoding, so that it accepts texts that are not JSON. This
/// scanner accepts a message only if all of it is JSON. It is stricter than the RFC in two points: it accepts only UTF-8 without a byte
/// order mark (§8.1), and it refuses a `\u` escape of half a surrogate pair (§8.2).
///
/// The same pass finds interoperability faults: see ``JSONFault``.
enum JSONGrammar {
    /// Limit of nested arrays and objects. The protocol's messages need fewer than ten levels.
    static let nestingMax = 64

    /// Whether the bytes are one JSON text without a number beyond ±(2⁵³ - 1), so that sums of numbers from other nodes cannot overflow.
    /// Linear time; the only allocation that depends on the content is a copy of it.
    static func holds(for bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        return bytes.withUnsafeBufferPointer { buffer in
            guard var scanner = Scanner(buffer), scanner.value() else { return false }
            scanner.skipSpace()
            return scanner.isAtEnd && !scanner.hasLargeNumber
        }
    }

    /// Ranges of the elements of an array, without surrounding whitespace; nil if the bytes are not one JSON array.
    static func elements(of bytes: [UInt8]) -> [Range<Int>]? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        return bytes.withUnsafeBufferPointer { buffer in
            guard var scanner = Scanner(buffer) else { return nil }
            scanner.skipSpace()
            guard scanner.take("["), let elements = scanner.elements() else { return nil }
            scanner.skipSpace()
            return scanner.isAtEnd ? elements : nil
        }
    }

    /// Ranges of a member's name, with its quotation marks, and of its value.
    struct Member {
        let name: Range<Int>
        let value: Range<Int>
    }

    /// Returns the members of an object, without surrounding whitespace, and the first fault in it; nil for JSON that is not an object.
    /// - Throws: ``NotJSON``.
    static func members(of bytes: [UInt8]) throws(NotJSON) -> (members: [Member], fault: JSONFault?)? {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw NotJSON() }
        let members: (members: [Member], fault: JSONFault?)?? = bytes.withUnsafeBufferPointer { buffer in
            guard var scanner = Scanner(buffer) else { return nil }
            scanner.skipSpace()
            let isObject = scanner.take("{")
            let members = isObject ? scanner.members() : nil
            guard members != nil || (!isObject && scanner.value()) else { return nil }
            scanner.skipSpace()
            return scanner.isAtEnd ? .some(members.map { ($0, scanner.fault) }) : nil
        }
        guard let members else { throw NotJSON() }
        return members
    }

    /// Members of the object that begins at an index of a valid JSON text; nil if another value begins there.
    static func members(in bytes: [UInt8], at index: Int) -> [Member]? {
        bytes.withUnsafeBufferPointer { buffer in
            guard var scanner = Scanner(buffer, index: index) else { return nil }
            return scanner.take("{") ? scanner.members() : nil
        }
    }

    static func elements(in bytes: [UInt8], at index: Int) -> [Range<Int>]? {
        bytes.withUnsafeBufferPointer { buffer in
            guard var scanner = Scanner(buffer, index: index) else { return nil }
            return scanner.take("[") ? scanner.elements() : nil
        }
    }

    /// Error for bytes that are not one JSON text.
    struct NotJSON: Error {}

    private struct Scanner {
        /// The text. A pointer, because without optimization a buffer's subscript is a call for each byte. Each access first checks `index`
        /// against `count`.
        private let bytes: UnsafePointer<UInt8>
        private let count: Int
        var index: Int
        /// The first fault.
        private(set) var fault: JSONFault?
        private(set) var hasLargeNumber = false
        /// Names of the members of the open objects, innermost last.
        private var names = JSONNames()

        /// - Parameter index: Index at which the scan begins, not negative.
        /// - Returns: nil for no bytes, which are no JSON.
        init?(_ buffer: UnsafeBufferPointer<UInt8>, index: Int = 0) {
            guard let base = buffer.baseAddress else { return nil }
            bytes = base
            count = buffer.count
            self.index = index
        }

        private mutating func note(_ reason: JSONFault.Reason, at start: Int) {
            if reason == .number { hasLargeNumber = true }
            if fault == nil { fault = JSONFault(reason: reason, index: start) }
        }

        var isAtEnd: Bool { index == count }
        private var next: UInt8? { index < count ? bytes[index] : nil }

        /// The bytes since an index that the scan passed.
        private func scanned(from start: Int) -> UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(start: bytes + start, count: index - start)
        }

        mutating func skipSpace() {
            while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
        }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        /// Scans an array after its opening bracket, up to and including the closing one.
        mutating func elements() -> [Range<Int>]? {
            var ranges: [Range<Int>] = []
            skipSpace()
            if take("]") { return ranges }
            repeat {
                skipSpace()
                let start = index
                guard value() else { return nil }
                ranges.append(start..<index)
                skipSpace()
            } while take(",")
            return take("]") ? ranges : nil
        }

        /// Scans an object after its opening brace, up to and including the closing one.
        mutating func members() -> [Member]? {
            var members: [Member] = []
            skipSpace()
            if take("}") { return members }
            repeat {
                skipSpace()
                let start = index
                guard string() else { return nil }
                let name = start..<index
                skipSpace()
                guard take(":") else { return nil }
                skipSpace()
                let valueStart = index
                guard value(nestingMax: nestingMax - 1) else { return nil }
                members.append(Member(name: name, value: valueStart..<index))
                skipSpace()
            } while take(",")
            return take("}") ? members : nil
        }

        /// Scans a value with everything nested in it. The open arrays and objects are bits of a number instead of stack frames, so that a
        /// message cannot exhaust the stack.
        mutating func value(nestingMax: Int = JSONGrammar.nestingMax) -> Bool {
            var depth = 0
            /// One bit for each open value, innermost last: 1 for an object, 0 for an array.
            var objects: UInt64 = 0
            while true {
                skipSpace()
                if take("{") {
                    guard depth < nestingMax else { return false }
                    depth += 1
                    objects = objects << 1 | 1
                    names.open()
                    skipSpace()
                    if next != UInt8(ascii: "}") {
                        guard key() else { return false }
                        continue
                    }
                } else if take("[") {
                    guard depth < nestingMax else { return false }
                    depth += 1
                    objects <<= 1
                    skipSpace()
                    if next != UInt8(ascii: "]") { continue }
                } else {
                    guard scalar() else { return false }
                }
                // After a value or an opening bracket: a comma continues the innermost open value, and closing brackets end open values.
                var isNext = false
                while depth > 0, !isNext {
                    let isObject = objects & 1 == 1
                    skipSpace()
                    if take(",") {
                        // Directly after an opening bracket only the closing bracket can follow here.
                        guard !isObject || key() else { return false }
                        isNext = true
                    } else if take(isObject ? "}" : "]") {
                        depth -= 1
                        objects >>= 1
                        if isObject { names.close() }
                    } else {
                        return false
                    }
                }
                if !isNext { return true }
            }
        }

        private mutating func key() -> Bool {
            skipSpace()
            let start = index
            guard string() else { return false }
            if let reason = names.add(scanned(from: start)) { note(reason, at: start) }
            skipSpace()
            return take(":")
        }

        private mutating func scalar() -> Bool {
            switch next {
            case UInt8(ascii: "\""): string()
            case UInt8(ascii: "t"): word("true")
            case UInt8(ascii: "f"): word("false")
            case UInt8(ascii: "n"): word("null")
            default: number()
            }
        }

        private mutating func word(_ word: StaticString) -> Bool {
            let length = word.utf8CodeUnitCount
            guard count - index >= length else { return false }
            for offset in 0..<length where bytes[index + offset] != word.utf8Start[offset] { return false }
            index += length
            return true
        }

        private mutating func number() -> Bool {
            let start = index
            _ = take("-")
            let digitsStart = index
            if !take("0") {
                guard digits() else { return false }
            }
            let digitCount = index - digitsStart
            if take("."), !digits() { return false }
            var hasExponent = false
            if take("e") || take("E") {
                hasExponent = true
                if !take("+") { _ = take("-") }
                guard digits() else { return false }
            }
            // A number with at most 15 digits is always within bounds.
            if hasExponent || digitCount > 15, !JSONFault.isWithinBounds(scanned(from: start)) {
                note(.number, at: start)
            }
            return true
        }

        private mutating func digits() -> Bool {
            let start = index
            while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
            return index > start
        }

        private mutating func string() -> Bool {
            let start = index
            guard take("\"") else { return false }
            while index < count {
                let byte = bytes[index]
                index += 1
                switch byte {
                case UInt8(ascii: "\""):
                    if index - start > WireLimit.stringBytesMax { note(.string, at: start) }
                    return true
                case UInt8(ascii: "\\"): guard escape(at: start) else { return false }
                case 0..<0x20: return false
                default: break
                }
            }
            return false
        }

        /// - Parameter start: Index at which the string begins.
        private mutating func escape(at start: Int) -> Bool {
            guard let byte = next else { return false }
            index += 1
            switch byte {
            case UInt8(ascii: "u"):
                guard let unit = hexUnit() else { return false }
                if unit == 0 { note(.nul, at: start) }
                if (0xD800...0xDBFF).contains(unit) {
                    guard take("\\"), take("u"), let low = hexUnit() else { return false }
                    return (0xDC00...0xDFFF).contains(low)
                }
                return !(0xDC00...0xDFFF).contains(unit)
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
                UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                return true
            default: return false
            }
        }

        private mutating func hexUnit() -> UInt16? {
            guard count - index >= 4 else { return nil }
            var unit: UInt16 = 0
            for offset in 0..<4 {
                guard let digit = Character(Unicode.Scalar(bytes[index + offset])).hexDigitValue else { return nil }
                unit = unit << 4 | UInt16(digit)
            }
            index += 4
            return unit
        }
    }
}
