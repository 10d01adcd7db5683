/// The fields of an HTTP message in the order they were received or added; names compare case-insensitively
/// (RFC 9110 §5.1). A plain value: safe to share between isolation domains.
///
/// Lookups walk the fields, which `HTTPLimits.headerCountMax` keeps short.
public struct HTTPHeaders: Sendable, Sequence, ExpressibleByDictionaryLiteral {
    /// One field: the name as written and the value without surrounding whitespace.
    public typealias Element = (name: String, value: String)

    private var fields: [Element] = []

    /// No fields.
    public init() {}

    /// The given fields, in order; a name may occur more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0.0, value: $0.1) }
    }

    /// How many fields there are; a name that occurs twice counts twice.
    public var count: Int { fields.count }

    /// Adds a field after those present, also when the name is present already.
    public mutating func add(_ name: String, _ value: String) {
        fields.append((name: name, value: value))
    }

    /// Removes every field with this name and adds the one given at the end.
    public mutating func set(_ name: String, _ value: String) {
        fields.removeAll { Self.same($0.name, name) }
        add(name, value)
    }

    /// Removes every field with this name.
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

    /// The elements of a comma-separated list, over all fields with this name; empty elements are dropped, as
    /// RFC 9110 §5.6.1.2 asks of a recipient.
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

    /// Name and value of every field in order.
    public func makeIterator() -> IndexingIterator<[Element]> { fields.makeIterator() }

    /// ASCII case-insensitive comparison; field names and tokens are ASCII.
    static func same(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}
