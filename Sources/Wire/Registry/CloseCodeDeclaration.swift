/// WebSocket close codes of Campanile, in addition to those of RFC 6455.
public enum CampanileCloseCode: UInt16, Sendable, CaseIterable {
    /// The client did not send `hello` in time. It can connect again.
    case helloTimeout = 4001
    /// The token was revoked. The client must sign in again.
    case tokenRevoked = 4003
    /// The client read the reliable lane too slowly. It can connect again immediately and resume.
    case tooSlow = 4008
    /// The client sent too many requests. It can connect again with backoff.
    case tooManyRequests = 4009
}

/// Declaration of a WebSocket close code: of RFC 6455 or of Campanile.
public struct CloseCodeDeclaration: Sendable {
    /// Whether and when a client connects again.
    public enum Reconnection: String, Sendable {
        /// The same messages would be refused again.
        case never
        /// The client need not, but may at any time.
        case optional
        case immediately
        case withBackoff
        /// After the delay in the reason (``RestartNotice``).
        case afterDelay
        /// With a new token (``SignOutCause``).
        case afterSignIn
    }

    public let code: UInt16
    public let name: String
    public let meaning: String
    public let reconnection: Reconnection
}

extension APIRegistry {
    /// Close codes that a client can get, ordered by number.
    public static let closeCodes: [CloseCodeDeclaration] =
        [
            .init(code: 1000, name: "normal", meaning: "closed on request", reconnection: .optional),
            .init(code: 1001, name: "goingAway", meaning: "the peer is going away", reconnection: .optional),
            .init(
                code: 1002, name: "protocolError", meaning: "not WebSocket: fix the client first", reconnection: .never),
            .init(
                code: 1003, name: "unsupportedData", meaning: "a type of message that is not accepted",
                reconnection: .never),
            .init(code: 1007, name: "invalidPayload", meaning: "text that is not UTF-8", reconnection: .never),
            .init(
                code: 1008, name: "policyViolation", meaning: "a rule of the server was broken", reconnection: .never),
            .init(code: 1009, name: "tooBig", meaning: "a message above the limit", reconnection: .never),
            .init(code: 1011, name: "internalError", meaning: "an error of the server", reconnection: .withBackoff),
            .init(
                code: 1012, name: "serviceRestart", meaning: "the server restarts; the reason states the delay",
                reconnection: .afterDelay),
            .init(
                code: 1013, name: "tryAgainLater", meaning: "the server was full, or held too many incomplete messages",
                reconnection: .withBackoff),
        ] + CampanileCloseCode.allCases.map(\.declaration)
}

extension CampanileCloseCode {
    /// Declaration of the code.
    public var declaration: CloseCodeDeclaration {
        let (meaning, reconnection): (String, CloseCodeDeclaration.Reconnection) =
            switch self {
            case .helloTimeout: ("no `hello` within 10 s", .optional)
            case .tokenRevoked: ("the token was revoked; the reason names the cause", .afterSignIn)
            case .tooSlow: ("too slow for the reliable lane; connect again and resume", .immediately)
            case .tooManyRequests: ("kept sending after `rateLimited`", .withBackoff)
            }
        return CloseCodeDeclaration(
            code: rawValue, name: "\(self)", meaning: meaning, reconnection: reconnection)
    }
}
