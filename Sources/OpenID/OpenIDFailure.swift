/// Why a sign-in at a provider ends without a result. The reasons are Campanile's own words: they repeat nothing that a provider or a
/// browser sent.
public enum OpenIDFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The provider cannot be reached, or does not answer as a server that works. Another attempt may succeed.
    case unreachable(String)
    /// The provider's published configuration cannot be used.
    case badMetadata(String)
    /// The person cancelled, or may not use the app.
    case denied
    /// The provider answered with another error.
    case refused
    /// The provider's answer breaks a rule of the protocol.
    case badAnswer(String)
    /// The browser's request belongs to no attempt that waits: it is late, used, or of another browser.
    case unknownAttempt

    public var description: String {
        switch self {
        case .unreachable(let reason): reason
        case .badMetadata(let reason): "its configuration cannot be used: \(reason)"
        case .denied: "the person cancelled, or may not use the app"
        case .refused: "it answered with an error"
        case .badAnswer(let reason): "its answer cannot be trusted: \(reason)"
        case .unknownAttempt: "no attempt waits for this answer"
        }
    }

    /// The fault, without the kind of the failure.
    public var reason: String {
        switch self {
        case .unreachable(let reason), .badMetadata(let reason), .badAnswer(let reason): reason
        default: description
        }
    }

    /// Whether the same attempt may succeed a little later.
    public var isTransient: Bool { if case .unreachable = self { true } else { false } }
}
