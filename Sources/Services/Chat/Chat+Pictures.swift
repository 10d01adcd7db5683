import Postgres

extension Chat {
    /// Whether an account may see a picture of a conversation. A member may while the message exists, was written during the membership,
    /// and its author is on neither side of a block. An admin may while the picture is evidence of an open report.
    /// - Throws: ``Postgres/PostgresError``.
    public func mayView(
        picture id: String, conversation: Int64, offset: Int64, by viewer: Int64, adminsNeedFactor: Bool
    ) async throws -> Bool {
        let rows = try await database.query(
            """
            SELECT EXISTS (
                SELECT FROM chat_log l JOIN members m USING (conversation_id) JOIN conversations c ON c.id = l.conversation_id
                WHERE l.conversation_id = $2 AND l.at_offset = $3 AND l.kind = 'message' AND l.picture_id = $1
                    AND c.is_open AND m.account_id = $4 AND m.state = 'joined' AND l.at_offset > m.from_offset
                    AND NOT is_blocked(l.author_id, $4))
                OR EXISTS (
                SELECT FROM reports r WHERE r.closed_at IS NULL AND r.conversation_id = $2 AND r.pictures @> ARRAY[$1]
                    AND is_admin($4, $5)) AS may
            """, [.uuid(id), .int(conversation), .int(offset), .int(viewer), .bool(adminsNeedFactor)])
        return try rows.first?.bool("may") ?? false
    }
}
