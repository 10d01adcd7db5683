import Postgres
import Wire

/// Conversion of `notices` rows for the sender and for recipients.
enum NoticeRow {
    /// Columns of the row `n` and of its sender `a`.
    static let columns = """
        n.id, n.revision, n.client_id, n.kind, n.zone_id, n.role, n.event_id, n.account_id, n.title, n.body, n.level, n.state,
        n.publish_at, n.published_offset, n.changed_at, n.expires_at, a.username AS author_name, a.role AS author_role
        """
    static let join = "LEFT JOIN accounts a ON a.id = n.author_id"
    /// Exact counts from `countsJoin`, which leave the server only as ``NoticeCounts``. The join counts the campus and each role once per
    /// page.
    static let counts = """
        CASE WHEN n.kind IN ('campus', 'role') THEN coalesce(t.count, 0) ELSE notice_audience(n) END AS recipients,
        coalesce(c.received, 0) AS received, coalesce(c.read, 0) AS read
        """
    static let countsJoin = """
        \(join) LEFT JOIN notice_counts c ON c.notice_id = n.id
        LEFT JOIN (SELECT s.role, count(*) AS count FROM accounts s WHERE s.disabled_at IS NULL GROUP BY ROLLUP (s.role)) t
            ON t.role IS NOT DISTINCT FROM n.role
        """
    /// Whether `$2` may see the notice as its sender; `$3` is whether admins need a second factor. Uses the account's current role, not
    /// the connection's.
    static let isSenderSQL = "(n.author_id = $2 OR (SELECT is_admin($2, $3)))"

    static func audience(_ row: PostgresRow) throws -> NoticeAudience {
        guard let kind = NoticeAudience.Kind(rawValue: try row.text("kind")) else {
            throw RPCError(.internalError, "a notice cannot be read")
        }
        return NoticeAudience(
            kind: kind, zone: try row.optionalInt("zone_id"),
            role: try row.optionalText("role").flatMap { Role(rawValue: $0) }, event: try row.optionalInt("event_id"),
            account: try row.optionalInt("account_id"))
    }

    /// - Parameter readAt: Time at which the caller read the notice, in milliseconds.
    static func notice(_ row: PostgresRow, readAt: Int64? = nil) throws -> Notice {
        guard let level = NoticeLevel(rawValue: try row.text("level")) else {
            throw RPCError(.internalError, "a notice cannot be read")
        }
        var to = try audience(row)
        to.account = nil
        var from: Notice.Sender?
        if let name = try row.optionalText("author_name"),
            let role = try row.optionalText("author_role").flatMap({ Role(rawValue: $0) })
        {
            from = Notice.Sender(username: name, role: role)
        }
        return Notice(
            number: try row.int("id"), revision: Int(try row.int("revision")), id: try row.uuid("client_id"),
            at: Timestamp(milliseconds: try row.timestamp("publish_at")),
            changedAt: try row.optionalTimestamp("changed_at").map { Timestamp(milliseconds: $0) },
            title: try row.text("title"), body: try row.optionalText("body"), level: level, from: from, to: to,
            expiresAt: Timestamp(milliseconds: try row.timestamp("expires_at")),
            readAt: readAt.map { Timestamp(milliseconds: $0) })
    }

    static func sent(_ row: PostgresRow, now: Timestamp) throws -> SentNotice {
        let notice = try notice(row)
        let state: NoticeState =
            switch try row.text("state") {
            case "scheduled": .scheduled
            case "withdrawn": .withdrawn
            default: notice.expiresAt.map { $0 <= now } == true ? .expired : .published
            }
        let audience = try audience(row)
        let counts = NoticeCounts(
            of: audience.kind, recipients: try row.int("recipients"), received: try row.int("received"),
            read: try row.int("read"), age: now.seconds(since: notice.at))
        return SentNotice(
            notice: notice, audience: audience, state: state, publishAt: notice.at, recipients: counts.recipients,
            received: counts.received, read: counts.read)
    }
}
