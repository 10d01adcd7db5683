import OpenID
import Postgres
import Wire

/// What a proved identity opens: the account that it is connected with, or a new one. An account that merely has the same address is never
/// opened: its owner connects the identity after logging in.
extension OpenIDSignIn {
    private static let identitiesKey = "provider_identities_pkey"
    private static let identitiesOfAccount = "provider_identities_of_account"

    /// Signs in to the account of the identity, or says what the person has to do first.
    /// - Parameter client: The client program.
    /// - Throws: ``Wire/RPCError``: ``unknownTicket``, `rejected` for a disabled account; ``Postgres/PostgresError``.
    public func redeem(
        _ params: AccountFinishOpenID.Params, client: ClientDescription
    ) async throws -> (AccountFinishOpenID.Result, Identity?) {
        let ticket = try await ticket(params.proof)
        let label = settings(of: ticket.provider)?.label ?? ticket.provider
        let rows = try await database.query(
            """
            SELECT \(Account.aliasedColumns), a.disabled_at IS NOT NULL AS is_disabled
            FROM provider_identities p JOIN accounts a ON a.id = p.account_id WHERE p.issuer = $1 AND p.subject = $2
            """, [.text(ticket.issuer), .text(ticket.subject)])
        if let row = rows.first {
            if try row.bool("is_disabled") { throw Accounts.disabled }
            try await database.transaction { transaction in
                _ = try await Self.use(params.proof, in: transaction)
                _ = try await transaction.query(
                    "UPDATE provider_identities SET last_used_at = now() WHERE issuer = $1 AND subject = $2",
                    [.text(ticket.issuer), .text(ticket.subject)])
            }
            let (signedIn, identity) = try await accounts.signIn(
                try Account(row: row), client: client, device: params.device, proof: ticket.proof)
            return (.init(signedIn: signedIn, label: label), identity)
        }
        var result = AccountFinishOpenID.Result(
            next: .register, label: label, username: ticket.username, email: ticket.email,
            isEmailVerified: ticket.isVerified)
        if let key = ticket.verifiedKey {
            // Only who reads mail to the address learns that it has an account.
            let owner = try await database.query(
                "SELECT FROM accounts WHERE email_key = $1 AND confirm_by IS NULL", [.text(key)])
            if !owner.isEmpty { result.next = .connect }
        }
        return (result, nil)
    }

    /// Creates an account for the identity and signs it in. An address that the provider has verified is confirmed; for any other the
    /// account is provisional, if the server sends mail.
    /// - Throws: ``Wire/RPCError``: ``unknownTicket``, `rejected` with the messages of U-1; ``Postgres/PostgresError``.
    public func register(
        _ params: AccountRegisterOpenID.Params, client: ClientDescription, isSeen: Bool
    ) async throws -> (SignedIn, Identity) {
        let ticket = try await ticket(params.proof)
        let email = ticket.isVerified ? ticket.email : params.email ?? ticket.email
        let valid = try Registration.validate(username: params.username, email: email)
        try Registration.requireUnreserved(valid.username)
        try accounts.domains.require(valid.email)
        let mail = ticket.isVerified ? nil : accounts.mail
        try await accounts.requireFree(valid.username, valid.email, isProvisional: mail != nil)
        let account: Account
        do {
            account = try await database.transaction { transaction in
                let ticket = try await Self.use(params.proof, in: transaction)
                let rows = try await transaction.query(
                    """
                    INSERT INTO accounts (username, username_key, email, email_key, email_confirmed_at, confirm_by)
                    VALUES ($1, $2, $3, $4, CASE WHEN $5 THEN now() END, $6) RETURNING \(Account.columns)
                    """,
                    [
                        .text(valid.username), .text(Inputs.key(valid.username)), .text(valid.email),
                        .text(Inputs.key(valid.email)), .bool(ticket.isVerified),
                        .optional(timestamp: mail?.confirmBy.milliseconds),
                    ])
                guard let row = rows.first else { throw RPCError(.internalError, "no account was made") }
                let account = try Account(row: row)
                try await Self.connect(ticket, with: account.id, in: transaction)
                _ = try await mail?.requestConfirmation(of: valid.email, for: account.id, in: transaction)
                return account
            }
        } catch let error as PostgresError where error.constraint == Self.identitiesKey {
            // Another tab was faster.
            throw Self.unknownTicket
        } catch let error as PostgresError where error.isUniqueViolation {
            throw Accounts.taken(error)
        }
        return try await accounts.signIn(
            account, client: client, device: params.device, message: Registration.success, proof: ticket.proof,
            isSeen: isSeen)
    }

    private static func connect(
        _ ticket: OpenIDTicket, with account: Int64, in transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(
            "INSERT INTO provider_identities (issuer, subject, account_id, verified_key) VALUES ($1, $2, $3, $4)",
            [.text(ticket.issuer), .text(ticket.subject), .int(account), .optional(ticket.verifiedKey)])
    }

    // MARK: Identities of an account

    /// The operator's providers, and which of them sign in to the caller's account.
    /// - Throws: ``Postgres/PostgresError``.
    public func list(of identity: Identity) async throws -> AccountProviders.Result {
        let rows = try await database.query(
            "SELECT issuer, connected_at FROM provider_identities WHERE account_id = $1", [.int(identity.account.id)])
        var connected: [String: Timestamp] = [:]
        for row in rows {
            connected[try row.text("issuer")] = Timestamp(milliseconds: try row.timestamp("connected_at"))
        }
        return AccountProviders.Result(
            providers: settings.map { .init(name: $0.name, label: $0.label, connectedAt: connected[$0.issuer]) },
            hasPassword: try await accounts.hasPassword(identity.account.id))
    }

    /// Connects the identity with the caller's account, which is proved by the password as well: a stolen sign-in must not be enough to
    /// keep the account.
    /// - Throws: ``Wire/RPCError``: errors of ``Accounts/confirm(_:of:)``, ``unknownTicket``, `conflict`; ``Postgres/PostgresError``.
    public func connect(_ params: AccountConnectOpenID.Params, by identity: Identity) async throws
        -> AccountProviders.Result
    {
        try identity.requireConfirmedAddress()
        let ticket = try await ticket(params.proof)
        try await accounts.confirm(params.password, of: identity)
        let label = settings(of: ticket.provider)?.label ?? ticket.provider
        do {
            try await database.transaction { [mail = accounts.mail] transaction in
                _ = try await transaction.query(Accounts.lock, [.intArray([identity.account.id])])
                try await identity.requireValidToken(in: transaction)
                let ticket = try await Self.use(params.proof, in: transaction)
                try await Self.connect(ticket, with: identity.account.id, in: transaction)
                try await mail?.providerChanged(
                    of: identity.account.id, label, isConnected: true, in: transaction)
            }
        } catch let error as PostgresError where error.constraint == Self.identitiesKey {
            throw RPCError(
                .conflict,
                "this \(label) account is connected already, perhaps with another Campanile account: disconnect it there",
                field: "ticket")
        } catch let error as PostgresError where error.constraint == Self.identitiesOfAccount {
            throw RPCError(
                .conflict, "another \(label) account is connected with yours: disconnect that one first",
                field: "ticket")
        }
        return try await list(of: identity)
    }

    /// Disconnects an identity, and revokes every other grant of the account: whoever used the identity may have made them. The account
    /// keeps another way in: its password, which the caller gives.
    /// - Throws: ``Wire/RPCError``: errors of ``Accounts/confirm(_:of:)``, `notFound`; ``Postgres/PostgresError``.
    public func disconnect(
        _ params: AccountDisconnectOpenID.Params, by identity: Identity
    ) async throws -> AccountProviders.Result {
        guard let settings = settings(of: params.provider) else { throw Self.unknownProvider }
        try await accounts.confirm(params.password, of: identity)
        let hidden = try await accounts.hiddenEnds(identity.account.id)
        let revoked = try await database.transaction { [mail = accounts.mail] transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([identity.account.id])])
            try await identity.requireValidToken(in: transaction)
            let gone = try await transaction.query(
                "DELETE FROM provider_identities WHERE account_id = $1 AND issuer = $2",
                [.int(identity.account.id), .text(settings.issuer)])
            guard gone.affected > 0 else {
                throw RPCError(.notFound, "\(settings.label) is not connected with your account", field: "provider")
            }
            try await mail?.providerChanged(
                of: identity.account.id, settings.label, isConnected: false, in: transaction)
            return try await RevokedGrants.revoke(
                of: identity.account.id, keeping: identity.tokenID, hidden: hidden, in: transaction)
        }
        await accounts.cut(revoked, .signedOut)
        return try await list(of: identity)
    }
}
