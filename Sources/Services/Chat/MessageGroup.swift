import Hub
import Postgres
import Wire

/// A validated message that is not stored yet.
struct OutgoingMessage: Sendable {
    let conversation: Int64
    let author: Int64
    /// Client-chosen UUID in lower case; a message with the same UUID is a repetition.
    let clientID: String
    let at: Timestamp
    let text: String?
    let picture: String?
    let reply: Int64?

    /// Conflict keys: messages with a common key never share a group, so that the later one sees the earlier one's effect.
    var keys: [String] { [clientID] + (picture.map { [$0] } ?? []) }

    /// Approximate size in the queue.
    var bytes: Int { (text?.utf8.count ?? 0) + 256 }
}

/// Messages that are committed in one transaction, with the statements that store them.
struct MessageGroup: Sendable {
    let messages: [OutgoingMessage]

    /// New events of one conversation.
    struct ConversationChanges: Sendable {
        let epoch: Int64
        var publications: [StoredPublication] = []
        var signals: [(message: OutgoingMessage, offset: Int64, at: Timestamp)] = []
        /// Members to notify.
        var members: [Int64] = []
    }

    private static let post = """
        SELECT * FROM chat_post($1::bigint[], $2::bigint[], $3::uuid[], $4::timestamptz[], $5::text[], $6::uuid[], $7::bigint[])
        """

    private static let members = """
        SELECT conversation_id, account_id FROM members WHERE conversation_id = ANY ($1::bigint[]) AND state = 'joined'
        """

    private static let names = """
        SELECT a.id, person_short_name(p.first_name, p.last_name, a.username) AS short,
            person_full_name(p.first_name, p.last_name, a.username) AS full
        FROM accounts a LEFT JOIN profiles p ON p.account_id = a.id WHERE a.id = ANY ($1::bigint[])
        """

    private static let kinds = "SELECT id FROM conversations WHERE id = ANY ($1::bigint[]) AND kind = 'direct'"

    /// Statements of the transaction, one pipelined round trip.
    var statements: [PostgresStatement] {
        let conversations = PostgresValue.intArray(messages.map(\.conversation))
        let distinct = PostgresValue.intArray(Array(Set(messages.map(\.conversation))))
        return [
            PostgresStatement(
                Self.post,
                [
                    conversations, .intArray(messages.map(\.author)), .textArray(messages.map(\.clientID)),
                    .timestampArray(messages.map(\.at.milliseconds)), .optionalTextArray(messages.map(\.text)),
                    .optionalTextArray(messages.map(\.picture)), .optionalIntArray(messages.map(\.reply)),
                ]),
            PostgresStatement(Self.members, [distinct]),
            PostgresStatement(Self.names, [.intArray(Array(Set(messages.map(\.author))))]),
            PostgresStatement(Self.kinds, [distinct]),
        ]
    }

    /// Result of a committed group.
    struct Outcome: Sendable {
        /// Position of each message, in the messages' order.
        var positions: [Result<ChatPosition, any Error>] = []
        /// New events by conversation.
        var changes: [Int64: ConversationChanges] = [:]
        /// Names by author.
        var names: [Int64: (short: String, full: String)] = [:]
        var direct: Set<Int64> = []

        var freshCount: Int { changes.values.reduce(0) { $0 + $1.publications.count } }
        var acceptedCount: Int { positions.count { if case .success = $0 { true } else { false } } }
    }

    /// - Parameter answers: Answers to ``statements`` after the commit.
    func outcome(_ answers: [PostgresRows]) throws -> Outcome {
        guard answers.count == 4, answers[0].count == messages.count else {
            throw RPCError(.internalError, "a group of messages was not stored whole")
        }
        var outcome = Outcome()
        var rows = [PostgresRow?](repeating: nil, count: messages.count)
        for row in answers[0] {
            let index = Int(try row.int("n")) - 1
            if rows.indices.contains(index) { rows[index] = row }
        }
        for (message, row) in zip(messages, rows) {
            guard let row else { throw RPCError(.internalError, "a group of messages was not stored whole") }
            if let refusal = try row.optionalText("refusal") {
                outcome.positions.append(.failure(ChatError.refused(refusal)))
                continue
            }
            let offset = try row.int("at_offset")
            let epoch = try row.int("epoch")
            let at = Timestamp(milliseconds: try row.timestamp("at"))
            outcome.positions.append(
                .success(ChatPosition(conversation: message.conversation, epoch: epoch, offset: offset, at: at)))
            guard try row.bool("is_new") else { continue }
            let data = try Self.event(message, row, at: at).json
            outcome.changes[message.conversation, default: ConversationChanges(epoch: epoch)].publications.append(
                StoredPublication(offset: offset, data: data))
            outcome.changes[message.conversation]?.signals.append((message, offset, at))
        }
        for row in answers[1] {
            outcome.changes[try row.int("conversation_id")]?.members.append(try row.int("account_id"))
        }
        for row in answers[2] { outcome.names[try row.int("id")] = (try row.text("short"), try row.text("full")) }
        for row in answers[3] { outcome.direct.insert(try row.int("id")) }
        for conversation in outcome.changes.keys {
            outcome.changes[conversation]?.publications.sort { $0.offset < $1.offset }
        }
        return outcome
    }

    private static func event(_ message: OutgoingMessage, _ row: PostgresRow, at: Timestamp) throws -> ChatEvent {
        var event = ChatEvent(by: message.author, type: .message, at: at)
        event.id = message.clientID
        event.text = message.text
        event.reply = try row.optionalInt("reply_to")
        if let picture = message.picture {
            event.picture = MessagePicture(
                id: picture, width: Int(try row.optionalInt("picture_width") ?? 1),
                height: Int(try row.optionalInt("picture_height") ?? 1))
        }
        return event
    }
}
