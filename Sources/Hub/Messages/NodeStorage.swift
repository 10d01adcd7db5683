import Wire

/// Stored state of a session.
public struct StoredSessionState: Sendable, Equatable {
    public var audience: Audience
    /// Whether the session is running, paused or finished.
    public var state: SessionState

    public init(audience: Audience, state: SessionState) {
        self.audience = audience
        self.state = state
    }
}

/// Access to PostgreSQL for a hub with several nodes: the bus only announces changes, and may lose announcements.
public protocol NodeStorage: Sendable {
    /// The stored states of sessions; sessions that do not exist are left out.
    func truth(of sessions: [Int64]) async throws -> [Int64: StoredSessionState]
    /// The links among these that still work.
    func working(links: [Int64]) async throws -> Set<Int64>
    /// Closes all connections whose tokens are revoked.
    func recheckTokens() async throws
    /// Hands unfinished sessions that the hub does not know to ``Hub/rest(_:rate:route:fix:own:)``.
    /// - Parameter session: This session only; nil for all.
    func rest(_ session: Int64?) async throws
    /// Drops the state of a session that another node owns.
    func surrender(_ session: Int64) async
    /// Applies tokens that another node revoked.
    func revoked(tokens: [Int64], _ cause: SignOutCause)
    /// Applies that another node revoked a link; the hub has cut off the link's viewers.
    func revokedLink() async
    /// Applies changed suppression zones of an account, which another node announced, and recomputes what its sessions show.
    func privacyChanged(of account: Int64) async
    /// Reads changed suppression zones, independent of announcements.
    func recheckPrivacy() async throws
    /// Loads another campus, which another node announced.
    func campusChanged() async
}
