/// JSON as it is written, so that it can also be written wrongly.
public indirect enum JSONTree: Sendable {
    /// Text of JSON, or of what is none.
    case raw(String)
    case object([(name: String, value: JSONTree)])
    case array([JSONTree])

    /// Where a value is, from the parameters on.
    public enum Step: Sendable, Hashable {
        case member(String)
        case element(Int)
    }

    /// The text.
    public var text: String {
        switch self {
        case .raw(let text): text
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0.name)):\($0.value.text)" }.joined(separator: ",") + "}"
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        }
    }

    /// A string of printable ASCII, or any other, with what RFC 8259 asks to escape.
    public static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\0"..<" ": quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// What is done to the value at a path.
    public enum Change: Sendable {
        case replace(String)
        case remove
        /// The member is there twice.
        case double
    }

    /// The tree with one value changed; members on the path that are missing are added.
    public func changed(_ change: Change, at path: ArraySlice<Step>) -> JSONTree {
        guard let step = path.first else {
            if case .replace(let text) = change { return .raw(text) }
            return self
        }
        let rest = path.dropFirst()
        switch (self, step) {
        case (.object(var members), .member(let name)):
            let index = members.firstIndex { $0.name == name }
            guard rest.isEmpty else {
                let inner = index.map { members[$0].value } ?? (rest.first.map(Self.container) ?? .object([]))
                let value = inner.changed(change, at: rest)
                if let index { members[index].value = value } else { members.append((name, value)) }
                return .object(members)
            }
            switch change {
            case .remove: members.removeAll { $0.name == name }
            case .double: members.append((name, index.map { members[$0].value } ?? .raw("1")))
            case .replace(let text):
                if let index {
                    members[index].value = .raw(text)
                } else {
                    members.append((name, .raw(text)))
                }
            }
            if case .double = change, index == nil { members.append((name, .raw("1"))) }
            return .object(members)
        case (.array(var elements), .element(let index)):
            guard elements.indices.contains(index) else {
                return .array(elements + [JSONTree.raw("1").changed(change, at: rest)])
            }
            if rest.isEmpty, case .remove = change {
                elements.remove(at: index)
            } else {
                elements[index] = elements[index].changed(change, at: rest)
            }
            return .array(elements)
        case (.raw, _): return Self.container(step).changed(change, at: path)
        default: return self
        }
    }

    private static func container(_ step: Step) -> JSONTree {
        if case .member = step { .object([]) } else { .array([]) }
    }
}
