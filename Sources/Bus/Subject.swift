/// Subject of a message on the bus: a path of tokens below `campanile.<campus>.`, such as `session.42`.
///
/// A token consists of the bytes `A-Z a-z 0-9 _ -` and of escapes `=XX` (upper-case hexadecimal) for all other bytes. Each text
/// thus has exactly one spelling, and no text can address another token. Subjects of the bus itself begin with `$`, which no token
/// contains.
public struct Subject: Sendable, Hashable, CustomStringConvertible {
    /// Bytes of a subject, without the prefix of the campus.
    public static let subjectBytesMax = 160
    /// Tokens of a subject, without the prefix of the campus.
    public static let tokensMax = 12

    /// The spelling, without the prefix of the campus.
    public let description: String

    /// - Parameter tokens: 1 to ``tokensMax`` texts, such as `["session", "42"]`.
    /// - Throws: ``BusError/invalidSubject(_:)`` for no token or an empty one, for a dot or a wildcard (`*`, `>`) in a token, or
    ///   for too many tokens or bytes.
    public init(_ tokens: [String]) throws(BusError) {
        description = try Self.spelling(tokens, wildcards: false)
    }

    /// Creates the subject of a topic.
    /// - Parameter topic: A path such as `session/42`.
    /// - Throws: ``BusError/invalidSubject(_:)``.
    public init(topic: String) throws(BusError) {
        try self.init(topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init))
    }

    /// Creates a subject from the spelling of another node, or of the bus itself, without validation.
    init(spelled description: String) { self.description = description }

    /// The decoded tokens; nil for a spelling that no node produces.
    public var tokens: [String]? {
        var tokens: [String] = []
        for token in description.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard let text = Self.unescaped(token) else { return nil }
            tokens.append(text)
        }
        return tokens
    }

    /// The topic's path; nil for a spelling that no node produces.
    public var topic: String? { tokens?.joined(separator: "/") }

    static func spelling(_ tokens: [String], wildcards: Bool) throws(BusError) -> String {
        guard (1...tokensMax).contains(tokens.count) else {
            throw .invalidSubject("a subject has 1 to \(tokensMax) tokens")
        }
        var spelled: [UInt8] = []
        for (index, token) in tokens.enumerated() {
            if index > 0 { spelled.append(UInt8(ascii: ".")) }
            if wildcards && (token == "*" || token == ">") {
                guard token == "*" || index == tokens.count - 1 else {
                    throw .invalidSubject("the wildcard > must be the last token")
                }
                spelled += token.utf8
            } else {
                try escape(token, to: &spelled)
            }
        }
        guard spelled.count <= subjectBytesMax else {
            throw .invalidSubject("a subject has at most \(subjectBytesMax) bytes")
        }
        return String(decoding: spelled, as: UTF8.self)
    }

    private static func escape(_ token: String, to spelled: inout [UInt8]) throws(BusError) {
        guard !token.isEmpty else { throw .invalidSubject("a token of a subject is empty") }
        for byte in token.utf8 {
            switch byte {
            case UInt8(ascii: "."), UInt8(ascii: "*"), UInt8(ascii: ">"):
                throw .invalidSubject("a token of a subject has a dot or a wildcard in it")
            case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "-"): spelled.append(byte)
            default:
                spelled.append(UInt8(ascii: "="))
                spelled += [byte >> 4, byte & 15].map { $0 < 10 ? $0 + 48 : $0 + 55 }
            }
        }
    }

    private static func unescaped(_ token: some Collection<UInt8>) -> String? {
        var text: [UInt8] = []
        var rest = token.makeIterator()
        func digit(_ byte: UInt8?) -> UInt8? {
            switch byte {
            case .some(let byte) where (48...57).contains(byte): byte - 48
            case .some(let byte) where (65...70).contains(byte): byte - 55
            default: nil
            }
        }
        while let byte = rest.next() {
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "-"): text.append(byte)
            case UInt8(ascii: "="):
                guard let high = digit(rest.next()), let low = digit(rest.next()) else { return nil }
                text.append(high << 4 | low)
            default: return nil
            }
        }
        return text.isEmpty ? nil : String(validating: text, as: UTF8.self)
    }
}

/// Pattern of subjects: one subject, or several by wildcards.
public struct SubjectPattern: Sendable, Hashable, CustomStringConvertible {
    /// The spelling, without the prefix of the campus.
    public let description: String
    /// Whether the pattern can match more than one subject.
    public let hasWildcard: Bool

    /// - Parameter tokens: As for a ``Subject``. A token `*` matches any one token; `>` as the last token matches one or more.
    /// - Throws: ``BusError/invalidSubject(_:)``.
    public init(_ tokens: [String]) throws(BusError) {
        description = try Subject.spelling(tokens, wildcards: true)
        hasWildcard = tokens.contains("*") || tokens.last == ">"
    }

    /// Creates the pattern of topics.
    /// - Parameter topic: A path such as `zone/7/positions`, or with wildcards `zone/*/positions`, `zone/>`.
    /// - Throws: ``BusError/invalidSubject(_:)``.
    public init(topic: String) throws(BusError) {
        try self.init(topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init))
    }

    /// Creates a pattern that matches one subject.
    public init(_ subject: Subject) {
        description = subject.description
        hasWildcard = false
    }

    /// Creates a pattern from a spelling that is validated already, or is the bus's own.
    init(spelled description: String) {
        self.description = description
        hasWildcard = description.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: ">") }
    }

    /// Whether the pattern matches a subject. O(bytes).
    public func matches(_ subject: Subject) -> Bool {
        guard hasWildcard else { return subject.description == description }
        var pattern = description.utf8.split(separator: UInt8(ascii: "."))[...]
        var tokens = subject.description.utf8.split(separator: UInt8(ascii: "."))[...]
        while let expected = pattern.popFirst() {
            if expected.elementsEqual(">".utf8) { return !tokens.isEmpty }
            guard let token = tokens.popFirst(), expected.elementsEqual("*".utf8) || expected.elementsEqual(token)
            else {
                return false
            }
        }
        return tokens.isEmpty
    }
}
