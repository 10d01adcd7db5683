import Foundation
import Hub
import Postgres
import Wire

/// New live groups, and invitations. A stranger, an account that does not exist and one behind a block get the same answer.
extension Together {
    static let noSuchWorkout = RPCError(
        .notFound, "there is no such workout of yours: workouts.list has them", field: "workout")

    /// Creates a group of the caller. Idempotent by its id: a repeated request notifies people who have not answered, because the server
    /// may have stopped before it notified them.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func create(_ params: TogetherCreate.Params, by identity: Identity) async throws -> LiveGroup {
        let account = identity.account.id
        let id = try Self.id(params.id, "id")
        let workout = try Inputs.clientID(params.workout, "workout")
        let usernames = try Self.usernames(params.invite ?? [])
        let at = now()
        let stored = try await change(id) { transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            try await identity.requireValidToken(in: transaction)
            let known = try await transaction.query(
                "SELECT host_id FROM live_groups WHERE id = $1", [.uuid(id.uuidString)])
            if let row = known.first {
                guard try row.int("host_id") == account else {
                    throw RPCError(.conflict, "this id is taken: choose another UUID", field: "id")
                }
                return
            }
            try await Self.demandRoom(for: account, transaction)
            guard
                let row = try await transaction.query(
                    "SELECT plan::text AS plan FROM workouts WHERE account_id = $1 AND id = $2",
                    [.int(account), .uuid(workout)]
                ).first
            else { throw Self.noSuchWorkout }
            let json = try row.text("plan")
            let plan = try WireJSON.decode(WorkoutPlan.self, from: Array(json.utf8))
            let accounts = try await Self.invitees(usernames, params, by: account, transaction)
            guard accounts.count < LiveGroupLimits.membersMax else { throw Self.tooLarge(params) }
            _ = try await transaction.query(
                """
                INSERT INTO live_groups (id, host_id, workout_id, plan, exercises, conversation_id, event_id, created_at, active_at)
                VALUES ($1, $2, $3, $4::text::jsonb, $5, $6, $7, $8, $8)
                """,
                [
                    .uuid(id.uuidString), .int(account), .uuid(workout), .text(json),
                    .textArray(plan.exerciseIDs.sorted()), .optional(params.conversation), .optional(params.event),
                    .timestamp(at.milliseconds),
                ])
            _ = try await transaction.query(
                """
                INSERT INTO live_group_members (group_id, account_id, state, shares_zone, since)
                SELECT $1, a, CASE WHEN a = $2 THEN 'joined' ELSE 'invited' END, a = $2 AND $3, $5 FROM unnest($4::bigint[]) a
                """,
                [
                    .uuid(id.uuidString), .int(account), .bool(params.sharesZone), .intArray([account] + accounts),
                    .timestamp(at.milliseconds),
                ])
        }
        await notifyInvited(of: stored, by: account, and: [account])
        return await hub.liveGroups.rendition(of: stored, for: account)
    }

    /// Invites buddies of the host.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func invite(_ params: TogetherInvite.Params, by identity: Identity) async throws -> LiveGroup {
        let account = identity.account.id
        let id = try Self.id(params.group)
        let usernames = try Self.usernames(params.invite)
        let at = now()
        let asked = Fresh()
        let stored = try await change(id) { transaction in
            let locked = try await Self.lock(id, for: identity, transaction)
            guard locked.isHost else { throw Self.hostOnly }
            guard locked.group.endedAt == nil else { throw Self.ended }
            let accounts = try await Self.buddies(usernames, of: account, transaction)
            let known = Set(locked.group.members.map(\.account))
            guard known.union(accounts).count <= LiveGroupLimits.membersMax else { throw Self.full }
            let rows = try await transaction.query(
                """
                INSERT INTO live_group_members AS m (group_id, account_id, state, since)
                SELECT $1, a, 'invited', $3 FROM unnest($2::bigint[]) a
                ON CONFLICT (group_id, account_id) DO UPDATE SET state = 'invited', since = $3 WHERE m.state = 'left'
                RETURNING account_id
                """, [.uuid(id.uuidString), .intArray(accounts), .timestamp(at.milliseconds)])
            let invited = try rows.map { try $0.int("account_id") }
            let removed = Set(accounts).subtracting(known).subtracting(invited)
            guard removed.isEmpty else {
                throw RPCError(
                    .conflict, "one of these people was removed for good: make another live group", field: "invite")
            }
            try await Self.keepOpen(id, at: at, transaction)
            asked.set(accounts)
        }
        await notifyInvited(of: stored, by: account, among: Set(asked.accounts))
        return await hub.liveGroups.rendition(of: stored, for: account)
    }

    /// Signals and reminds people who have not answered. A reminder is sent once, however often the request is repeated.
    /// - Parameters:
    ///   - among: The accounts that the request names; nil for all.
    ///   - others: Accounts that get the signal alone.
    private func notifyInvited(
        of stored: StoredLiveGroup, by account: Int64, among: Set<Int64>? = nil, and others: [Int64] = []
    ) async {
        guard stored.endedAt == nil else { return }
        let invited = stored.members.filter { $0.state == .invited && among?.contains($0.account) != false }
            .map(\.account)
        await signal(stored.id, others + invited, by: account)
        await remind(stored.id, invited)
    }

    private static func tooLarge(_ params: TogetherCreate.Params) -> RPCError {
        let source: (words: String, field: String)? =
            if params.conversation != nil {
                ("group conversation", "conversation")
            } else if params.event != nil { ("event", "event") } else { nil }
        guard let source else { return full }
        return RPCError(
            .conflict,
            "a live group has at most \(LiveGroupLimits.membersMax) people, and with the \(source.words) it would have more: "
                + "leave it out and invite buddies by name",
            field: source.field)
    }

    // MARK: Who may be invited

    private static func usernames(_ names: [String]) throws -> [String] {
        guard names.count < LiveGroupLimits.membersMax else { throw full }
        return Array(Set(names.map { Inputs.key(Inputs.trimmed($0)) })).sorted()
    }

    static func demandRoom(for account: Int64, _ transaction: PostgresTransaction) async throws {
        let rows = try await transaction.query(
            """
            SELECT count(*) AS count FROM live_group_members m JOIN live_groups g ON g.id = m.group_id
            WHERE m.account_id = $1 AND m.state IN ('joined', 'finished') AND g.ended_at IS NULL
            """, [.int(account)])
        guard try rows.first?.int("count") ?? 0 < Int64(groupsMax) else {
            throw RPCError(.conflict, "you are in \(groupsMax) live groups: leave one first")
        }
    }

    private static func invitees(
        _ usernames: [String], _ params: TogetherCreate.Params, by account: Int64, _ transaction: PostgresTransaction
    ) async throws -> [Int64] {
        var accounts = Set(try await buddies(usernames, of: account, transaction))
        if let conversation = params.conversation {
            accounts.formUnion(try await members(of: conversation, for: account, transaction))
        }
        if let event = params.event {
            accounts.formUnion(try await participants(of: event, for: account, transaction))
        }
        return accounts.subtracting([account]).sorted()
    }

    /// Locks the buddy rows, so that a concurrent block or end of a match waits and then finds the invitation.
    private static func buddies(
        _ usernames: [String], of account: Int64, _ transaction: PostgresTransaction
    ) async throws -> [Int64] {
        guard !usernames.isEmpty else { return [] }
        let rows = try await transaction.query(
            """
            SELECT a.id FROM accounts a JOIN buddies b ON b.low_id = least(a.id, $1) AND b.high_id = greatest(a.id, $1)
            WHERE a.username_key = ANY ($2::text[]) AND a.disabled_at IS NULL AND NOT is_blocked(a.id, $1)
            ORDER BY a.id FOR KEY SHARE OF b
            """, [.int(account), .textArray(usernames)])
        guard rows.count == usernames.count else { throw notABuddy }
        return try rows.map { try $0.int("id") }
    }

    private static func members(
        of conversation: Int64, for account: Int64, _ transaction: PostgresTransaction
    ) async throws -> [Int64] {
        let rows = try await transaction.query(
            """
            SELECT u.account_id FROM members m JOIN conversations c ON c.id = m.conversation_id AND c.kind = 'group' AND c.is_open
            JOIN members u ON u.conversation_id = c.id AND u.state = 'joined'
            JOIN accounts a ON a.id = u.account_id AND a.disabled_at IS NULL
            WHERE m.conversation_id = $1 AND m.account_id = $2 AND m.state = 'joined'
                AND (u.account_id = $2 OR NOT is_blocked(u.account_id, $2))
            """, [.int(conversation), .int(account)])
        guard !rows.isEmpty else {
            throw RPCError(
                .notFound, "there is no such group conversation of yours: chat.list has them", field: "conversation")
        }
        return try rows.map { try $0.int("account_id") }
    }

    /// Participants whom `events.people` shows to the caller: all of an own event, otherwise buddies.
    private static func participants(
        of event: Int64, for account: Int64, _ transaction: PostgresTransaction
    ) async throws -> [Int64] {
        let rows = try await transaction.query(
            """
            SELECT p.account_id FROM events e
            JOIN event_people i ON i.event_id = e.id AND i.account_id = $2 AND i.answer IN ('going', 'maybe') AND NOT i.is_waiting
            JOIN event_people p ON p.event_id = e.id AND p.answer IN ('going', 'maybe') AND NOT p.is_waiting
            JOIN accounts a ON a.id = p.account_id AND a.disabled_at IS NULL
            WHERE e.id = $1 AND e.state = 'published' AND event_visible(e, $2) AND (p.account_id = $2
                OR (e.owner_id = $2 OR person_is_buddy(p.account_id, $2)) AND NOT is_blocked(p.account_id, $2))
            """, [.int(event), .int(account)])
        guard !rows.isEmpty else {
            throw RPCError(
                .notFound, "there is no such event in which you take part: events.list has them", field: "event")
        }
        return try rows.map { try $0.int("account_id") }
    }
}
