import Wire

/// Enumerations of strings that occur in the API.
public enum Enumerations {
    /// Values by the name of the type, ordered by name.
    public static var all: [(name: String, values: [String])] {
        var builder = SchemaBuilder()
        builder.addAll()
        return builder.components.compactMap { name, schema in
            guard case .array(let values)? = schema["enum"] else { return nil }
            let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
            return (name, texts)
        }.sorted { $0.0 < $1.0 }
    }
}
