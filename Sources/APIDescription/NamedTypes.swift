import Wire

/// Objects of the API that have a name.
public enum NamedTypes {
    /// Members by the type's name; `?` marks those that may be absent.
    public static var members: [String: Set<String>] {
        var builder = SchemaBuilder()
        builder.addAll()
        return builder.components.compactMapValues { schema in
            guard case .object(let members)? = schema["properties"] else { return nil }
            var required: [JSONValue] = []
            if case .array(let names)? = schema["required"] { required = names }
            return Set(members.map { $0.name + (required.contains(.string($0.name)) ? "" : "?") })
        }
    }
}
