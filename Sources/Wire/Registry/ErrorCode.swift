/// Error codes of the protocol. The Protocol article and `registry.js` are generated from them.
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
    case secondFactorRequired = 1010
    case clientOutdated = 1011
    case noRoute = 1012

    /// Codes that every request can get, whatever its method.
    public static let common: [ErrorCode] = [
        .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .unauthenticated, .rateLimited,
        .unavailable, .storageFull, .clientOutdated,
    ]

    /// Name of the code, as in `error.data.name`.
    public var name: String { "\(self)" }

    /// Meaning of the code for client developers.
    public var meaning: String {
        switch self {
        case .parseError: "not JSON"
        case .invalidRequest: "not a JSON-RPC 2.0 request, or a member appears twice"
        case .methodNotFound: "no such method"
        case .invalidParams: "a parameter is missing, of the wrong type or out of range; `data.field` names it"
        case .internalError: "an error of the server; `data.reference` finds it in the log"
        case .unauthenticated: "send `hello` first, or sign in"
        case .forbidden: "the caller may not do this"
        case .notFound: "no such object, or it is not shared with the caller"
        case .conflict: "the object is not in the required state"
        case .rateLimited: "too many requests; wait `data.retryAfter` seconds"
        case .unavailable: "the database is unavailable; wait `data.retryAfter` seconds and send again"
        case .invalidCredentials: "email and password do not match"
        case .rejected: "show the message to the person, word for word"
        case .storageFull: "`Insufficient Storage, please contact an admin`"
        case .secondFactorRequired:
            "the sign-in needs a second factor: send `data.ticket` with `account.secondFactor`; `data.factors` names those of the account"
        case .clientOutdated: "the client is too old for the server: update it; what it still holds is accepted"
        case .noRoute: "no route leads there: show the message to the person, word for word"
        }
    }

    /// Whether the same request may succeed when sent again after the wait that the error names.
    public var isRetryable: Bool {
        switch self {
        case .rateLimited, .unavailable, .internalError, .storageFull: true
        default: false
        }
    }
}
