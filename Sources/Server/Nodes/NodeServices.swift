import EventLoop
import Hub
import Services

/// What the hub needs of PostgreSQL and of this server's connections when several nodes serve the campus.
struct NodeServices: NodeBacking {
    /// How long PostgreSQL may take to say why another node revoked tokens.
    static let causeWaitMax = Duration.seconds(1)

    let accounts: Accounts
    let tracking: Tracking
    let rules: PrivacyRules
    let registry: ConnectionRegistry
    let loop: EventLoop
    /// Looks whether there is another campus in the database, and shows it.
    let lookAtCampus: @Sendable () async -> Void

    func truth(of sessions: [Int64]) async throws -> [Int64: SessionTruth] { try await tracking.truth(of: sessions) }
    func working(links: [Int64]) async throws -> Set<Int64> { try await tracking.working(links: links) }
    func recheckTokens() async throws { try await accounts.announceRevoked(among: registry.tokens) }
    func rest(_ session: Int64?) async throws { try await tracking.rest(session) }
    func surrender(_ session: Int64) async { await tracking.surrender(session) }
    /// The other node says which, PostgreSQL why; while it does not answer, the connections are not kept open for that.
    func revoked(tokens: [Int64]) {
        let known = Set(registry.tokens)
        guard tokens.contains(where: known.contains) else { return remember(tokens) }
        Task {
            do { try await accounts.announceRevoked(among: tokens) } catch { remember(tokens) }
        }
        loop.schedule(after: Self.causeWaitMax) { [self] in remember(tokens) }
    }

    private func remember(_ tokens: [Int64]) {
        registry.revoke(tokens.map { Revocation(token: $0, cause: .signedOut) })
    }
    func revokedLink() async { await tracking.noteRevokedLink() }
    func privacyChanged(of account: Int64) async {
        // Those that cannot be read now make it dark.
        try? await rules.read(account)
        await tracking.redraw(account)
    }
    func recheckPrivacy() async throws {
        for account in try await rules.readChanged() { await tracking.redraw(account) }
    }
    func campusChanged() async { await lookAtCampus() }
}
