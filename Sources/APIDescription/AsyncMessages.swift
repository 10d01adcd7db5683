import Wire

/// Messages of the AsyncAPI document.
enum AsyncMessages {
    /// Messages of the socket itself; all others belong to topics.
    static let socketNames = [
        "request", "success", "failure", "trackFrame", "trackReply", "positionFrame", "countsFrame",
    ]

    static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/messages/\(name)")] }

    static func all(_ builder: inout SchemaBuilder) -> [(String, JSONValue)] {
        envelopes(&builder) + frames + APIRegistry.topics.map { ($0.messageKey, push($0, &builder)) }
    }

    // MARK: JSON-RPC

    private static func envelopes(_ builder: inout SchemaBuilder) -> [(String, JSONValue)] {
        let id: JSONValue = ["type": ["integer", "string", "null"]]
        let version: JSONValue = ["const": "2.0"]
        return [
            (
                "request",
                [
                    "summary":
                        "A request of one of the methods in the OpenRPC document. Without an id it gets no reply.",
                    "payload": [
                        "type": "object",
                        "properties": [
                            "jsonrpc": version, "id": id,
                            "method": ["type": "string", "enum": .strings(APIRegistry.methods.map { $0.name })],
                            "params": ["type": "object"],
                        ],
                        "required": ["jsonrpc", "method"],
                    ],
                ]
            ),
            (
                "success",
                [
                    "summary": "The reply with the result of a request.",
                    "payload": [
                        "type": "object",
                        "properties": ["jsonrpc": version, "id": id, "result": ["type": "object"]],
                        "required": ["jsonrpc", "id", "result"],
                    ],
                ]
            ),
            (
                "failure",
                [
                    "summary": "The reply with the error of a request.",
                    "payload": [
                        "type": "object",
                        "properties": ["jsonrpc": version, "id": id, "error": builder.schema(of: RPCError.self)],
                        "required": ["jsonrpc", "id", "error"],
                    ],
                ]
            ),
        ]
    }

    // MARK: Publications

    private static func push(_ topic: TopicDeclaration, _ builder: inout SchemaBuilder) -> JSONValue {
        let data = topic.pushes.map { push in
            let schema = builder.schema(of: push.data)
            return push.type.map { schema.withType($0) } ?? schema
        }
        let pattern = "^" + topic.pattern.replacing(/<[a-z]+>/, with: "[0-9]+") + "$"
        var members: [(String, JSONValue)] = [
            ("topic", ["type": "string", "pattern": .string(pattern)]),
            ("data", data.count == 1 ? data[0] : ["anyOf": .array(data)]),
        ]
        if topic.delivery == .reliable {
            members += [
                ("epoch", ["type": "integer"]), ("offset", ["type": "integer"]), ("early", ["type": "boolean"]),
            ]
        }
        return [
            "summary": .string("A publication on `\(topic.pattern)`."),
            "payload": [
                "type": "object",
                "properties": [
                    "jsonrpc": ["const": "2.0"], "method": ["const": "push"],
                    "params": ["type": "object", "properties": .members(members), "required": ["topic", "data"]],
                ],
                "required": ["jsonrpc", "method", "params"],
            ],
        ]
    }

    // MARK: Binary frames

    private static var frames: [(String, JSONValue)] {
        [
            frame("trackFrame", TrackFrame.kind, TrackFrame.version, "Points of a session, from the client."),
            frame("trackReply", TrackReply.kind, TrackReply.version, "The reply to points."),
            frame("positionFrame", PositionFrame.kind, PositionFrame.version, "Runners of an area."),
            frame("countsFrame", CountsFrame.kind, CountsFrame.version, "Numbers of runners of a crowded area."),
        ]
    }

    private static func frame(_ name: String, _ kind: UInt8, _ version: UInt8, _ summary: String) -> (String, JSONValue)
    {
        (
            name,
            [
                "summary": .string("\(summary) The article Binary position frames has the layout."),
                "contentType": "application/octet-stream",
                "payload": ["type": "string", "format": "binary"],
                "x-first-bytes": .array([.integer(kind), .integer(version)]),
            ]
        )
    }
}
