/// A JSON text under construction. Members of objects keep their order, so that generated files change only where declarations change.
public indirect enum JSONValue: Sendable, Equatable {
    case string(String)
    /// A number as JSON writes it.
    case number(String)
    case bool(Bool)
    case array([JSONValue])
    case object([Member])

    public struct Member: Sendable, Equatable {
        public let name: String
        public let value: JSONValue
    }

    static func integer(_ number: some BinaryInteger) -> JSONValue { .number("\(number)") }
    static func strings(_ strings: [String]) -> JSONValue { .array(strings.map(JSONValue.string)) }
    static func members(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.map { Member(name: $0.0, value: $0.1) })
    }

    /// The object with a further member.
    func with(_ name: String, _ value: JSONValue) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != name } + [Member(name: name, value: value)])
    }

    /// The value of a member.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The JSON text, indented by two spaces for each level.
    public var text: String {
        var text = ""
        write(to: &text, indent: "")
        return text
    }

    private func write(to text: inout String, indent: String) {
        switch self {
        case .string(let string): text += Self.quoted(string)
        case .number(let number): text += number
        case .bool(let value): text += value ? "true" : "false"
        case .array([]): text += "[]"
        case .object([]): text += "{}"
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                text += (index > 0 ? "," : "") + "\n\(indent)  "
                element.write(to: &text, indent: indent + "  ")
            }
            text += "\n\(indent)]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                text += (index > 0 ? "," : "") + "\n\(indent)  \(Self.quoted(member.name)): "
                member.value.write(to: &text, indent: indent + "  ")
            }
            text += "\n\(indent)}"
        }
    }

    private static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .number("\(value)") }
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .members(elements) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}
