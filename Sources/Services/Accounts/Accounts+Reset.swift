import Postgres
import Wire

/// Reset of a forgotten password by a link that is mailed (U-2).
extension Accounts {
    static let sendsNoMail = RPCError(
        .conflict, "this server sends no mail: ask a campus admin for a new password")
    /// The same for a link that is unknown, used or expired, so that nobody learns which.
    static let unknownReset = RPCError(
        .notFound, "this link does not work any more: ask for a new one", field: "token")

    /// Age in days up to which a reset removes passkeys and the authenticator app. A thief of the password may have added them.
    static let recentFactorDays: Int64 = 7

    /// Requests a mail with a link. The answer, the stored row and the time are the same for an address without an account.
    /// - Throws: ``Wire/RPCError``: `conflict` if the server sends no mail, `rejected` for a malformed address;
    ///   ``Postgres/PostgresError``.
    public func requestReset(_ params: AccountRequestReset.Params) async throws {
        guard let mail else { throw Self.sendsNoMail }
        let email = Inputs.trimmed(params.email)
        guard Registration.isEmail(email) else { throw RPCError(.rejected, "Invalid Email!!!", field: "email") }
        try await mail.requestReset(to: Inputs.key(email), in: database)
    }

    /// Sets the password, confirms the address, and revokes every grant of the account, among them all such links and the welcome link.
    /// Disconnects every identity at a provider: the account has a password now, and a thief of the sign-in may own any of them.
    /// Removes second factors that are newer than ``recentFactorDays``, or all if the address was not confirmed;
    /// a sign-in needs the others. Signs nobody in.
    /// - Parameters:
    ///   - address: The peer's network address. Its failed sign-ins to the account are forgotten, so that the owner does not wait.
    ///   - client: The client program, for the mail to the owner.
    /// - Returns: The account, and the number of devices that were signed out.
    /// - Throws: ``Wire/RPCError``: ``unknownReset``, `rejected` with the messages of U-1; ``Postgres/PostgresError``.
    public func reset(_ params: AccountReset.Params, address: String, client: ClientDescription) async throws -> (
        account: Int64, devices: Int
    ) {
        let digest = Secrets.hash(params.token)
        // Looked up before the slow hash is computed.
        let rows = try await database.query(
            """
            SELECT a.id, a.email_key, a.username FROM password_resets p JOIN accounts a ON a.id = p.account_id
            WHERE p.hash = $1 AND p.expires_at > now() AND a.disabled_at IS NULL
            """, [.bytes(digest)])
        guard let row = rows.first else { throw Self.unknownReset }
        let (account, key) = (try row.int("id"), try row.text("email_key"))
        let password = try policy.requireNew(
            params.password, of: [try row.text("username"), key], field: "password")
        let hash = try await hashForReset(password)
        let hidden = try await hiddenEnds(account)
        let revoked: RevokedGrants
        do {
            revoked = try await reset(account, digest, to: hash, by: client, hidden)
        } catch let error as PostgresError where error.constraint == Self.addressConstraint {
            // Another account with the address has confirmed it since the mail was sent.
            throw Self.unknownReset
        }
        failures.succeed(key, from: .address(address))
        await cut(revoked, .signedOut)
        return (account, revoked.tokens.count)
    }

    private func reset(
        _ account: Int64, _ digest: [UInt8], to hash: String, by client: ClientDescription, _ hidden: [Int64: Timestamp]
    ) async throws -> RevokedGrants {
        try await database.transaction { [mail] transaction in
            // Before the link is removed, in the same order as in `account_revoke_grants`: two links that are used at the same moment
            // would deadlock otherwise.
            let owner = try await transaction.query(
                "SELECT FROM accounts WHERE id = $1 AND disabled_at IS NULL FOR NO KEY UPDATE", [.int(account)])
            let used = try await transaction.query(
                "DELETE FROM password_resets WHERE hash = $1 AND account_id = $2 AND expires_at > now()",
                [.bytes(digest), .int(account)])
            guard !owner.isEmpty, used.affected > 0 else { throw Self.unknownReset }
            // Before the address is confirmed: of an account whose address nobody has confirmed, all are removed.
            try await Self.removeRecentFactors(of: account, in: transaction)
            // Whoever has the link reads mail to the address.
            _ = try await transaction.query(
                """
                UPDATE accounts SET password_hash = $2, email_confirmed_at = coalesce(email_confirmed_at, now()),
                    confirm_by = NULL WHERE id = $1
                """, [.int(account), .text(hash)])
            _ = try await transaction.query("DELETE FROM welcomes WHERE account_id = $1", [.int(account)])
            let issuers = try await Self.issuers(of: account, in: transaction)
            try await Self.endIdentities(of: account, in: transaction)
            try await mail?.passwordChanged(of: account, by: client.name, before: issuers, in: transaction)
            return try await RevokedGrants.revoke(of: account, hidden: hidden, in: transaction)
        }
    }

    /// Removes the factors that a thief of the password, or whoever registered with somebody's address, may have added; see the SQL
    /// function `factors_remove_recent`. Call it before the address is confirmed.
    static func removeRecentFactors(of account: Int64, in transaction: PostgresTransaction) async throws {
        _ = try await transaction.query(
            "SELECT factors_remove_recent($1, $2::integer)", [.int(account), .int(recentFactorDays)])
    }

    /// Issuers of the identities that sign in to an account.
    static func issuers(of account: Int64, in transaction: PostgresTransaction) async throws -> [String] {
        try await transaction.query("SELECT issuer FROM provider_identities WHERE account_id = $1", [.int(account)])
            .map { try $0.text("issuer") }
    }

    /// Disconnects all identities of an account whose password is set without the present one. The address is no proof that an identity is
    /// the owner's: a provider may have verified it years ago, and somebody else may have connected it.
    static func endIdentities(of account: Int64, in transaction: PostgresTransaction) async throws {
        _ = try await transaction.query("DELETE FROM provider_identities WHERE account_id = $1", [.int(account)])
    }
}
