import Postgres
import Wire

/// Creation, changes, disabling and removal of accounts.
extension Administration {
    // MARK: Creation

    /// Creates an account without a password, and a link to set one.
    /// - Throws: ``Wire/RPCError`` with the messages of U-1, ``Postgres/PostgresError``.
    public func addUser(_ params: AdminAddUser.Params, by identity: Identity) async throws -> Welcome {
        let valid = try Registration.validate(username: params.username, email: params.email)
        try Registration.requireUnreserved(valid.username)
        if params.role == .admin { try await accounts.confirm(params.password, of: identity) }
        try await accounts.requireFree(valid.username, valid.email)
        // Hash of an unknown random secret: nobody can sign in with it, and verification takes as long as for any other account.
        let hash = try await accounts.hashForReset(Secrets.makeToken())
        let token = Secrets.makeToken()
        let expiresAt = now().advanced(bySeconds: Self.welcomeSeconds)
        let made: Account
        do {
            made = try await act(on: identity.account.id, by: identity) { _, transaction in
                let rows = try await transaction.query(
                    """
                    INSERT INTO accounts (username, username_key, email, email_key, email_confirmed_at, password_hash, role)
                    VALUES ($1, $2, $3, $4, now(), $5, $6) RETURNING \(Account.columns)
                    """,
                    [
                        .text(valid.username), .text(Inputs.key(valid.username)), .text(valid.email),
                        .text(Inputs.key(valid.email)), .text(hash), .text(params.role.rawValue),
                    ])
                guard let row = rows.first else { throw RPCError(.internalError, "no account was made") }
                let made = try Account(row: row)
                try await Self.setWelcome(of: made.id, token, until: expiresAt, by: identity, transaction)
                try await AuditLog.record(
                    .init(
                        "user.add", subject: .init(kind: "user", id: made.id, name: made.username),
                        details: [("role", made.role.rawValue), ("email", Self.masked(made.email))]),
                    by: identity, in: transaction)
                return made
            }
        } catch let error as PostgresError where error.isUniqueViolation {
            throw Accounts.taken(error)
        }
        return try await sendWelcome(made, token, expiresAt)
    }

    /// Creates another link for an account without a password. The link gives access to the account, whatever its role.
    /// - Throws: `notFound`, `conflict` if the account has a password, errors of ``Accounts/confirm(_:of:)``, ``Postgres/PostgresError``.
    public func welcomeUser(_ params: AdminWelcomeUser.Params, by identity: Identity) async throws -> Welcome {
        try await accounts.confirm(params.password, of: identity)
        let token = Secrets.makeToken()
        let expiresAt = now().advanced(bySeconds: Self.welcomeSeconds)
        let known = try await act(on: params.account, by: identity) { known, transaction in
            let rows = try await transaction.query(
                "SELECT FROM welcomes WHERE account_id = $1", [.int(params.account)])
            guard rows.first != nil else {
                throw RPCError(
                    .conflict, "this account has a password: the person signs in with it", field: "account")
            }
            try await Self.setWelcome(of: params.account, token, until: expiresAt, by: identity, transaction)
            try await AuditLog.record(.init("user.welcome", subject: known.subject), by: identity, in: transaction)
            return known.account
        }
        return try await sendWelcome(known, token, expiresAt)
    }

    private static func setWelcome(
        of account: Int64, _ token: String, until: Timestamp, by identity: Identity, _ transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(
            """
            INSERT INTO welcomes (account_id, hash, expires_at, made_by) VALUES ($1, $2, $3, $4)
            ON CONFLICT (account_id) DO UPDATE
                SET hash = excluded.hash, expires_at = excluded.expires_at, made_by = excluded.made_by
            """,
            [
                .int(account), .bytes(Secrets.hash(token)), .timestamp(until.milliseconds), .int(identity.account.id),
            ])
    }

    private func sendWelcome(_ account: Account, _ token: String, _ expiresAt: Timestamp) async throws -> Welcome {
        let path = "/welcome/\(token)"
        await welcome(account, account.email, path)
        return Welcome(user: try await listed(account.id), path: path, expiresAt: expiresAt)
    }

    // MARK: Changes

    /// Changes the given fields and revokes the account's grants. Open connections would keep the previous values, and a welcome link
    /// sent to a previous address or for a previous role must not work.
    /// - Throws: ``Wire/RPCError``: the messages of U-1, ``Accounts/lastAdmin``, errors of ``Accounts/confirm(_:of:)``;
    ///   ``Postgres/PostgresError``.
    public func editUser(_ params: AdminEditUser.Params, by identity: Identity) async throws -> AdminUser {
        guard params.username != nil || params.email != nil || params.role != nil else {
            throw RPCError.invalid("username", "nothing is changed: give username, email or role")
        }
        let isConfirmed = params.password != nil
        if isConfirmed { try await accounts.confirm(params.password, of: identity) }
        let hidden = try await accounts.hiddenEnds(params.account)
        let revoked: RevokedGrants
        do {
            revoked = try await act(on: params.account, by: identity) { known, transaction in
                let old = known.account
                let new = try Self.changed(old, by: params)
                guard new != old else { return RevokedGrants() }
                // A stranger may have registered it with somebody's address.
                guard old.confirmBy == nil || new.email != old.email || new.role == .student else {
                    throw RPCError(
                        .conflict, "this account has not confirmed its address yet: it gets a role afterwards",
                        field: "role")
                }
                if !isConfirmed,
                    new.email != old.email || new.role != old.role && new.role == .admin || old.role == .admin
                {
                    throw Accounts.needsPassword
                }
                // Whoever registered with the previous address without confirming it may not be the person of the new one.
                if new.email != old.email, !old.isEmailConfirmed {
                    try await Accounts.removeRecentFactors(of: old.id, in: transaction)
                }
                _ = try await transaction.query(
                    """
                    UPDATE accounts SET username = $2, username_key = $3, email = $4, email_key = $5, role = $6,
                        email_confirmed_at = CASE WHEN $7 THEN now() ELSE email_confirmed_at END,
                        confirm_by = CASE WHEN NOT $7 THEN confirm_by END
                    WHERE id = $1
                    """,
                    [
                        .int(old.id), .text(new.username), .text(Inputs.key(new.username)), .text(new.email),
                        .text(Inputs.key(new.email)), .text(new.role.rawValue),
                        // The admin answers for the address that they enter.
                        .bool(new.email != old.email),
                    ])
                if Inputs.key(new.email) != Inputs.key(old.email), old.confirmBy == nil {
                    try await accounts.mail?.addressChanged(of: old.id, from: old.email, in: transaction)
                }
                if new.role != old.role {
                    try await accounts.mail?.askForRecoveryCodes(of: old.id, in: transaction)
                }
                try await AuditLog.record(
                    .init("user.edit", subject: known.subject, details: Self.differences(old, new)), by: identity,
                    in: transaction)
                return try await RevokedGrants.revoke(of: old.id, hidden: hidden, in: transaction)
            }
        } catch let error as PostgresError where error.isUniqueViolation {
            throw Accounts.taken(error)
        }
        await accounts.cut(revoked, .changed)
        return try await listed(params.account)
    }

    private static func changed(_ old: Account, by params: AdminEditUser.Params) throws -> Account {
        // Fields that are not given keep their values, which are valid.
        let valid = try Registration.validate(
            username: params.username ?? old.username, email: params.email ?? old.email)
        if Inputs.key(valid.username) != Inputs.key(old.username) {
            try Registration.requireUnreserved(valid.username)
        }
        var new = old
        (new.username, new.email, new.role) = (valid.username, valid.email, params.role ?? old.role)
        return new
    }

    private static func differences(_ old: Account, _ new: Account) -> [(name: String, value: String)] {
        var details: [(name: String, value: String)] = []
        if old.username != new.username { details.append(("username", "\(old.username) → \(new.username)")) }
        if old.email != new.email { details.append(("email", "\(masked(old.email)) → \(masked(new.email))")) }
        if old.role != new.role { details.append(("role", "\(old.role.rawValue) → \(new.role.rawValue)")) }
        return details
    }

    // MARK: Disabling

    /// Disables an account: signs it out everywhere, prevents sign-ins and ends its sessions. Idempotent: a repetition completes what an
    /// interrupted call left undone.
    /// - Throws: ``Wire/RPCError``: ``notFound``, ``Accounts/lastAdmin``, `conflict` for the caller's own account;
    ///   ``Postgres/PostgresError``.
    public func disableUser(_ params: AdminDisableUser.Params, by identity: Identity) async throws -> AdminUser {
        let reason = try Inputs.text(
            params.reason, "reason", charactersMax: Self.reasonCharactersMax, isAllowed: Inputs.isLayout)
        guard !reason.isEmpty else { throw RPCError.invalid("reason", "say why, for other admins") }
        let isConfirmed = params.password != nil
        if isConfirmed { try await accounts.confirm(params.password, of: identity) }
        try await disable(params.account, reason, by: identity, isConfirmed: isConfirmed)
        return try await listed(params.account)
    }

    private func disable(
        _ account: Int64, _ reason: String, by identity: Identity, isConfirmed: Bool, cause: SignOutCause = .disabled
    ) async throws {
        try Self.requireOther(account, identity)
        let at = now()
        let revoked = try await act(on: account, by: identity) { known, transaction in
            // A stolen token must not suffice to disable the admins who could revoke it.
            if known.account.role == .admin, !isConfirmed { throw Accounts.needsPassword }
            if !known.isDisabled {
                _ = try await transaction.query(
                    "UPDATE accounts SET disabled_at = $2, disabled_reason = $3 WHERE id = $1",
                    [.int(account), .timestamp(at.milliseconds), .text(reason)])
                try await AuditLog.record(
                    .init("user.disable", subject: known.subject, details: [("reason", reason)]), by: identity,
                    in: transaction)
            }
            return try await RevokedGrants.revoke(of: account, in: transaction)
        }
        await accounts.cut(revoked, cause)
        await tracking.hub.shares.end(of: account)
        await tracking.hub.liveGroups.end(of: account)
        try await tracking.finishAll(of: account)
        try await Sharing.endQuestions(of: account, database, tracking.hub)
    }

    private static func requireOther(_ account: Int64, _ identity: Identity) throws {
        guard account != identity.account.id else {
            throw RPCError(.conflict, "this is your own account: ask another admin", field: "account")
        }
    }

    /// Enables an account. Idempotent.
    /// - Throws: ``notFound``, `conflict` for an account that is being deleted, ``Postgres/PostgresError``.
    public func enableUser(_ params: AccountParams, by identity: Identity) async throws -> AdminUser {
        try await act(on: params.account, by: identity) { known, transaction in
            guard known.isDisabled else { return }
            let erased = try await transaction.query(
                "SELECT FROM accounts WHERE id = $1 AND erasing_at IS NOT NULL", [.int(params.account)])
            guard erased.isEmpty else {
                throw RPCError(
                    .conflict, "this account is being deleted, and that cannot be stopped: make a new one",
                    field: "account")
            }
            _ = try await transaction.query(
                "UPDATE accounts SET disabled_at = NULL, disabled_reason = NULL WHERE id = $1", [.int(params.account)])
            try await AuditLog.record(.init("user.enable", subject: known.subject), by: identity, in: transaction)
        }
        return try await listed(params.account)
    }

    /// Signs out all devices of an account and revokes its other grants.
    /// - Throws: ``notFound``, ``Postgres/PostgresError``.
    public func signOutUser(_ params: AccountParams, by identity: Identity) async throws -> Revoked {
        let hidden = try await accounts.hiddenEnds(params.account)
        let revoked = try await act(on: params.account, by: identity) { known, transaction in
            try await AuditLog.record(.init("user.signOut", subject: known.subject), by: identity, in: transaction)
            return try await RevokedGrants.revoke(of: params.account, hidden: hidden, in: transaction)
        }
        await accounts.cut(revoked, .signedOut)
        return Revoked(revoked: revoked.tokens.count)
    }

    /// Mails the owner of an account a link to set a new password, as ``Accounts/requestReset(_:)`` does.
    /// - Throws: ``notFound``; `conflict` if the server sends no mail, or the account cannot get one; ``Postgres/PostgresError``.
    public func sendReset(_ params: AccountParams, by identity: Identity) async throws -> AccountParams {
        guard let mail = accounts.mail else {
            throw RPCError(
                .conflict, "this server sends no mail: the operator sets a password with campanile user reset-password")
        }
        try await act(on: params.account, by: identity) { known, transaction in
            if known.isDisabled { throw Self.cannotReset("is disabled: enable it first") }
            if known.account.simulated { throw Self.cannotReset("belongs to no person") }
            if known.account.confirmBy != nil { throw Self.cannotReset("has not confirmed its address yet") }
            let invited = try await transaction.query(
                "SELECT FROM welcomes WHERE account_id = $1", [.int(params.account)])
            guard invited.isEmpty else { throw Self.cannotReset("has no password yet: send a new welcome link") }
            try await mail.requestReset(to: Inputs.key(known.account.email), in: transaction)
            try await AuditLog.record(.init("user.sendReset", subject: known.subject), by: identity, in: transaction)
        }
        return params
    }

    private static func cannotReset(_ reason: String) -> RPCError {
        RPCError(.conflict, "this account \(reason)", field: "account")
    }

    // MARK: Second factors

    /// Removes the passkeys and second factors of another account, and signs it out.
    /// - Throws: ``notFound``, `conflict` for the caller's own account or one without factors, errors of ``Accounts/confirm(_:of:)``;
    ///   ``Postgres/PostgresError``.
    public func resetSecondFactor(
        _ params: AdminResetSecondFactor.Params, by identity: Identity
    ) async throws -> AdminUser {
        try Self.requireOther(params.account, identity)
        try await accounts.confirm(params.password, of: identity)
        let hidden = try await accounts.hiddenEnds(params.account)
        let mail = accounts.mail
        let revoked = try await act(on: params.account, by: identity) { known, transaction in
            try await FactorReset.run(
                params.account, subject: known.subject, by: identity, mail: mail, in: transaction)
            return try await RevokedGrants.revoke(of: params.account, hidden: hidden, in: transaction)
        }
        await accounts.cut(revoked, .signedOut)
        return try await listed(params.account)
    }

    // MARK: Removal

    /// Permanently removes an account with its data. The account is disabled first, so that it adds nothing meanwhile; then its data and
    /// its row are erased. The SQL function `event_leave` notifies attendees that the account's events are cancelled.
    /// - Throws: ``Wire/RPCError``: ``notFound``, ``Accounts/lastAdmin``, `conflict` for the caller's own account, `rejected` for a wrong
    ///   user name, errors of ``Accounts/confirm(_:of:)``; ``Postgres/PostgresError``. Repeating the request continues the removal.
    public func deleteUser(_ params: AdminDeleteUser.Params, by identity: Identity) async throws -> AccountParams {
        try Self.requireOther(params.account, identity)
        try await accounts.confirm(params.password, of: identity)
        let target = try await listed(params.account)
        guard Inputs.trimmed(params.username) == target.username else {
            throw RPCError(
                .rejected, "The username is not that of this account: type it as it is shown", field: "username")
        }
        try await disable(params.account, "is being deleted", by: identity, isConfirmed: true, cause: .removed)
        let at = now()
        try await act(on: params.account, by: identity) { known, transaction in
            guard known.isDisabled else {
                throw RPCError(.conflict, "another admin has enabled it meanwhile: ask them", field: "account")
            }
            try await AuditLog.record(
                .init("user.delete", subject: known.subject, details: [("role", known.account.role.rawValue)]),
                by: identity, in: transaction)
            try await PersonalData.begin(params.account, byOwner: false, at: at, in: transaction)
        }
        try await erase(params.account)
        return AccountParams(account: params.account)
    }
}
