import Hub
import HubCore
import Postgres
import Wire

/// Reads the logs of conversations from PostgreSQL. Rows are never deleted, so a log is complete and has no gaps.
public struct ChatTable: PublicationStore {
    private let database: PostgresPool

    /// - Parameter database: Pool with the server's role.
    public init(database: PostgresPool) { self.database = database }

    /// See ``Hub/PublicationStore``.
    /// - Throws: ``Wire/RPCError`` `notFound` for a missing conversation, which only its members' actions create.
    public func open(_ topic: Topic) async throws -> TopicPosition {
        guard let position = try await positions(of: [topic])[topic] else { throw ChatError.notMember }
        return position
    }

    /// See ``Hub/PublicationStore``.
    public func positions(of topics: [Topic]) async throws -> [Topic: TopicPosition] {
        let rows = try await database.query(
            "SELECT id, epoch, head_offset FROM conversations WHERE id = ANY($1::bigint[])",
            [.intArray(topics.compactMap(\.conversation))])
        var positions: [Topic: TopicPosition] = [:]
        for row in rows {
            positions[.chat(try row.int("id"))] = TopicPosition(
                epoch: try row.int("epoch"), offset: try row.int("head_offset"))
        }
        return positions
    }

    /// See ``Hub/PublicationStore``. Uses one statement, so that head and events come from one snapshot.
    public func read(
        _ topic: Topic, after offset: Int64, countMax: Int, bytesMax: Int
    ) async throws -> PublicationPage {
        let rows = try await database.query(
            """
            SELECT c.epoch, c.head_offset, l.*
            FROM conversations c LEFT JOIN LATERAL (
                SELECT \(ChatRow.columns) FROM chat_log l \(ChatRow.join)
                WHERE l.conversation_id = c.id AND l.at_offset > $2 ORDER BY l.at_offset LIMIT $3) l ON true
            WHERE c.id = $1 ORDER BY l.at_offset
            """, [.optional(topic.conversation), .int(offset), .int(Int64(countMax))])
        guard let first = rows.first else { throw ChatError.notMember }
        let head = TopicPosition(epoch: try first.int("epoch"), offset: try first.int("head_offset"))
        var publications: [StoredPublication] = []
        var bytes = 0
        for row in rows where bytes < bytesMax {
            guard try !row.isNull("at_offset") else { break }
            let data = try ChatRow.event(row).json
            publications.append(StoredPublication(offset: try row.int("at_offset"), data: data))
            bytes += data.count
        }
        return PublicationPage(head: head, publications: publications)
    }
}

/// Conversion of `chat_log` rows into events.
enum ChatRow {
    /// Columns of the row `l` and of the message `m` that it edits or deletes.
    static let columns = """
        l.at_offset, l.kind, l.author_id, l.at, l.client_id, l.picture_id, l.picture_width, l.picture_height, l.reply_to,
        l.edited_at, l.deleted_at, l.target, l.emoji, l.is_on, l.role,
        CASE WHEN l.kind = 'edited' THEN m.body ELSE l.body END AS body,
        CASE WHEN l.kind <> 'deleted' THEN l.member_id
            WHEN m.author_id IS DISTINCT FROM l.author_id THEN coalesce(m.author_id, 0) END AS member_id
        """

    /// Joins the edited or deleted message, because only the message's own row has its current text and its author.
    static let join = """
        LEFT JOIN chat_log m ON l.kind IN ('edited', 'deleted') AND m.conversation_id = l.conversation_id AND m.at_offset = l.target
        """

    static func event(_ row: PostgresRow) throws -> ChatEvent {
        guard let kind = ChatEvent.Kind(rawValue: try row.text("kind")) else {
            throw RPCError(.internalError, "an event of a conversation cannot be read")
        }
        var event = ChatEvent(
            by: try row.optionalInt("author_id") ?? 0, type: kind, at: Timestamp(milliseconds: try row.timestamp("at")))
        event.id = try row.optionalUUID("client_id")
        event.text = try row.optionalText("body")
        event.reply = try row.optionalInt("reply_to")
        event.editedAt = try row.optionalTimestamp("edited_at").map { Timestamp(milliseconds: $0) }
        event.deletedAt = try row.optionalTimestamp("deleted_at").map { Timestamp(milliseconds: $0) }
        event.message = try row.optionalInt("target")
        event.emoji = try row.optionalText("emoji").flatMap { Reaction(rawValue: $0) }
        event.on = try row.optionalBool("is_on")
        event.account = try row.optionalInt("member_id")
        event.role = try row.optionalText("role").flatMap { MemberRole(rawValue: $0) }
        if let id = try row.optionalUUID("picture_id") {
            event.picture = MessagePicture(
                id: id, width: Int(try row.optionalInt("picture_width") ?? 1),
                height: Int(try row.optionalInt("picture_height") ?? 1))
        }
        return event
    }
}

extension Topic {
    /// Id of the conversation whose log the topic is; nil for other topics.
    var conversation: Int64? { if case .chat(let id) = self { id } else { nil } }
}

/// Store of all reliable topics; delegates to the table of publications or to the conversation logs.
public struct TopicStores: PublicationStore {
    private let publications: PublicationTable
    private let chat: ChatTable

    public init(publications: PublicationTable, chat: ChatTable) {
        self.publications = publications
        self.chat = chat
    }

    private func store(of topic: Topic) -> any PublicationStore { topic.conversation == nil ? publications : chat }

    /// See ``Hub/PublicationStore``.
    public func open(_ topic: Topic) async throws -> TopicPosition { try await store(of: topic).open(topic) }

    /// See ``Hub/PublicationStore``.
    public func positions(of topics: [Topic]) async throws -> [Topic: TopicPosition] {
        let chats = topics.filter { $0.conversation != nil }
        let others = topics.filter { $0.conversation == nil }
        var found: [Topic: TopicPosition] = [:]
        if !chats.isEmpty { found = try await chat.positions(of: chats) }
        if !others.isEmpty { found.merge(try await publications.positions(of: others)) { first, _ in first } }
        return found
    }

    /// See ``Hub/PublicationStore``.
    public func read(
        _ topic: Topic, after offset: Int64, countMax: Int, bytesMax: Int
    ) async throws -> PublicationPage {
        try await store(of: topic).read(topic, after: offset, countMax: countMax, bytesMax: bytesMax)
    }
}
