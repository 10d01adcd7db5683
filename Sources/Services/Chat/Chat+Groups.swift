import Foundation
import Hub
import Postgres
import Wire

/// Groups: membership and roles. Each change is one transaction under the lock of the conversation's row.
extension Chat {
    /// Largest number of members of a group, including invited ones.
    public static let membersMax = 100
    /// Largest number of groups that an account can be in.
    public static let groupsMax = 200
    /// Largest length of a group's name.
    static let nameCharactersMax = TextLimit.groupName.max

    private static let noSuchMember = RPCError(
        .notFound, "there is no such member in this group", field: "account")

    // MARK: Creation

    /// Creates a group owned by the caller.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func create(_ params: GroupCreate.Params, by identity: Identity) async throws -> Int64 {
        let account = identity.account.id
        let clientID = try Inputs.clientID(params.id)
        let name = try Inputs.name(params.name, "name", charactersMax: Self.nameCharactersMax)
        let invited = try Self.invited(params.invite ?? [], by: account)
        let at = now()
        let (group, isNew) = try await database.transaction { transaction in
            try await Self.lockGroups(of: account, transaction)
            let known = try await transaction.query(
                "SELECT id FROM conversations WHERE created_by = $1 AND client_id = $2",
                [.int(account), .uuid(clientID)])
            if let row = known.first { return (try row.int("id"), false) }
            try await Self.demandRoom(for: account, transaction)
            let rows = try await transaction.query(
                """
                INSERT INTO conversations (kind, name, purpose, created_by, client_id, created_at)
                VALUES ('group', $1, $2, $3, $4, $5) RETURNING id
                """,
                [
                    .text(name), .optional(params.purpose?.rawValue), .int(account), .uuid(clientID),
                    .timestamp(at.milliseconds),
                ])
            guard let group = try rows.first?.int("id") else { throw RPCError(.internalError, "no group was made") }
            _ = try await Self.join(account, group, role: .owner, at: at, transaction)
            _ = try await transaction.query(
                "UPDATE members SET is_opened = true WHERE conversation_id = $1 AND account_id = $2",
                [.int(group), .int(account)])
            _ = try await Self.invite(invited, to: group, by: account, at: at, transaction)
            return (group, true)
        }
        if isNew { await notifyMembers(of: group, by: account) }
        return group
    }

    private static func invited(_ accounts: [Int64], by account: Int64) throws -> [Int64] {
        let invited = Set(accounts).subtracting([account])
        guard invited.count < membersMax else {
            throw RPCError.invalid("accounts", "at most \(membersMax - 1) can be invited")
        }
        return invited.sorted()
    }

    /// Serialises an account's joins, so that the limit holds. Accounts are locked before conversations.
    private static func lockGroups(of account: Int64, _ transaction: PostgresTransaction) async throws {
        _ = try await transaction.query(Accounts.lock, [.intArray([account])])
    }

    private static func demandRoom(for account: Int64, _ transaction: PostgresTransaction) async throws {
        let rows = try await transaction.query(
            """
            SELECT count(*) AS count FROM members m JOIN conversations c ON c.id = m.conversation_id
            WHERE m.account_id = $1 AND m.state = 'joined' AND c.kind = 'group' AND c.is_open
            """, [.int(account)])
        guard try rows.first?.int("count") ?? 0 < Int64(groupsMax) else {
            throw RPCError(.conflict, "you are in \(groupsMax) groups: leave one first")
        }
    }

    /// Adds a member to the group and to its log.
    /// - Returns: Offset of the event in the log.
    private static func join(
        _ account: Int64, _ group: Int64, role: MemberRole?, at: Timestamp, _ transaction: PostgresTransaction
    ) async throws -> Int64 {
        let rows = try await transaction.query(
            "SELECT chat_append($1, 'joined', $2, $3, of_member => $2) AS at_offset",
            [.int(group), .int(account), .timestamp(at.milliseconds)])
        guard let offset = try rows.first?.int("at_offset") else { throw ChatError.notMember }
        _ = try await transaction.query(
            """
            INSERT INTO members (conversation_id, account_id, role, state, since, from_offset, read_offset, delivered_offset)
            VALUES ($1, $2, $3, 'joined', $4, $5 - 1, $5, $5)
            ON CONFLICT (conversation_id, account_id) DO UPDATE SET role = $3, state = 'joined', since = $4,
                from_offset = $5 - 1, read_offset = $5, delivered_offset = $5, is_opened = false, muted_until = NULL
            """,
            [
                .int(group), .int(account), .text((role ?? .member).rawValue), .timestamp(at.milliseconds),
                .int(offset),
            ])
        return offset
    }

    // MARK: Invitations

    /// Invites buddies to a group.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func invite(_ params: GroupInvite.Params, by identity: Identity) async throws -> [Int64] {
        let account = identity.account.id
        let accounts = try Self.invited(params.accounts, by: account)
        let at = now()
        let invited = try await database.transaction { transaction in
            let group = try await Self.lock(params.conversation, for: account, transaction)
            try group.demand(.owner, .admin)
            return try await Self.invite(accounts, to: params.conversation, by: account, at: at, transaction)
        }
        if !invited.isEmpty { await notifyMembers(of: params.conversation, by: account, also: invited, .inviting) }
        return invited
    }

    /// Invites buddies of the caller. A person with a block against a member is invited as well, because a refusal would reveal the
    /// block; the two do not see each other's messages.
    private static func invite(
        _ accounts: [Int64], to group: Int64, by account: Int64, at: Timestamp, _ transaction: PostgresTransaction
    ) async throws -> [Int64] {
        guard !accounts.isEmpty else { return [] }
        // Locks the buddy rows, so that a concurrent block or end of a match waits and then finds the invitation.
        let buddies = try await transaction.query(
            """
            SELECT a FROM unnest($2::bigint[]) a
            JOIN buddies b ON b.low_id = least(a, $1) AND b.high_id = greatest(a, $1) FOR KEY SHARE OF b
            """, [.int(account), .intArray(accounts)])
        guard buddies.count == accounts.count else {
            throw RPCError(.forbidden, "only your buddies can be invited: buddies.list has them", field: "accounts")
        }
        let rows = try await transaction.query(
            """
            INSERT INTO members AS m (conversation_id, account_id, role, state, invited_by, since)
            SELECT $1, a, 'member', 'invited', $2, $4 FROM unnest($3::bigint[]) a
            ON CONFLICT (conversation_id, account_id) DO UPDATE SET role = 'member', state = 'invited', invited_by = $2,
                since = $4, is_opened = false WHERE m.state = 'left'
            RETURNING account_id
            """, [.int(group), .int(account), .intArray(accounts), .timestamp(at.milliseconds)])
        let count = try await transaction.query(
            "SELECT count(*) AS count FROM members WHERE conversation_id = $1 AND state <> 'left'", [.int(group)])
        guard try count.first?.int("count") ?? 0 <= Int64(membersMax) else {
            throw RPCError(.conflict, "a group has at most \(membersMax) members, those invited included")
        }
        return try rows.map { try $0.int("account_id") }
    }

    /// Accepts or declines an invitation to a group.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func answer(_ params: GroupAnswer.Params, by identity: Identity) async throws {
        let account = identity.account.id
        let group = params.conversation
        let at = now()
        let position = try await changing(group) { transaction -> (Int64, Int64)? in
            if params.accept { try await Self.lockGroups(of: account, transaction) }
            let known = try await Self.lock(group, for: account, transaction, mayBeInvited: true)
            guard known.state == .invited else {
                if params.accept { return nil }
                throw RPCError(.conflict, "you are in this group: leave it", field: "conversation")
            }
            guard params.accept else {
                _ = try await transaction.query(
                    """
                    UPDATE members SET state = 'left', since = $3 WHERE conversation_id = $1 AND account_id = $2
                    """, [.int(group), .int(account), .timestamp(at.milliseconds)])
                return nil
            }
            try await Self.demandRoom(for: account, transaction)
            return (try await Self.join(account, group, role: nil, at: at, transaction), known.head.epoch)
        }
        if let (offset, epoch) = position {
            await publish(Self.event(.joined, by: account, at: at, about: account), at: offset, in: group, epoch: epoch)
        }
        await notifyMembers(of: group, by: account, also: [account], params.accept ? .everybody : .inviting)
        if !params.accept { await notifyRemoved(group, [account]) }
    }

    // MARK: Changes

    /// Renames a group.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func rename(_ params: GroupRename.Params, by identity: Identity) async throws -> ChatPosition {
        let account = identity.account.id
        let name = try Inputs.name(params.name, "name", charactersMax: Self.nameCharactersMax)
        let at = now()
        return try await changeGroup(params.conversation, at: at) { transaction in
            let group = try await Self.lock(params.conversation, for: account, transaction)
            try group.demand(.owner, .admin)
            guard name != group.name else { return (group.head.epoch, []) }
            _ = try await transaction.query(
                "UPDATE conversations SET name = $2 WHERE id = $1", [.int(params.conversation), .text(name)])
            var event = Self.event(.renamed, by: account, at: at, about: nil)
            event.text = name
            return (group.head.epoch, [event])
        }
    }

    /// Changes a member's role.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func setRole(_ params: GroupRole.Params, by identity: Identity) async throws -> ChatPosition {
        let account = identity.account.id
        let at = now()
        return try await changeGroup(params.conversation, at: at) { transaction in
            let group = try await Self.lock(params.conversation, for: account, transaction)
            try group.demand(.owner)
            guard params.account != account else {
                throw RPCError(.conflict, "make another member the owner first", field: "account")
            }
            guard let was = try await Self.role(of: params.account, in: params.conversation, transaction) else {
                throw Self.noSuchMember
            }
            guard was != params.role else { return (group.head.epoch, []) }
            var changes = [(params.account, params.role)]
            if params.role == .owner { changes.append((account, .admin)) }
            return (
                group.head.epoch,
                try await Self.give(changes, in: params.conversation, by: account, at: at, transaction)
            )
        }
    }

    private static func give(
        _ roles: [(account: Int64, role: MemberRole)], in group: Int64, by account: Int64, at: Timestamp,
        _ transaction: PostgresTransaction
    ) async throws -> [ChatEvent] {
        var events: [ChatEvent] = []
        for (member, role) in roles {
            _ = try await transaction.query(
                "UPDATE members SET role = $3 WHERE conversation_id = $1 AND account_id = $2",
                [.int(group), .int(member), .text(role.rawValue)])
            var event = event(.role, by: account, at: at, about: member)
            event.role = role
            events.append(event)
        }
        return events
    }

    // MARK: Leaving and removal

    /// Leaves a group. The group ends when its last member leaves.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func leave(_ params: GroupLeave.Params, by identity: Identity) async throws {
        let account = identity.account.id
        let at = now()
        _ = try await changeGroup(params.conversation, at: at) { transaction in
            let group = try await Self.lock(params.conversation, for: account, transaction)
            var events = [Self.event(.left, by: account, at: at, about: account)]
            try await Self.takeOut(account, of: params.conversation, at: at, transaction)
            let heirs = try await transaction.query(
                """
                SELECT account_id FROM members WHERE conversation_id = $1 AND state = 'joined'
                ORDER BY role = 'admin' DESC, since, account_id LIMIT 1
                """, [.int(params.conversation)])
            if let heir = try heirs.first?.int("account_id") {
                if group.role == .owner {
                    events += try await Self.give(
                        [(heir, .owner)], in: params.conversation, by: account, at: at, transaction)
                }
            } else {
                _ = try await transaction.query(
                    "UPDATE conversations SET is_open = false WHERE id = $1", [.int(params.conversation)])
            }
            return (group.head.epoch, events)
        }
        await notifyRemoved(params.conversation, [account])
    }

    /// Removes a member, or withdraws an invitation.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func remove(_ params: MemberParams, by identity: Identity) async throws -> ChatPosition {
        let account = identity.account.id
        let at = now()
        let position = try await changeGroup(params.conversation, at: at) { transaction in
            let group = try await Self.lock(params.conversation, for: account, transaction)
            try group.demand(.owner, .admin)
            guard params.account != account else {
                throw RPCError(.conflict, "leave the group instead", field: "account")
            }
            let role = try await Self.role(of: params.account, in: params.conversation, transaction)
            if let role, role != .member { try group.demand(.owner) }
            let invited = try await transaction.query(
                "SELECT FROM members WHERE conversation_id = $1 AND account_id = $2 AND state = 'invited'",
                [.int(params.conversation), .int(params.account)])
            guard role != nil || !invited.isEmpty else { throw Self.noSuchMember }
            try await Self.takeOut(params.account, of: params.conversation, at: at, transaction)
            let event = Self.event(.removed, by: account, at: at, about: params.account)
            return (group.head.epoch, role == nil ? [] : [event])
        }
        await notifyRemoved(params.conversation, [params.account])
        return position
    }

    private static func takeOut(
        _ account: Int64, of group: Int64, at: Timestamp, _ transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(
            """
            UPDATE members SET state = 'left', role = 'member', since = $3 WHERE conversation_id = $1 AND account_id = $2
            """, [.int(group), .int(account), .timestamp(at.milliseconds)])
    }

    // MARK: Transactions

    private struct Group {
        let head: TopicPosition
        let name: String
        let state: MemberState
        let role: MemberRole

        func demand(_ roles: MemberRole...) throws {
            guard roles.contains(role) else {
                let who = roles.count == 1 ? "the group's owner" : "the group's owner and admins"
                throw RPCError(.forbidden, "this is for \(who)")
            }
        }
    }

    private static func lock(
        _ group: Int64, for account: Int64, _ transaction: PostgresTransaction, mayBeInvited: Bool = false
    ) async throws -> Group {
        let rows = try await transaction.query(
            "SELECT epoch, head_offset, name, kind FROM conversations WHERE id = $1 AND is_open FOR NO KEY UPDATE",
            [.int(group)])
        let members = try await transaction.query(
            "SELECT role, state FROM members WHERE conversation_id = $1 AND account_id = $2 AND state <> 'left'",
            [.int(group), .int(account)])
        guard let row = rows.first, let member = members.first,
            let state = MemberState(rawValue: try member.text("state")), state == .joined || mayBeInvited
        else { throw ChatError.notMember }
        guard try row.text("kind") == "group" else {
            throw RPCError(
                .conflict, "this is for groups: a buddy is removed with buddies.remove", field: "conversation")
        }
        return Group(
            head: TopicPosition(epoch: try row.int("epoch"), offset: try row.int("head_offset")),
            name: try row.text("name"), state: state, role: MemberRole(rawValue: try member.text("role")) ?? .member)
    }

    private static func role(
        of account: Int64, in group: Int64, _ transaction: PostgresTransaction
    ) async throws -> MemberRole? {
        let rows = try await transaction.query(
            "SELECT role FROM members WHERE conversation_id = $1 AND account_id = $2 AND state = 'joined'",
            [.int(group), .int(account)])
        return try rows.first.flatMap { MemberRole(rawValue: try $0.text("role")) }
    }

    static func event(_ kind: ChatEvent.Kind, by account: Int64, at: Timestamp, about: Int64?) -> ChatEvent {
        var event = ChatEvent(by: account, type: kind, at: at)
        event.account = about
        return event
    }

    /// Commits a change together with its events, then publishes the events.
    private func changeGroup(
        _ group: Int64, at: Timestamp,
        _ body: @escaping @Sendable (PostgresTransaction) async throws -> (epoch: Int64, events: [ChatEvent])
    ) async throws -> ChatPosition {
        let (epoch, placed) = try await changing(group) { transaction in
            let (epoch, events) = try await body(transaction)
            var placed: [StoredPublication] = []
            for event in events {
                let rows = try await transaction.query(
                    "SELECT chat_append($1, $2, $3, $4, of_member => $5, new_role => $6, with_body => $7) AS at_offset",
                    [
                        .int(group), .text(event.type.rawValue), .int(event.by), .timestamp(at.milliseconds),
                        .optional(event.account), .optional(event.role?.rawValue), .optional(event.text),
                    ])
                guard let offset = try rows.first?.int("at_offset") else { throw ChatError.notMember }
                placed.append(StoredPublication(offset: offset, data: event.json))
            }
            return (epoch, placed)
        }
        if !placed.isEmpty {
            await publish(placed, in: group, epoch: epoch)
        }
        // A change without an event in the log is at most a withdrawn invitation.
        await notifyMembers(of: group, by: 0, placed.isEmpty ? .inviting : .everybody)
        return ChatPosition(
            conversation: group, epoch: epoch, offset: placed.first?.offset, at: placed.isEmpty ? nil : at)
    }

    private func changing<T: Sendable>(
        _ conversation: Int64, _ body: @escaping @Sendable (PostgresTransaction) async throws -> T
    ) async throws -> T {
        do {
            return try await database.transaction(body)
        } catch {
            await markInDoubt([conversation], after: error)
            throw error
        }
    }

    private func publish(_ event: ChatEvent, at offset: Int64, in group: Int64, epoch: Int64) async {
        await publish([StoredPublication(offset: offset, data: event.json)], in: group, epoch: epoch)
    }
}
