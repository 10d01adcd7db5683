import Postgres
import Wire

/// Change of a password by its owner (U-8).
extension Accounts {
    static let samePassword = RPCError(
        .rejected, "That is your password already: choose another one", field: "newPassword")
    static let passwordChangedMeanwhile = RPCError(
        .conflict, "your password was just changed in another window: enter the new one as your current password",
        field: "password")

    /// Sets a new password and revokes every other grant of the account, because a thief of the old password may have made them.
    /// - Returns: The number of devices that were signed out.
    /// - Throws: ``Wire/RPCError``: `invalidParams` or `invalidCredentials` for the current password; `rejected` for the new one, with the
    ///   messages of U-1; `conflict`; `rateLimited`.
    public func changePassword(_ identity: Identity, _ params: AccountChangePassword.Params) async throws -> Int {
        let account = identity.account
        // Credentials change only on an account whose address is confirmed, where it can be (T-1).
        if account.confirmBy != nil { throw MethodAccess.needsConfirmedAddress }
        // Before the slow check of the current password, and without a count of its failures.
        let new = try policy.requireNew(params.newPassword, of: [account.username, account.email])
        let stored = try await confirm(params.password, of: identity)
        if params.password == new { throw Self.samePassword }
        let hash = try await hashForReset(new)
        let hidden = try await hiddenEnds(account.id)
        let revoked = try await database.transaction { [mail] transaction in
            // Accounts before tokens, in the order of every revocation.
            _ = try await transaction.query(Self.lock, [.intArray([account.id])])
            try await identity.requireValidToken(in: transaction)
            let changed = try await transaction.query(
                "UPDATE accounts SET password_hash = $3 WHERE id = $1 AND password_hash = $2",
                [.int(account.id), .text(stored), .text(hash)])
            guard changed.affected > 0 else { throw Self.passwordChangedMeanwhile }
            let device = try await transaction.query(
                "SELECT coalesce(platform, client) AS client FROM tokens WHERE id = $1", [.int(identity.tokenID)])
            let issuers = try await Self.issuers(of: account.id, in: transaction)
            let revoked = try await RevokedGrants.revoke(
                of: account.id, keeping: identity.tokenID, hidden: hidden, in: transaction)
            try await mail?.passwordChanged(
                of: account.id, by: device.first?.text("client") ?? "unknown", before: issuers, in: transaction)
            return revoked
        }
        await cut(revoked, .signedOut)
        return revoked.tokens.count
    }
}
