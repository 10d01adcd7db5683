import Wire

/// A type whose `Codable` code is written by hand, so that its members cannot be recorded.
protocol OwnForm {
    static func schema(_ builder: inout SchemaBuilder) -> JSONValue
}

extension Timestamp: OwnForm {
    static func schema(_ builder: inout SchemaBuilder) -> JSONValue { ["type": "string", "format": "date-time"] }
}

extension LatLon: OwnForm {
    static func schema(_ builder: inout SchemaBuilder) -> JSONValue {
        [
            "type": "array",
            "items": [builder.schema(of: Latitude<Double>.self), builder.schema(of: Longitude<Double>.self)],
            "minItems": 2, "maxItems": 2,
        ]
    }
}

extension HeatCell: OwnForm {
    static func schema(_ builder: inout SchemaBuilder) -> JSONValue {
        ["type": "array", "items": ["type": "integer"], "minItems": 3, "maxItems": 3]
    }
}

extension NoticeEvent: OwnForm {
    static func schema(_ builder: inout SchemaBuilder) -> JSONValue {
        let withdrawn: JSONValue = [
            "type": "object",
            "properties": [
                "type": ["const": "withdrawn"], "number": ["type": "integer"], "revision": ["type": "integer"],
            ],
            "required": ["type", "number", "revision"],
        ]
        return ["oneOf": [builder.schema(of: Notice.self).withType("notice"), withdrawn]]
    }
}

extension JSONValue {
    /// A schema that also requires the member `type` to have a constant value.
    func withType(_ type: String) -> JSONValue {
        ["allOf": [self, ["properties": ["type": ["const": .string(type)]]]]]
    }
}
