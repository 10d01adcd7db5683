import APIDescription
import Server

/// What a value is replaced with.
public enum ExtremeValues {
    /// A value, by a name for the report.
    public struct Value: Sendable {
        /// For a report.
        public let name: String
        /// What is done to the value.
        public let change: JSONTree.Change
    }

    private static func replaced(_ name: String, _ text: String) -> Value { Value(name: name, change: .replace(text)) }

    /// Numbers at and beyond the ends of what 64-bit integers, 32-bit integers, doubles and JSON hold.
    public static let numbers: [Value] =
        [
            "-9223372036854775808", "9223372036854775807", "9223372036854775808", "-1", "0", "-0.0", "1", "1.5",
            "9007199254740991", "9007199254740992", "-9007199254740991", "2147483647", "2147483648", "-2147483648",
            "65536", "1e18", "5e-324", "1e-300", "1e308", "-1e308", "1e400", "90", "180.0000001",
        ].map { replaced($0, $0) }

    /// Strings that are empty, long, or hold what PostgreSQL and Unicode do not take.
    public static let strings: [Value] = [
        replaced("empty", "\"\""), replaced("NUL", #""a\u0000b""#), replaced("lone surrogate", #""\ud800""#),
        replaced("reversed surrogates", #""\udc00\ud800""#), replaced("60 kB", "\"" + text(60_000) + "\""),
        replaced("control characters", #""\u0001\u001f\u007f""#), replaced("SQL", #""' OR 1=1; --\\""#),
        replaced("pattern", #""%_%_%_%\\""#),
        replaced("combining", "\"" + String(repeating: "\u{0301}", count: 2_000) + "\""),
        replaced("noncharacter", "\"\u{FFFF}\u{10FFFF}\""), replaced("slashes", #""../../../../etc/passwd""#),
        replaced("number", #""9223372036854775808""#), replaced("UUID", #""00000000-0000-0000-0000-000000000000""#),
    ]

    /// A string of a megabyte, which takes longest.
    public static let megabyte = replaced("1 MB", "\"" + text(1_000_000) + "\"")

    /// Times at the ends of the calendar.
    public static let times: [Value] = [
        "0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z",
        "10000-01-01T00:00:00Z", "-infinity", "infinity", "2026-02-30T00:00:00Z", "2026-06-30T23:59:60Z",
        "2026-11-20T16:40:00+99:99", "99999999999-01-01T00:00:00Z",
    ].map { replaced($0, "\"\($0)\"") }

    /// Values of other types, and none.
    public static let others: [Value] = [
        replaced("null", "null"), replaced("true", "true"), replaced("empty array", "[]"),
        replaced("empty object", "{}"),
        replaced("deep nesting", nested(60)), replaced("too deep nesting", nested(200)),
        replaced("duplicate keys", #"{"a":1,"a":2}"#), replaced("many members", manyMembers),
        Value(name: "missing", change: .remove), Value(name: "twice", change: .double),
    ]

    /// Longer arrays than any method takes.
    public static let arrays: [Value] = [
        replaced("3,000 numbers", "[" + Array(repeating: "1", count: 3_000).joined(separator: ",") + "]"),
        replaced("nulls", "[null,null]"), replaced("mixed", #"[1,"a",{},[],null,9223372036854775807]"#),
    ]

    /// Those for a value of this shape.
    public static func of(_ shape: WireShape) -> [Value] {
        switch shape {
        case .string: strings + others + [numbers[0], numbers[16]]
        case .choice: Array(strings.prefix(5)) + others + [numbers[1]]
        case .time: times + strings.prefix(3) + others + [numbers[1]]
        case .whole, .number: numbers + others + strings.prefix(1)
        case .bool: others + [strings[0], numbers[4], numbers[1]]
        case .array, .position: arrays + others + [strings[0], numbers[1]]
        case .object: others + [strings[0], numbers[1]]
        }
    }

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    private static let manyMembers = "{" + (0..<200).map { "\"a\($0)\":0" }.joined(separator: ",") + "}"
}

/// A parameter, or a part of one.
public struct Parameter: Sendable {
    /// The name of its method.
    public let method: String
    /// Where it is in the parameters.
    public let path: [JSONTree.Step]
    /// What it looks like.
    public let shape: WireShape

    /// Such as `events.create details.place.lat`.
    public var name: String {
        path.reduce(into: method) { name, step in
            switch step {
            case .member(let member): name += name == method ? " \(member)" : ".\(member)"
            case .element(let index): name += "[\(index)]"
            }
        }
    }

    /// All of a method's, those within others too.
    public static func all(of method: MethodCatalogue.Method) -> [Parameter] { parts(method.params, [], method.name) }

    private static func parts(_ shape: WireShape, _ path: [JSONTree.Step], _ method: String) -> [Parameter] {
        let own = path.isEmpty ? [] : [Parameter(method: method, path: path, shape: shape)]
        switch shape {
        case .object(let members):
            return own + members.flatMap { parts($0.shape, path + [.member($0.name)], method) }
        case .array(let element): return own + parts(element, path + [.element(0)], method)
        case .position:
            return own + parts(.number(.latitude), path + [.element(0)], method)
                + parts(.number(.longitude), path + [.element(1)], method)
        case .string, .bool, .time, .whole, .number, .choice: return own
        }
    }
}

extension WireShape.Bounds {
    fileprivate static let latitude = WireShape.Bounds(low: "-90", high: "90")
    fileprivate static let longitude = WireShape.Bounds(low: "-180", high: "180")
}
