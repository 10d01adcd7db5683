import EventLoop
import Postgres
import Wire

/// The authenticated caller of a request.
public struct Identity: Sendable, Equatable {
    /// The caller's account, as it was at authentication.
    public let account: Account
    /// Id of the token that authenticated the request.
    public let tokenID: Int64
    /// Network address of the request, for the audit log; nil if unknown.
    public var address: String?
    /// Whether the server requires a second factor of admins.
    public let adminsNeedFactor: Bool

    public init(account: Account, tokenID: Int64, address: String? = nil, adminsNeedFactor: Bool = false) {
        self.account = account
        self.tokenID = tokenID
        self.address = address
        self.adminsNeedFactor = adminsNeedFactor
    }
}

extension Identity {
    /// Whether what is for the campus is open to the account: not to a provisional one (T-1).
    public var isOfCampus: Bool { account.confirmBy == nil }

    /// Whether the account lacks the second factor that the server requires of it. What admins may do is then closed to it.
    public var lacksSecondFactor: Bool { adminsNeedFactor && account.role == .admin && !account.hasSecondFactor }

    /// Whether what admins may do is open to the account.
    var isAdmin: Bool { account.role == .admin && !lacksSecondFactor }

    /// The caller with the account as it is now.
    public func with(_ account: Account) -> Identity {
        Identity(account: account, tokenID: tokenID, address: address, adminsNeedFactor: adminsNeedFactor)
    }

    /// - Throws: ``Wire/MethodAccess/needsConfirmedAddress`` for a provisional account.
    func requireConfirmedAddress() throws {
        guard isOfCampus else { throw MethodAccess.needsConfirmedAddress }
    }
}

/// Registration, sign-in and devices (U-1, U-2, N-3). An actor on its loop; password hashing runs on workers.
public actor Accounts {
    /// Largest number of signed-in devices of an account; a further one signs out the least recently used.
    public static let devicesMax = 20
    /// Largest number of recently revoked tokens in one announcement.
    static let announcedMax: Int64 = 10_000
    /// Days for which nobody else can take a former username. The function `username_held` has the same number.
    public static let usernameHeldDays = 90
    /// Days without use after which a token is invalid.
    static let tokenIdleDays: Int64 = 180

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Locks accounts in ascending order of id. Transactions about the same pair of accounts therefore run one after the other, without
    /// deadlock, and each sees the effects of the previous one.
    static let lock = "SELECT id FROM accounts WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE"

    let database: PostgresPool
    nonisolated let passwords: Passwords
    /// Outbox of mails; nil if the server sends no mail.
    let mail: AccountMailOutbox?
    /// Domains of the addresses that may register; empty admits all.
    let domains: EmailDomains
    /// Requirements of new passwords.
    let policy: PasswordPolicy
    /// Whether admins need a second factor.
    public nonisolated let adminsNeedFactor: Bool
    private let simulationKeyHash: [UInt8]?
    var failures: SignInThrottle
    /// Failed guesses of the simulation key, by address.
    private var simulationFailures: Throttle
    private let lookups: TokenLookups
    private var onRevoked: @Sendable ([Revocation]) -> Void = { _ in }
    private var announce: @Sendable ([Int64], SignOutCause) -> Void = { _, _ in }
    private(set) var cutViewers: @Sendable (RevokedGrants) async -> Void = { _ in }
    private(set) var hiddenEnds: @Sendable (Int64) async throws -> [Int64: Timestamp] = { _ in [:] }

    /// - Parameters:
    ///   - simulationKey: Secret that permits creating accounts for recordings and samples; nil permits none.
    ///   - mail: Outbox of mails to owners; nil if the server sends no mail. With it, accounts register provisionally.
    ///   - domains: Domains of the addresses that may register.
    ///   - policy: Requirements of new passwords.
    ///   - adminsNeedFactor: Whether what admins may do is closed to admins without a second factor.
    ///   - monotonic: Monotonic clock for waits, in nanoseconds.
    public init(
        loop: EventLoop, database: PostgresPool, passwords: Passwords = Passwords(), simulationKey: String?,
        mail: AccountMailOutbox? = nil, domains: EmailDomains = EmailDomains(),
        policy: PasswordPolicy = PasswordPolicy(), adminsNeedFactor: Bool = false,
        monotonic: @escaping @Sendable () -> UInt64 = { EventLoop.nowNanoseconds }
    ) {
        failures = SignInThrottle(now: monotonic)
        simulationFailures = Throttle(
            freeFailures: SignInThrottle.sourceFreeFailures, waitSecondsMax: SignInThrottle.sourceWaitSecondsMax,
            now: monotonic)
        self.loop = loop
        self.database = database
        lookups = TokenLookups(loop: loop, database: database)
        self.passwords = passwords
        self.mail = mail
        self.domains = domains
        self.policy = policy
        self.adminsNeedFactor = adminsNeedFactor
        simulationKeyHash = simulationKey.map(Secrets.hash)
    }

    /// Sets the handler that closes the connections of revoked tokens.
    public func setRevocationHandler(_ handler: @escaping @Sendable ([Revocation]) -> Void) { onRevoked = handler }

    /// Sets the handler that announces tokens revoked on this node to the other nodes, by id.
    public func setRevocationAnnouncer(_ handler: @escaping @Sendable ([Int64], SignOutCause) -> Void) {
        announce = handler
    }

    /// Sets the handler that ends the subscriptions made by revoked links and shares, on all nodes.
    public func setViewerRevoker(_ handler: @escaping @Sendable (RevokedGrants) async -> Void) { cutViewers = handler }

    /// Sets the function that returns an account's shares whose owner's location is hidden, each with the time at which its viewers would
    /// learn of an end now.
    public func setHiddenEnds(_ handler: @escaping @Sendable (Int64) async throws -> [Int64: Timestamp]) {
        hiddenEnds = handler
    }

    // MARK: Registration and sign-in

    /// Creates an account and signs it in. With an outbox the account is provisional, and gets a mail with a code; then the address is not
    /// compared with those of other accounts, so that neither the answer nor its time discloses which addresses have accounts.
    /// - Parameters:
    ///   - address: The peer's network address, for rate limiting.
    ///   - client: The client program.
    ///   - byOperator: Whether a reserved user name is permitted and the address counts as confirmed.
    ///   - isSeen: Whether the owner continues on this connection; otherwise the account counts as seen from the first use of its token.
    /// - Throws: ``Wire/RPCError`` with the messages of U-1.
    public func register(
        _ params: AccountRegister.Params, address: String, client: ClientDescription, byOperator: Bool = false,
        isSeen: Bool = true
    ) async throws -> (SignedIn, Identity) {
        let valid = try Registration.validate(params, policy)
        if !byOperator { try Registration.requireUnreserved(valid.username) }
        let simulated = try checkSimulationKey(params.simulationKey, address: address)
        if !byOperator, !simulated { try domains.require(valid.email) }
        let mail = byOperator || simulated ? nil : mail
        try await requireFree(valid.username, valid.email, isProvisional: mail != nil)
        let hash = try await passwords.hash(valid.password, cost: simulated ? .simulated : nil)
        let account: Account
        do {
            account = try await database.transaction { transaction in
                let rows = try await transaction.query(
                    """
                    INSERT INTO accounts
                        (username, username_key, email, email_key, email_confirmed_at, confirm_by, password_hash, simulated)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING \(Account.columns)
                    """,
                    [
                        .text(valid.username), .text(Inputs.key(valid.username)), .text(valid.email),
                        .text(Inputs.key(valid.email)),
                        .optional(timestamp: byOperator ? Timestamp.now.milliseconds : nil),
                        .optional(timestamp: mail?.confirmBy.milliseconds), .text(hash), .bool(simulated),
                    ])
                let account = try Self.account(rows)
                _ = try await mail?.requestConfirmation(of: valid.email, for: account.id, in: transaction)
                return account
            }
        } catch let error as PostgresError where error.isUniqueViolation {
            throw Self.taken(error)
        }
        return try await signIn(
            account, client: client, device: params.device, message: Registration.success, proof: .password(hash: hash),
            isSeen: isSeen)
    }

    /// - Parameter isProvisional: Whether the account does not own its address yet.
    func requireFree(_ username: String, _ email: String, isProvisional: Bool = false) async throws {
        let rows = try await database.query(
            """
            SELECT email_key = $1 AND confirm_by IS NULL AS email_taken FROM accounts
            WHERE email_key = $1 AND confirm_by IS NULL AND NOT $3 OR username_key = $2
            UNION ALL SELECT false FROM username_changes c WHERE c.username_key = $2
                AND c.changed_at > now() - interval '\(Self.usernameHeldDays) days'
            ORDER BY email_taken DESC LIMIT 1
            """, [.text(Inputs.key(email)), .text(Inputs.key(username)), .bool(isProvisional)])
        guard let row = rows.first else { return }
        throw try row.bool("email_taken") && !isProvisional ? Registration.emailTaken : Registration.usernameTaken
    }

    /// Error for an account that violates a unique constraint.
    static func taken(_ error: PostgresError) -> RPCError {
        error.constraint == addressConstraint ? Registration.emailTaken : Registration.usernameTaken
    }

    static let addressConstraint = "accounts_address"

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
    /// Error where a password is needed and the account, which a provider's sign-in made, has none.
    static let noPassword = RPCError(
        .invalidCredentials,
        #"your account has no password yet: set one by "Forgot your password?" on the log-in page first"#,
        field: "password")
    static let identityGone = RPCError(
        .notFound, "this sign-in is not connected with the account any more: log in another way", field: "ticket")
    /// The `field` of `unauthenticated` for a disabled account; for all other causes it is `token`.
    static let disabledField = "account"
    static let disabled = RPCError(.rejected, "This account is disabled, please contact an admin")
    static let accountUnavailable = RPCError(.forbidden, "your account is disabled or gone: contact an admin")

    /// The words that U-2 demands. They do not say whether there is such an account.
    static let wrongCredentials = RPCError(.invalidCredentials, "Incorrect email and/or password")

    /// Signs out the least recently used devices beyond the limit, and forgets the least recently used known devices beyond theirs.
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

    /// Returns the identity that a token authenticates.
    /// - Parameters:
    ///   - client: Program that uses the token from now on; nil leaves the description as it is.
    ///   - recordsUse: False for a single request of many: the last use is then recorded at most once a minute, so that a script does not
    ///     cause a write per request.
    /// - Throws: ``Wire/RPCError`` `unauthenticated` for a token that is unknown, revoked or expired; `field` is `account` for a disabled
    ///   account, otherwise `token`.
    public func authenticate(
        token: String, client: ClientDescription? = nil, recordsUse: Bool = true
    ) async throws -> Identity {
        try await lookups.find(Secrets.hash(token), client: client, recordsUse: recordsUse, isolation: self)
    }

    nonisolated func identity(_ account: Account, tokenID: Int64) -> Identity {
        Identity(account: account, tokenID: tokenID, adminsNeedFactor: adminsNeedFactor)
    }

    /// The account's signed-in devices, most recently used first.
    public func devices(of identity: Identity) async throws -> [AccountDevices.Device] {
        let rows = try await database.query(
            """
            SELECT id, client, platform, address, created_at, last_used_at FROM tokens
            WHERE account_id = $1 AND revoked_at IS NULL ORDER BY last_used_at DESC, id DESC LIMIT $2
            """,
            [.int(identity.account.id), .int(Int64(Self.devicesMax))])
        return try rows.map { row in
            let id = try row.int("id")
            return AccountDevices.Device(
                id: id, client: try row.text("client"), platform: try row.optionalText("platform"),
                address: try row.optionalText("address"),
                createdAt: Timestamp(milliseconds: try row.timestamp("created_at")),
                lastUsedAt: Timestamp(milliseconds: try row.timestamp("last_used_at")),
                current: id == identity.tokenID)
        }
    }

    /// Signs out one device, by default the caller's.
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

    /// Passes tokens that any process revoked within the last minute to the revocation handler. The command `campanile user
    /// reset-password` thus closes connections of a running server too. Repeated announcements are harmless.
    public func announceRevoked() async throws {
        let rows = try await database.query(
            """
            SELECT t.id, a.role, a.disabled_at IS NOT NULL AS is_disabled FROM tokens t JOIN accounts a ON a.id = t.account_id
            WHERE t.revoked_at > now() - interval '1 minute' ORDER BY t.revoked_at DESC LIMIT $1
            """, [.int(Self.announcedMax)])
        if !rows.isEmpty { onRevoked(try rows.map(Revocation.init)) }
    }

    /// Passes those of the given tokens that are no longer valid to the revocation handler, whenever they were revoked.
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

    /// Prefix of a statement that changes several tokens of an account. It serialises such statements: two that lock the rows in
    /// different orders could deadlock.
    private static let owner =
        "WITH owner AS MATERIALIZED (SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE)"

    @discardableResult
    func revoke(
        _ sql: String, _ parameters: [PostgresValue], _ cause: SignOutCause = .signedOut
    ) async throws -> Int {
        let ids = try await database.query(sql, parameters).map { try $0.int("id") }
        announceRevocation(ids, cause)
        return ids.count
    }

    /// Closes the connections of tokens whose revocation is committed, on all nodes.
    public func announceRevocation(_ ids: [Int64], _ cause: SignOutCause) {
        guard !ids.isEmpty else { return }
        onRevoked(ids.map { Revocation(token: $0, cause: cause) })
        announce(ids, cause)
    }

    func hashForReset(_ password: String) async throws -> String { try await passwords.hash(password) }

    static func account(_ rows: PostgresRows) throws -> Account {
        guard let row = rows.first else { throw RPCError(.internalError, "the account cannot be read") }
        return try Account(row: row)
    }
}

extension Account {
    /// Columns of `accounts` that ``init(row:)`` reads.
    static let columns = """
        id, username, email, role, simulated, email_confirmed_at, confirm_by, picture_id,
        has_passkey OR has_totp AS has_factor
        """
    /// The same with the alias `a` of the table.
    static let aliasedColumns = """
        a.id, a.username, a.email, a.role, a.simulated, a.email_confirmed_at, a.confirm_by, a.picture_id,
        a.has_passkey OR a.has_totp AS has_factor
        """

    init(row: PostgresRow) throws {
        guard let role = Role(rawValue: try row.text("role")) else {
            throw RPCError(.internalError, "the account cannot be read")
        }
        self.init(
            id: try row.int("id"), username: try row.text("username"), role: role, email: try row.text("email"),
            isEmailConfirmed: try row.optionalTimestamp("email_confirmed_at") != nil,
            confirmBy: try row.optionalTimestamp("confirm_by").map { Timestamp(milliseconds: $0) },
            hasSecondFactor: try row.bool("has_factor"),
            simulated: try row.bool("simulated"),
            picture: try row.optionalUUID("picture_id").map { "/pictures/\($0)" } ?? Self.defaultPicture)
    }
}
