import Authenticators
import EventLoop
import Postgres
import Wire

/// Passkeys (WebAuthn): registration, names, removal, and the proof that a caller owns the account. libfido2 verifies signatures. An actor
/// on the hub's loop.
public actor Passkeys {
    /// Largest number of passkeys of an account.
    public static let perAccountMax = 20

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let accounts: Accounts
    nonisolated let challenges: PasskeyChallenges
    nonisolated let site: RelyingParty

    static let lateAnswer = RPCError(
        .rejected, "This took too long, or was used already. Try again.", field: "passkey")
    static let unknownPasskey = RPCError(.notFound, "there is no such passkey", field: "passkey")
    static let knownAlready = RPCError(
        .conflict, "this passkey is on an account already: use another device or password manager", field: "passkey")
    static let tooMany = RPCError(
        .conflict, "you have \(perAccountMax) passkeys: remove one first", field: "passkey")

    /// Reads the key that the servers share, or creates it.
    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - publicURL: Public base URL of the server; without one, passkeys work on `localhost` only.
    ///   - now: The server's wall clock.
    /// - Throws: ``Postgres/PostgresError``.
    public static func make(
        loop: EventLoop, database: PostgresPool, accounts: Accounts, publicURL: String?,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) async throws -> Passkeys {
        let key = try await StoredSecrets(database: database).secret("passkeys") {
            Secrets.randomBytes(Secrets.tokenBytes)
        }
        return Passkeys(
            loop: loop, database: database, accounts: accounts, challenges: PasskeyChallenges(key: key, now: now),
            site: RelyingParty(publicURL: publicURL))
    }

    private init(
        loop: EventLoop, database: PostgresPool, accounts: Accounts, challenges: PasskeyChallenges, site: RelyingParty
    ) {
        (self.loop, self.database, self.accounts) = (loop, database, accounts)
        (self.challenges, self.site) = (challenges, site)
    }

    // MARK: List

    private static let listed = "id, name, created_at, last_used_at, is_backed_up, stopped_at"

    public func list(_ identity: Identity) async throws -> AccountPasskeys.Result {
        let rows = try await database.query(
            "SELECT \(Self.listed) FROM passkeys WHERE account_id = $1 ORDER BY id LIMIT $2",
            [.int(identity.account.id), .int(Int64(Self.perAccountMax))])
        return AccountPasskeys.Result(
            passkeys: try rows.map { try Passkey($0) }, max: Self.perAccountMax, site: site.id)
    }

    /// - Throws: ``Wire/RPCError``: `invalidParams`, `notFound`; ``Postgres/PostgresError``.
    public func rename(_ params: AccountRenamePasskey.Params, by identity: Identity) async throws -> Passkey {
        let name = try Self.name(params.name)
        let rows = try await database.query(
            "UPDATE passkeys SET name = $3 WHERE id = $1 AND account_id = $2 RETURNING \(Self.listed)",
            [.int(params.passkey), .int(identity.account.id), .text(name)])
        guard let row = rows.first else { throw Self.unknownPasskey }
        return try Passkey(row)
    }

    private static func name(_ text: String) throws -> String {
        try Inputs.name(text, "name", charactersMax: TextLimit.passkeyName.max)
    }

    // MARK: Registration

    /// Returns what a browser needs to make a passkey.
    /// - Throws: ``Wire/RPCError``: errors of ``confirm(_:of:)``, ``tooMany``; ``Postgres/PostgresError``.
    public func begin(
        _ params: AccountBeginPasskey.Params, by identity: Identity
    ) async throws -> AccountBeginPasskey.Result {
        try identity.requireConfirmedAddress()
        try await confirm(params.proof, of: identity)
        let known = try await credentials(of: identity.account.id)
        guard known.count < Self.perAccountMax else { throw Self.tooMany }
        return AccountBeginPasskey.Result(
            challenge: challenges.make(.registration, for: identity), site: site.id,
            user: Secrets.base64URL(challenges.handle(of: identity.account.id)),
            algorithms: PasskeyPublicKey.Algorithm.allCases.map(\.rawValue), passkeys: known)
    }

    /// Ids of an account's passkeys that work, in base64url.
    func credentials(of account: Int64) async throws -> [String] {
        try await database.query(
            "SELECT credential_id FROM passkeys WHERE account_id = $1 AND stopped_at IS NULL ORDER BY id LIMIT $2",
            [.int(account), .int(Int64(Self.perAccountMax))]
        ).map { Secrets.base64URL(try $0.bytes("credential_id")) }
    }

    /// Adds a passkey that a browser made for the challenge of ``begin(_:by:)``, for which the caller proved to own the account. An
    /// admin's first second factor signs out the other devices.
    /// - Throws: ``Wire/RPCError``: `invalidParams`, `rejected`, ``knownAlready``, ``tooMany``; ``Postgres/PostgresError``.
    public func add(
        _ params: AccountAddPasskey.Params, by identity: Identity
    ) async throws -> AccountAddPasskey.Result {
        try identity.requireConfirmedAddress()
        let name = try Self.name(params.name)
        let (client, made) = try refusing {
            let client = try PasskeyClientData(
                try Self.bytes(params.clientDataJSON, "clientDataJSON"), for: .registration, at: site)
            return (
                client,
                try PasskeyPublicKey.register(
                    try Self.bytes(params.authenticatorData, "authenticatorData"), client, at: site)
            )
        }
        let challenge = try challenges.check(client.challenge, .registration, for: identity)
        let account = identity.account.id
        do {
            let (result, revoked) = try await database.transaction { [accounts] transaction in
                let actor = try await identity.current(.alone, in: transaction)
                try await identity.requireValidToken(in: transaction)
                try await Self.use(challenge, in: transaction)
                let rows = try await transaction.query(
                    """
                    INSERT INTO passkeys
                        (account_id, credential_id, algorithm, public_key, sign_count, is_backup_eligible, is_backed_up, name)
                    SELECT $1, $2, $3::integer, $4, $5, $6, $7, $8
                    WHERE (SELECT count(*) FROM passkeys p WHERE p.account_id = $1) < $9 RETURNING \(Self.listed)
                    """,
                    [
                        .int(account), .bytes(made.passkey.id), .int(Int64(made.passkey.algorithm.rawValue)),
                        .bytes(made.passkey.key), .int(Int64(made.state.counter)),
                        .bool(made.passkey.isBackupEligible), .bool(made.state.isBackedUp), .text(name),
                        .int(Int64(Self.perAccountMax)),
                    ])
                guard let row = rows.first else { throw Self.tooMany }
                try await accounts.mail?.factorChanged(.passkeyAdded, of: account, detail: name, in: transaction)
                let isAdmin = actor.account.role == .admin
                let result = AccountAddPasskey.Result(
                    passkey: try Passkey(row),
                    recoveryCodes: isAdmin ? try await RecoveryCode.makeIfNone(for: account, in: transaction) : nil)
                // From now on the password of an admin needs the passkey; that of others signs in as before.
                let isFirst = isAdmin && !actor.account.hasSecondFactor
                return (
                    result,
                    isFirst
                        ? try await RevokedGrants.signOutOthers(of: identity, in: transaction) : RevokedGrants()
                )
            }
            await accounts.cut(revoked, .signedOut)
            return result
        } catch let error as PostgresError where error.isUniqueViolation {
            throw Self.knownAlready
        }
    }

    /// Removes a passkey.
    /// - Throws: ``Wire/RPCError``: errors of ``confirm(_:of:)``, `notFound`, `conflict` for the only second factor of an admin who needs
    ///   one; ``Postgres/PostgresError``.
    public func remove(_ params: AccountRemovePasskey.Params, by identity: Identity) async throws {
        try await confirm(params.proof, of: identity)
        let account = identity.account.id
        try await database.transaction { [accounts] transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            try await identity.requireValidToken(in: transaction)
            let rows = try await transaction.query(
                "DELETE FROM passkeys WHERE id = $1 AND account_id = $2 RETURNING name",
                [.int(params.passkey), .int(account)])
            guard let row = rows.first else { throw Self.unknownPasskey }
            try await identity.requireFactorLeft(in: transaction)
            try await accounts.mail?.factorChanged(
                .passkeyRemoved, of: account, detail: try row.text("name"), in: transaction)
        }
    }

    // MARK: Parsing

    /// Decodes base64url.
    static func bytes(_ text: String, _ field: String) throws -> [UInt8] {
        // The longest is the client data.
        guard text.utf8.count <= 2 * PasskeyClientData.bytesMax, let bytes = Secrets.decodeBase64(text) else {
            throw RPCError.invalid(field, "must be base64url, as the browser returns it")
        }
        return bytes
    }

    /// Converts faults of an authenticator's answer to errors.
    nonisolated func refusing<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let fault as PasskeyFault {
            let text =
                switch fault {
                case .malformed, .otherOperation, .wrongBackupState, .wrongSignature:
                    "This passkey could not be verified. Try again, or use another one."
                case .otherSite: "Passkeys work at \(site.origin ?? site.id) only. Open Campanile there."
                case .notPresent, .notVerified:
                    "Your device did not check that it's you. Set up a screen lock or a PIN, and try again."
                case .unknownAlgorithm: "This kind of passkey is not supported. Use another device or password manager."
                }
            throw RPCError(.rejected, text, field: "passkey")
        }
    }

    /// Stores a challenge as used.
    /// - Throws: ``lateAnswer`` if it was used already.
    static func use(_ challenge: PasskeyChallenges.Checked, in transaction: PostgresTransaction) async throws {
        let used = try await transaction.query(
            "INSERT INTO used_challenges (digest, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            [.bytes(challenge.digest), .timestamp(challenge.expiresAt.milliseconds)])
        guard used.affected > 0 else { throw lateAnswer }
    }
}

extension Passkey {
    fileprivate init(_ row: PostgresRow) throws {
        self.init(
            id: try row.int("id"), name: try row.text("name"),
            createdAt: Timestamp(milliseconds: try row.timestamp("created_at")),
            lastUsedAt: try row.optionalTimestamp("last_used_at").map { Timestamp(milliseconds: $0) },
            isBackedUp: try row.bool("is_backed_up"),
            stoppedAt: try row.optionalTimestamp("stopped_at").map { Timestamp(milliseconds: $0) })
    }
}
