import EventLoop
import Postgres
import Wire

/// Blocks and reports. An actor on its loop.
public actor Safety {
    /// Blocks of one account that hold at a time.
    public static let blocksMax = 1_000

    /// The loop it runs on.
    public nonisolated let loop: EventLoop
    /// The service runs on its loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let people: People
    let events: BuddyEvents
    let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - events: Who is told of blocks, of what ends with them, and of reports.
    ///   - now: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, events: BuddyEvents = BuddyEvents(),
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.loop = loop
        self.database = database
        self.events = events
        self.now = now
        people = People(database: database)
    }

    // MARK: Blocking

    private struct Blocked: Sendable {
        let closed: Int64?
        /// Conversation and account of invitations that were taken back.
        let uninvited: [(Int64, Int64)]
    }

    /// Blocks somebody, both ways. Harmless when repeated. A match ends, its conversation too, and invitations of one to the other
    /// are taken back. The other is not told.
    /// - Throws: ``Wire/RPCError``: `invalidParams` for oneself, `notFound`, `conflict` after ``blocksMax``.
    public func block(_ identity: Identity, _ params: AccountParams) async throws -> SafetyBlock.Result {
        let pair = Pair(identity.account.id, params.account)
        guard pair.one != pair.other else { throw RPCError.invalid("account", "is your own: block somebody else") }
        let time = now()
        let done = try await database.transaction { try await Self.block(pair, $0, at: time) }
        // Told even when it held already: a server that stopped before it told the hub makes good for it.
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
            PostgresStatement(Buddies.lock, [.intArray(pair.accounts)]),
            PostgresStatement(
                """
                SELECT count(*) AS count, count(*) FILTER (WHERE blocked_id = $2) AS same FROM blocks
                WHERE blocker_id = $1 AND is_on
                """, parameters),
        ])
        guard answers[0].count == 2 else { throw RPCError(.notFound, "there is no such account", field: "account") }
        let isNew = try answers[1].first?.int("same") == 0
        guard try !isNew || answers[1].first?.int("count") ?? 0 < blocksMax else {
            throw RPCError(.conflict, "you block \(blocksMax) accounts: unblock one first")
        }
        if isNew {
            _ = try await transaction.query(
                """
                INSERT INTO blocks (blocker_id, blocked_id, changed_at) VALUES ($1, $2, now())
                ON CONFLICT (blocker_id, blocked_id)
                DO UPDATE SET is_on = true, version = nextval('block_versions'), changed_at = now()
                """, parameters)
        }
        let closed = try await Buddies.part(pair, transaction, at: time)
        let answer = try await transaction.batch([
            // An acceptance is taken back. What the other decided stays: sent again, it must not tell of the block.
            PostgresStatement(
                "UPDATE buddy_decisions SET accepts = false WHERE account_id = $1 AND other_id = $2", parameters),
            // The row stays: it says where the two met, for reports.
            PostgresStatement(
                """
                UPDATE members SET state = 'left', since = $3 WHERE state = 'invited'
                    AND ((account_id = $1 AND invited_by = $2) OR (account_id = $2 AND invited_by = $1))
                RETURNING conversation_id, account_id
                """, parameters + [.timestamp(time.milliseconds)]),
        ])
        return Blocked(
            closed: closed,
            uninvited: try answer[1].map { (try $0.int("conversation_id"), try $0.int("account_id")) })
    }

    /// Lifts one's own block; that of the other, should there be one, stays. Harmless when repeated.
    public func unblock(_ identity: Identity, _ params: AccountParams) async throws -> SafetyUnblock.Result {
        let pair = Pair(identity.account.id, params.account)
        _ = try await database.transaction { transaction in
            try await transaction.batch([
                PostgresStatement(Buddies.lock, [.intArray(pair.accounts)]),
                PostgresStatement(
                    """
                    UPDATE blocks SET is_on = false, version = nextval('block_versions'), changed_at = now()
                    WHERE blocker_id = $1 AND blocked_id = $2 AND is_on
                    """, [.int(pair.one), .int(pair.other)]),
            ])
        }
        // The hub knows the directions: that of the other, should there be one, holds on there as well.
        await events.blockChanged(pair.one, pair.other, false)
        return params
    }

    /// Whom one blocked, newest first.
    public func blocked(_ identity: Identity) async throws -> SafetyBlocked.Result {
        let viewer = identity.account.id
        let rows = try await database.query(
            """
            SELECT blocked_id, changed_at FROM blocks WHERE blocker_id = $1 AND is_on
            ORDER BY changed_at DESC, blocked_id DESC LIMIT $2
            """, [.int(viewer), .int(Int64(Self.blocksMax))])
        let people = try await people.people(try rows.map { try $0.int("blocked_id") }, seenBy: viewer)
        return SafetyBlocked.Result(
            blocked: try rows.compactMap { row in
                guard let person = people[try row.int("blocked_id")] else { return nil }
                return SafetyBlocked.Blocked(
                    person: person, at: Timestamp(milliseconds: try row.timestamp("changed_at")))
            })
    }
}
