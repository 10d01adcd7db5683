import Wire

/// The generated part of the MethodReference article: every method, topic and type.
public enum ReferenceTables {
    /// Markdown of the part.
    public static var text: String {
        var builder = SchemaBuilder()
        builder.addAll()
        let areas = APIRegistry.methods.reduce(into: [(name: String, methods: [any RPCMethod.Type])]()) {
            areas, method in
            let area = String(method.name.prefix { $0 != "." })
            if let index = areas.firstIndex(where: { $0.name == area }) {
                areas[index].methods.append(method)
            } else {
                areas.append((area, [method]))
            }
        }
        let alone = areas.filter { $0.methods.count == 1 && $0.methods[0].name == $0.name }
        let sections =
            [section("Connection", alone.flatMap(\.methods), &builder)]
            + areas.filter { area in !alone.contains { $0.name == area.name } }.map { area in
                section("`\(area.name)`", area.methods, &builder)
            }
        return (sections + [topics(&builder), types(builder)]).joined(separator: "\n")
    }

    // MARK: Methods

    private static func section(
        _ title: String, _ methods: [any RPCMethod.Type], _ builder: inout SchemaBuilder
    ) -> String {
        "\n### \(title)\n" + methods.map { method($0, &builder) }.joined()
    }

    private static func method(_ method: any RPCMethod.Type, _ builder: inout SchemaBuilder) -> String {
        func block<M: RPCMethod>(_ method: M.Type) -> String {
            let params = builder.members(of: M.Params.self)
            let result =
                M.name == Subscribe.name ? "see Topics" : "`\(notation(builder.schema(of: M.Result.self)))`"
            var lines = [
                "", "**`\(M.name)`** for \(M.access). \(M.summary)", "",
                "- parameters: `\(object(params))`", "- result: \(result)",
            ]
            if !M.specificErrors.isEmpty {
                lines.append("- errors: " + M.specificErrors.map { "`\($0.name)`" }.joined(separator: ", "))
            }
            if !M.limits.isEmpty { lines.append("- limits: " + M.limits.map(limit).joined(separator: "; ")) }
            let texts = M.texts.sorted { $0.key < $1.key }.map { name, limit in
                "`\(name)` \(limit.allowed.lowerBound) to \(limit.max)"
            }
            if !texts.isEmpty { lines.append("- lengths: " + texts.joined(separator: ", ")) }
            return lines.joined(separator: "\n") + "\n"
        }
        return block(method)
    }

    private static func limit(_ limit: MethodLimit) -> String {
        "`\(limit.name.rawValue)`" + (limit.cost.map { " (\($0))" } ?? "")
    }

    // MARK: Topics

    private static func topics(_ builder: inout SchemaBuilder) -> String {
        let rows = APIRegistry.topics.map { topic in
            let reply = topic.reply.map { "`\(notation(builder.schema(of: $0)))`" } ?? "by `positions.view`"
            let pushes = topic.pushes.map { push in
                "`\(notation(builder.schema(of: push.data)))`" + (push.type.map { " (\($0))" } ?? "")
            }
            let params = (["topic"] + topic.params).map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(topic.pattern)` | \(topic.summary) | \(topic.access) | \(topic.delivery.rawValue) | \(params) "
                + "| \(reply) | \(pushes.joined(separator: ", ")) |"
        }
        return
            (["", "## Topics", "", "| topic | publishes | for | delivery | parameters | reply | pushes |"]
            + ["|---|---|---|---|---|---|---|"] + rows + [""]).joined(separator: "\n")
    }

    // MARK: Types

    private static func types(_ builder: SchemaBuilder) -> String {
        let rows = builder.components.sorted { $0.key < $1.key }.map { name, schema in
            "| `\(name)` | `\(notation(schema, isNamed: false))` |"
        }
        return (["", "## Types", "", "| type | form |", "|---|---|"] + rows + [""]).joined(separator: "\n")
    }

    // MARK: Notation

    private static func object(_ members: [(name: String, isOptional: Bool, schema: JSONValue)]) -> String {
        let parts = members.map { "\($0.name)\($0.isOptional ? "?" : ""): \(notation($0.schema))" }
        return "{\(parts.joined(separator: ", "))}"
    }

    private static func notation(_ schema: JSONValue, isNamed: Bool = true) -> String {
        if case .string(let path)? = schema["$ref"] { return String(path.split(separator: "/").last ?? "") }
        if case .string(let constant)? = schema["const"] { return "\"\(constant)\"" }
        if case .array(let values)? = schema["enum"] {
            return values.map { if case .string(let text) = $0 { text } else { "" } }.joined(separator: " or ")
        }
        for name in ["allOf", "oneOf", "anyOf"] {
            guard case .array(let parts)? = schema[name] else { continue }
            return parts.map { notation($0) }.joined(separator: name == "allOf" ? " with " : " or ")
        }
        switch schema["type"] {
        case "string": return schema["format"] == "date-time" ? "time" : "text"
        case "boolean": return "boolean"
        case "integer", "number": return number(schema)
        case "array":
            if case .array(let items)? = schema["items"] {
                return "[\(items.map { notation($0) }.joined(separator: ", "))]"
            }
            return "[\(schema["items"].map { notation($0) } ?? "")]"
        default: break
        }
        if let values = schema["additionalProperties"] { return "{text: \(notation(values))}" }
        guard case .object(let members)? = schema["properties"] else { return "{}" }
        var required: [JSONValue] = []
        if case .array(let names)? = schema["required"] { required = names }
        return object(members.map { ($0.name, !required.contains(.string($0.name)), $0.value) })
    }

    private static func number(_ schema: JSONValue) -> String {
        let noun = schema["type"] == "integer" ? "integer" : "number"
        guard case .number(let low)? = schema["minimum"], case .number(let high)? = schema["maximum"] else {
            return noun
        }
        return "\(noun), \(low) to \(high)"
    }
}
