import Postgres
import Wire

/// Acceptance of a welcome link: the first password of an account that an admin created.
extension Accounts {
    static let unknownWelcome = RPCError(
        .notFound, "this link is not valid any more: sign in, or ask an admin for another", field: "token")

    /// Sets the password and signs in. A link works once.
    /// - Parameters:
    ///   - client: The client program.
    /// - Throws: ``Wire/RPCError``: ``unknownWelcome``, `rejected` with the messages of U-1; ``Postgres/PostgresError``.
    public func accept(_ params: AccountAccept.Params, client: ClientDescription) async throws -> (SignedIn, Identity) {
        let digest = Secrets.hash(params.token)
        // Looked up before the slow password hash is computed.
        let rows = try await database.query(
            """
            SELECT \(Account.aliasedColumns), a.disabled_at IS NOT NULL AS is_disabled
            FROM welcomes w JOIN accounts a ON a.id = w.account_id WHERE w.hash = $1 AND w.expires_at > now()
            """, [.bytes(digest)])
        guard let row = rows.first else { throw Self.unknownWelcome }
        if try row.bool("is_disabled") { throw Self.disabled }
        let account = try Account(row: row)
        let password = try policy.requireNew(
            params.password, of: [account.username, account.email], field: "password")
        let hash = try await hashForReset(password)
        let hidden = try await hiddenEnds(account.id)
        let revoked = try await database.transaction { transaction in
            let used = try await transaction.query(
                """
                WITH used AS (DELETE FROM welcomes WHERE hash = $1 AND expires_at > now() RETURNING account_id)
                UPDATE accounts a SET password_hash = $2 FROM used WHERE a.id = used.account_id
                """, [.bytes(digest), .text(hash)])
            guard used.affected > 0 else { throw Self.unknownWelcome }
            return try await RevokedGrants.revoke(of: account.id, hidden: hidden, in: transaction)
        }
        await cut(revoked, .signedOut)
        return try await signIn(account, client: client, device: params.device, proof: .password(hash: hash))
    }
}
