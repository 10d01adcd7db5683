import Foundation

/// A fault in a JSON text that the grammar permits but not I-JSON (RFC 7493), PostgreSQL or Swift. The server refuses the text before
/// decoding it, with an error that names the member.
struct JSONFault: Equatable {
    enum Reason: Equatable {
        /// A number beyond ±(2⁵³ - 1) or one that is not finite.
        case number
        /// The character NUL, which PostgreSQL's `text` cannot contain.
        case nul
        /// A string longer than ``WireLimit/stringBytesMax``.
        case string
        /// A second member with the same name.
        case twice
        /// More members than ``WireLimit/membersMax``.
        case members
    }

    let reason: Reason
    /// Index of the faulty value or name in the message.
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
    static func isWithinBounds(_ number: UnsafeBufferPointer<UInt8>) -> Bool {
        // The conversion takes time for each digit, and no legitimate number is longer.
        guard number.count <= numberBytesMax else { return false }
        let text = String(decoding: number, as: UTF8.self)
        if let whole = Int64(text) { return whole.magnitude <= WireLimit.numberMax.magnitude }
        return Double(text).map { $0.magnitude <= Double(WireLimit.numberMax) } ?? false
    }

    private static let numberBytesMax = 1_024

    /// Returns the error that names the faulty member.
    /// - Parameters:
    ///   - start: Index of the object at which the path begins.
    ///   - whole: Name of that object in the error.
    func error(_ code: ErrorCode, in bytes: [UInt8], from start: Int, whole: String) -> RPCError {
        let path = path(in: bytes, from: start)
        guard !path.isEmpty else {
            let subject = reason == .members ? "" : "a member "
            return RPCError(code, "\(whole): \(subject)\(text)", field: whole)
        }
        return RPCError(code, "\(path): \(text)", field: path)
    }

    /// Path of the faulty member, such as `points[3].lat`. The path stops at a name that cannot be a member of the API, because errors do
    /// not repeat content of the request.
    private func path(in bytes: [UInt8], from start: Int) -> String {
        var path = ""
        var start = start
        while start < bytes.count {
            if let members = JSONGrammar.members(in: bytes, at: start) {
                let last = members.last { $0.name.contains(index) || $0.value.contains(index) }
                guard let last, let name = Self.name(bytes[last.name]) else { return path }
                // This fault concerns the object, not the member.
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

/// Hashes of the member names of all open objects, for finding duplicates during a scan.
///
/// Two names with the same hash count as equal. Among 64 members of an object this happens by chance in one of 10¹⁶ objects. Clients cannot
/// construct such names, because each process has its own seed.
struct JSONNames {
    private var hashes: [Int] = []
    /// Index in `hashes` of the first name of each open object.
    private var starts: [Int] = []

    mutating func open() { starts.append(hashes.count) }

    mutating func close() {
        guard let start = starts.popLast() else { return }
        hashes.removeLast(hashes.count - start)
    }

    /// Adds a name with its quotation marks, in O(names of the object).
    /// - Returns: The fault, if the name is a duplicate or exceeds the limit.
    mutating func add(_ literal: UnsafeBufferPointer<UInt8>) -> JSONFault.Reason? {
        guard let start = starts.last else { return nil }
        guard hashes.count - start < WireLimit.membersMax else { return .members }
        let hash = Self.hash(literal)
        let isTwice = hashes[start...].contains(hash)
        hashes.append(hash)
        return isTwice ? .twice : nil
    }

    private static func hash(_ literal: UnsafeBufferPointer<UInt8>) -> Int {
        let bytes = UnsafeRawBufferPointer(literal)
        var hasher = Hasher()
        if let base = bytes.baseAddress, memchr(base, Int32(UInt8(ascii: "\\")), bytes.count) != nil {
            let name = try? JSONDecoder().decode(String.self, from: Data(bytes))
            Array("\"\(name ?? "")\"".utf8).withUnsafeBytes { hasher.combine(bytes: $0) }
        } else {
            hasher.combine(bytes: bytes)
        }
        return hasher.finalize()
    }
}
