import Foundation
import Hub
import Postgres
import Wire

/// Joining, leaving and ending live groups.
extension Together {
    private static let planSQL = "SELECT plan::text AS plan, workout_id FROM live_groups WHERE id = $1"

    /// Makes the caller take part, or come back.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func join(_ params: TogetherJoin.Params, by identity: Identity) async throws -> LiveGroupJoined {
        let account = identity.account.id
        let id = try Self.id(params.group)
        let at = now()
        if !params.sharesZone { await hub.liveGroups.withdrawZone(of: account, in: id) }
        let stored = try await change(id) { transaction in
            _ = try await transaction.query(Accounts.lock, [.intArray([account])])
            let locked = try await Self.lock(id, for: identity, transaction)
            guard locked.group.endedAt == nil else { throw Self.ended }
            if !locked.member.takesPart { try await Self.demandRoom(for: account, transaction) }
            _ = try await transaction.query(
                """
                UPDATE live_group_members SET since = CASE WHEN state IN ('joined', 'finished') THEN since ELSE $4 END,
                    state = CASE state WHEN 'finished' THEN 'finished' ELSE 'joined' END, shares_zone = $3
                WHERE group_id = $1 AND account_id = $2
                    AND (state NOT IN ('joined', 'finished') OR shares_zone <> $3)
                """,
                [
                    .uuid(id.uuidString), .int(account), .bool(params.sharesZone), .timestamp(at.milliseconds),
                ])
            try await Self.keepOpen(id, at: at, transaction)
        }
        await signal(id, [account], by: account)
        guard let row = try await database.query(Self.planSQL, [.uuid(id.uuidString)]).first else {
            throw Self.notFound
        }
        let plan = try WireJSON.decode(WorkoutPlan.self, from: Array(try row.text("plan").utf8))
        return LiveGroupJoined(
            group: await hub.liveGroups.rendition(of: stored, for: account), workout: try row.uuid("workout_id"),
            plan: plan, exercises: try await exercises(of: plan, for: account))
    }

    /// Makes the caller leave, or decline. A group in which nobody takes part any more ends. Idempotent, also for others.
    /// - Throws: ``Wire/RPCError`` for an id that is no UUID, ``Postgres/PostgresError``.
    public func leave(_ params: TogetherLeave.Params, by identity: Identity) async throws -> Empty {
        let account = identity.account.id
        let id = try Self.id(params.group)
        let at = now()
        do {
            let stored = try await change(id) { transaction in
                let locked = try await Self.lock(id, for: identity, transaction)
                guard locked.group.endedAt == nil, locked.member.state != .left else { return }
                _ = try await transaction.query(
                    """
                    UPDATE live_group_members SET state = 'left', shares_zone = false, since = $3
                    WHERE group_id = $1 AND account_id = $2
                    """, [.uuid(id.uuidString), .int(account), .timestamp(at.milliseconds)])
            }
            let isOver = stored.endedAt != nil
            await signal(id, isOver ? stored.members.map(\.account) : [account], by: account)
        } catch let error as RPCError where error == Self.notFound {}
        return Empty()
    }

    /// Removes a member for good. A group in which nobody takes part any more ends. A name that is not in the group
    /// changes nothing, so that no answer reveals whether it exists.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func remove(_ params: TogetherRemove.Params, by identity: Identity) async throws -> LiveGroup {
        let account = identity.account.id
        let id = try Self.id(params.group)
        let key = Inputs.key(Inputs.trimmed(params.username))
        let at = now()
        let removed = Fresh()
        let stored = try await change(id) { transaction in
            let locked = try await Self.lock(id, for: identity, transaction)
            guard locked.isHost else { throw Self.hostOnly }
            guard Inputs.key(locked.member.username) != key else {
                throw RPCError.invalid("username", "is your own: use together.leave or together.end")
            }
            let rows = try await transaction.query(
                """
                UPDATE live_group_members m SET state = 'removed', shares_zone = false, since = $3 FROM accounts a
                WHERE m.group_id = $1 AND a.id = m.account_id AND a.username_key = $2 AND m.state <> 'removed'
                RETURNING m.account_id
                """, [.uuid(id.uuidString), .text(key), .timestamp(at.milliseconds)])
            removed.set(try rows.map { try $0.int("account_id") })
        }
        let rest = stored.endedAt == nil ? [] : stored.members.map(\.account)
        await signal(id, removed.accounts + rest, by: account)
        return await hub.liveGroups.rendition(of: stored, for: account)
    }

    /// Ends a group for all. Idempotent.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func end(_ params: TogetherEnd.Params, by identity: Identity) async throws -> Empty {
        let id = try Self.id(params.group)
        let at = now()
        let stored = try await change(id) { transaction in
            let locked = try await Self.lock(id, for: identity, transaction)
            guard locked.isHost else { throw Self.hostOnly }
            if locked.group.endedAt == nil { try await Self.end(id, at: at, transaction) }
        }
        await signal(id, stored.members.map(\.account), by: identity.account.id)
        return Empty()
    }

    private static func end(_ id: UUID, at: Timestamp, _ transaction: PostgresTransaction) async throws {
        _ = try await transaction.query(
            "UPDATE live_groups SET ended_at = greatest($2, created_at) WHERE id = $1 AND ended_at IS NULL",
            [.uuid(id.uuidString), .timestamp(at.milliseconds)])
    }

    /// Stores that people use the group, so that it does not end as idle.
    static func keepOpen(_ id: UUID, at: Timestamp, _ transaction: PostgresTransaction) async throws {
        _ = try await transaction.query(
            "UPDATE live_groups SET active_at = greatest(active_at, $2) WHERE id = $1",
            [.uuid(id.uuidString), .timestamp(at.milliseconds)])
    }

    // MARK: Trainings

    /// The plan of a group, for a training of a member. A member that has left and a group that has ended count, because a training that
    /// began without a network is sent later.
    /// - Throws: ``Wire/RPCError`` for everybody else, ``Postgres/PostgresError``.
    public func plan(of group: String, for account: Int64) async throws -> WorkoutPlan {
        let rows = try await database.query(
            """
            SELECT g.plan::text AS plan FROM live_groups g JOIN live_group_members m ON m.group_id = g.id
            WHERE g.id = $1 AND m.account_id = $2 AND m.state IN ('joined', 'finished', 'left') AND NOT is_blocked(g.host_id, $2)
            """, [.uuid(group), .int(account)])
        guard let row = rows.first else { throw Self.noSuchTogether }
        return try WireJSON.decode(WorkoutPlan.self, from: Array(try row.text("plan").utf8))
    }

    private static let noSuchTogether = RPCError(
        .notFound, "there is no such live group of yours: together.list has them", field: "together")

    /// Makes a member that had finished take part again, while it has an open training of the group.
    /// - Throws: ``Postgres/PostgresError``.
    public func begun(_ group: String, by account: Int64) async throws {
        guard let id = UUID(uuidString: group) else { return }
        do {
            try await changeMember(
                of: id,
                """
                UPDATE live_group_members m SET state = 'joined', since = $3 FROM live_groups g
                WHERE m.group_id = $1 AND m.account_id = $2 AND m.state = 'finished' AND g.id = $1 AND g.ended_at IS NULL
                    AND EXISTS (SELECT FROM trainings t WHERE t.account_id = $2 AND t.together_id = $1 AND t.ended_at IS NULL)
                """, [.uuid(id.uuidString), .int(account), .timestamp(now().milliseconds)])
        } catch let error as RPCError where error == Self.notFound {
            // The group was deleted. The training stays.
        }
    }

    /// Shows that a member has ended its training; the others go on. A member with another open training of the group still takes part.
    /// - Parameter ending: UUIDs of trainings that count as ended, because the caller is about to end or remove them.
    public func finished(_ group: String, by account: Int64, ending: [String] = []) async {
        guard let id = UUID(uuidString: group) else { return }
        do {
            try await changeMember(
                of: id,
                """
                UPDATE live_group_members m SET state = 'finished', since = $3 FROM live_groups g
                WHERE m.group_id = $1 AND m.account_id = $2 AND m.state = 'joined' AND g.id = $1 AND g.ended_at IS NULL
                    AND NOT EXISTS (SELECT FROM trainings t WHERE t.account_id = $2 AND t.together_id = $1
                        AND t.ended_at IS NULL AND t.id <> ALL ($4::text[]::uuid[]))
                """,
                [.uuid(id.uuidString), .int(account), .timestamp(now().milliseconds), .textArray(ending)])
        } catch {
            // The member ends with the group at the latest.
            if !(error is RPCError) { logFailure(error) }
        }
    }

    /// Runs a statement on members of a group under the group's lock, so that it reads the state that holds.
    private func changeMember(of id: UUID, _ statement: String, _ parameters: [PostgresValue]) async throws {
        try await change(id) { transaction in
            _ = try await transaction.query(
                "SELECT 1 FROM live_groups WHERE id = $1 FOR NO KEY UPDATE", [.uuid(id.uuidString)])
            _ = try await transaction.query(statement, parameters)
        }
    }

    // MARK: Upkeep

    /// Ends groups that nobody used for ``idleSeconds``; one of an event not before the event's end. Each server first stores which groups
    /// it has received updates of. Call it every ``idleCheckSeconds``.
    /// - Throws: ``Postgres/PostgresError``.
    public func endIdle() async throws {
        let at = now()
        let active = await hub.liveGroups.takeActive()
        for start in stride(from: 0, to: active.count, by: Int(Self.atOnceMax)) {
            let some = active[start..<min(start + Int(Self.atOnceMax), active.count)]
            _ = try await database.query(
                "UPDATE live_groups SET active_at = greatest(active_at, $2) WHERE id = ANY ($1::text[]::uuid[])",
                [.textArray(some.map(\.uuidString)), .timestamp(at.milliseconds)])
        }
        while true {
            let rows = try await database.query(
                """
                UPDATE live_groups SET ended_at = greatest($1, created_at) WHERE id = ANY (ARRAY(
                    SELECT g.id FROM live_groups g WHERE g.ended_at IS NULL AND g.active_at < $2
                        AND NOT EXISTS (SELECT FROM events e WHERE e.id = g.event_id AND e.state = 'published' AND e.ends_at > $1)
                    ORDER BY g.active_at LIMIT $3 FOR UPDATE OF g SKIP LOCKED)) RETURNING id
                """,
                [
                    .timestamp(at.milliseconds),
                    .timestamp(at.advanced(bySeconds: -Self.idleSeconds).milliseconds), .int(Self.atOnceMax),
                ])
            let ids = try rows.compactMap { UUID(uuidString: try $0.uuid("id")) }
            for stored in try await table.groups(ids) {
                await hub.liveGroups.changed(stored)
                await signal(stored.id, stored.members.map(\.account), by: stored.host)
            }
            guard Int64(rows.count) == Self.atOnceMax else { return }
        }
    }

    /// Removes groups that ended ``keptDays`` ago.
    /// - Throws: ``Postgres/PostgresError``.
    public func prune() async throws {
        let before = now().advanced(bySeconds: -Self.keptDays * Timestamp.daySeconds)
        while true {
            let rows = try await database.query(
                """
                DELETE FROM live_groups WHERE id = ANY (ARRAY(SELECT id FROM live_groups WHERE ended_at < $1 LIMIT $2
                    FOR UPDATE SKIP LOCKED))
                """, [.timestamp(before.milliseconds), .int(Self.atOnceMax)])
            guard Int64(rows.affected) == Self.atOnceMax else { return }
        }
    }
}
