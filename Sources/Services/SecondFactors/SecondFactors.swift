import Authenticators
import EventLoop
import Postgres
import Wire

/// Second factors of a sign-in: codes of an authenticator app, recovery codes, and the step that asks for one. An actor on the hub's loop.
public actor SecondFactors {
    /// Seconds for which a new secret waits for its first code.
    static let setupSeconds: Int64 = 900
    /// Tries of the first code, for one secret.
    static let setupTriesMax: Int64 = 10
    /// Tries for one ticket.
    static let triesPerTicketMax: Int64 = 10
    /// Wrong codes of an account without a wait; then waits double up to the maximum.
    static let freeFailures: Int64 = 5
    static let waitSecondsMax = 900.0
    /// Wrong codes since the last sign-in by one, up to which the owner gets no mail.
    static let unnoticedFailures: Int64 = 10

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let accounts: Accounts
    let passkeys: Passkeys
    private let now: @Sendable () -> Timestamp

    static let wrongCode = RPCError(
        .invalidCredentials, "That's not the code. Enter the newest one from your app.", field: "code")
    static let wrongRecoveryCode = RPCError(
        .invalidCredentials, "That's not one of your recovery codes, or it was used already.", field: "recoveryCode")
    static let unknownTicket = RPCError(.notFound, "this took too long: log in again", field: "ticket")
    static let hasTOTP = RPCError(
        .conflict, "an authenticator app is set up already: remove it first", field: "secondFactor")
    static let noSetup = RPCError(.rejected, "This took too long. Start again with a new QR code.", field: "code")
    static let noTOTP = RPCError(.notFound, "no authenticator app is set up", field: "secondFactor")
    static let noFactor = RPCError(
        .conflict, "recovery codes need a passkey or an authenticator app: add one first", field: "secondFactor")

    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - now: The server's wall clock, which the codes depend on.
    public init(
        loop: EventLoop, database: PostgresPool, accounts: Accounts, passkeys: Passkeys,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        (self.loop, self.database, self.accounts) = (loop, database, accounts)
        (self.passkeys, self.now) = (passkeys, now)
    }

    private var seconds: Int64 { now().milliseconds / 1_000 }

    public func state(_ identity: Identity) async throws -> AccountSecondFactors.Result {
        let rows = try await database.query(
            """
            SELECT a.has_passkey, \(Accounts.isHalfByPassword) AS is_on, t.confirmed_at,
                (SELECT count(*) FROM recovery_codes r WHERE r.account_id = a.id AND r.used_at IS NULL) AS codes
            FROM accounts a LEFT JOIN totp_secrets t ON t.account_id = a.id WHERE a.id = $1
            """, [.int(identity.account.id)])
        guard let row = rows.first else { throw Accounts.accountUnavailable }
        return AccountSecondFactors.Result(
            totpSince: try row.optionalTimestamp("confirmed_at").map { Timestamp(milliseconds: $0) },
            hasPasskey: try row.bool("has_passkey"), recoveryCodes: Int(try row.int("codes")),
            isOn: try row.bool("is_on"), isRequired: identity.adminsNeedFactor && identity.account.role == .admin)
    }

    // MARK: Authenticator app

    /// Makes a secret for an authenticator app, which replaces one that waits for its first code.
    /// - Throws: ``Wire/RPCError``: errors of ``Passkeys/confirm(_:of:)``, ``hasTOTP``; ``Postgres/PostgresError``.
    public func beginTOTP(
        _ params: AccountBeginTOTP.Params, by identity: Identity
    ) async throws -> AccountBeginTOTP.Result {
        try identity.requireConfirmedAddress()
        try await passkeys.confirm(params.proof, of: identity)
        let totp = TOTP(secret: Secrets.randomBytes(TOTP.secretBytes))
        let account = identity.account.id
        try await database.transaction { transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            try await identity.requireValidToken(in: transaction)
            let made = try await transaction.query(
                """
                INSERT INTO totp_secrets AS t (account_id, secret, token_id) VALUES ($1, $2, $3)
                ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret, token_id = excluded.token_id,
                    created_at = now(), last_step = 0, tries = 0
                WHERE t.confirmed_at IS NULL
                """, [.int(account), .bytes(totp.secret), .int(identity.tokenID)])
            guard made.affected > 0 else { throw Self.hasTOTP }
        }
        let address = totp.address(of: identity.account.email)
        return AccountBeginTOTP.Result(
            secret: totp.text, address: address, rows: QRSymbol(address)?.rows ?? [])
    }

    /// Turns the authenticator app on by a code of it. Earlier recovery codes end, and so do sign-ins that needed the password alone.
    /// - Throws: ``Wire/RPCError``: `rejected` for a wrong code, ``noSetup``; ``Postgres/PostgresError``.
    public func confirmTOTP(
        _ params: AccountConfirmTOTP.Params, by identity: Identity
    ) async throws -> RecoveryCodes {
        try identity.requireConfirmedAddress()
        let account = identity.account.id
        // Counted before the comparison, and apart from guesses at a sign-in: a stolen token must not make its owner wait.
        let tried = try await database.query(
            """
            UPDATE totp_secrets SET tries = tries + 1
            WHERE account_id = $1 AND token_id = $2 AND confirmed_at IS NULL AND tries < $4
                AND created_at > now() - make_interval(secs => $3::bigint) RETURNING secret
            """, [.int(account), .int(identity.tokenID), .int(Self.setupSeconds), .int(Self.setupTriesMax)])
        guard let secret = try tried.first?.bytes("secret") else { throw Self.noSetup }
        guard let step = TOTP(secret: secret).step(of: Self.digits(params.code), at: seconds) else {
            throw RPCError(.rejected, Self.wrongCode.message, field: "code")
        }
        let (codes, revoked) = try await database.transaction { [accounts] transaction in
            let actor = try await identity.current(.alone, in: transaction)
            try await identity.requireValidToken(in: transaction)
            let confirmed = try await transaction.query(
                """
                UPDATE totp_secrets SET confirmed_at = now(), token_id = NULL, last_step = $2
                WHERE account_id = $1 AND token_id = $3 AND confirmed_at IS NULL AND secret = $4
                """, [.int(account), .int(step), .int(identity.tokenID), .bytes(secret)])
            guard confirmed.affected > 0 else { throw Self.noSetup }
            try await accounts.mail?.factorChanged(.totpAdded, of: account, in: transaction)
            // The password of an admin with a passkey needed a second factor before.
            let isFirst = actor.account.role != .admin || !actor.account.hasSecondFactor
            return (
                try await RecoveryCode.replace(of: account, in: transaction),
                isFirst ? try await RevokedGrants.signOutOthers(of: identity, in: transaction) : RevokedGrants()
            )
        }
        await accounts.cut(revoked, .signedOut)
        return RecoveryCodes(recoveryCodes: codes)
    }

    /// Turns the authenticator app off.
    /// - Throws: ``Wire/RPCError``: errors of ``Passkeys/confirm(_:of:)``, ``noTOTP``, `conflict` for the only second factor of an admin
    ///   who needs one; ``Postgres/PostgresError``.
    public func removeTOTP(_ params: AccountRemoveTOTP.Params, by identity: Identity) async throws {
        try await passkeys.confirm(params.proof, of: identity)
        let account = identity.account.id
        try await database.transaction { [accounts] transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            try await identity.requireValidToken(in: transaction)
            let gone = try await transaction.query(
                "DELETE FROM totp_secrets WHERE account_id = $1 AND confirmed_at IS NOT NULL", [.int(account)])
            guard gone.affected > 0 else { throw Self.noTOTP }
            try await identity.requireFactorLeft(in: transaction)
            try await accounts.mail?.factorChanged(.totpRemoved, of: account, in: transaction)
        }
    }

    /// Replaces the recovery codes.
    /// - Throws: ``Wire/RPCError``: errors of ``Passkeys/confirm(_:of:)``, ``noFactor``; ``Postgres/PostgresError``.
    public func makeRecoveryCodes(
        _ params: AccountMakeRecoveryCodes.Params, by identity: Identity
    ) async throws -> RecoveryCodes {
        try await passkeys.confirm(params.proof, of: identity)
        let account = identity.account.id
        let codes = try await database.transaction { [accounts] transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            try await identity.requireValidToken(in: transaction)
            let able = try await transaction.query(
                "SELECT FROM accounts WHERE id = $1 AND (has_passkey OR has_totp)", [.int(account)])
            guard !able.isEmpty else { throw Self.noFactor }
            try await accounts.mail?.factorChanged(.recoveryCodesMade, of: account, in: transaction)
            return try await RecoveryCode.replace(of: account, in: transaction)
        }
        return RecoveryCodes(recoveryCodes: codes)
    }

    // MARK: Sign-in

    /// Completes a sign-in whose first factor was right.
    /// - Throws: ``Wire/RPCError``: ``unknownTicket``, `invalidCredentials` for a wrong second factor, `invalidParams` without one,
    ///   `rateLimited`, errors of ``Passkeys/signIn(_:client:)``; ``Postgres/PostgresError``.
    public func complete(
        _ params: AccountSecondFactor.Params, client: ClientDescription
    ) async throws -> (SignedIn, Identity) {
        let ticket = Secrets.hash(params.ticket)
        // Counted before the comparison, so that parallel tries count as well.
        let rows = try await database.query(
            """
            WITH tried AS (
                UPDATE pending_sign_ins SET tries = tries + 1 WHERE hash = $1 AND expires_at > now() AND tries < $2
                RETURNING account_id)
            SELECT \(Account.aliasedColumns) FROM tried JOIN accounts a ON a.id = tried.account_id WHERE a.disabled_at IS NULL
            """, [.bytes(ticket), .int(Self.triesPerTicketMax)])
        guard let row = rows.first else { throw Self.unknownTicket }
        let account = try Account(row: row)
        let made = Accounts.NewSignIn(account, client: client, device: params.device, proof: .secondFactor)
        let token: Int64
        if let signature = params.passkey {
            let answer = try await passkeys.verify(signature, .signIn)
            guard answer.account.id == account.id else { throw Passkeys.wrongPasskey }
            token = try await passkeys.use(answer) { [accounts] in
                try await Self.finish(ticket, made, mail: accounts.mail, in: $0)
            }
        } else {
            try await count(account.id)
            token = try await signIn(params, ticket, made)
        }
        return try await accounts.finish(made, token)
    }

    private func signIn(
        _ params: AccountSecondFactor.Params, _ ticket: [UInt8], _ made: Accounts.NewSignIn
    ) async throws -> Int64 {
        let (account, seconds) = (made.account.id, seconds)
        return try await database.transaction { [accounts] transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            if let code = params.code {
                try await Self.useCode(code, of: account, at: seconds, in: transaction)
            } else if let code = params.recoveryCode {
                let left = try await Self.useRecoveryCode(code, of: account, in: transaction)
                try await accounts.mail?.factorChanged(
                    .recoveryCodeUsed, of: account, detail: "\(left)", in: transaction)
            } else {
                throw RPCError.invalid("code", "enter a code, or use a recovery code or a passkey")
            }
            // The row stays, with the time of the last mail about guesses.
            _ = try await transaction.query(
                "UPDATE factor_guesses SET failures = 0, since_success = 0 WHERE account_id = $1", [.int(account)])
            return try await Self.finish(ticket, made, mail: accounts.mail, in: transaction)
        }
    }

    /// Uses a ticket, once: a revocation of the account's grants has removed it, or waits for this transaction.
    private static func finish(
        _ ticket: [UInt8], _ made: Accounts.NewSignIn, mail: AccountMailOutbox?, in transaction: PostgresTransaction
    ) async throws -> Int64 {
        let used = try await transaction.query(
            "DELETE FROM pending_sign_ins WHERE hash = $1 AND account_id = $2 AND expires_at > now()",
            [.bytes(ticket), .int(made.account.id)])
        guard used.affected > 0 else { throw unknownTicket }
        return try await Accounts.insert(made, mail: mail, in: transaction)
    }

    private static func useCode(
        _ text: String, of account: Int64, at seconds: Int64, in transaction: PostgresTransaction
    ) async throws {
        let rows = try await transaction.query(
            "SELECT secret FROM totp_secrets WHERE account_id = $1 AND confirmed_at IS NOT NULL", [.int(account)])
        guard let row = rows.first,
            let step = TOTP(secret: try row.bytes("secret")).step(of: digits(text), at: seconds)
        else { throw wrongCode }
        let used = try await transaction.query(
            "UPDATE totp_secrets SET last_step = $2 WHERE account_id = $1 AND last_step < $2",
            [.int(account), .int(step)])
        // A code works once, so that nobody who saw it can use it.
        guard used.affected > 0 else { throw wrongCode }
    }

    /// - Returns: Number of codes that are left.
    private static func useRecoveryCode(
        _ text: String, of account: Int64, in transaction: PostgresTransaction
    ) async throws -> Int64 {
        guard let hash = RecoveryCode.hash(text, account: account) else { throw wrongRecoveryCode }
        let used = try await transaction.query(
            "UPDATE recovery_codes SET used_at = now() WHERE account_id = $1 AND hash = $2 AND used_at IS NULL",
            [.int(account), .bytes(hash)])
        guard used.affected > 0 else { throw wrongRecoveryCode }
        return try await transaction.query(
            "SELECT count(*) AS left FROM recovery_codes WHERE account_id = $1 AND used_at IS NULL", [.int(account)]
        ).first?.int("left") ?? 0
    }

    private static func digits(_ text: String) -> String {
        String(text.prefix(64).filter { $0 != " " })
    }

    /// Counts a try of a code, over all servers. Mails the owner about many, at most once a day.
    private func count(_ account: Int64) async throws {
        let rows = try await database.query(
            "SELECT factor_try($1, $2::integer, $3) AS wait",
            [.int(account), .int(Self.freeFailures), .double(Self.waitSecondsMax)])
        if let wait = try rows.first?.optionalDouble("wait") { throw Accounts.tooOften(wait) }
        // Waits do not end the guesses, so the owner must learn of them.
        guard let mail = accounts.mail else { return }
        try await database.transaction { transaction in
            let noted = try await transaction.query(
                """
                UPDATE factor_guesses SET noted_at = clock_timestamp()
                WHERE account_id = $1 AND since_success > $2 AND (noted_at IS NULL OR noted_at < clock_timestamp() - interval '1 day')
                """, [.int(account), .int(Self.unnoticedFailures)])
            if noted.affected > 0 { try await mail.factorChanged(.codesGuessed, of: account, in: transaction) }
        }
    }
}
