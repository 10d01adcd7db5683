import Postgres
import Wire

/// Grants of an account that were just revoked and may be in use.
public struct RevokedGrants: Sendable, Equatable {
    /// A link to a session.
    public struct Link: Sendable, Equatable {
        public let id: Int64
        /// The session that the link showed.
        public let session: Int64
    }

    /// Ids of sign-in tokens.
    public var tokens: [Int64] = []
    /// Session links.
    public var links: [Link] = []
    /// Ids of shares.
    public var shares: [Int64] = []

    /// Revokes every grant of an account with the SQL function `account_revoke_grants`. Call ``Accounts/cut(_:_:)`` once the transaction
    /// is committed.
    /// - Parameters:
    ///   - token: Id of a token that stays valid.
    ///   - hidden: Result of ``Accounts/hiddenEnds`` for the account: shares whose location is hidden, and when their viewers learn of
    ///     the end.
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

extension RevokedGrants {
    /// Signs out the other devices of a caller whose password no longer signs in by itself, and ends sign-ins that wait: they needed the
    /// password alone, and would have passed for ones with a second factor.
    /// - Throws: ``Postgres/PostgresError``.
    static func signOutOthers(of identity: Identity, in transaction: PostgresTransaction) async throws -> RevokedGrants
    {
        let account = PostgresValue.int(identity.account.id)
        let rows = try await transaction.query(
            """
            UPDATE tokens SET revoked_at = now() WHERE account_id = $1 AND id <> $2 AND revoked_at IS NULL RETURNING id
            """, [account, .int(identity.tokenID)])
        _ = try await transaction.query("DELETE FROM pending_sign_ins WHERE account_id = $1", [account])
        return RevokedGrants(tokens: try rows.map { try $0.int("id") })
    }
}

extension Identity {
    /// Requires that the token is valid until the transaction ends. A method that makes a grant calls this first: the grant is then
    /// committed before a revocation looks for grants, or it is not made.
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
        announceRevocation(revoked.tokens, cause)
        if !revoked.links.isEmpty || !revoked.shares.isEmpty { await cutViewers(revoked) }
    }
}
