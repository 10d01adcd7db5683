import Wire

/// Makes JSON Schemas (draft 7) of wire types. Objects, enumerations and ranges become named components, which a document lists once.
struct SchemaBuilder {
    /// Schemas by the name of their component.
    private(set) var components: [String: JSONValue] = [:]

    /// The components, ordered by name.
    var componentList: JSONValue { .members(components.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }) }

    /// Schema of a type: a reference to a component if the type has a name.
    mutating func schema(of type: any Decodable.Type) -> JSONValue {
        switch type {
        case is String.Type: return ["type": "string"]
        case is Bool.Type: return ["type": "boolean"]
        case is Double.Type: return ["type": "number"]
        case is any FixedWidthInteger.Type: return ["type": "integer"]
        case let within as any WithinRange.Type: return schema(of: within)
        case let array as any WireArray.Type: return ["type": "array", "items": schema(of: array.elementType)]
        case let map as any WireDictionary.Type:
            return ["type": "object", "additionalProperties": schema(of: map.valueType)]
        default: break
        }
        let name = Self.name(of: type)
        guard components[name] == nil else { return Self.reference(name) }
        // A type may contain itself.
        components[name] = [:]
        components[name] = component(type)
        return Self.reference(name)
    }

    /// Parameters or members of an object, each with its schema.
    mutating func members(of type: any Decodable.Type) -> [(name: String, isOptional: Bool, schema: JSONValue)] {
        Self.members(of: type).map { ($0.name, $0.isOptional, schema(of: $0.type)) }
    }

    private mutating func component(_ type: any Decodable.Type) -> JSONValue {
        switch type {
        case let choice as any WireChoice.Type: ["type": "string", "enum": .strings(Self.values(of: choice))]
        case let ownForm as any OwnForm.Type: ownForm.schema(&self)
        default: object(members(of: type))
        }
    }

    private func object(_ members: [(name: String, isOptional: Bool, schema: JSONValue)]) -> JSONValue {
        let required = members.filter { !$0.isOptional }.map(\.name)
        let object: JSONValue = ["type": "object", "properties": .members(members.map { ($0.name, $0.schema) })]
        return required.isEmpty ? object : object.with("required", .strings(required))
    }

    private mutating func schema(of within: any WithinRange.Type) -> JSONValue {
        let (low, high) = within.bounds
        let name = within.rangeName
        func numbers(_ type: any Decodable.Type) -> (JSONValue, isWhole: Bool) {
            if let array = type as? any WireArray.Type {
                let (items, isWhole) = numbers(array.elementType)
                return (["type": "array", "items": items], isWhole)
            }
            return (Self.reference(name), type is any FixedWidthInteger.Type)
        }
        let (schema, isWhole) = numbers(within.wrappedType)
        components[name] = [
            "type": isWhole ? "integer" : "number", "minimum": .number(low), "maximum": .number(high),
        ]
        return schema
    }

    static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

    /// Name of a type's component: `ChatHistory.Item` is `ChatHistoryItem`.
    static func name(of type: any Decodable.Type) -> String {
        // `Wire.Subscribed<Wire.ZoneSnapshot>` is `SubscribedZoneSnapshot`.
        String(reflecting: type).replacing("Wire.", with: "").filter { $0.isLetter || $0.isNumber }
    }

    static func members(of type: any Decodable.Type) -> [(name: String, type: any Decodable.Type, isOptional: Bool)] {
        let recorder = MemberRecorder()
        _ = try? type.init(from: RecordingDecoder(recorder: recorder))
        return recorder.types
    }

    static func values<Choice: WireChoice>(of type: Choice.Type) -> [String] { type.allCases.map(\.rawValue) }
}

extension SchemaBuilder {
    /// Adds the components of all methods and topics, and of what HTTP and close reasons use besides.
    mutating func addAll() {
        func add<M: RPCMethod>(_ method: M.Type) {
            _ = members(of: M.Params.self)
            if M.name != Subscribe.name { _ = schema(of: M.Result.self) }
        }
        for method in APIRegistry.methods { add(method) }
        for topic in APIRegistry.topics {
            if let reply = topic.reply { _ = schema(of: reply) }
            for push in topic.pushes { _ = schema(of: push.data) }
        }
        for type in [SignOutCause.self, PicturePurpose.self, RPCError.self] as [any Decodable.Type] {
            _ = schema(of: type)
        }
    }
}
