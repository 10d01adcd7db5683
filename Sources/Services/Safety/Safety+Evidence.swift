import Postgres
import Wire

/// Evidence that a report copies.
extension Safety {
    /// Largest number of messages that a report copies.
    static let evidenceMax = 20
    /// Largest number of earlier wordings copied per message: the first, and this many of the newest.
    static let newestWordingsMax = Chat.editsMax
    /// Largest size of the copied wordings of one message, in bytes. Long wordings are truncated, so that no wording can displace
    /// another.
    static let messageEvidenceBytesMax = 65_536
    /// Largest size of the copied wordings of all messages of a report, in bytes.
    static let evidenceBytesMax = 262_144
    /// Largest number of the reporter's membership periods that are searched, newest first.
    static let spansMax = 100

    /// Copies messages of the reported account that the reporter could read, with earlier wordings: the named ones, or the newest.
    static func evidence(
        _ draft: Draft, in conversation: Int64, _ transaction: PostgresTransaction
    ) async throws -> [Report.Evidence] {
        let parameters: [PostgresValue] = [.int(conversation), .int(draft.pair.one), .int(draft.pair.other)]
        let members = try await transaction.query(
            "SELECT EXISTS (\(KnownAccounts.sharedSQL("$2", "$3")) AND c.id = $1) AS is_known", parameters)
        guard try members.first?.bool("is_known") == true else { throw notReportable }
        let rows = try await transaction.query(
            evidenceSQL, parameters + [.intArray(draft.messages), .int(Int64(evidenceMax))])
        var evidence: [Report.Evidence] = []
        for row in rows {
            let offset = try row.int("at_offset")
            if evidence.last?.offset != offset {
                evidence.append(
                    Report.Evidence(
                        offset: offset, by: draft.pair.other, at: Timestamp(milliseconds: try row.timestamp("at")),
                        text: nil, picture: try row.optionalUUID("picture_id"), deleted: try row.bool("is_deleted"),
                        before: []))
            }
            try evidence[evidence.count - 1].add(row)
        }
        let offsets = Set(evidence.map(\.offset))
        for (index, offset) in draft.messages.enumerated() where !offsets.contains(offset) {
            throw RPCError.invalid("messages[\(index)]", "is no message of theirs that you could read there")
        }
        return evidence
    }

    /// Copies an event of the reported account that the reporter may see, or could see before blocking its owner. The error does not
    /// reveal whether another event exists.
    static func event(
        _ event: Int64, _ draft: Draft, _ transaction: PostgresTransaction
    ) async throws -> Report.ReportedEvent {
        let rows = try await transaction.query(
            """
            SELECT e.audience, e.title, e.description, e.place, e.starts_at FROM events e
            WHERE e.id = $1 AND e.owner_id = $2 AND (event_visible(e, $3)
                OR e.audience = 'public' AND e.state <> 'draft' AND EXISTS (SELECT FROM blocks WHERE blocker_id = $3 AND blocked_id = $2)
                    AND NOT EXISTS (SELECT FROM blocks WHERE blocker_id = $2 AND blocked_id = $3 AND is_on))
            """, [.int(event), .int(draft.pair.other), .int(draft.pair.one)])
        guard let row = rows.first, let audience = EventAudience(rawValue: try row.text("audience")) else {
            throw RPCError(
                .notFound, "there is no such event of theirs, or it is not open to you: events.list has yours",
                field: "event")
        }
        return Report.ReportedEvent(
            event: event, audience: audience, title: try row.text("title"),
            description: try row.optionalText("description"), place: try row.text("place"),
            startsAt: Timestamp(milliseconds: try row.timestamp("starts_at")))
    }

    /// Parameters: `$1` the conversation, `$2` the reporter, `$3` the reported account, `$4` offsets or none, `$5` the limit. Returns a
    /// row per wording, the current one with id 0; a wording that exceeds its share of the limit is truncated to at least that many
    /// bytes.
    private static let evidenceSQL = """
        WITH spans AS (
            SELECT from_offset, until_offset FROM read_spans WHERE conversation_id = $1 AND account_id = $2
            UNION ALL
            SELECT from_offset, \(Int64.max) FROM members
            WHERE conversation_id = $1 AND account_id = $2 AND state = 'joined'
            ORDER BY until_offset DESC LIMIT \(spansMax)),
        messages AS (
            SELECT l.*, coalesce(l.shown_picture, (SELECT r.picture_id FROM retracted r WHERE r.conversation_id = $1
                AND r.at_offset = l.at_offset AND r.picture_id IS NOT NULL ORDER BY r.id DESC LIMIT 1)) AS picture_id
            FROM spans s CROSS JOIN LATERAL (
                SELECT l.at_offset, l.at, l.body, l.picture_id AS shown_picture, l.deleted_at IS NOT NULL AS is_deleted
                FROM chat_log l
                WHERE l.conversation_id = $1 AND l.kind = 'message' AND l.author_id = $3
                    AND l.at_offset > s.from_offset AND l.at_offset <= s.until_offset
                    AND (cardinality($4::bigint[]) = 0 OR l.at_offset = ANY ($4::bigint[]))
                ORDER BY l.at_offset DESC LIMIT $5) l
            ORDER BY l.at_offset DESC LIMIT $5),
        earlier AS (
            SELECT m.at_offset, r.* FROM messages m CROSS JOIN LATERAL (
                SELECT r.id, r.body, row_number() OVER (ORDER BY r.id) AS nth, count(*) OVER () AS total
                FROM retracted r
                WHERE r.conversation_id = $1 AND r.at_offset = m.at_offset AND r.body IS NOT NULL) r),
        wordings AS (
            SELECT at_offset, 0 AS id, body, octet_length(body)::bigint AS bytes FROM messages WHERE body IS NOT NULL
            UNION ALL
            SELECT at_offset, id, body, octet_length(body) FROM earlier
            WHERE nth = 1 OR nth > total - \(newestWordingsMax)),
        of_message AS (\(truncatedToShare("wordings", "bytes", in: messageEvidenceBytesMax, by: "PARTITION BY at_offset"))),
        of_report AS (\(truncatedToShare("of_message", "kept", in: evidenceBytesMax, by: "")))
        SELECT m.at_offset, m.at, m.picture_id, m.is_deleted, w.id, left(w.body, w.room::int) AS body, w.room,
            w.room < w.bytes OR EXISTS (
                SELECT FROM earlier e WHERE e.at_offset = m.at_offset AND e.total > \(newestWordingsMax) + 1) AS is_cut
        FROM messages m LEFT JOIN (SELECT at_offset, id, body, bytes, kept AS room FROM of_report) w USING (at_offset)
        ORDER BY m.at_offset, w.id
        """

    /// Divides a number of bytes equally among texts, where the others use what a short text does not need. In order of size, each text's
    /// share is the remainder divided by the number of remaining texts. The share grows until a text exceeds it; all longer texts get
    /// that share.
    private static func truncatedToShare(_ relation: String, _ size: String, in room: Int, by partition: String)
        -> String
    {
        """
        SELECT at_offset, id, body, bytes, least(size, max(share) FILTER (WHERE size > share) OVER (\(partition))) AS kept
        FROM (
            SELECT at_offset, id, body, bytes, \(size) AS size,
                (\(room) - (sum(\(size)) OVER w)::bigint + \(size))
                    / (count(*) OVER (\(partition)) - row_number() OVER w + 1) AS share
            FROM \(relation)
            WINDOW w AS (\(partition) ORDER BY \(size), at_offset, id ROWS UNBOUNDED PRECEDING)) shared
        """
    }
}

extension Report.Evidence {
    /// Adds a wording; does nothing for a message without text.
    fileprivate mutating func add(_ row: PostgresRow) throws {
        guard let wording = try row.optionalText("body") else { return }
        let kept = wording.prefix(bytes: Int(try row.int("room")))
        if try row.int("id") == 0 { text = kept } else { before.append(kept) }
        if try row.bool("is_cut") { cut = true }
    }
}

extension String {
    /// Longest prefix of whole Unicode scalars that fits into a number of bytes.
    fileprivate func prefix(bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: bytes)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end])
    }
}
