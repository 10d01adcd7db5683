import Wire

/// What PostgreSQL says of a session.
public struct SessionTruth: Sendable, Equatable {
    /// Who may see it.
    public var audience: Audience
    /// Whether, and when, it was stopped.
    public var state: SessionState

    /// Memberwise.
    public init(audience: Audience, state: SessionState) {
        self.audience = audience
        self.state = state
    }
}

/// What the hub needs of those who read PostgreSQL when several nodes serve a campus: the bus only says that something is new, or that
/// it may have lost what said so.
public protocol NodeBacking: Sendable {
    /// Where sessions stand; those that are gone are left out.
    func truth(of sessions: [Int64]) async throws -> [Int64: SessionTruth]
    /// Which of these links still work.
    func working(links: [Int64]) async throws -> Set<Int64>
    /// Ends connections whose tokens were revoked, whenever that was.
    func recheckTokens() async throws
    /// Hands unfinished sessions that the hub does not know to ``Hub/rest(_:rate:route:fix:)``.
    /// - Parameter session: This one only; nil for all.
    func rest(_ session: Int64?) async throws
    /// Another node is a session's home: what is in memory of it is old.
    func surrender(_ session: Int64) async
    /// Another node revoked tokens.
    func revoked(tokens: [Int64], _ cause: SignOutCause)
    /// Another node revoked a link; the hub has cut who watched by it.
    func revokedLink() async
    /// Another node told that what is dark of an account has changed: what is shown of it here is drawn anew.
    func privacyChanged(of account: Int64) async
    /// Reads what has changed of what is dark, whatever was told of it.
    func recheckPrivacy() async throws
    /// Another node told of another campus.
    func campusChanged() async
}
