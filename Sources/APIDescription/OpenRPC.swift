import Wire

/// The OpenRPC 1.3 description of the methods. A server serves it at `/api/openrpc.json`; `doctor --api --format openrpc` prints it.
public enum OpenRPC {
    /// - Parameter version: Version of the server.
    public static func document(version: String) -> JSONValue {
        var builder = SchemaBuilder()
        let methods = APIRegistry.methods.map { method($0, &builder) }
        return [
            "openrpc": "1.3.2",
            "info": [
                "title": "Campanile", "version": .string(version),
                "description": """
                JSON-RPC 2.0 over the WebSocket at `/ws` (subprotocol `campanile.v1`) and over `POST /rpc`. Parameters are passed by \
                name. On a WebSocket, `hello` is the first request; over HTTP, a token goes into `Authorization: Bearer TOKEN`. \
                `asyncapi.json` beside this document describes the messages and the topics of the WebSocket.
                """,
            ],
            "servers": [
                [
                    "name": "HTTP", "url": "https://${host}/rpc",
                    "variables": ["host": ["default": "localhost:8080"]],
                ]
            ],
            "methods": .array(methods),
            "components": ["schemas": builder.componentList, "errors": errors],
            "x-common-errors": .strings(ErrorCode.common.map(\.name)),
            "x-rate-limits": limits,
        ]
    }

    private static func method(_ method: any RPCMethod.Type, _ builder: inout SchemaBuilder) -> JSONValue {
        func make<M: RPCMethod>(_ method: M.Type) -> JSONValue {
            let params = builder.members(of: M.Params.self).map { param -> JSONValue in
                ["name": .string(param.name), "required": .bool(!param.isOptional), "schema": limited(param, M.texts)]
            }
            let result: JSONValue =
                M.name == Subscribe.name
                ? ["anyOf": .array(replies(&builder))] : builder.schema(of: M.Result.self)
            let area = M.name.split(separator: ".").first.map(String.init) ?? M.name
            return [
                "name": .string(M.name), "tags": [["name": .string(area)]], "summary": .string(M.summary),
                "paramStructure": "by-name", "params": .array(params),
                "result": ["name": "result", "schema": result],
                "errors": .array(
                    (ErrorCode.common + M.specificErrors).map { code in
                        ["$ref": .string("#/components/errors/\(code.name)")]
                    }),
                "x-access": access(M.access), "x-limits": .array(M.limits.map(limit)),
            ]
        }
        return make(method)
    }

    /// Schema of a parameter, with the lengths of a text. The server treats a missing optional text as an empty one.
    private static func limited(
        _ param: (name: String, isOptional: Bool, schema: JSONValue), _ texts: [String: TextLimit]
    ) -> JSONValue {
        guard let limit = texts[param.name] else { return param.schema }
        return param.schema.with("minLength", .integer(limit.allowed.lowerBound)).with("maxLength", .integer(limit.max))
    }

    /// The replies to `subscribe`, each once.
    private static func replies(_ builder: inout SchemaBuilder) -> [JSONValue] {
        var replies: [JSONValue] = []
        for topic in APIRegistry.topics {
            guard let reply = topic.reply else { continue }
            let schema = builder.schema(of: reply)
            if !replies.contains(schema) { replies.append(schema) }
        }
        return replies
    }

    private static func limit(_ limit: MethodLimit) -> JSONValue {
        let named: JSONValue = ["limit": .string(limit.name.rawValue)]
        return limit.cost.map { named.with("cost", .string($0)) } ?? named
    }

    /// Callers: `everybody`, `accounts`, `confirmed`, or a list of roles.
    static func access(_ access: MethodAccess) -> JSONValue {
        switch access {
        case .everybody: "everybody"
        case .accounts: "accounts"
        case .confirmed: "confirmed"
        case .roles(let roles): .strings(roles.map(\.rawValue))
        }
    }

    private static var errors: JSONValue {
        .members(
            ErrorCode.allCases.map { code in
                (
                    code.name,
                    [
                        "code": .integer(code.rawValue), "message": .string(code.meaning),
                        "data": ["name": .string(code.name), "retryable": .bool(code.isRetryable)],
                    ]
                )
            })
    }

    private static var limits: JSONValue {
        .members(
            RateLimitName.allCases.map { name in
                let standard = name.standard
                return (
                    name.rawValue,
                    [
                        "counts": .string(standard.use), "by": .string(standard.subject.rawValue),
                        "burst": .integer(standard.burst), "uses": .integer(standard.uses),
                        "seconds": .integer(standard.seconds),
                    ]
                )
            })
    }
}
