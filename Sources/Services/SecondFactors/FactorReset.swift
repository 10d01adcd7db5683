import Postgres
import Wire

/// Removal of all passkeys and second factors of an account, by the operator or an admin.
enum FactorReset {
    static let nothingToReset = RPCError(
        .conflict, "this account has neither a passkey nor an authenticator app", field: "account")

    /// The caller revokes the grants of the account in the same transaction.
    static func run(
        _ account: Int64, subject: AuditEntry.Subject, by identity: Identity?, mail: AccountMailOutbox?,
        in transaction: PostgresTransaction
    ) async throws {
        let passkeys = try await transaction.query("DELETE FROM passkeys WHERE account_id = $1", [.int(account)])
        let totp = try await transaction.query("DELETE FROM totp_secrets WHERE account_id = $1", [.int(account)])
        guard passkeys.affected + totp.affected > 0 else { throw nothingToReset }
        _ = try await transaction.query("DELETE FROM factor_guesses WHERE account_id = $1", [.int(account)])
        try await AuditLog.record(
            .init("user.resetSecondFactor", subject: subject), by: identity, in: transaction)
        try await mail?.factorChanged(.factorsReset, of: account, in: transaction)
    }
}

extension Accounts {
    /// What still signs in to an account besides the password, or is asked for after it: names of passkeys, and the authenticator app.
    /// - Throws: ``Postgres/PostgresError``.
    public func factorsLeft(of account: Int64) async throws -> [String] {
        try await database.query(
            """
            SELECT 'the passkey "' || name || '"' AS factor FROM passkeys WHERE account_id = $1 AND stopped_at IS NULL
            UNION ALL SELECT 'an authenticator app' FROM totp_secrets WHERE account_id = $1 AND confirmed_at IS NOT NULL
            """, [.int(account)]
        ).map { try $0.text("factor") }
    }

    /// Removes the passkeys and second factors of an account, and revokes its grants. For the command line.
    /// - Throws: ``Wire/RPCError``: `notFound`, `conflict` if it has none; ``Postgres/PostgresError``.
    public func resetSecondFactor(ofEmail email: String) async throws -> Account {
        let (account, revoked) = try await database.transaction { [mail] transaction in
            let rows = try await transaction.query(
                "SELECT \(Account.columns) FROM accounts WHERE email_key = $1 AND confirm_by IS NULL FOR NO KEY UPDATE",
                [.text(Inputs.key(Inputs.trimmed(email)))])
            guard rows.first != nil else {
                throw RPCError(
                    .notFound, "no account has that email address, or it is not confirmed yet", field: "email")
            }
            let account = try Self.account(rows)
            try await FactorReset.run(
                account.id, subject: .init(kind: "user", id: account.id, name: account.username), by: nil, mail: mail,
                in: transaction)
            return (account, try await RevokedGrants.revoke(of: account.id, in: transaction))
        }
        await cut(revoked, .signedOut)
        return account
    }
}
