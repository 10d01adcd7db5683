import Postgres
import Wire

/// The statement through which every sign-in passes.
extension Accounts {
    /// Seconds that a sign-in waits for its second factor.
    static let ticketSeconds: Int64 = 600

    /// A sign-in that is to be stored: a token, or a ticket if the account needs a second factor.
    struct NewSignIn: Sendable {
        let account: Account
        let client: ClientDescription
        let proof: SignInProof
        /// The device's token; nil for simulated accounts.
        let device: String?
        let isSeen: Bool
        /// The token or the ticket.
        let secret = Secrets.makeToken()

        /// - Parameters:
        ///   - device: The device's existing token, if it has one.
        ///   - proof: What was verified; the sign-in fails if it is no longer valid.
        ///   - isSeen: False for a token that is not used yet: its last use then equals its creation.
        init(
            _ account: Account, client: ClientDescription, device: String?, proof: SignInProof, isSeen: Bool = true
        ) {
            (self.account, self.client, self.proof, self.isSeen) = (account, client, proof, isSeen)
            self.device =
                account.simulated ? nil : Accounts.deviceHash(device).flatMap { _ in device } ?? Secrets.makeToken()
        }

        var parameters: [PostgresValue] {
            [
                .int(account.id), .bytes(Secrets.hash(secret)), .text(client.program), .optional(proof.passwordHash),
                device.map { .bytes(Secrets.hash($0)) } ?? .null, .int(isSeen ? 1 : 0), .optional(client.platform),
                .optional(client.address), .optional(proof.passkey), .bool(proof.isComplete),
                .int(Accounts.ticketSeconds), .optional(proof.identity?.issuer), .optional(proof.identity?.subject),
            ]
        }
    }

    /// Rows that a sign-in has stored.
    private enum Stored: Sendable {
        /// A token, by its id.
        case token(Int64)
        /// A ticket, for an account with these second factors.
        case ticket([SecondFactor])
    }

    /// Creates a token and remembers the device, or creates a ticket if the account needs a second factor.
    /// - Throws: ``Wire/RPCError`` `secondFactorRequired` with the ticket; `invalidCredentials` if the proof is no longer valid;
    ///   ``Postgres/PostgresError``.
    func signIn(
        _ account: Account, client: ClientDescription, device: String?, message: String? = nil, proof: SignInProof,
        isSeen: Bool = true
    ) async throws -> (SignedIn, Identity) {
        let made = NewSignIn(account, client: client, device: device, proof: proof, isSeen: isSeen)
        let stored = try await database.transaction { [mail] in try await Self.store(made, mail, in: $0) }
        // The ticket is committed before the error carries it.
        return try await finish(made, try Self.token(stored, made), message: message)
    }

    /// Makes the token in a transaction, for a complete proof; ``finish(_:_:message:)`` follows its commit.
    /// - Returns: The token's id.
    static func insert(
        _ made: NewSignIn, mail: AccountMailOutbox?, in transaction: PostgresTransaction
    ) async throws -> Int64 {
        try token(try await store(made, mail, in: transaction), made)
    }

    private static func store(
        _ made: NewSignIn, _ mail: AccountMailOutbox?, in transaction: PostgresTransaction
    ) async throws -> Stored {
        // A revocation that holds the account may be removing the identity: the next statement sees whether it did.
        if made.proof.identity != nil {
            _ = try await transaction.query("SELECT FROM accounts WHERE id = $1 FOR SHARE", [.int(made.account.id)])
        }
        let rows = try await transaction.query(signInSQL, made.parameters)
        guard let row = rows.first else { throw made.proof.refusal }
        guard let id = try row.optionalInt("id") else {
            var factors: [SecondFactor] = []
            if try row.bool("has_totp") { factors.append(.totp) }
            if try row.bool("has_passkey") { factors.append(.passkey) }
            if try row.bool("has_codes") { factors.append(.recoveryCode) }
            return .ticket(factors)
        }
        if try row.bool("is_new_device") {
            try await mail?.signedInOnNewDevice(made.account.id, made.client, in: transaction)
        }
        return .token(id)
    }

    private static func token(_ stored: Stored, _ made: NewSignIn) throws -> Int64 {
        switch stored {
        case .token(let id): return id
        case .ticket(let factors): throw RPCError.secondFactorRequired(ticket: made.secret, factors: factors)
        }
    }

    /// Completes a sign-in whose token is stored.
    func finish(
        _ made: NewSignIn, _ token: Int64, message: String? = nil
    ) async throws -> (SignedIn, Identity) {
        try await revokeSurplus(of: made.account.id)
        return (
            SignedIn(account: made.account, token: made.secret, message: message, device: made.device),
            identity(made.account, tokenID: token)
        )
    }

    /// Whether a sign-in by password to the account `a` takes a second factor.
    static let isHalfByPassword = "(a.has_totp OR a.has_passkey AND a.role = 'admin')"

    /// A device is new if it brings no token of its own that the account knows, and the account knows other devices.
    private static let signInSQL = """
        WITH allowed AS MATERIALIZED (
            SELECT a.id, a.has_totp, a.has_passkey,
                NOT $10::boolean AND \(isHalfByPassword) AS is_half
            FROM accounts a
            WHERE a.id = $1 AND ($4::text IS NULL OR a.password_hash = $4) AND a.disabled_at IS NULL
                AND ($9::bigint IS NULL
                    OR EXISTS (SELECT FROM passkeys p WHERE p.id = $9 AND p.account_id = a.id AND p.stopped_at IS NULL))
                AND ($12::text IS NULL OR EXISTS (SELECT FROM provider_identities p
                    WHERE p.issuer = $12 AND p.subject = $13 AND p.account_id = a.id))
            FOR SHARE
        ), signed_in AS (
            INSERT INTO tokens (account_id, hash, client, last_used_at, platform, address)
            SELECT id, $2, $3, now() + $6::int * interval '1 microsecond', $7, $8 FROM allowed WHERE NOT is_half
            RETURNING id, account_id
        ), pending AS (
            INSERT INTO pending_sign_ins (hash, account_id, expires_at)
            SELECT $2, id, now() + make_interval(secs => $11::bigint) FROM allowed WHERE is_half
        ), known AS (
            INSERT INTO known_devices AS k (account_id, hash) SELECT account_id, $5 FROM signed_in WHERE $5::bytea IS NOT NULL
            ON CONFLICT (account_id, hash) DO UPDATE SET last_used_at = now() RETURNING xmax = 0 AS is_new
        )
        SELECT (SELECT id FROM signed_in) AS id, has_totp, has_passkey,
            EXISTS (SELECT FROM recovery_codes r WHERE r.account_id = allowed.id AND r.used_at IS NULL) AS has_codes,
            EXISTS (SELECT FROM known WHERE is_new)
                AND EXISTS (SELECT FROM known_devices WHERE account_id = $1) AS is_new_device
        FROM allowed
        """
}
