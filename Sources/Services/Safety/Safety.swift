import EventLoop
import Postgres
import Wire

/// Blocks and reports. An actor on its loop.
public actor Safety {
    /// Blocks of one account that hold at a time.
    public static let blocksMax = 1_000
    /// Changes of blocks given at once.
    static let changesMax: Int64 = 10_000
    /// A block's number is taken before it is committed, so that a lower one may become visible after a higher: what is so new is
    /// given again. Longer than a transaction takes, which the pool's time limit ends.
    static let overlapSeconds = 60.0
    /// Numbers that are looked at again: more are not taken within ``overlapSeconds`` while the limits of requests hold.
    static let overlapVersions: Int64 = 10_000

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
        let isNew: Bool
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
            PostgresStatement(
                """
                DELETE FROM members WHERE state = 'invited'
                    AND ((account_id = $1 AND invited_by = $2) OR (account_id = $2 AND invited_by = $1))
                RETURNING conversation_id, account_id
                """, parameters),
        ])
        return Blocked(
            isNew: isNew, closed: closed,
            uninvited: try answer[1].map { (try $0.int("conversation_id"), try $0.int("account_id")) })
    }

    /// Lifts one's own block; that of the other, should there be one, stays. Harmless when repeated.
    public func unblock(_ identity: Identity, _ params: AccountParams) async throws -> SafetyUnblock.Result {
        let pair = Pair(identity.account.id, params.account)
        let isHeld = try await database.transaction { transaction in
            let answers = try await transaction.batch([
                PostgresStatement(Buddies.lock, [.intArray(pair.accounts)]),
                PostgresStatement(
                    """
                    UPDATE blocks SET is_on = false, version = nextval('block_versions'), changed_at = now()
                    WHERE blocker_id = $1 AND blocked_id = $2 AND is_on
                    """, [.int(pair.one), .int(pair.other)]),
                PostgresStatement(
                    "SELECT count(*) AS count FROM blocks WHERE blocker_id = $2 AND blocked_id = $1 AND is_on",
                    [.int(pair.one), .int(pair.other)]),
            ])
            return try answers[2].first?.int("count") ?? 0 > 0
        }
        if !isHeld { await events.blockChanged(pair.one, pair.other, false) }
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

    // MARK: For the hub

    /// Whether two are to know nothing of each other, whoever blocked whom.
    public struct BlockChange: Sendable, Equatable {
        /// One of the two.
        public let one: Int64
        /// The other.
        public let other: Int64
        /// True when at least one of them blocks the other.
        public let isOn: Bool
    }

    /// Everybody who blocks somebody, once for each direction: for a server that starts. Ask for
    /// ``blocks(changedSince:)`` from ``blockVersion()`` on that was asked *before*.
    public func allBlocks() async throws -> [(Int64, Int64)] {
        try await database.query("SELECT blocker_id, blocked_id FROM blocks WHERE is_on").map {
            (try $0.int("blocker_id"), try $0.int("blocked_id"))
        }
    }

    /// The highest number that a block has now; 0 before the first.
    public func blockVersion() async throws -> Int64 {
        try await database.query("SELECT max(version) AS version FROM blocks").first?.optionalInt("version") ?? 0
    }

    /// What other servers changed: everything numbered above `version`, and, as numbers become visible out of order, what was
    /// changed within the last minute once more. To apply a change twice is harmless.
    /// - Returns: The number to ask from next time, and the pairs as they are now, at most 10,000: ask again until there is nothing
    ///   above it.
    public func blocks(changedSince version: Int64) async throws -> (version: Int64, changes: [BlockChange]) {
        let rows = try await database.query(
            """
            SELECT b.version, b.blocker_id, b.blocked_id, b.is_on OR EXISTS (SELECT FROM blocks r
                WHERE r.is_on AND r.blocker_id = b.blocked_id AND r.blocked_id = b.blocker_id) AS is_on
            FROM blocks b
            WHERE b.version > $1::bigint - $2::bigint AND (b.version > $1 OR b.changed_at > now() - make_interval(secs => $3))
            ORDER BY b.version LIMIT $4
            """,
            [.int(version), .int(Self.overlapVersions), .double(Self.overlapSeconds), .int(Self.changesMax)])
        let changes = try rows.map { row in
            BlockChange(
                one: try row.int("blocker_id"), other: try row.int("blocked_id"), isOn: try row.bool("is_on"))
        }
        return (max(version, try rows.last?.int("version") ?? version), changes)
    }
}
