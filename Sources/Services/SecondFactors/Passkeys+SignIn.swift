import Authenticators
import Postgres
import Wire

/// Signing in with a passkey, and proving that the caller owns the account.
extension Passkeys {
    static let wrongPasskey = RPCError(
        .invalidCredentials, "This passkey doesn't log in here any more. Use another one, or your password.",
        field: "passkey")
    static let stopped = RPCError(
        .rejected,
        "This passkey may have been copied, so it no longer works. Log in another way, remove it, and add a new one.",
        field: "passkey")

    /// The answer of a passkey, verified but for its counter.
    struct Answer: Sendable {
        let passkey: Int64
        let account: Account
        fileprivate let state: PasskeyPublicKey.State
        fileprivate let challenge: PasskeyChallenges.Checked
    }

    /// Counter that went back.
    private struct Copied: Error {}

    /// A challenge to sign in.
    public nonisolated func beginSignIn() -> PasskeyChallenge {
        PasskeyChallenge(challenge: challenges.make(.signIn), site: site.id)
    }

    /// A challenge for a proof of ownership.
    public func beginProof(_ identity: Identity) async throws -> PasskeyChallenge {
        let known = try await credentials(of: identity.account.id)
        guard !known.isEmpty else { throw Accounts.needsPassword }
        return PasskeyChallenge(challenge: challenges.make(.proof, for: identity), site: site.id, passkeys: known)
    }

    /// Signs in with a passkey. The authenticator has verified the person, so no second factor is needed.
    /// - Throws: ``Wire/RPCError``: `invalidParams`, `rejected`, `invalidCredentials`; ``Postgres/PostgresError``.
    public func signIn(
        _ params: AccountPasskeyLogin.Params, client: ClientDescription
    ) async throws -> (SignedIn, Identity) {
        let answer = try await verify(params.passkey, .signIn)
        let made = Accounts.NewSignIn(
            answer.account, client: client, device: params.device, proof: .passkey(id: answer.passkey))
        let token = try await use(answer) { [accounts] in
            try await Accounts.insert(made, mail: accounts.mail, in: $0)
        }
        return try await accounts.finish(made, token)
    }

    /// Confirms that a signed-in caller owns the account, by the password or a passkey: a stolen token must not suffice.
    /// - Throws: ``Wire/RPCError``: errors of ``Accounts/confirm(_:of:)`` and of ``signIn(_:client:)``; ``Postgres/PostgresError``.
    func confirm(_ proof: OwnershipProof, of identity: Identity) async throws {
        guard proof.password == nil, let passkey = proof.passkey else {
            try await accounts.confirm(proof.password, of: identity)
            return
        }
        let answer = try await verify(passkey, .proof, for: identity)
        try await use(answer) { _ in }
    }

    /// Verifies the answer of a passkey to a challenge.
    /// - Parameter identity: The caller of a proof; nil for a sign-in.
    func verify(
        _ signature: PasskeySignature, _ purpose: PasskeyChallenges.Purpose, for identity: Identity? = nil
    ) async throws -> Answer {
        let id = try Self.bytes(signature.id, "id")
        let client = try refusing {
            try PasskeyClientData(
                try Self.bytes(signature.clientDataJSON, "clientDataJSON"), for: .signIn, at: site)
        }
        let challenge = try challenges.check(client.challenge, purpose, for: identity)
        let rows = try await database.query(Self.sql, [.bytes(id)])
        guard let row = rows.first else { throw Self.wrongPasskey }
        let account = try Account(row: row)
        if let identity, identity.account.id != account.id { throw Self.wrongPasskey }
        // A sign-in names no account but by this handle; a proof may leave it out.
        let handle = try signature.userHandle.map { try Self.bytes($0, "userHandle") }
        guard handle == challenges.handle(of: account.id) || (identity != nil && handle == nil) else {
            throw Self.wrongPasskey
        }
        guard let algorithm = PasskeyPublicKey.Algorithm(rawValue: Int(try row.int("algorithm"))) else {
            throw Self.wrongPasskey
        }
        let key = PasskeyPublicKey(
            id: id, algorithm: algorithm, key: try row.bytes("public_key"),
            isBackupEligible: try row.bool("is_backup_eligible"))
        let state = try refusing {
            try key.verify(
                try Self.bytes(signature.signature, "signature"),
                of: try Self.bytes(signature.authenticatorData, "authenticatorData"), client, at: site)
        }
        // Said only to whoever has the passkey.
        if try row.optionalTimestamp("stopped_at") != nil { throw Self.stopped }
        if try row.bool("is_disabled") { throw Accounts.disabled }
        return Answer(passkey: try row.int("passkey"), account: account, state: state, challenge: challenge)
    }

    private static let sql = """
        SELECT \(Account.aliasedColumns), a.disabled_at IS NOT NULL AS is_disabled, p.id AS passkey, p.algorithm,
            p.public_key, p.is_backup_eligible, p.stopped_at
        FROM passkeys p JOIN accounts a ON a.id = p.account_id WHERE p.credential_id = $1
        """

    /// Uses an answer, once: its challenge and its counter, in the transaction of what it permits.
    @discardableResult
    func use<Value: Sendable>(
        _ answer: Answer, _ body: @escaping @Sendable (PostgresTransaction) async throws -> Value
    ) async throws -> Value {
        do {
            return try await database.transaction { transaction in
                // Accounts before tokens, in the order of every revocation.
                _ = try await transaction.query(Accounts.lock, [.intArray([answer.account.id])])
                try await Self.use(answer.challenge, in: transaction)
                let rows = try await transaction.query(
                    """
                    UPDATE passkeys p SET sign_count = $3, is_backed_up = $4, last_used_at = now()
                    FROM (SELECT id, sign_count FROM passkeys WHERE id = $1 AND account_id = $2 AND stopped_at IS NULL FOR UPDATE) old
                    WHERE p.id = old.id RETURNING $3 > old.sign_count OR $3 = 0 AND old.sign_count = 0 AS advances
                    """,
                    [
                        .int(answer.passkey), .int(answer.account.id), .int(Int64(answer.state.counter)),
                        .bool(answer.state.isBackedUp),
                    ])
                guard let row = rows.first else { throw Self.wrongPasskey }
                // The transaction does not change the counter then.
                guard try row.bool("advances") else { throw Copied() }
                return try await body(transaction)
            }
        } catch is Copied {
            try await stop(answer)
            throw Self.stopped
        }
    }

    /// Stops a passkey of which there may be two: nobody can say which one is the owner's.
    private func stop(_ answer: Answer) async throws {
        try await database.transaction { [accounts] transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([answer.account.id])])
            let rows = try await transaction.query(
                "UPDATE passkeys SET stopped_at = now() WHERE id = $1 AND stopped_at IS NULL RETURNING name",
                [.int(answer.passkey)])
            guard let row = rows.first else { return }
            try await accounts.mail?.factorChanged(
                .passkeyStopped, of: answer.account.id, detail: try row.text("name"), in: transaction)
        }
    }
}
