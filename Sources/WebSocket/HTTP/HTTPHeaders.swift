/// The fields of an HTTP message in the order they were received or added. Names compare case-insensitively
/// (RFC 9110 §5.1).
///
/// Lookups are linear in the number of fields, which `HTTPLimits.headerCountMax` bounds.
public struct HTTPHeaders: Sendable, Sequence, ExpressibleByDictionaryLiteral {
    /// One field: the name as written and the value without surrounding whitespace.
    public typealias Element = (name: String, value: String)

    private var fields: [Element] = []

    public init() {}

    /// Creates the given fields, in order; a name may occur more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The number of fields; a name that occurs twice counts twice.
    public var count: Int { fields.count }

    /// Appends a field, even if the name is already present.
    public mutating func add(_ name: String, _ value: String) {
        fields.append((name: name, value: value))
    }

    /// Replaces every field with this name by one at the end.
    public mutating func set(_ name: String, _ value: String) {
        fields.removeAll { Self.same($0.name, name) }
        add(name, value)
    }

    public mutating func remove(_ name: String) { fields.removeAll { Self.same($0.name, name) } }

    /// The value of the first field with this name.
    public subscript(_ name: String) -> String? {
        for field in fields where Self.same(field.name, name) { return field.value }
        return nil
    }

    /// The values of all fields with this name, in order.
    public func all(_ name: String) -> [String] {
        fields.filter { Self.same($0.name, name) }.map(\.value)
    }

    /// The elements of a comma-separated list, over all fields with this name. Empty elements are dropped, as
    /// RFC 9110 §5.6.1.2 requires of a recipient.
    public func list(_ name: String) -> [String] {
        all(name).flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).compactMap { element in
                let trimmed = trimmingOptionalWhitespace(element)
                return trimmed.isEmpty ? nil : String(Substring(trimmed))
            }
        }
    }

    /// Whether the comma-separated list `name` holds `token`, compared case-insensitively.
    public func contains(token: String, in name: String) -> Bool {
        list(name).contains { Self.same($0, token) }
    }

    public func makeIterator() -> IndexingIterator<[Element]> { fields.makeIterator() }

    /// ASCII case-insensitive comparison; field names and tokens are ASCII.
    static func same(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}
