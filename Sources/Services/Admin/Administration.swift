import EventLoop
import Postgres
import Wire

/// Accounts as admins look after them (N-3, N-7). Whoever acts is looked up again in the transaction that acts: who was an admin when
/// the connection came is not asked about. An actor on its loop.
public actor Administration {
    /// Accounts of a page.
    static let listedMax = 100
    static let listedDefault = 30
    /// Characters that are looked for.
    static let searchedCharactersMax = 254
    /// Characters of a reason.
    static let reasonCharactersMax = 500
    static let dayMilliseconds: Int64 = 86_400_000
    /// How long the link of a new account works: a week, so that a holiday does not end it.
    static let welcomeSeconds = 604_800.0

    static let notFound = RPCError(.notFound, "there is no such account: admin.users lists them", field: "account")

    /// Tells somebody that an admin made an account for them.
    public typealias Welcoming = @Sendable (_ account: Account, _ email: String, _ path: String) async -> Void

    /// The loop it runs on.
    public nonisolated let loop: EventLoop
    /// The service runs on its loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let accounts: Accounts
    let tracking: Tracking
    let welcome: Welcoming
    let erase: @Sendable (Int64) async throws -> Void
    let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - accounts: Whose tokens are revoked.
    ///   - tracking: Whose sessions end when an account is disabled.
    ///   - welcome: Told of each account that is made, behind the commit; the path stands for the password that is still to be set.
    ///   - erase: Erases an account for which ``PersonalData/begin(_:byOwner:at:in:)`` was called; see ``PersonalData/finish(_:keeping:)``.
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

    // MARK: Looking

    private static let columns = """
        a.id, a.username, a.email, a.role, a.simulated, a.created_at, a.disabled_at, a.disabled_reason,
        p.first_name || ' ' || p.last_name AS name, w.expires_at AS welcome_expires_at,
        (SELECT max(t.last_used_at) FROM tokens t WHERE t.account_id = a.id AND t.last_used_at > t.created_at) AS last_used_at
        FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id LEFT JOIN welcomes w ON w.account_id = a.id
        """

    private static let listSQL = """
        SELECT \(columns)
        WHERE ($1::bigint IS NULL OR a.id < $1) AND ($2::text IS NULL OR a.role = $2)
            AND ($3::boolean IS NULL OR (a.disabled_at IS NOT NULL) = $3) AND ($4::text IS NULL OR a.email_key = $4)
            AND NOT EXISTS (SELECT FROM unnest($5::text[]) AS word WHERE NOT (
                a.username ILIKE word OR coalesce(p.first_name || ' ' || p.last_name, '') ILIKE word))
        ORDER BY a.id DESC LIMIT $6
        """

    /// A page of accounts, newest first. A whole email address finds the one that has it; parts of addresses find nothing, so that
    /// addresses cannot be read letter by letter.
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

    /// Whether somebody runs, and how often they did, says where they are when it is watched: a private run, or one in a hidden place, must
    /// not show. So of sessions those of days that are over are counted. A draft is nobody's but its author's. Reports about who asks, `$3`,
    /// are in no count.
    private static let detailSQL = """
        SELECT (SELECT count(*) FROM tokens t WHERE t.account_id = $1 AND t.revoked_at IS NULL) AS devices,
            (SELECT count(*) FROM sessions s WHERE s.account_id = $1 AND s.state = 'finished' AND s.ended_at < $2) AS sessions,
            (SELECT count(*) FROM buddies b WHERE b.low_id = $1 OR b.high_id = $1) AS buddies,
            (SELECT count(*) FROM events e WHERE e.owner_id = $1 AND e.state <> 'draft') AS events,
            (SELECT count(*) FROM reports r WHERE r.reported_id = $1 AND r.reported_id <> $3) AS about,
            (SELECT count(*) FROM reports r WHERE r.reported_id = $1 AND r.reported_id <> $3 AND r.closed_at IS NULL) AS open_about,
            (SELECT count(*) FROM reports r WHERE r.reporter_id = $1 AND r.reported_id <> $3) AS made
        """

    /// One account, by figures. Each look is in the audit log.
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
        let isTracking = await tracking.hub.isOnMap(params.account)
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
            lastUsedAt: try row.optionalTimestamp("last_used_at").map { Timestamp(milliseconds: $0) })
    }

    /// An address as others may see it (U-8): the first letter and the domain.
    static func masked(_ email: String) -> String {
        let parts = email.split(separator: "@", maxSplits: 1)
        guard parts.count == 2, let first = parts[0].first else { return "•••" }
        return "\(first)•••@\(parts[1])"
    }

    // MARK: Acting

    /// An account as it is under the lock.
    struct Known: Sendable {
        let account: Account
        let isDisabled: Bool

        var subject: AuditEntry.Subject { .init(kind: "user", id: account.id, name: account.username) }
    }

    /// Does something to an account, under its lock and that of who acts; both in one order, so that two admins who act on each other do
    /// not wait for ever.
    /// - Throws: `forbidden` for who is no admin any more, ``notFound``, ``Accounts/lastAdmin``, ``Postgres/PostgresError``.
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
            SELECT id, username, email, role, simulated, disabled_at IS NOT NULL AS is_disabled FROM accounts
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
