import Hub
import Services
import Wire

/// Access of the hub to PostgreSQL and to this server's connections when several nodes serve the campus.
struct NodeServices: NodeStorage {
    let accounts: Accounts
    let tracking: Tracking
    let rules: PrivacyRules
    let registry: ConnectionRegistry
    /// Recomputes or removes everything that this node shows of an account.
    let rulesChanged: @Sendable (Int64) async -> Void
    /// Loads the campus if the database has a different one.
    let reloadCampus: @Sendable () async -> Void

    func truth(of sessions: [Int64]) async throws -> [Int64: StoredSessionState] {
        try await tracking.truth(of: sessions)
    }
    func working(links: [Int64]) async throws -> Set<Int64> { try await tracking.working(links: links) }
    func recheckTokens() async throws { try await accounts.announceRevoked(among: registry.tokens) }
    func rest(_ session: Int64?) async throws { try await tracking.rest(session) }
    func surrender(_ session: Int64) async { await tracking.surrender(session) }
    func revoked(tokens: [Int64], _ cause: SignOutCause) {
        registry.revoke(tokens.map { Revocation(token: $0, cause: cause) })
    }
    func revokedLink() async { await tracking.noteRevokedLink() }
    func privacyChanged(of account: Int64) async {
        // Rules that cannot be read hide the account's location, and so do those of a deleted account.
        try? await rules.read(account)
        await rulesChanged(account)
    }
    func recheckPrivacy() async throws {
        for account in try await rules.readChanged() { await rulesChanged(account) }
    }
    func campusChanged() async { await reloadCampus() }
}
