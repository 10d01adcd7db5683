import EventLoop
import Hub
import Postgres
import Wire

/// A member's progress in a conversation.
struct Receipt: Sendable {
    let conversation: Int64
    let account: Int64
    /// Whether the person has read the messages, rather than only a device received them.
    let isRead: Bool
    /// Offset of the last read event; 0 for a delivery receipt.
    let read: Int64
    let delivered: Int64
}

/// Receipts, typing signals, muting and settings.
extension Chat {
    /// Records that the caller has read up to an offset.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func read(_ params: ReceiptParams, by identity: Identity) async throws -> ReceiptParams {
        try await note(params, by: identity, isRead: true)
    }

    /// Records that a device of the caller has received up to an offset.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func delivered(_ params: ReceiptParams, by identity: Identity) async throws -> ReceiptParams {
        try await note(params, by: identity, isRead: false)
    }

    private func note(_ params: ReceiptParams, by identity: Identity, isRead: Bool) async throws -> ReceiptParams {
        guard params.offset >= 0 else { throw RPCError.invalid("offset", "is that of an event, from 1") }
        let receipt = Receipt(
            conversation: params.conversation, account: identity.account.id, isRead: isRead,
            read: isRead ? params.offset : 0,
            delivered: params.offset)
        let offset = try await receipts.submit(receipt, size: 64)
        return ReceiptParams(conversation: params.conversation, offset: offset)
    }

    static let receiptSQL = """
        WITH input AS (
            SELECT conversation_id, account_id, max(read) AS read, max(delivered) AS delivered
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
                AS i (conversation_id, account_id, read, delivered)
            GROUP BY conversation_id, account_id),
        known AS (
            SELECT m.conversation_id, m.account_id, m.read_offset, m.delivered_offset,
                greatest(m.read_offset, least(i.read, c.head_offset)) AS read,
                greatest(m.delivered_offset, least(i.delivered, c.head_offset)) AS delivered
            FROM input i JOIN members m USING (conversation_id, account_id) JOIN conversations c ON c.id = i.conversation_id
            WHERE m.state = 'joined' ORDER BY m.conversation_id, m.account_id FOR NO KEY UPDATE OF m),
        changed AS (
            UPDATE members m SET read_offset = k.read, delivered_offset = k.delivered
            FROM known k WHERE (m.conversation_id, m.account_id) = (k.conversation_id, k.account_id)
                AND (m.read_offset, m.delivered_offset) <> (k.read, k.delivered)
            RETURNING m.conversation_id, m.account_id)
        SELECT k.conversation_id, k.account_id, k.read, k.delivered, k.read > k.read_offset AS is_read_new,
            k.delivered > k.delivered_offset AS is_delivered_new, coalesce(s.sends_read, true) AS sends_read,
            coalesce(s.sends_delivered, true) AS sends_delivered
        FROM known k LEFT JOIN chat_settings s ON s.account_id = k.account_id
        """

    /// Parameters of ``receiptSQL``.
    static func parameters(of receipts: [Receipt]) -> [PostgresValue] {
        [
            .intArray(receipts.map(\.conversation)), .intArray(receipts.map(\.account)),
            .intArray(receipts.map(\.read)), .intArray(receipts.map(\.delivered)),
        ]
    }

    func committed(_ receipts: [Receipt], _ answers: [PostgresRows]) throws
        -> GroupCommit<Receipt, Int64>.Committed
    {
        guard let rows = answers.first else { return .init(answers: []) }
        var changes: [[Int64]: ReceiptChange] = [:]
        for row in rows {
            let change = try ReceiptChange(row)
            changes[[change.conversation, change.account]] = change
        }
        let answers: [Result<Int64, any Error>] = receipts.map { receipt in
            guard let change = changes[[receipt.conversation, receipt.account]] else {
                return .failure(ChatError.notMember)
            }
            return .success(receipt.isRead ? change.read : change.delivered)
        }
        let changed = changes.values.filter { $0.isReadNew || $0.isDeliveredNew }
        return .init(answers: answers) { [self] in
            for change in changed { await publish(change) }
        }
    }

    private func publish(_ change: ReceiptChange) async {
        if change.isReadNew {
            let signal = UserSignal(type: .read, conversation: change.conversation, offset: change.read)
            await hub.signals.publish([AccountSignal(change.account, signal)], by: 0)
        }
        let aside = ChatAside(
            type: .receipt, by: change.account, read: change.isReadNew && change.sendsRead ? change.read : nil,
            delivered: change.isDeliveredNew && change.sendsDelivered ? change.delivered : nil)
        guard aside.read != nil || aside.delivered != nil else { return }
        await hub.conversations.publishAside(aside, in: change.conversation)
    }

    private struct ReceiptChange: Sendable {
        let conversation: Int64
        let account: Int64
        let read: Int64
        let delivered: Int64
        let isReadNew: Bool
        let isDeliveredNew: Bool
        let sendsRead: Bool
        let sendsDelivered: Bool

        init(_ row: PostgresRow) throws {
            conversation = try row.int("conversation_id")
            account = try row.int("account_id")
            read = try row.int("read")
            delivered = try row.int("delivered")
            isReadNew = try row.bool("is_read_new")
            isDeliveredNew = try row.bool("is_delivered_new")
            sendsRead = try row.bool("sends_read")
            sendsDelivered = try row.bool("sends_delivered")
        }
    }

    // MARK: Typing

    /// Publishes a typing signal to members who have the conversation open, unless the caller's settings forbid it.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func typing(_ params: ConversationParams, by identity: Identity) async throws {
        let account = identity.account.id
        let key = [params.conversation, account]
        let now = monotonic()
        if let since = typingSince[key], now &- since < Self.typingNanosecondsMin { return }
        guard await hub.conversations.isReading(params.conversation, account: account) else {
            throw RPCError(.conflict, "subscribe to chat/\(params.conversation) before you write in it")
        }
        if typingSince.count >= Self.typingMax { typingSince.removeAll() }
        typingSince[key] = now
        guard try await settings(of: identity).typing else { return }
        await hub.conversations.publishAside(ChatAside(type: .typing, by: account), in: params.conversation)
    }

    // MARK: Settings

    /// Mutes notifications of a conversation for a time or permanently.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func mute(_ params: ChatMute.Params, by identity: Identity) async throws -> ChatMute.Result {
        if let seconds = params.seconds {
            guard seconds >= 0, seconds <= Self.muteSecondsMax else {
                throw RPCError.invalid("seconds", "must be 0 to \(Int(Self.muteSecondsMax)), or nothing for good")
            }
        }
        let until: Timestamp? =
            switch params.seconds {
            case nil: Self.forGood
            case 0?: nil
            case let seconds?: now().advanced(bySeconds: seconds)
            }
        let rows = try await database.query(
            """
            UPDATE members SET muted_until = $3 WHERE conversation_id = $1 AND account_id = $2 AND state = 'joined'
            RETURNING account_id
            """,
            [.int(params.conversation), .int(identity.account.id), .optional(timestamp: until?.milliseconds)])
        guard !rows.isEmpty else { throw ChatError.notMember }
        let signal = UserSignal(type: .conversation, conversation: params.conversation)
        await hub.signals.publish([AccountSignal(identity.account.id, signal)], by: 0)
        return ChatMute.Result(mutedUntil: until)
    }

    /// Largest time that the wire format can represent.
    private static let forGood = Timestamp(milliseconds: 253_402_214_400_000)

    /// Returns the caller's settings for receipts and typing signals.
    /// - Throws: ``Postgres/PostgresError``.
    public func settings(of identity: Identity) async throws -> ChatSettings {
        let rows = try await database.query(
            "SELECT sends_read, sends_delivered, sends_typing FROM chat_settings WHERE account_id = $1",
            [.int(identity.account.id)])
        guard let row = rows.first else { return ChatSettings() }
        return ChatSettings(
            read: try row.bool("sends_read"), delivered: try row.bool("sends_delivered"),
            typing: try row.bool("sends_typing"))
    }

    /// Changes the caller's settings for receipts and typing signals.
    /// - Throws: ``Postgres/PostgresError``.
    public func save(_ settings: ChatSettings, of identity: Identity) async throws -> ChatSettings {
        _ = try await database.query(
            """
            INSERT INTO chat_settings (account_id, sends_read, sends_delivered, sends_typing) VALUES ($1, $2, $3, $4)
            ON CONFLICT (account_id) DO UPDATE SET sends_read = $2, sends_delivered = $3, sends_typing = $4
            """,
            [.int(identity.account.id), .bool(settings.read), .bool(settings.delivered), .bool(settings.typing)])
        return settings
    }
}
