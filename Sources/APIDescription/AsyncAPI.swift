import Wire

/// The AsyncAPI 3.0 description of the WebSocket: its messages, topics and binary frames. A server serves it at `/api/asyncapi.json`;
/// `doctor --api --format asyncapi` prints it. Operations are named from the server's side, as AsyncAPI requires: the server receives
/// requests and sends publications.
public enum AsyncAPI {
    /// - Parameter version: Version of the server.
    public static func document(version: String) -> JSONValue {
        var builder = SchemaBuilder()
        let topics = APIRegistry.topics
        let channels = [("socket", socket)] + topics.map { ($0.kind.rawValue, channel($0, &builder)) }
        let operations = socketOperations + topics.map { ("publish_\($0.kind.rawValue)", publish($0)) }
        let messages = AsyncMessages.all(&builder)
        return [
            "asyncapi": "3.0.0",
            "info": [
                "title": "Campanile", "version": .string(version),
                "description": """
                One WebSocket carries everything. A client connects to `/ws` with the subprotocol `campanile.v1`, sends `hello` as its \
                first request, and subscribes to topics with `subscribe`. `openrpc.json` beside this document describes the requests.
                """,
            ],
            "defaultContentType": "application/json",
            "servers": [
                "campanile": [
                    "host": "{host}", "protocol": "wss", "pathname": "/ws",
                    "variables": ["host": ["description": "The server's name, and its port if it is not 443."]],
                ]
            ],
            "channels": .members(channels),
            "operations": .members(operations),
            "components": ["messages": .members(messages), "schemas": builder.componentList],
            "x-close-codes": closeCodes,
        ]
    }

    // MARK: The socket

    private static let socket: JSONValue = [
        "address": "/ws", "title": "The WebSocket",
        "messages": .members(
            AsyncMessages.socketNames.map { name in (name, AsyncMessages.reference(name)) }),
        "bindings": [
            "ws": [
                "method": "GET",
                "headers": [
                    "type": "object",
                    "properties": ["Sec-WebSocket-Protocol": ["type": "string", "const": "campanile.v1"]],
                    "required": ["Sec-WebSocket-Protocol"],
                ],
            ]
        ],
        "x-first-request": .string(Hello.name), "x-batch-max": 50,
    ]

    private static var socketOperations: [(String, JSONValue)] {
        func messages(_ names: String...) -> JSONValue {
            .array(names.map { ["$ref": .string("#/channels/socket/messages/\($0)")] })
        }
        let channel: JSONValue = ["$ref": "#/channels/socket"]
        return [
            (
                "receiveRequest",
                [
                    "action": "receive", "channel": channel, "summary": "A request, or a batch of requests.",
                    "messages": messages("request"),
                    "reply": ["channel": channel, "messages": messages("success", "failure")],
                ]
            ),
            (
                "receivePoints",
                [
                    "action": "receive", "channel": channel,
                    "summary": .string("Points of a session as a binary frame, instead of `\(TrackingPoints.name)`."),
                    "messages": messages("trackFrame"),
                    "reply": ["channel": channel, "messages": messages("trackReply")],
                ]
            ),
            (
                "sendPositions",
                [
                    "action": "send", "channel": channel,
                    "summary":
                        "Runners of a viewport as binary frames, after `positions.view` with `encoding: binary`.",
                    "messages": messages("positionFrame", "countsFrame"),
                ]
            ),
        ]
    }

    // MARK: Topics

    private static func channel(_ topic: TopicDeclaration, _ builder: inout SchemaBuilder) -> JSONValue {
        let names = topic.pattern.matches(of: /<([a-z]+)>/).map { String($0.1) }
        let parameters = names.map { name -> (String, JSONValue) in
            (
                name,
                ["description": .string(name == "id" ? "Number of the object." : "A whole number."), "examples": ["1"]]
            )
        }
        let reply = topic.reply.map { builder.schema(of: $0) }
        var channel: JSONValue = [
            "address": .string(topic.pattern.replacing("<", with: "{").replacing(">", with: "}")),
            "summary": .string(topic.summary),
            "parameters": .members(parameters),
            "messages": [topic.messageKey: AsyncMessages.reference(topic.messageKey)],
            "x-delivery": .string(topic.delivery.rawValue), "x-access": OpenRPC.access(topic.access),
            "x-close-reasons": .strings(topic.closeReasons.map(\.rawValue)),
        ]
        if let reply {
            channel = channel.with(
                "x-subscribe",
                ["method": .string(Subscribe.name), "params": .strings(["topic"] + topic.params), "result": reply])
        } else {
            channel = channel.with("x-subscribe", ["method": .string(PositionsView.name)])
        }
        return channel
    }

    private static func publish(_ topic: TopicDeclaration) -> JSONValue {
        let channel = "#/channels/\(topic.kind.rawValue)"
        return [
            "action": "send", "channel": ["$ref": .string(channel)],
            "messages": [["$ref": .string("\(channel)/messages/\(topic.messageKey)")]],
        ]
    }

    private static var closeCodes: JSONValue {
        .array(
            APIRegistry.closeCodes.map { code in
                [
                    "code": .integer(code.code), "name": .string(code.name), "meaning": .string(code.meaning),
                    "reconnect": .string(code.reconnection.rawValue),
                ]
            })
    }
}

extension TopicDeclaration {
    /// Name of the message that the topic publishes.
    var messageKey: String { "\(kind.rawValue)Push" }
}
