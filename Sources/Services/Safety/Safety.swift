import EventLoop
import Postgres
import Wire

/// Blocks and reports. An actor on its loop.
public actor Safety {
    /// Largest number of active blocks of an account.
    public static let blocksMax = 1_000
    /// Largest number of times a day that an account may block on this server, because each block reveals whether an account exists and
    /// its name.
    public static let blocksPerDayMax = 200
    /// Days for which a lifted block is kept; every server reads the table more often.
    static let liftedDaysMax = 7.0

    /// Common answer for accounts that do not exist and for those unknown to the caller.
    static let notBlockable = RPCError(
        .notFound,
        "you cannot block this account: block people who are suggested to you, or chat, share or train with you",
        field: "account")

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let people: People
    let events: BuddyHandlers
    let now: @Sendable () -> Timestamp
    private var blockings = DailyCounts(max: blocksPerDayMax)

    /// Creates the service of blocks and reports.
    /// - Parameters:
    ///   - events: Handlers of blocks, of the conversations and invitations that end with them, and of reports.
    ///   - now: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, events: BuddyHandlers = BuddyHandlers(),
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.loop = loop
        self.database = database
        self.events = events
        self.now = now
        people = People(database: database)
    }

    // MARK: Blocks

    private struct Blocked: Sendable {
        let isNew: Bool
        let closed: Int64?
        /// Conversation and account of withdrawn invitations.
        let uninvited: [(Int64, Int64)]
    }

    /// Blocks a known account, in both directions. Idempotent. A match and its conversation end, and invitations between the two are
    /// withdrawn. The other account is not notified.
    /// - Throws: ``Wire/RPCError``: `invalidParams` for the caller's own account, ``notBlockable``, `conflict` after ``blocksMax``,
    ///   `rateLimited` after ``blocksPerDayMax``.
    public func block(_ identity: Identity, _ params: AccountParams) async throws -> SafetyBlock.Result {
        let pair = Pair(identity.account.id, params.account)
        guard pair.one != pair.other else { throw RPCError.invalid("account", "is your own: block another account") }
        let time = now()
        if let wait = blockings.count(pair.one, at: time) {
            throw RPCError(
                .rateLimited,
                "you blocked \(Self.blocksPerDayMax) times today: report people who bother you, and try again tomorrow",
                retryAfter: wait)
        }
        let done: Blocked
        do {
            done = try await database.transaction { try await Self.block(pair, $0, at: time) }
        } catch {
            // A refusal counts: otherwise account numbers could be tried one by one. A client repeats what fails without the database.
            if !(error is RPCError) { blockings.uncount(pair.one, at: time) }
            throw error
        }
        if !done.isNew { blockings.uncount(pair.one, at: time) }
        // Called even for an existing block, in case an earlier server stopped before it updated the hub.
        await events.blockChanged(pair.one, pair.other, true)
        if let conversation = done.closed { await events.closed(conversation, pair.accounts) }
        for (conversation, account) in done.uninvited { await events.uninvited(conversation, account) }
        return params
    }

    private static func block(_ pair: Pair, _ transaction: PostgresTransaction, at time: Timestamp) async throws
        -> Blocked
    {
        let parameters: [PostgresValue] = [.int(pair.one), .int(pair.other)]
        let answers = try await transaction.batch([
            PostgresStatement(Accounts.lock, [.intArray(pair.accounts)]),
            PostgresStatement(
                """
                SELECT count(*) AS count, count(*) FILTER (WHERE blocked_id = $2) AS same FROM blocks
                WHERE blocker_id = $1 AND is_on
                """, parameters),
        ])
        let isNew = try answers[1].first?.int("same") == 0
        if isNew {
            let known = try await transaction.query(KnownAccounts.name, KnownAccounts.parameters(of: pair, at: time))
            guard let name = try known.first?.optionalText("name") else { throw notBlockable }
            guard try answers[1].first?.int("count") ?? 0 < blocksMax else {
                throw RPCError(.conflict, "you block \(blocksMax) accounts: unblock one first")
            }
            _ = try await transaction.query(
                """
                INSERT INTO blocks (blocker_id, blocked_id, changed_at, name) VALUES ($1, $2, now(), $3)
                ON CONFLICT (blocker_id, blocked_id) DO UPDATE SET is_on = true, version = nextval('block_versions'),
                    changed_at = now(), name = excluded.name
                """, parameters + [.text(name)])
        }
        let closed = try await Buddies.part(pair, transaction, at: time)
        let answer = try await transaction.batch([
            // Withdraws an acceptance. The other's decision stays, because a changed answer to its repetition would reveal the block.
            PostgresStatement(
                "UPDATE buddy_decisions SET accepts = false WHERE account_id = $1 AND other_id = $2", parameters),
            // Keeps the row, which records for reports that the two were in contact.
            PostgresStatement(
                """
                UPDATE members SET state = 'left', since = $3 WHERE state = 'invited'
                    AND ((account_id = $1 AND invited_by = $2) OR (account_id = $2 AND invited_by = $1))
                RETURNING conversation_id, account_id
                """, parameters + [.timestamp(time.milliseconds)]),
            PostgresStatement("SELECT event_part($1, $2)", parameters),
        ])
        return Blocked(
            isNew: isNew, closed: closed,
            uninvited: try answer[1].map { (try $0.int("conversation_id"), try $0.int("account_id")) })
    }

    /// Lifts the caller's block; a block by the other account stays. Idempotent.
    public func unblock(_ identity: Identity, _ params: AccountParams) async throws -> SafetyUnblock.Result {
        let pair = Pair(identity.account.id, params.account)
        _ = try await database.transaction { transaction in
            try await transaction.batch([
                PostgresStatement(Accounts.lock, [.intArray(pair.accounts)]),
                PostgresStatement(
                    """
                    UPDATE blocks SET is_on = false, version = nextval('block_versions'), changed_at = now()
                    WHERE blocker_id = $1 AND blocked_id = $2 AND is_on
                    """, [.int(pair.one), .int(pair.other)]),
            ])
        }
        // The hub stores both directions, so a block by the other account stays there as well.
        await events.blockChanged(pair.one, pair.other, false)
        return params
    }

    /// Lists the accounts that the caller blocks, newest first, with the names under which the caller saw them.
    public func blocked(_ identity: Identity) async throws -> SafetyBlocked.Result {
        let rows = try await database.query(
            """
            SELECT blocked_id, name, changed_at FROM blocks WHERE blocker_id = $1 AND is_on
            ORDER BY changed_at DESC, blocked_id DESC LIMIT $2
            """, [.int(identity.account.id), .int(Int64(Self.blocksMax))])
        return SafetyBlocked.Result(
            blocked: try rows.map { row in
                SafetyBlocked.Blocked(
                    person: Person(
                        account: try row.int("blocked_id"), name: try row.text("name"), gender: nil, picture: nil),
                    at: Timestamp(milliseconds: try row.timestamp("changed_at")))
            })
    }

    // MARK: Upkeep

    /// Removes old lifted blocks, and reports that are no longer needed.
    public func prune() async throws {
        _ = try await database.query(
            "DELETE FROM blocks WHERE NOT is_on AND changed_at < now() - make_interval(secs => $1)",
            [.double(Self.liftedDaysMax * Timestamp.daySeconds)])
        // Reports about or by removed accounts are deleted once they are closed (<doc:ThreatModel>).
        _ = try await database.query(
            "DELETE FROM reports WHERE closed_at < now() AND (reporter_id IS NULL OR reported_id IS NULL)")
    }
}
