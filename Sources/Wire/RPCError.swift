/// The registry of error codes (see the Protocol article): number, name, and whether sending again can help.
public enum ErrorCode: Int, Sendable, CaseIterable, Codable {
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
    case internalError = -32603
    case unauthenticated = 1001
    case forbidden = 1002
    case notFound = 1003
    case conflict = 1004
    case rateLimited = 1005
    case unavailable = 1006
    case invalidCredentials = 1007
    case rejected = 1008
    case storageFull = 1009

    /// The name that goes into `error.data.name`.
    public var name: String { "\(self)" }

    /// Sending the same request again, after the wait the error names, may succeed.
    public var isRetryable: Bool {
        switch self {
        case .rateLimited, .unavailable, .internalError, .storageFull: true
        default: false
        }
    }
}

/// An error as a client hears it. Its message is one plain fact and what to do; it never holds a payload or a credential.
public struct RPCError: Error, Sendable, Codable, Equatable, CustomStringConvertible {
    /// What a program needs to know beyond the number.
    public struct Details: Sendable, Codable, Equatable {
        /// The code's name in the registry.
        public var name: String
        /// The parameter at fault, such as `points[3].lat`.
        public var field: String?
        /// Seconds to wait before sending again.
        public var retryAfter: Double?
        /// Finds the occurrence in the server's log.
        public var reference: String?
    }

    /// A number of the registry; one that a newer server added is kept as it is.
    public var code: Int
    /// For people.
    public var message: String
    /// For programs.
    public var data: Details?

    /// - Parameters:
    ///   - code: Its place in the registry.
    ///   - message: One plain fact and what to do.
    ///   - field: The parameter at fault.
    ///   - retryAfter: Seconds to wait before sending again.
    ///   - reference: Finds the occurrence in the log.
    public init(
        _ code: ErrorCode, _ message: String, field: String? = nil, retryAfter: Double? = nil, reference: String? = nil
    ) {
        self.code = code.rawValue
        self.message = message
        data = Details(name: code.name, field: field, retryAfter: retryAfter, reference: reference)
    }

    /// The registry's entry, or nil for a number this build does not know.
    public var registered: ErrorCode? { ErrorCode(rawValue: code) }

    /// One line for logs and terminals.
    public var description: String { "\(message) (\(data?.name ?? "error") \(code))" }

    /// A parameter out of its range, or otherwise unfit.
    public static func invalid(_ field: String, _ message: String) -> RPCError {
        RPCError(.invalidParams, "\(field): \(message)", field: field)
    }

    /// Turns what Codable throws into an error that names the member at fault and never repeats its value.
    /// - Parameter name: What was decoded, named when it is at fault as a whole.
    public init(_ error: DecodingError, in name: String = "") {
        func path(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
            var text = ""
            let keys = context.codingPath + (last.map { [$0] } ?? [])
            for key in keys {
                if let index = key.intValue {
                    text += "[\(index)]"
                } else {
                    text += (text.isEmpty ? "" : ".") + key.stringValue
                }
            }
            return text.isEmpty ? name : text
        }
        switch error {
        case .keyNotFound(let key, let context):
            self = .invalid(path(context, key), "is missing")
        case .valueNotFound(_, let context):
            self = .invalid(path(context), "must not be null")
        case .typeMismatch(let type, let context):
            self = .invalid(path(context), "has the wrong type, expected \(Self.plainName(of: type))")
        case .dataCorrupted(let context):
            self = .invalid(path(context), Self.withoutValue(context.debugDescription))
        @unknown default:
            self = RPCError(.invalidParams, "the parameters cannot be read")
        }
    }

    /// What the standard library says of an unknown raw value names our type and repeats the value; a ``WireChoice`` says what
    /// is allowed.
    private static func withoutValue(_ text: String) -> String {
        text.hasPrefix("Cannot initialize ") ? "is not one of the values that are allowed" : text
    }

    private static func plainName(of type: Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is Double.Type, is Float.Type: "a number"
        case is any BinaryInteger.Type: "a whole number"
        case is [Any].Type: "an array"
        default: "\(type)".hasPrefix("Array") ? "an array" : "an object"
        }
    }
}

/// The registry of WebSocket close codes Campanile uses beyond RFC 6455's.
public enum CampanileCloseCode: UInt16, Sendable, CaseIterable {
    /// No `hello` within the limit; connect again.
    case helloTimeout = 4001
    /// The token was revoked; sign in again.
    case tokenRevoked = 4003
    /// Too slow for the reliable lane; connect again at once and resume.
    case tooSlow = 4008
    /// Too many requests; connect again with backoff.
    case tooManyRequests = 4009
}
