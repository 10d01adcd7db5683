/// An entity tag (RFC 9110 §8.8.3).
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// The tag without its quotes.
    public let opaque: String
    /// True if the tag does not guarantee identical bytes.
    public let isWeak: Bool

    /// - Parameter opaque: Visible characters but no quotation mark (etagc).
    public init(_ opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// The header value.
    public var description: String { "\(isWeak ? "W/" : "")\"\(opaque)\"" }

    /// The strong comparison (§8.8.3.2): "two entity tags are equivalent if both are not weak and their opaque-tags match".
    public func matchesStrongly(_ other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// The weak comparison (§8.8.3.2): "equivalent if their opaque-tags match […] regardless of either or both being tagged
    /// as weak".
    public func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }

    /// Parses exactly one entity tag.
    init?(parsing text: some StringProtocol) {
        guard case .tags(let tags)? = EntityTagList(parsing: [String(text)]), tags.count == 1 else { return nil }
        self = tags[0]
    }
}

/// The value of If-Match and If-None-Match: `"*" / #entity-tag`.
enum EntityTagList: Sendable, Equatable {
    /// `*`: any current representation.
    case any
    case tags([EntityTag])

    /// Parses all fields of one name together; nil if there are none, or if they are malformed. A tag may contain a
    /// comma, so the list cannot be split at commas.
    init?(parsing fields: [String]) {
        guard !fields.isEmpty else { return nil }
        if fields.count == 1, fields[0] == "*" {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        for field in fields {
            var rest = field.utf8[...]
            while true {
                rest = rest.drop { $0.isOptionalWhitespace || $0 == UInt8(ascii: ",") }
                if rest.isEmpty { break }
                let isWeak = rest.starts(with: "W/".utf8)
                if isWeak { rest = rest.dropFirst(2) }
                guard rest.first == UInt8(ascii: "\"") else { return nil }
                rest = rest.dropFirst()
                guard let end = rest.firstIndex(of: UInt8(ascii: "\"")),
                    rest[..<end].allSatisfy({ $0 == 0x21 || $0 >= 0x23 && $0 != 0x7F })
                else { return nil }
                tags.append(EntityTag(String(decoding: rest[..<end], as: UTF8.self), isWeak: isWeak))
                rest = rest[end...].dropFirst().drop { $0.isOptionalWhitespace }
                guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
            }
        }
        self = .tags(tags)
    }
}
