import Hub
import Postgres
import Wire

/// Answers, saved events and invitations.
extension Events {
    /// Answers an event. Without a free place the account joins the end of the waiting list; an account that moves up as a result is
    /// notified.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func answer(_ params: EventsAnswer.Params, by identity: Identity) async throws -> Event {
        let account = identity.account.id
        let rows = try await database.query(
            "SELECT refusal, moved FROM event_answer($1, $2, $3, $4)",
            [
                .int(params.event), .int(account), .optional(params.answer?.rawValue),
                .timestamp(now().milliseconds),
            ])
        guard let row = rows.first else { throw EventError.notFound }
        if let refusal = try row.optionalText("refusal") { throw EventError.refused(refusal) }
        if try !row.intArray("moved").isEmpty { await publishPendingChanges(of: params.event) }
        let (answered, owner) = try await eventAndOwner(params.event, for: identity)
        // The signal carries counts only; if it is lost, the next request shows them.
        let signal = UserSignal(type: .event, event: params.event, news: .answered)
        await hub.signals.publish(
            Set([owner, account].compactMap(\.self)).map { AccountSignal($0, signal) }, by: account)
        return answered
    }

    /// Adds an event to the caller's saved events, or removes it.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func save(_ params: EventsSave.Params, by identity: Identity) async throws -> Event {
        let rows = try await database.query(
            """
            INSERT INTO event_people AS p (event_id, account_id, is_saved)
            SELECT e.id, $2, $3 FROM events e WHERE e.id = $1 AND event_visible(e, $2)
            ON CONFLICT (event_id, account_id) DO UPDATE SET is_saved = excluded.is_saved RETURNING p.event_id
            """, [.int(params.event), .int(identity.account.id), .bool(params.saved)])
        guard !rows.isEmpty else { throw EventError.notFound }
        return try await event(params.event, for: identity)
    }

    // MARK: Invitations

    /// Invites buddies, and joined members of the caller's groups, except accounts that the caller or the owner blocks. An account that
    /// blocks the caller is invited like others, so that the answer does not reveal the block, but it is not notified and cannot see the
    /// event. The result has a row for each named account, whether or not it was invited before, because a block withdraws invitations
    /// and a second invitation must not reveal that.
    private static let inviteSQL = """
        WITH wanted AS (
            SELECT a AS account_id FROM unnest($3::bigint[]) a
            UNION SELECT m.account_id FROM members me
                JOIN members m ON m.conversation_id = me.conversation_id AND m.state = 'joined'
                JOIN conversations c ON c.id = me.conversation_id AND c.kind = 'group' AND c.is_open
            WHERE me.conversation_id = ANY ($4::bigint[]) AND me.account_id = $2 AND me.state = 'joined'),
        named AS (
            SELECT e.id, w.account_id FROM wanted w JOIN events e ON e.id = $1
            WHERE w.account_id <> $2 AND w.account_id IS DISTINCT FROM e.owner_id AND NOT EXISTS (
                SELECT FROM blocks b WHERE b.is_on AND b.blocker_id IN ($2, e.owner_id) AND b.blocked_id = w.account_id)),
        added AS (
            INSERT INTO event_people AS p (event_id, account_id, invited_by, invited_at)
            SELECT n.id, n.account_id, $2, $5 FROM named n ORDER BY n.account_id
            ON CONFLICT (event_id, account_id) DO UPDATE SET invited_by = excluded.invited_by, invited_at = excluded.invited_at
            WHERE p.invited_at IS NULL RETURNING p.account_id)
        SELECT n.account_id, a.account_id IS NOT NULL AS is_new FROM named n LEFT JOIN added a USING (account_id) ORDER BY n.account_id
        """

    /// Invites buddies and groups to the caller's event.
    /// - Returns: Number of named accounts without the caller and accounts that the caller blocks.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func invite(_ params: EventsInvite.Params, by identity: Identity) async throws -> Int {
        let account = identity.account.id
        let accounts = Set(params.accounts ?? []).subtracting([account])
        let groups = Set(params.groups ?? [])
        guard accounts.count <= Self.invitedAtOnceMax else {
            throw RPCError.invalid("accounts", "has at most \(Self.invitedAtOnceMax) at once")
        }
        guard groups.count <= Self.groupsAtOnceMax else {
            throw RPCError.invalid("groups", "has at most \(Self.groupsAtOnceMax) at once")
        }
        guard !accounts.isEmpty || !groups.isEmpty else {
            throw RPCError.invalid("accounts", "or groups must name another person")
        }
        let at = now()
        let invited = try await database.transaction { transaction in
            try await Self.demandInvitable(params.event, by: identity, at: at, transaction)
            try await Self.demandKnown(accounts, groups, by: account, transaction)
            let rows = try await transaction.query(
                Self.inviteSQL,
                [
                    .int(params.event), .int(account), .intArray(accounts.sorted()), .intArray(groups.sorted()),
                    .timestamp(at.milliseconds),
                ])
            let count = try await transaction.query(
                "SELECT count(*) AS count FROM event_people WHERE event_id = $1 AND invited_at IS NOT NULL",
                [.int(params.event)])
            guard try count.first?.int("count") ?? 0 <= Self.invitedMax else {
                throw RPCError(.conflict, "at most \(Self.invitedMax) can be invited to an event", field: "accounts")
            }
            let invited = try rows.filter { try $0.bool("is_new") }.map { try $0.int("account_id") }
            try await Self.write(.invited, of: params.event, to: invited, by: account, transaction)
            return rows.count
        }
        await publishPendingChanges(of: params.event)
        return invited
    }

    private static func demandInvitable(
        _ event: Int64, by identity: Identity, at: Timestamp, _ transaction: PostgresTransaction
    ) async throws {
        let rows = try await transaction.query(
            """
            SELECT e.state, e.ends_at <= $3 AS is_over, e.owner_id IS DISTINCT FROM $2 AS is_others
            FROM events e WHERE e.id = $1 AND event_visible(e, $2) FOR NO KEY UPDATE OF e
            """, [.int(event), .int(identity.account.id), .timestamp(at.milliseconds)])
        guard let row = rows.first else { throw EventError.notFound }
        if try row.bool("is_others") { throw EventError.notYours }
        let state = try row.text("state")
        guard state == EventState.published.rawValue else { throw EventError.refused(state) }
        if try row.bool("is_over") { throw EventError.refused("over") }
    }

    private static func demandKnown(
        _ accounts: Set<Int64>, _ groups: Set<Int64>, by account: Int64, _ transaction: PostgresTransaction
    ) async throws {
        let rows = try await transaction.query(
            """
            SELECT (SELECT count(*) FROM unnest($2::bigint[]) a JOIN buddies b ON b.low_id = least(a, $1) AND b.high_id = greatest(a, $1))
                    AS buddies,
                (SELECT count(*) FROM members m JOIN conversations c ON c.id = m.conversation_id AND c.kind = 'group' AND c.is_open
                    WHERE m.conversation_id = ANY ($3::bigint[]) AND m.account_id = $1 AND m.state = 'joined') AS groups
            """, [.int(account), .intArray(accounts.sorted()), .intArray(groups.sorted())])
        guard try rows.first?.int("buddies") == Int64(accounts.count) else {
            throw RPCError(.forbidden, "only your buddies can be invited: buddies.list has them", field: "accounts")
        }
        guard try rows.first?.int("groups") == Int64(groups.count) else {
            throw RPCError(
                .notFound, "there is no such group, or you are not in it: chat.list has yours", field: "groups")
        }
    }
}
