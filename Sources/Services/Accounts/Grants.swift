import Postgres
import Wire

/// Grants of an account that were revoked and that somebody may be using at this moment.
public struct RevokedGrants: Sendable, Equatable {
    /// A link that showed a session.
    public struct Link: Sendable, Equatable {
        /// The link's number.
        public let id: Int64
        /// The session it showed.
        public let session: Int64
    }

    /// Tokens, by number.
    public var tokens: [Int64] = []
    /// Links of sessions.
    public var links: [Link] = []
    /// Shares, by number.
    public var shares: [Int64] = []

    /// Revokes every grant of an account: the function `account_revoke_grants`. Once the transaction is committed, call
    /// ``Accounts/cut(_:_:)``.
    /// - Parameters:
    ///   - token: One that stays valid.
    ///   - hidden: What ``Accounts/hiddenEnds`` said of the account: shares that hide where it is, and when their viewers learn of the end.
    /// - Throws: ``Postgres/PostgresError``.
    static func revoke(
        of account: Int64, keeping token: Int64 = 0, hidden: [Int64: Timestamp] = [:],
        in transaction: PostgresTransaction
    ) async throws -> RevokedGrants {
        let hidden = hidden.sorted { $0.key < $1.key }
        let rows = try await transaction.query(
            "SELECT grant_kind, grant_id, grant_session FROM account_revoke_grants($1, $2, $3, $4)",
            [
                .int(account), .int(token), .intArray(hidden.map(\.key)),
                .timestampArray(hidden.map(\.value.milliseconds)),
            ])
        var revoked = RevokedGrants()
        for row in rows {
            let id = try row.int("grant_id")
            switch try row.text("grant_kind") {
            case "tokens": revoked.tokens.append(id)
            case "links": revoked.links.append(Link(id: id, session: try row.int("grant_session")))
            default: revoked.shares.append(id)
            }
        }
        return revoked
    }
}

extension Identity {
    /// Requires that the token is valid until the transaction ends. A method that makes a grant calls this first: the grant is then committed
    /// before a revocation looks for grants, or it is not made.
    /// - Throws: ``Wire/RPCError`` `unauthenticated`, ``Postgres/PostgresError``.
    func requireValidToken(in transaction: PostgresTransaction) async throws {
        let rows = try await transaction.query(Self.validTokenSQL, [.int(tokenID)])
        guard !rows.isEmpty else { throw TokenLookups.invalid }
    }

    private static let validTokenSQL = "SELECT FROM tokens WHERE id = $1 AND revoked_at IS NULL FOR SHARE"
}

extension Accounts {
    /// Revokes every grant of an account.
    /// - Throws: ``Postgres/PostgresError``.
    func revokeGrants(of account: Int64, _ cause: SignOutCause = .signedOut) async throws -> RevokedGrants {
        let hidden = try await hiddenEnds(account)
        let revoked = try await database.transaction {
            try await RevokedGrants.revoke(of: account, hidden: hidden, in: $0)
        }
        await cut(revoked, cause)
        return revoked
    }

    /// Closes the connections and ends the subscriptions that used these grants, on all nodes. Call it when the revocation is committed.
    func cut(_ revoked: RevokedGrants, _ cause: SignOutCause) async {
        tellRevoked(revoked.tokens, cause)
        if !revoked.links.isEmpty || !revoked.shares.isEmpty { await cutViewers(revoked) }
    }
}
