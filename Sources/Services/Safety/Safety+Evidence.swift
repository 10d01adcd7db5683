import Postgres
import Wire

/// What a report copies.
extension Safety {
    /// Messages that one report copies.
    static let evidenceMax = 20
    /// Earlier wordings of a message that are copied, besides its first: the newest.
    static let newestWordingsMax = Chat.editsMax
    /// Bytes of the wordings of one message that are copied. Of long ones only the beginning is, so that nothing can be pushed out by
    /// what was written before or behind it.
    static let messageEvidenceBytesMax = 65_536
    /// The same for all messages of a report together.
    static let evidenceBytesMax = 262_144
    /// Times that the reporter was in the conversation that are looked at: the newest.
    static let spansMax = 100

    /// Messages of the reported account that the reporter could read, as they are and were: those that were named, or the newest.
    static func evidence(
        _ draft: Draft, in conversation: Int64, _ transaction: PostgresTransaction
    ) async throws -> [Report.Evidence] {
        let parameters: [PostgresValue] = [.int(conversation), .int(draft.pair.one), .int(draft.pair.other)]
        let members = try await transaction.query(
            "SELECT EXISTS (\(Acquaintance.sharedSQL("$2", "$3")) AND c.id = $1) AS is_known", parameters)
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

    /// An event of the reported account, as the reporter may see it, or could before they blocked who made it. Whether there is another, the answer does not tell.
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

    /// `$1` the conversation, `$2` the reporter, `$3` the reported, `$4` offsets or none, `$5` how many. A row for each wording, the
    /// present one with number 0; one that is too long for its share of the room comes cut, to at least as many bytes.
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
        of_message AS (\(fitted("wordings", "bytes", in: messageEvidenceBytesMax, by: "PARTITION BY at_offset"))),
        of_report AS (\(fitted("of_message", "kept", in: evidenceBytesMax, by: "")))
        SELECT m.at_offset, m.at, m.picture_id, m.is_deleted, w.id, left(w.body, w.room::int) AS body, w.room,
            w.room < w.bytes OR EXISTS (
                SELECT FROM earlier e WHERE e.at_offset = m.at_offset AND e.total > \(newestWordingsMax) + 1) AS is_cut
        FROM messages m LEFT JOIN (SELECT at_offset, id, body, bytes, kept AS room FROM of_report) w USING (at_offset)
        ORDER BY m.at_offset, w.id
        """

    /// Gives everything an equal share of a room; what one does not need, the others have. In the order of sizes, what is left divided
    /// by those who are left is each one's share: it grows until somebody needs more, and that is what all that are longer get.
    private static func fitted(_ relation: String, _ size: String, in room: Int, by partition: String) -> String {
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
    /// A wording, or nothing when the message has none.
    fileprivate mutating func add(_ row: PostgresRow) throws {
        guard let wording = try row.optionalText("body") else { return }
        let kept = wording.prefix(bytes: Int(try row.int("room")))
        if try row.int("id") == 0 { text = kept } else { before.append(kept) }
        if try row.bool("is_cut") { cut = true }
    }
}

extension String {
    /// As much of the beginning as fits, in whole Unicode scalars.
    fileprivate func prefix(bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: bytes)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(unicodeScalars[..<end])
    }
}
