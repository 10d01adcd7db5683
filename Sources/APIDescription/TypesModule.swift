import Wire

/// `Sources/WebApp/client/registrytypes.d.ts`: the types of the API for the type checker. No browser loads it.
public enum TypesModule {
    /// Text of the declarations.
    public static var text: String {
        var builder = SchemaBuilder()
        builder.addAll()
        let types = builder.components.sorted { $0.key < $1.key }.map { name, schema in
            "export type \(name) = \(type(schema, indent: ""));\n"
        }
        return ([header] + types + [methods(&builder), replies(&builder), pushes(&builder)]).joined(separator: "\n")
    }

    private static let header = """
        // Generated from Sources/Wire by GeneratedFileTests; do not edit. CONTRIBUTING has the command.

        """

    private static func methods(_ builder: inout SchemaBuilder) -> String {
        func line<M: RPCMethod>(_ method: M.Type) -> String {
            let members = builder.members(of: M.Params.self)
            let params = members.map { "\($0.name)\($0.isOptional ? "?" : ""): \(type($0.schema, indent: "    "));" }
            let result =
                M.name == Subscribe.name
                ? "Replies[keyof Replies]" : type(builder.schema(of: M.Result.self), indent: "")
            return """
                  /**
                \(comment(M.summary))
                   */
                  "\(M.name)": {
                    params: {\(params.isEmpty ? "" : "\n      " + params.joined(separator: "\n      ") + "\n    ")};
                    result: \(result);
                  };
                """
        }
        return "export type Methods = {\n\(APIRegistry.methods.map { line($0) }.joined(separator: "\n"))\n};\n"
    }

    /// Lines of a comment, of at most 120 columns.
    private static func comment(_ text: String) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + word.count > 110 { lines.append("") }
            lines[lines.count - 1] += " " + word
        }
        return lines.map { "   *" + $0 }.joined(separator: "\n")
    }

    private static func replies(_ builder: inout SchemaBuilder) -> String {
        let lines = APIRegistry.topics.compactMap { topic in
            topic.reply.map { "  \(topic.kind.rawValue): \(type(builder.schema(of: $0), indent: ""));" }
        }
        return "export type Replies = {\n\(lines.joined(separator: "\n"))\n};\n"
    }

    private static func pushes(_ builder: inout SchemaBuilder) -> String {
        let lines = APIRegistry.topics.map { topic in
            let types = topic.pushes.map { push in
                let name = type(builder.schema(of: push.data), indent: "")
                return push.type.map { "\(name) & { type: \"\($0)\" }" } ?? name
            }
            return "  \(topic.kind.rawValue): \(types.joined(separator: " | "));"
        }
        return "export type Pushes = {\n\(lines.joined(separator: "\n"))\n};\n"
    }

    /// TypeScript of a schema that the builder made.
    private static func type(_ schema: JSONValue, indent: String) -> String {
        if case .string(let path)? = schema["$ref"] { return String(path.split(separator: "/").last ?? "") }
        if case .string(let text)? = schema["const"] { return "\"\(text)\"" }
        if case .array(let values)? = schema["enum"] {
            let texts = values.map { if case .string(let text) = $0 { "\"\(text)\"" } else { "never" } }
            return texts.joined(separator: texts.count > 8 ? "\n  | " : " | ")
        }
        for (name, separator) in [("allOf", " & "), ("oneOf", " | "), ("anyOf", " | ")] {
            guard case .array(let parts)? = schema[name] else { continue }
            return parts.map { "(\(type($0, indent: indent)))" }.joined(separator: separator)
        }
        switch schema["type"] {
        case "string": return "string"
        case "boolean": return "boolean"
        case "integer", "number": return "number"
        case "array":
            if case .array(let items)? = schema["items"] {
                return "[\(items.map { type($0, indent: indent) }.joined(separator: ", "))]"
            }
            return schema["items"].map { "\(type($0, indent: indent))[]" } ?? "unknown[]"
        default: return object(schema, indent: indent)
        }
    }

    private static func object(_ schema: JSONValue, indent: String) -> String {
        if let values = schema["additionalProperties"] { return "Record<string, \(type(values, indent: indent))>" }
        guard case .object(let members)? = schema["properties"], !members.isEmpty else {
            return "Record<string, never>"
        }
        var required: [JSONValue] = []
        if case .array(let names)? = schema["required"] { required = names }
        let lines = members.map { member in
            let mark = required.contains(.string(member.name)) ? "" : "?"
            return "\(indent)  \(member.name)\(mark): \(type(member.value, indent: indent + "  "));"
        }
        return "{\n\(lines.joined(separator: "\n"))\n\(indent)}"
    }
}
