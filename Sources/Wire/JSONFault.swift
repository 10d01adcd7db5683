import Foundation

/// JSON that readers disagree on (RFC 7493, I-JSON), or that PostgreSQL and Swift cannot keep: it is refused before a decoder sees
/// it, with an error that names the member.
struct JSONFault: Equatable {
    enum Reason: Equatable {
        /// Beyond ±(2⁵³ - 1), which is also what a value that is not finite is.
        case number
        /// The character NUL, which PostgreSQL's `text` cannot hold.
        case nul
        /// A longer string than ``WireLimit/stringBytesMax``.
        case string
        /// A second member of one name.
        case twice
        /// More members than ``WireLimit/membersMax``.
        case members
    }

    let reason: Reason
    /// Of the value or the name, in the message.
    let index: Int

    private var text: String {
        switch reason {
        case .number: "must be a number from \(-WireLimit.numberMax) to \(WireLimit.numberMax)"
        case .nul: "must not hold the character NUL"
        case .string: "is longer than \(WireLimit.stringBytesMax) bytes"
        case .twice: "is there twice: send each member once"
        case .members: "has more than \(WireLimit.membersMax) members"
        }
    }

    /// Whether a number is finite and at most ``WireLimit/numberMax`` in magnitude.
    static func isWithinBounds(_ number: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        // Longer ones are no measurement of anything; the conversion takes time with each digit.
        guard number.count <= numberBytesMax else { return false }
        let text = String(decoding: number, as: UTF8.self)
        if let whole = Int64(text) { return whole.magnitude <= WireLimit.numberMax.magnitude }
        return Double(text).map { $0.magnitude <= Double(WireLimit.numberMax) } ?? false
    }

    private static let numberBytesMax = 1_024

    /// The error that names the member.
    /// - Parameters:
    ///   - start: Of the object that the path begins at.
    ///   - whole: What the object is called.
    func error(_ code: ErrorCode, in bytes: [UInt8], from start: Int, whole: String) -> RPCError {
        let path = path(in: bytes, from: start)
        guard !path.isEmpty else {
            let subject = reason == .members ? "" : "a member "
            return RPCError(code, "\(whole): \(subject)\(text)", field: whole)
        }
        return RPCError(code, "\(path): \(text)", field: path)
    }

    /// Such as `points[3].lat`. A name that no member of the API has ends it: errors repeat nothing of what was sent.
    private func path(in bytes: [UInt8], from start: Int) -> String {
        var path = ""
        var start = start
        while start < bytes.count {
            if let members = JSONGrammar.members(in: bytes, at: start) {
                let last = members.last { $0.name.contains(index) || $0.value.contains(index) }
                guard let last, let name = Self.name(bytes[last.name]) else { return path }
                // The object is what has too many.
                if reason == .members, last.name.contains(index) { return path }
                path += (path.isEmpty ? "" : ".") + name
                guard last.value.contains(index) else { return path }
                start = last.value.lowerBound
            } else if let elements = JSONGrammar.elements(in: bytes, at: start) {
                guard let position = elements.firstIndex(where: { $0.contains(index) }) else { return path }
                path += "[\(position)]"
                start = elements[position].lowerBound
            } else {
                return path
            }
            if start == index { return path }
        }
        return path
    }

    private static func name(_ literal: ArraySlice<UInt8>) -> String? {
        let name = literal.dropFirst().dropLast()
        let isLetters = name.allSatisfy { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) }
        return isLetters && (1...nameBytesMax).contains(name.count) ? String(decoding: name, as: UTF8.self) : nil
    }

    private static let nameBytesMax = 40
}

/// The names of members of the objects that are open while a message is scanned, as hashes.
///
/// Two names with one hash count as the same: 64 members of one object have the same 64-bit hash by chance once in 10¹⁶ objects, and
/// a client that looks for such names refuses its own request.
struct JSONNames {
    private var hashes: [UInt64] = []
    /// Where the names of each open object begin.
    private var starts: [Int] = []

    mutating func open() { starts.append(hashes.count) }

    mutating func close() {
        guard let start = starts.popLast() else { return }
        hashes.removeLast(hashes.count - start)
    }

    /// Adds a name with its quotation marks. O(names of the object).
    /// - Returns: What is wrong with it.
    mutating func add(_ literal: Slice<UnsafeBufferPointer<UInt8>>) -> JSONFault.Reason? {
        guard let start = starts.last else { return nil }
        guard hashes.count - start < WireLimit.membersMax else { return .members }
        let hash = Self.hash(literal)
        let isTwice = hashes[start...].contains(hash)
        hashes.append(hash)
        return isTwice ? .twice : nil
    }

    private static func hash(_ literal: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64 {
        guard literal.contains(UInt8(ascii: "\\")) else { return fnv(literal.dropFirst().dropLast()) }
        let name = try? JSONDecoder().decode(String.self, from: Data(literal))
        return fnv((name ?? "").utf8)
    }

    /// FNV-1a.
    private static func fnv(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}
