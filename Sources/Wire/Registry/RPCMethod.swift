/// Declaration of a method: the single source of what the router checks, clients send, and the reference, the access matrix and the
/// machine-readable description say.
public protocol RPCMethod: Sendable {
    associatedtype Params: Codable & Sendable
    associatedtype Result: Codable & Sendable
    /// Name of the form `area.verb`.
    static var name: String { get }
    /// Plain sentences that begin with a verb in the third person.
    static var summary: String { get }
    /// Callers that may use the method. There is no default, so that each new method states its rule.
    static var access: MethodAccess { get }
    /// Whether a provisional account may use the method even if the operator requires a confirmed address.
    static var isForProvisional: Bool { get }
    /// Whether a client with a ``ProtocolVersion`` that the server no longer supports may use the method: to send what it holds, and to end
    /// what others see of its owner.
    static var isForOutdated: Bool { get }
    /// Lengths of texts among the parameters, by name.
    static var texts: [String: TextLimit] { get }
    /// Rate limits in addition to the limit of all requests.
    static var limits: [MethodLimit] { get }
    /// Error codes that the method can return in addition to ``ErrorCode/common``, and to `forbidden` for a method that not every account
    /// may use.
    static var errors: [ErrorCode] { get }
}

extension RPCMethod {
    public static var isForProvisional: Bool { false }
    public static var isForOutdated: Bool { false }
    public static var texts: [String: TextLimit] { [:] }
    public static var limits: [MethodLimit] { [] }
    public static var errors: [ErrorCode] { [] }

    /// All error codes that the method can return besides ``ErrorCode/common``.
    public static var specificErrors: [ErrorCode] {
        guard access != .everybody, access != .accounts, !errors.contains(.forbidden) else { return errors }
        return [.forbidden] + errors
    }
}

/// A rate limit of a method.
public struct MethodLimit: Sendable, Equatable {
    public let name: RateLimitName
    /// Uses that a request costs, in words, if they depend on its parameters: the method's handler then counts them. Nil if each request
    /// is one use, which the router counts.
    public let cost: String?

    /// Each request is one use.
    public static func each(_ name: RateLimitName) -> MethodLimit { MethodLimit(name: name, cost: nil) }
    /// The handler counts the uses of a request.
    public static func counted(_ name: RateLimitName, _ cost: String) -> MethodLimit {
        MethodLimit(name: name, cost: cost)
    }
}
