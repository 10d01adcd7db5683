import EventLoop
import Postgres
import Wire

/// Who a request comes from.
public struct Identity: Sendable, Equatable {
    /// The account.
    public let account: Account
    /// The token it came with, by number.
    public let tokenID: Int64
    /// Where the request came from, for the audit log; nil where it is not known.
    public var address: String?

    /// Memberwise.
    public init(account: Account, tokenID: Int64, address: String? = nil) {
        self.account = account
        self.tokenID = tokenID
        self.address = address
    }
}

/// Registration, login, devices (U-1, U-2, N-3). An actor on its loop; hashing runs on workers.
public actor Accounts {
    /// Devices an account may be signed in on; one more signs out the one used longest ago.
    public static let devicesMax = 20
    /// Revoked tokens looked at in one go.
    static let announcedMax: Int64 = 10_000
    static let clientNameCharactersMax = 80
    /// A token that was not used for this long says hello in vain.
    static let tokenIdleDays: Int64 = 180

    /// The loop it runs on.
    public nonisolated let loop: EventLoop
    /// The service runs on its loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Locks accounts, the smaller number first, so that transactions about the same pair of accounts run one after the other and never
    /// wait for each other in a circle. Each of them sees what the one before has done.
    static let lock = "SELECT id FROM accounts WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE"

    let database: PostgresPool
    let passwords: Passwords
    private let simulationKeyHash: [UInt8]?
    var failures: SignInThrottle
    /// Of guesses at the simulation key, by address.
    private var simulationFailures: Throttle
    private let lookups: TokenLookups
    private var onRevoked: @Sendable ([Revocation]) -> Void = { _ in }
    private var announce: @Sendable ([Int64], SignOutCause) -> Void = { _, _ in }
    private(set) var cutViewers: @Sendable (RevokedGrants) async -> Void = { _ in }
    private(set) var hiddenEnds: @Sendable (Int64) async throws -> [Int64: Timestamp] = { _ in [:] }

    /// - Parameters:
    ///   - simulationKey: Who knows it may make accounts for recordings and samples; nil allows none.
    ///   - monotonic: Nanoseconds that waits are measured by.
    public init(
        loop: EventLoop, database: PostgresPool, passwords: Passwords = Passwords(), simulationKey: String?,
        monotonic: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds }
    ) {
        failures = SignInThrottle(now: monotonic)
        simulationFailures = Throttle(freeFailures: 5, waitSecondsMax: 900, now: monotonic)
        self.loop = loop
        self.database = database
        lookups = TokenLookups(loop: loop, database: database)
        self.passwords = passwords
        simulationKeyHash = simulationKey.map(Secrets.hash)
    }

    /// Sets who hears of revoked tokens, so that their connections are closed.
    public func setRevocationHandler(_ handler: @escaping @Sendable ([Revocation]) -> Void) { onRevoked = handler }

    /// Sets who tells other nodes of tokens that this one revoked, by number.
    public func setRevocationAnnouncer(_ handler: @escaping @Sendable ([Int64], SignOutCause) -> Void) {
        announce = handler
    }

    /// Sets what ends the subscriptions of those who watch by revoked links and shares, on all nodes.
    public func setViewerCutter(_ handler: @escaping @Sendable (RevokedGrants) async -> Void) { cutViewers = handler }

    /// Sets what knows of an account's shares which of them hide where it is, and when their viewers would learn of an end now.
    public func setHiddenEnds(_ handler: @escaping @Sendable (Int64) async throws -> [Int64: Timestamp]) {
        hiddenEnds = handler
    }

    // MARK: Registering and logging in

    /// Makes an account and signs it in.
    /// - Parameters:
    ///   - address: The peer's, to slow down floods.
    ///   - client: The client program's name.
    ///   - byOperator: A reserved name may be used.
    ///   - isSeen: Whether the account's owner goes on with it on this connection; otherwise the account counts as seen with
    ///     the first use of its token.
    /// - Throws: ``Wire/RPCError`` with the messages of U-1.
    public func register(
        _ params: AccountRegister.Params, address: String, client: String, byOperator: Bool = false, isSeen: Bool = true
    ) async throws -> (SignedIn, Identity) {
        let valid = try Registration.validate(params)
        if !byOperator { try Registration.requireUnreserved(valid.username) }
        let simulated = try checkSimulationKey(params.simulationKey, address: address)
        try await requireFree(valid)
        let hash = try await passwords.hash(valid.password, cost: simulated ? .simulated : nil)
        let account: Account
        do {
            let rows = try await database.query(
                """
                INSERT INTO accounts (username, username_key, email, email_key, password_hash, simulated)
                VALUES ($1, $2, $3, $4, $5, $6)
                RETURNING id, username, email, role, simulated
                """,
                [
                    .text(valid.username), .text(Inputs.key(valid.username)), .text(valid.email),
                    .text(Inputs.key(valid.email)), .text(hash), .bool(simulated),
                ])
            account = try Self.account(rows)
        } catch let error as PostgresError where error.isUniqueViolation {
            throw error.constraint == "accounts_email_key_key" ? Registration.emailTaken : Registration.usernameTaken
        }
        return try await signIn(
            account, client: client, device: params.device, message: Registration.success, ifPasswordHash: hash,
            isSeen: isSeen)
    }

    func requireFree(_ valid: Registration.Valid) async throws {
        let rows = try await database.query(
            """
            SELECT email_key = $1 AS email_taken FROM accounts
            WHERE email_key = $1 OR username_key = $2 ORDER BY email_taken DESC LIMIT 1
            """,
            [.text(Inputs.key(valid.email)), .text(Inputs.key(valid.username))])
        guard let row = rows.first else { return }
        throw try row.bool("email_taken") ? Registration.emailTaken : Registration.usernameTaken
    }

    private func checkSimulationKey(_ key: String?, address: String) throws -> Bool {
        guard let key else { return false }
        if let wait = simulationFailures.wait(for: address) { throw Self.tooOften(wait) }
        guard let simulationKeyHash, Secrets.areEqual(Secrets.hash(key), simulationKeyHash) else {
            simulationFailures.fail(address)
            throw RPCError(
                .forbidden, "the simulation key is not this server's: use the one in its data directory",
                field: "simulationKey")
        }
        return true
    }

    static let needsPassword = RPCError.invalid("password", "your own password is needed for this: type it again")
    /// What `unauthenticated` names in `field` when the account is disabled; else it is `token`.
    static let disabledField = "account"
    static let disabled = RPCError(.rejected, "This account is disabled, please contact an admin")
    static let noLonger = RPCError(.forbidden, "your account is disabled or gone: contact an admin")

    static let wrongPair = RPCError(
        .invalidCredentials, "email and password do not match: check both, or register")

    /// Signs out the devices used longest ago, and forgets such, beyond those that an account may have.
    func revokeSurplus(of account: Int64) async throws {
        try await revoke(
            """
            \(Self.owner), forgotten AS (
                DELETE FROM known_devices k USING owner WHERE k.account_id = owner.id AND k.hash IN (
                    SELECT hash FROM known_devices WHERE account_id = $1 ORDER BY last_used_at DESC, hash OFFSET $3))
            UPDATE tokens SET revoked_at = now() FROM owner WHERE tokens.id IN (
                SELECT id FROM tokens WHERE account_id = $1 AND revoked_at IS NULL
                ORDER BY last_used_at DESC, id DESC OFFSET $2)
            RETURNING tokens.id
            """, [.int(account), .int(Int64(Self.devicesMax)), .int(Self.knownDevicesMax)], .devices)
    }

    // MARK: Tokens

    /// Finds out who a token belongs to.
    /// - Parameter notesUse: False for one request of many: its use is then noted to the minute, so that a script's every
    ///   request is not a write.
    /// - Throws: ``Wire/RPCError`` `unauthenticated` for one that is unknown, revoked or long unused; `field` is `account` when it is
    ///   that of a disabled account, else `token`.
    public func authenticate(token: String, notesUse: Bool = true) async throws -> Identity {
        try await lookups.find(Secrets.hash(token), notesUse: notesUse, isolation: self)
    }

    /// Where `identity` is signed in, latest first.
    public func devices(of identity: Identity) async throws -> [AccountDevices.Device] {
        let rows = try await database.query(
            """
            SELECT id, client, created_at, last_used_at FROM tokens
            WHERE account_id = $1 AND revoked_at IS NULL ORDER BY last_used_at DESC, id DESC LIMIT $2
            """,
            [.int(identity.account.id), .int(Int64(Self.devicesMax))])
        return try rows.map { row in
            let id = try row.int("id")
            return AccountDevices.Device(
                id: id, client: try row.text("client"),
                createdAt: Timestamp(milliseconds: try row.timestamp("created_at")),
                lastUsedAt: Timestamp(milliseconds: try row.timestamp("last_used_at")),
                current: id == identity.tokenID)
        }
    }

    /// Signs out one device, this one by default.
    /// - Throws: ``Wire/RPCError`` `notFound` for a device that is not the caller's.
    public func logout(_ identity: Identity, device: Int64?) async throws -> Int {
        let count = try await revoke(
            """
            UPDATE tokens SET revoked_at = now() WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL RETURNING id
            """, [.int(device ?? identity.tokenID), .int(identity.account.id)])
        guard count > 0 else { throw RPCError(.notFound, "there is no such device", field: "device") }
        return count
    }

    /// Signs out everywhere, and revokes every other grant of the account.
    /// - Returns: The number of devices.
    public func logoutEverywhere(_ identity: Identity) async throws -> Int {
        try await revokeGrants(of: identity.account.id).tokens.count
    }

    /// Tells the handler of tokens that were revoked within the last minute, by whatever process: the operator's
    /// `campanile user reset-password` signs out connections of a running server too. Telling twice is harmless.
    public func announceRevoked() async throws {
        let rows = try await database.query(
            """
            SELECT t.id, a.role, a.disabled_at IS NOT NULL AS is_disabled FROM tokens t JOIN accounts a ON a.id = t.account_id
            WHERE t.revoked_at > now() - interval '1 minute' ORDER BY t.revoked_at DESC LIMIT $1
            """, [.int(Self.announcedMax)])
        if !rows.isEmpty { onRevoked(try rows.map(Revocation.init)) }
    }

    /// Tells the handler which of these tokens are worth nothing any more, whenever they were revoked.
    public func announceRevoked(among tokens: [Int64]) async throws {
        guard !tokens.isEmpty else { return }
        let rows = try await database.query(
            """
            SELECT asked.id, a.role, a.disabled_at IS NOT NULL AS is_disabled FROM unnest($1::bigint[]) AS asked (id)
            LEFT JOIN tokens t ON t.id = asked.id LEFT JOIN accounts a ON a.id = t.account_id
            WHERE t.id IS NULL OR t.revoked_at IS NOT NULL
            """, [.intArray(tokens)])
        if !rows.isEmpty { onRevoked(try rows.map(Revocation.init)) }
    }

    /// Put in front of a statement that changes several of an account's tokens: one at a time, or two that meet the rows in
    /// different orders wait for each other for ever (deadlock).
    private static let owner =
        "WITH owner AS MATERIALIZED (SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE)"

    @discardableResult
    private func revoke(
        _ sql: String, _ parameters: [PostgresValue], _ cause: SignOutCause = .signedOut
    ) async throws -> Int {
        let ids = try await database.query(sql, parameters).map { try $0.int("id") }
        tellRevoked(ids, cause)
        return ids.count
    }

    /// Tokens were revoked, and that is committed: their connections are closed, on the other nodes as well.
    public func tellRevoked(_ ids: [Int64], _ cause: SignOutCause) {
        guard !ids.isEmpty else { return }
        onRevoked(ids.map { Revocation(token: $0, cause: cause) })
        announce(ids, cause)
    }

    func hashForReset(_ password: String) async throws -> String { try await passwords.hash(password) }

    /// Changes the account with this address, and revokes all its grants.
    /// - Parameter setsPassword: The statement sets a password: a welcome link is not needed any more.
    func administer(
        _ sql: String, _ parameters: [PostgresValue], email: String, setsPassword: Bool = false
    ) async throws -> Account {
        let (account, revoked) = try await database.transaction { transaction in
            let rows = try await transaction.query(sql, parameters)
            guard rows.first != nil else {
                throw RPCError(.notFound, "no account has that email address", field: "email")
            }
            let account = try Self.account(rows)
            let revoked = try await RevokedGrants.revoke(of: account.id, in: transaction)
            if setsPassword {
                _ = try await transaction.query("DELETE FROM welcomes WHERE account_id = $1", [.int(account.id)])
            }
            return (account, revoked)
        }
        await cut(revoked, .signedOut)
        return account
    }

    static func account(_ rows: PostgresRows) throws -> Account {
        guard let row = rows.first else { throw RPCError(.internalError, "the account cannot be read") }
        return try Account(row: row)
    }
}

extension Account {
    init(row: PostgresRow) throws {
        guard let role = Role(rawValue: try row.text("role")) else {
            throw RPCError(.internalError, "the account cannot be read")
        }
        self.init(
            id: try row.int("id"), username: try row.text("username"), role: role, email: try row.text("email"),
            simulated: try row.bool("simulated"))
    }
}
