/// An error reply. Its message states one fact and what to do. It never contains a payload or a credential; only the data of
/// `secondFactorRequired` has a ticket.
public struct RPCError: Error, Sendable, Codable, Equatable, CustomStringConvertible {
    /// Members of an error for programs.
    public struct Details: Sendable, Codable, Equatable {
        /// Name of the code.
        public var name: String
        /// The faulty parameter, such as `points[3].lat`.
        public var field: String?
        /// Seconds to wait before sending the request again.
        public var retryAfter: Double?
        /// Key of the occurrence in the server's log.
        public var reference: String?
        /// With `secondFactorRequired`: what continues the sign-in, once and for some minutes.
        public var ticket: String?
        /// With `secondFactorRequired`: the second factors that the account has.
        public var factors: [SecondFactor]?
    }

    /// Longest `retryAfter` in seconds that a client accepts. The server's value is untrusted: it must not cause a trap or an endless
    /// delay.
    public static let retryAfterSecondsMax = 300.0

    /// Number of the code. Codes that a newer server added are preserved.
    public var code: Int
    /// Text for people.
    public var message: String
    /// Members for programs.
    public var data: Details?

    /// - Parameters:
    ///   - code: The code.
    ///   - message: One fact and what to do.
    ///   - field: The faulty parameter.
    ///   - retryAfter: Seconds to wait before sending the request again.
    ///   - reference: Key of the occurrence in the log.
    public init(
        _ code: ErrorCode, _ message: String, field: String? = nil, retryAfter: Double? = nil, reference: String? = nil
    ) {
        self.code = code.rawValue
        self.message = message
        data = Details(name: code.name, field: field, retryAfter: retryAfter, reference: reference)
    }

    /// Error for a sign-in whose first factor was right.
    public static func secondFactorRequired(ticket: String, factors: [SecondFactor]) -> RPCError {
        var error = RPCError(
            .secondFactorRequired,
            "this account has two-step log-in: enter a code, or update the app if it does not ask for one")
        error.data?.ticket = ticket
        error.data?.factors = factors
        return error
    }

    /// The code, or nil for a number that this build does not know.
    public var registered: ErrorCode? { ErrorCode(rawValue: code) }

    /// One line for logs and terminals.
    public var description: String { "\(message) (\(data?.name ?? "error") \(code))" }

    /// Error for a parameter that is out of range or otherwise invalid.
    public static func invalid(_ field: String, _ message: String) -> RPCError {
        RPCError(.invalidParams, "\(field): \(message)", field: field)
    }

    /// Converts a decoding error to an error that names the faulty member without its value.
    /// - Parameter name: Name of the decoded value, for a fault without a path.
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

    /// Text for an unknown raw value. The standard library's text names the Swift type and repeats the value; ``WireChoice`` lists the
    /// allowed values instead.
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
