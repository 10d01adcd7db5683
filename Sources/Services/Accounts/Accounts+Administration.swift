import Postgres
import Wire

/// Account operations of the command line (`campanile user`).
extension Accounts {
    static let lastAdminConstraint = "accounts_keep_admin"
    static let lastAdmin = RPCError(.conflict, "this is the last admin: make another one first", field: "account")

    /// Creates an account with a role.
    /// - Throws: ``Wire/RPCError`` with the messages of U-1.
    public func create(_ params: AccountRegister.Params, role: Role) async throws -> Account {
        let (signedIn, identity) = try await register(
            params, address: "operator", client: "campanile user", byOperator: true)
        _ = try await logout(identity, device: nil)
        return try await setRole(role, ofEmail: signedIn.account.email)
    }

    /// Sets an account's role and revokes its grants, because open connections would keep the previous role. A provisional account is not
    /// found: a stranger may have registered it.
    /// - Throws: ``Wire/RPCError``: `notFound`, `conflict` for the last admin.
    public func setRole(_ role: Role, ofEmail email: String) async throws -> Account {
        do {
            return try await administer(
                """
                UPDATE accounts SET role = $2 WHERE email_key = $1 AND confirm_by IS NULL
                RETURNING \(Account.columns)
                """, [.text(Inputs.key(Inputs.trimmed(email))), .text(role.rawValue)], email: email)
        } catch let error as PostgresError where error.constraint == Accounts.lastAdminConstraint {
            throw Accounts.lastAdmin
        }
    }

    /// Sets a new password, revokes every grant of the account, disconnects its identities at providers, and removes recent second
    /// factors as a reset by mail does; ``factorsLeft(of:)`` has the others. The owner gets a mail.
    /// - Throws: ``Wire/RPCError``: `rejected` with the messages of U-1, `notFound`.
    public func resetPassword(ofEmail email: String, to password: String) async throws -> Account {
        let password = try policy.requireNew(password, of: [email], field: "password")
        let hash = try await hashForReset(password)
        return try await administer(
            """
            UPDATE accounts SET password_hash = $2 WHERE email_key = $1 AND confirm_by IS NULL
            RETURNING \(Account.columns)
            """, [.text(Inputs.key(Inputs.trimmed(email))), .text(hash)], email: email, setsPassword: true)
    }

    /// Changes the account with this address and revokes all its grants.
    /// - Parameter setsPassword: Whether the statement sets a password, which makes a welcome link unnecessary, ends all identities, and
    ///   mails the owner. Otherwise it sets a role.
    private func administer(
        _ sql: String, _ parameters: [PostgresValue], email: String, setsPassword: Bool = false
    ) async throws -> Account {
        let (account, revoked) = try await database.transaction { [mail] transaction in
            let rows = try await transaction.query(sql, parameters)
            guard rows.first != nil else {
                throw RPCError(
                    .notFound, "no account has that email address, or it is not confirmed yet", field: "email")
            }
            let account = try Self.account(rows)
            let issuers = try await Self.issuers(of: account.id, in: transaction)
            let revoked = try await RevokedGrants.revoke(of: account.id, in: transaction)
            if setsPassword {
                _ = try await transaction.query("DELETE FROM welcomes WHERE account_id = $1", [.int(account.id)])
                try await Self.removeRecentFactors(of: account.id, in: transaction)
                try await Self.endIdentities(of: account.id, in: transaction)
                try await mail?.passwordChanged(of: account.id, by: nil, before: issuers, in: transaction)
            } else {
                try await mail?.askForRecoveryCodes(of: account.id, in: transaction)
            }
            return (account, revoked)
        }
        await cut(revoked, .signedOut)
        return account
    }
}
