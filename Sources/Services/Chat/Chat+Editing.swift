import EventLoop
import Hub
import Postgres
import Wire

/// Changes of messages by members: edits, deletions and reactions. All are idempotent.
extension Chat {
    /// Edits the caller's message. Earlier wordings are kept as evidence for a limited time; only reports contain them.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func edit(_ params: ChatEdit.Params, by identity: Identity) async throws -> ChatPosition {
        let text = try Self.text(params.text)
        let at = now()
        let since = at.advanced(bySeconds: -Double(Self.editHoursMax) * 3_600)
        return try await change(
            params.conversation, by: identity, at: at,
            sql: "SELECT * FROM chat_edit($1, $2, $3, $4, $5, $6, $7)",
            [
                .int(params.message), .optional(text), .timestamp(at.milliseconds), .timestamp(since.milliseconds),
                .int(Int64(Self.editsMax)),
            ]
        ) { event, _ in
            event.type = .edited
            event.message = params.message
            event.text = text
        }
    }

    /// Deletes a message for all members.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func delete(_ params: ChatDelete.Params, by identity: Identity) async throws -> ChatPosition {
        let at = now()
        return try await change(
            params.conversation, by: identity, at: at,
            sql: """
                SELECT d.*, (SELECT l.author_id FROM chat_log l WHERE l.conversation_id = $1 AND l.at_offset = $3) AS author_id
                FROM chat_delete($1, $2, $3, $4) d
                """,
            [.int(params.message), .timestamp(at.milliseconds)]
        ) { event, row in
            event.type = .deleted
            event.message = params.message
            let author = try row.optionalInt("author_id") ?? 0
            if author != identity.account.id { event.account = author }
        }
    }

    /// Adds or removes a reaction.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func react(_ params: ChatReact.Params, by identity: Identity) async throws -> ChatPosition {
        let at = now()
        return try await change(
            params.conversation, by: identity, at: at, sql: "SELECT * FROM chat_react($1, $2, $3, $4, $5, $6)",
            [.int(params.message), .text(params.emoji.rawValue), .bool(params.on), .timestamp(at.milliseconds)]
        ) { event, _ in
            event.type = .reaction
            event.message = params.message
            event.emoji = params.emoji
            event.on = params.on
        }
    }

    private func change(
        _ conversation: Int64, by identity: Identity, at: Timestamp, sql: String, _ parameters: [PostgresValue],
        event fill: (inout ChatEvent, PostgresRow) throws -> Void
    ) async throws -> ChatPosition {
        let account = identity.account.id
        let rows: PostgresRows
        do {
            rows = try await database.query(sql, [.int(conversation), .int(account)] + parameters)
        } catch {
            await markInDoubt([conversation], after: error)
            throw error
        }
        guard let row = rows.first else { throw ChatError.refused("") }
        if let refusal = try row.optionalText("refusal") { throw ChatError.refused(refusal) }
        let epoch = try row.int("epoch")
        guard let offset = try row.optionalInt("at_offset") else {
            return ChatPosition(conversation: conversation, epoch: epoch, offset: nil)
        }
        var event = ChatEvent(by: account, type: .message, at: at)
        try fill(&event, row)
        await publish([StoredPublication(offset: offset, data: event.json)], in: conversation, epoch: epoch)
        // If a group admin deleted the message, the signal goes to members who see the author, not to members who see that admin.
        if event.type != .reaction { await notifyMembers(of: conversation, by: event.account ?? account, .joined) }
        return ChatPosition(conversation: conversation, epoch: epoch, offset: offset, at: at)
    }
}
