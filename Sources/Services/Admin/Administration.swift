import EventLoop
import Postgres
import Wire

/// Account administration (N-3, N-7). Each action checks the admin's role in its own transaction, because the role may have changed since
/// the connection was authenticated. An actor on its loop.
public actor Administration {
    /// Largest number of accounts in a page.
    static let listedMax = 100
    static let listedDefault = 30
    /// Largest length of a search text.
    static let searchedCharactersMax = 254
    /// Largest length of a reason.
    static let reasonCharactersMax = TextLimit.adminReason.max
    static let dayMilliseconds: Int64 = 86_400_000
    /// Seconds for which a welcome link is valid: a week, so that a short absence does not invalidate it.
    static let welcomeSeconds = 604_800.0

    static let notFound = RPCError(.notFound, "there is no such account: admin.users lists them", field: "account")

    /// Sends a person the link to an account that an admin created.
    public typealias Welcoming = @Sendable (_ account: Account, _ email: String, _ path: String) async -> Void

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let accounts: Accounts
    let tracking: Tracking
    let welcome: Welcoming
    let erase: @Sendable (Int64) async throws -> Void
    let now: @Sendable () -> Timestamp

    /// Creates the service of the admin console.
    /// - Parameters:
    ///   - accounts: Revokes tokens.
    ///   - tracking: Ends sessions of disabled accounts.
    ///   - welcome: Called after the commit for each created account; the path grants setting the first password.
    ///   - erase: Erases an account after ``PersonalData/begin(_:byOwner:at:in:)``; see ``PersonalData/finish(_:keeping:)``.
    ///   - now: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, accounts: Accounts, tracking: Tracking,
        welcome: @escaping Welcoming = { _, _, _ in },
        erase: @escaping @Sendable (Int64) async throws -> Void = { _ in },
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.loop = loop
        self.database = database
        self.accounts = accounts
        self.tracking = tracking
        self.welcome = welcome
        self.erase = erase
        self.now = now
    }

    // MARK: Queries

    private static let columns = """
        \(Account.aliasedColumns), a.created_at, a.disabled_at, a.disabled_reason,
        p.first_name || coalesce(' ' || p.last_name, '') AS name, w.expires_at AS welcome_expires_at,
        (SELECT max(t.last_used_at) FROM tokens t WHERE t.account_id = a.id AND t.last_used_at > t.created_at) AS last_used_at
        FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id LEFT JOIN welcomes w ON w.account_id = a.id
        """

    private static let listSQL = """
        SELECT \(columns)
        WHERE ($1::bigint IS NULL OR a.id < $1) AND ($2::text IS NULL OR a.role = $2)
            AND ($3::boolean IS NULL OR (a.disabled_at IS NOT NULL) = $3) AND ($4::text IS NULL OR a.email_key = $4)
            AND NOT EXISTS (SELECT FROM unnest($5::text[]) AS word WHERE NOT (
                a.username ILIKE word OR coalesce(p.first_name || coalesce(' ' || p.last_name, ''), '') ILIKE word))
        ORDER BY a.id DESC LIMIT $6
        """

    /// Returns a page of accounts, newest first. A search for a complete email address finds its account; partial addresses find nothing,
    /// so that addresses cannot be guessed letter by letter.
    /// - Throws: ``Wire/RPCError`` `invalidParams`, ``Postgres/PostgresError``.
    public func users(_ params: AdminUsers.Params) async throws -> AdminUsers.Result {
        let limit = try Inputs.limit(params.limit, max: Self.listedMax, default: Self.listedDefault)
        let text = try Inputs.text(params.text, "text", charactersMax: Self.searchedCharactersMax)
        let isAddress = text.contains("@")
        let rows = try await database.query(
            Self.listSQL,
            [
                .optional(params.before), .optional(params.role?.rawValue),
                .optional(params.state.map { $0 == .disabled }),
                .optional(isAddress ? Inputs.key(text) : nil),
                .textArray(isAddress ? [] : Patterns.like(text)), .int(Int64(limit) + 1),
            ])
        let users = try rows.prefix(limit).map(Self.user)
        return AdminUsers.Result(users: users, next: rows.count > limit ? users.last?.id : nil)
    }

    /// Counts of an account. Only sessions of past days are counted, because a change of the count during a day would reveal a private or
    /// hidden session. Drafts of events are not counted. Reports about the caller `$3` are not counted.
    private static let detailSQL = """
        SELECT (SELECT count(*) FROM tokens t WHERE t.account_id = $1 AND t.revoked_at IS NULL) AS devices,
            (SELECT count(*) FROM sessions s WHERE s.account_id = $1 AND s.state = 'finished' AND s.ended_at < $2) AS sessions,
            (SELECT count(*) FROM buddies b WHERE b.low_id = $1 OR b.high_id = $1) AS buddies,
            (SELECT count(*) FROM events e WHERE e.owner_id = $1 AND e.state <> 'draft') AS events,
            (SELECT count(*) FROM reports r WHERE r.reported_id = $1 AND r.reported_id <> $3) AS about,
            (SELECT count(*) FROM reports r WHERE r.reported_id = $1 AND r.reported_id <> $3 AND r.closed_at IS NULL) AS open_about,
            (SELECT count(*) FROM reports r WHERE r.reporter_id = $1 AND r.reported_id <> $3) AS made
        """

    /// Returns one account with its counts, and records the access in the audit log.
    /// - Throws: ``notFound``, ``Postgres/PostgresError``.
    public func user(_ params: AccountParams, by identity: Identity) async throws -> AdminUserGet.Result {
        let today = now().milliseconds / Self.dayMilliseconds * Self.dayMilliseconds
        let (row, counts) = try await database.transaction { transaction in
            let rows = try await transaction.query("SELECT \(Self.columns) WHERE a.id = $1", [.int(params.account)])
            let counted = try await transaction.query(
                Self.detailSQL, [.int(params.account), .timestamp(today), .int(identity.account.id)])
            guard let row = rows.first, let counts = counted.first else { throw Self.notFound }
            let subject = AuditEntry.Subject(kind: "user", id: params.account, name: try row.text("username"))
            try await AuditLog.record(.init("user.view", subject: subject), by: identity, in: transaction)
            return (row, counts)
        }
        let isTracking = await tracking.hub.sessions.isOnMap(params.account)
        func count(_ name: String) throws -> Int { Int(try counts.int(name)) }
        return AdminUserGet.Result(
            user: try Self.user(row), devices: try count("devices"), sessions: try count("sessions"),
            tracking: isTracking, buddies: try count("buddies"), events: try count("events"),
            reportsAbout: try count("about"), openReportsAbout: try count("open_about"), reportsBy: try count("made"),
            disabledAt: try row.optionalTimestamp("disabled_at").map { Timestamp(milliseconds: $0) },
            disabledReason: try row.optionalText("disabled_reason"),
            welcomeExpiresAt: try row.optionalTimestamp("welcome_expires_at").map { Timestamp(milliseconds: $0) })
    }

    func listed(_ account: Int64) async throws -> AdminUser {
        let rows = try await database.query("SELECT \(Self.columns) WHERE a.id = $1", [.int(account)])
        guard let row = rows.first else { throw Self.notFound }
        return try Self.user(row)
    }

    private static func user(_ row: PostgresRow) throws -> AdminUser {
        guard let role = Role(rawValue: try row.text("role")) else {
            throw PostgresError.decoding(column: "role", expected: "a role")
        }
        return AdminUser(
            id: try row.int("id"), username: try row.text("username"), name: try row.optionalText("name"),
            email: masked(try row.text("email")), role: role,
            state: try row.optionalTimestamp("disabled_at") == nil ? .active : .disabled,
            invited: try row.optionalTimestamp("welcome_expires_at") != nil, simulated: try row.bool("simulated"),
            createdAt: Timestamp(milliseconds: try row.timestamp("created_at")),
            confirmBy: try row.optionalTimestamp("confirm_by").map { Timestamp(milliseconds: $0) },
            lastUsedAt: try row.optionalTimestamp("last_used_at").map { Timestamp(milliseconds: $0) })
    }

    /// Masked email address (U-8): first letter and domain.
    static func masked(_ email: String) -> String {
        let parts = email.split(separator: "@", maxSplits: 1)
        guard parts.count == 2, let first = parts[0].first else { return "•••" }
        return "\(first)•••@\(parts[1])"
    }

    // MARK: Actions

    /// An account as read under its lock.
    struct Known: Sendable {
        let account: Account
        let isDisabled: Bool

        var subject: AuditEntry.Subject { .init(kind: "user", id: account.id, name: account.username) }
    }

    /// Performs an action on an account under the locks of the account and the caller, taken in order of id, so that two admins who act
    /// on each other do not deadlock.
    /// - Throws: `forbidden` if the caller is no longer an admin, ``notFound``, ``Accounts/lastAdmin``, ``Postgres/PostgresError``.
    func act<T: Sendable>(
        on account: Int64, by identity: Identity, _ body: @Sendable (Known, PostgresTransaction) async throws -> T
    ) async throws -> T {
        do {
            return try await database.transaction { transaction in
                let known = try await Self.lock([account, identity.account.id], transaction)
                guard let actor = known[identity.account.id], actor.account.role == .admin, !actor.isDisabled else {
                    throw Identity.noAdmin
                }
                guard let target = known[account] else { throw Self.notFound }
                try await identity.requireValidToken(in: transaction)
                return try await body(target, transaction)
            }
        } catch let error as PostgresError where error.constraint == Accounts.lastAdminConstraint {
            throw Accounts.lastAdmin
        }
    }

    private static func lock(_ accounts: [Int64], _ transaction: PostgresTransaction) async throws -> [Int64: Known] {
        let rows = try await transaction.query(
            """
            SELECT \(Account.columns), disabled_at IS NOT NULL AS is_disabled FROM accounts
            WHERE id = ANY ($1::bigint[]) ORDER BY id FOR NO KEY UPDATE
            """, [.intArray(accounts)])
        var known: [Int64: Known] = [:]
        for row in rows {
            let account = try Account(row: row)
            known[account.id] = Known(account: account, isDisabled: try row.bool("is_disabled"))
        }
        return known
    }
}
