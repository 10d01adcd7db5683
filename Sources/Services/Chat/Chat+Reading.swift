import Foundation
import Hub
import HubCore
import Postgres
import Wire

/// Lists, members and history of conversations. PostgreSQL evaluates every query for the caller: other people's conversations are not
/// found, and messages from before the membership and by blocked authors are omitted.
extension Chat {
    /// Accounts on either side of a block with this account, whose messages are omitted.
    func hidden(from account: Int64) async -> PostgresValue {
        .intArray(Array(await hub.blocks.blocked(with: account)))
    }

    // MARK: List

    private static func listSQL(_ condition: StaticString) -> String {
        """
        SELECT c.id, c.kind, c.name, c.purpose, c.epoch,
            CASE WHEN m.state = 'joined' THEN c.head_offset ELSE 0 END AS head_offset, m.state, m.role, m.invited_by, m.is_opened,
            m.read_offset, CASE WHEN m.muted_until > $3 THEN least(m.muted_until, '9999-12-31') END AS muted_until, m.since,
            CASE WHEN c.low_id = $1 THEN c.high_id ELSE c.low_id END AS buddy_id,
            (SELECT count(*) FROM members o WHERE o.conversation_id = c.id AND o.state = 'joined') AS members,
            l.at_offset AS last_offset, l.author_id AS last_by, l.at AS last_at, left(l.body, \(previewCharactersMax)) AS last_text,
            l.picture_id IS NOT NULL AS last_picture, l.deleted_at IS NOT NULL AS last_deleted, coalesce(l.at, m.since) AS at,
            (SELECT count(*) FROM (SELECT FROM chat_log u WHERE m.state = 'joined' AND u.conversation_id = c.id
                AND u.at_offset > greatest(m.read_offset, m.from_offset) AND u.kind = 'message'
                AND u.author_id IS DISTINCT FROM $1 AND u.deleted_at IS NULL AND u.author_id <> ALL ($2::bigint[])
                LIMIT \(unreadMax)) u) AS unread
        FROM members m JOIN conversations c ON c.id = m.conversation_id AND c.is_open
        LEFT JOIN LATERAL (
            SELECT l.* FROM chat_log l WHERE m.state = 'joined' AND l.conversation_id = c.id AND l.kind = 'message'
                AND l.at_offset > m.from_offset AND l.author_id <> ALL ($2::bigint[])
            ORDER BY l.at_offset DESC LIMIT 1) l ON true
        WHERE m.account_id = $1 AND m.state <> 'left' AND \(condition)
        ORDER BY at DESC, c.id DESC LIMIT \(listedMax)
        """
    }

    private static let listAll = listSQL("$4::bigint IS NULL")
    private static let listOne = listSQL("c.id = $4::bigint")

    /// Lists the caller's conversations and invitations, newest first.
    /// - Throws: ``Postgres/PostgresError``.
    public func list(of identity: Identity) async throws -> [Conversation] {
        try await conversations(of: identity.account.id, only: nil)
    }

    private func conversations(of account: Int64, only conversation: Int64?) async throws -> [Conversation] {
        let rows = try await database.query(
            conversation == nil ? Self.listAll : Self.listOne,
            [.int(account), await hidden(from: account), .timestamp(now().milliseconds), .optional(conversation)])
        var accounts: Set<Int64> = []
        for row in rows {
            for column in ["buddy_id", "last_by", "invited_by"] {
                if let id = try row.optionalInt(column) { accounts.insert(id) }
            }
        }
        let known = try await people.people(Array(accounts), seenBy: account)
        return try rows.map { try Self.conversation($0, known) }
    }

    private static func conversation(_ row: PostgresRow, _ known: [Int64: Person]) throws -> Conversation {
        let buddy = try row.optionalInt("buddy_id").flatMap { known[$0] }
        let by = try row.optionalInt("last_by") ?? 0
        let last = try row.optionalInt("last_offset").map { offset in
            LastMessage(
                offset: offset, by: by, name: known[by]?.name ?? "",
                at: Timestamp(milliseconds: try row.timestamp("last_at")),
                text: try row.optionalText("last_text"), picture: try row.bool("last_picture"),
                deleted: try row.bool("last_deleted"))
        }
        let state = MemberState(rawValue: try row.text("state")) ?? .joined
        return Conversation(
            id: try row.int("id"), kind: ConversationKind(rawValue: try row.text("kind")) ?? .group,
            name: try row.optionalText("name") ?? buddy?.name ?? "",
            purpose: try row.optionalText("purpose").flatMap { GroupPurpose(rawValue: $0) }, buddy: buddy, state: state,
            role: MemberRole(rawValue: try row.text("role")) ?? .member,
            invitedBy: state == .invited ? try row.optionalInt("invited_by").flatMap { known[$0] } : nil,
            members: Int(try row.int("members")), new: try !row.bool("is_opened"), unread: Int(try row.int("unread")),
            read: try row.int("read_offset"),
            mutedUntil: try row.optionalTimestamp("muted_until").map { Timestamp(milliseconds: $0) },
            epoch: try row.int("epoch"), head: try row.int("head_offset"), last: last,
            at: Timestamp(milliseconds: try row.timestamp("at")))
    }

    // MARK: Conversation

    /// Returns a conversation with its members.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func conversation(
        _ params: ChatConversation.Params, for identity: Identity
    ) async throws -> ChatConversation.Result {
        let account = identity.account.id
        if params.opens == true {
            let rows = try await database.query(
                """
                UPDATE members SET is_opened = true WHERE conversation_id = $1 AND account_id = $2 AND state = 'joined'
                AND NOT is_opened RETURNING account_id
                """, [.int(params.conversation), .int(account)])
            if !rows.isEmpty {
                let signal = UserSignal(type: .conversation, conversation: params.conversation)
                await hub.signals.publish([AccountSignal(account, signal)], by: 0)
            }
        }
        guard let conversation = try await conversations(of: account, only: params.conversation).first else {
            throw ChatError.notMember
        }
        let members = conversation.state == .joined ? try await members(of: params.conversation, for: account) : []
        return ChatConversation.Result(conversation: conversation, members: members)
    }

    /// Returns joined members. Invited ones are included by name only, and only for members who can invite.
    private func members(of conversation: Int64, for account: Int64) async throws -> [Member] {
        let rows = try await database.query(
            """
            SELECT m.account_id, m.role, m.state,
                CASE WHEN m.state = 'joined' AND coalesce(s.sends_read, true) THEN m.read_offset END AS read,
                CASE WHEN m.state = 'joined' AND coalesce(s.sends_delivered, true) THEN m.delivered_offset END AS delivered
            FROM members m JOIN members i ON i.conversation_id = m.conversation_id AND i.account_id = $2
            LEFT JOIN chat_settings s ON s.account_id = m.account_id
            WHERE m.conversation_id = $1 AND (m.state = 'joined'
                OR m.state = 'invited' AND (i.role IN ('owner', 'admin') OR m.invited_by = i.account_id))
            ORDER BY m.since, m.account_id LIMIT \(Self.membersMax)
            """, [.int(conversation), .int(account)])
        let known = try await people.people(rows.map { try $0.int("account_id") }, seenBy: account)
        let hidden = await hub.blocks.blocked(with: account)
        return try rows.map { row in
            let id = try row.int("account_id")
            let isHidden = hidden.contains(id)
            let state = MemberState(rawValue: try row.text("state")) ?? .joined
            var person = Person(account: id, name: "", gender: nil, picture: nil)
            if !isHidden, let shown = known[id] {
                person = shown
                if state == .invited { (person.gender, person.picture) = (nil, nil) }
            }
            return Member(
                person: person, role: MemberRole(rawValue: try row.text("role")) ?? .member, state: state,
                read: isHidden ? nil : try row.optionalInt("read"),
                delivered: isHidden ? nil : try row.optionalInt("delivered"))
        }
    }

    /// Subscribes a member's connection to a conversation; see ``Hub/ConversationFeed``.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func watch(
        _ subscriber: any Subscriber, _ conversation: Int64, for identity: Identity, since: TopicPosition?,
        reply: @Sendable (Recovery) -> [UInt8]
    ) async throws {
        let account = identity.account.id
        for _ in 0..<Self.admissionsMax {
            let member = try await membership(of: account, in: conversation)
            // Events from before the membership are not delivered again.
            let isBefore = since.map { $0.epoch == member.head.epoch && $0.offset < member.from } ?? false
            do {
                return try await hub.conversations.subscribe(
                    subscriber, conversation: conversation, account: account, checked: member.head,
                    from: member.from, since: isBefore ? nil : since
                ) { recovery in
                    var adjusted = recovery
                    if isBefore { adjusted.failure = .tooOld }
                    return reply(adjusted)
                }
            } catch is ConversationFeed.StaleMembership {
                await loop.sleep(for: Self.admissionInterval)
            }
        }
        throw RPCError(.unavailable, "the conversation is changing: subscribe again in a second", retryAfter: 1)
    }

    private func membership(of account: Int64, in conversation: Int64) async throws -> (
        head: TopicPosition, from: Int64
    ) {
        let rows = try await database.query(
            """
            SELECT c.epoch, c.head_offset, m.from_offset FROM members m JOIN conversations c ON c.id = m.conversation_id
            WHERE m.conversation_id = $1 AND m.account_id = $2 AND m.state = 'joined' AND c.is_open
            """, [.int(conversation), .int(account)])
        guard let row = rows.first else { throw ChatError.notMember }
        return (
            TopicPosition(epoch: try row.int("epoch"), offset: try row.int("head_offset")), try row.int("from_offset")
        )
    }

    // MARK: History

    private static let historySQL = """
        SELECT c.epoch, c.head_offset, m.from_offset, l.*
        FROM members m JOIN conversations c ON c.id = m.conversation_id AND c.is_open
        LEFT JOIN LATERAL (
            SELECT \(ChatRow.columns), r.emoji AS reaction, r.accounts AS reaction_by FROM (
                SELECT l.* FROM chat_log l WHERE l.conversation_id = c.id AND l.at_offset > m.from_offset AND l.at_offset < $3
                    AND l.kind IN ('message', 'joined', 'left', 'removed', 'role', 'renamed', 'opened')
                ORDER BY l.at_offset DESC LIMIT $4) l
            \(ChatRow.join)
            LEFT JOIN LATERAL (
                SELECT r.emoji, array_agg(r.account_id) AS accounts FROM reactions r
                WHERE r.conversation_id = c.id AND r.at_offset = l.at_offset AND r.account_id <> ALL ($5::bigint[])
                GROUP BY r.emoji) r ON l.kind = 'message'
            ) l ON true
        WHERE m.conversation_id = $1 AND m.account_id = $2 AND m.state = 'joined'
        ORDER BY l.at_offset DESC, l.reaction
        """

    /// Returns a page of messages and events in their current state.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func history(_ params: ChatHistory.Params, for identity: Identity) async throws -> ChatHistory.Result {
        let limit = params.limit ?? Self.historyDefault
        guard (1...Self.historyMax).contains(limit) else {
            throw RPCError.invalid("limit", "must be 1 to \(Self.historyMax)")
        }
        guard params.before ?? 1 >= 1 else { throw RPCError.invalid("before", "is not a reply's next") }
        let account = identity.account.id
        let hidden = await hub.blocks.blocked(with: account)
        let rows = try await database.query(
            Self.historySQL,
            [
                .int(params.conversation), .int(account), .int(params.before ?? .max), .int(Int64(limit)),
                .intArray(Array(hidden)),
            ])
        guard let first = rows.first else { throw ChatError.notMember }
        var items: [ChatHistory.Item] = []
        for row in rows {
            guard let offset = try row.optionalInt("at_offset") else { break }
            if items.last?.offset != offset {
                let event = try ChatRow.event(row)
                items.append(.init(offset: offset, event: hidden.contains(event.by) ? .hidden : event, reactions: nil))
            }
            guard let emoji = try row.optionalText("reaction").flatMap({ Reaction(rawValue: $0) }),
                items.last?.event.type == .message
            else { continue }
            let reactions = MessageReactions(emoji: emoji, by: try row.intArray("reaction_by"))
            items[items.count - 1].reactions = (items.last?.reactions ?? []) + [reactions]
        }
        let next = items.count == limit ? items.last?.offset : nil
        return ChatHistory.Result(
            conversation: params.conversation, epoch: try first.int("epoch"), head: try first.int("head_offset"),
            items: items, next: next)
    }
}
