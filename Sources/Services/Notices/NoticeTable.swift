import Hub
import Postgres
import Wire

/// Reads the log of notices and their recipients from PostgreSQL.
public struct NoticeTable: NoticeStore {
    /// Largest number of entries in a page.
    static let pageEntriesMax = 100
    /// Bytes at which a page for one account ends; the entry that reaches it is included.
    static let pageBytesMax = 524_288
    /// Largest number of notices in a snapshot.
    static let snapshotMax = 50
    /// Largest number of log entries, for any recipients, that one page scans.
    static let scannedMax: Int64 = 5_000

    private let database: PostgresPool
    private let now: @Sendable () -> Timestamp
    private let quiet = QuietHoursCalendar()

    /// Creates the store by which the hub reads notices.
    /// - Parameters:
    ///   - database: Pool with the server's role.
    ///   - now: The server's wall clock.
    public init(database: PostgresPool, now: @escaping @Sendable () -> Timestamp = { .now }) {
        self.database = database
        self.now = now
    }

    private static func head(_ row: PostgresRow) throws -> TopicPosition {
        TopicPosition(epoch: try row.int("epoch"), offset: try row.int("head_offset"))
    }

    private static let missing = RPCError(.internalError, "the log of notices is not there")

    /// See ``Hub/NoticeStore``.
    public func head() async throws -> TopicPosition {
        let rows = try await database.query("SELECT epoch, head_offset FROM topics WHERE name = 'notices'")
        guard let row = rows.first else { throw Self.missing }
        return try Self.head(row)
    }

    /// See ``Hub/NoticeStore``. Uses one statement, so that head and entries come from one snapshot.
    public func page(after offset: Int64) async throws -> NoticePage {
        let rows = try await database.query(
            """
            SELECT t.epoch, t.head_offset, f.*
            FROM topics t LEFT JOIN LATERAL (
                SELECT l.at_offset, n.was_emergency, n.kind = 'campus' AND n.is_official AS for_all,
                    CASE WHEN n.revision = l.revision AND n.expires_at > $2 THEN notice_json(n, false, NULL)::text END AS data
                FROM notice_log l JOIN notices n ON n.id = l.notice_id
                WHERE l.at_offset > $1 ORDER BY l.at_offset LIMIT $3) f ON true
            WHERE t.name = 'notices' ORDER BY f.at_offset
            """, [.int(offset), .timestamp(now().milliseconds), .int(Int64(Self.pageEntriesMax))])
        guard let first = rows.first else { throw Self.missing }
        let head = try Self.head(first)
        var entries: [NoticeEntry] = []
        for row in rows where try !row.isNull("at_offset") {
            entries.append(
                NoticeEntry(
                    offset: try row.int("at_offset"), isForAll: try row.bool("for_all"),
                    passes: try row.bool("was_emergency"), data: try row.optionalText("data").map { Array($0.utf8) }))
        }
        let isAll = entries.count < Self.pageEntriesMax
        return NoticePage(
            head: head, through: isAll ? head.offset : entries.last?.offset ?? head.offset, entries: entries)
    }

    /// See ``Hub/NoticeStore``.
    public func recipients(of offsets: [Int64], among accounts: [Int64]) async throws -> [Int64: Set<Int64>] {
        let rows = try await database.query(
            """
            SELECT l.at_offset, array_agg(p) AS ids
            FROM notice_log l JOIN notices n ON n.id = l.notice_id CROSS JOIN LATERAL notice_people(n, $2::bigint[]) p
            WHERE l.at_offset = ANY ($1::bigint[]) GROUP BY l.at_offset
            """, [.intArray(offsets), .intArray(accounts)])
        var recipients: [Int64: Set<Int64>] = [:]
        for row in rows { recipients[try row.int("at_offset")] = Set(try row.intArray("ids")) }
        return recipients
    }

    // MARK: Single accounts

    /// Parameters: `$1` the account, `$2` the offset to read after, `$3` the current time, `$4` the start of its current quiet hours,
    /// `$5` the limit.
    private static func sql(where condition: String, order: String) -> String {
        """
        SELECT t.epoch, t.head_offset, p.through, q.from_time, q.to_time, q.time_zone, b.held, f.*
        FROM topics t CROSS JOIN notice_pruned p
        LEFT JOIN notice_holds h ON h.account_id = $1
        LEFT JOIN quiet_hours q ON q.account_id = $1
        CROSS JOIN LATERAL (SELECT least(h.since_offset, CASE WHEN $4::timestamptz IS NOT NULL THEN coalesce((
            SELECT l.at_offset FROM notice_log l WHERE l.at < $4 ORDER BY l.at_offset DESC LIMIT 1), 0) END) AS held) b
        LEFT JOIN LATERAL (
            SELECT l.at_offset, notice_json(n, false, r.read_at)::text AS data
            FROM notice_log l JOIN notices n ON n.id = l.notice_id AND n.revision = l.revision
            LEFT JOIN notice_receipts r ON r.notice_id = n.id AND r.account_id = $1
            WHERE l.at_offset > $2 AND n.expires_at > $3 AND (b.held IS NULL OR l.at_offset <= b.held OR n.was_emergency)
                AND \(condition) AND notice_for(n, $1)
            ORDER BY l.at_offset \(order) LIMIT $5) f ON true
        WHERE t.name = 'notices' ORDER BY f.at_offset
        """
    }

    private static let sinceSQL = sql(where: "l.at_offset <= $2 + \(scannedMax)", order: "")
    private static let newestSQL = sql(where: "n.state = 'published'", order: "DESC")

    /// See ``Hub/NoticeStore``.
    public func reading(for account: Int64, since: TopicPosition?) async throws -> AccountNoticePage {
        var failure: RecoveryFailure?
        if let since {
            let rows = try await rows(Self.sinceSQL, account, after: max(0, since.offset), Self.pageEntriesMax + 1)
            guard let first = rows.first else { throw Self.missing }
            failure = try Self.failure(since, first)
            if failure == nil { return try recovery(rows, first, since: since) }
        }
        let rows = try await rows(Self.newestSQL, account, after: 0, Self.snapshotMax)
        guard let first = rows.first else { throw Self.missing }
        var reading = try recovery(rows, first, since: nil)
        (reading.isRecovered, reading.failure) = (false, failure)
        return reading
    }

    /// Queries the notices of an account. If it has quiet hours now, which only the result shows, queries again with their start.
    private func rows(_ sql: String, _ account: Int64, after offset: Int64, _ count: Int) async throws -> PostgresRows {
        let at = now()
        func rows(quietSince: Timestamp?) async throws -> PostgresRows {
            try await database.query(
                sql,
                [
                    .int(account), .int(offset), .timestamp(at.milliseconds),
                    .optional(timestamp: quietSince?.milliseconds), .int(Int64(count)),
                ])
        }
        let first = try await rows(quietSince: nil)
        guard let row = first.first, let hours = try Self.quietHours(row),
            let since = quiet.window(of: hours, at: at)?.since
        else { return first }
        return try await rows(quietSince: since)
    }

    private static func failure(_ since: TopicPosition, _ row: PostgresRow) throws -> RecoveryFailure? {
        let head = try head(row)
        guard since.epoch == head.epoch else { return .epochChanged }
        guard since.offset >= 0, since.offset <= head.offset else { return .future }
        return since.offset < (try row.int("through")) ? .tooOld : nil
    }

    private func recovery(
        _ rows: PostgresRows, _ first: PostgresRow, since: TopicPosition?
    ) throws -> AccountNoticePage {
        let head = try Self.head(first)
        let held = try first.optionalInt("held")
        var reading = AccountNoticePage(head: head, position: 0, publications: [], limit: held)
        reading.changesAt = try Self.quietHours(first).flatMap { quiet.window(of: $0, at: now())?.changesAt }
        var bytes = 0
        for row in rows where try !row.isNull("at_offset") {
            let one = StoredPublication(offset: try row.int("at_offset"), data: Array(try row.text("data").utf8))
            if one.offset > held ?? .max {
                reading.early.append(one)
            } else if reading.publications.count < Self.pageEntriesMax, bytes < Self.pageBytesMax {
                reading.publications.append(one)
                bytes += one.data.count
            } else {
                reading.hasMore = true
            }
        }
        let start = since?.offset ?? 0
        let goal = max(start, min(head.offset, held ?? .max))
        let end = since == nil ? goal : min(goal, start + Self.scannedMax)
        reading.position = reading.hasMore ? reading.publications.last?.offset ?? end : end
        reading.hasMore = reading.hasMore || end < goal
        if reading.hasMore { reading.early = [] }
        return reading
    }

    // MARK: Do not disturb

    static func quietHours(_ row: PostgresRow) throws -> QuietHours? {
        guard let from = try row.optionalText("from_time") else { return nil }
        return QuietHours(from: from, to: try row.text("to_time"), timeZone: try row.text("time_zone"))
    }

    /// See ``Hub/NoticeStore``.
    public func holds(of accounts: [Int64]) async throws -> NoticeHolds {
        let at = now()
        let rows = try await database.query(
            """
            SELECT u.id, h.since_offset, q.from_time, q.to_time, q.time_zone FROM unnest($1::bigint[]) AS u (id)
            LEFT JOIN notice_holds h ON h.account_id = u.id LEFT JOIN quiet_hours q ON q.account_id = u.id
            WHERE h.account_id IS NOT NULL OR q.account_id IS NOT NULL
            """, [.intArray(accounts)])
        var holds = NoticeHolds()
        var quietSince: [Int64: Timestamp] = [:]
        for row in rows {
            let account = try row.int("id")
            holds.limits[account] = try row.optionalInt("since_offset")
            guard let hours = try Self.quietHours(row), let window = quiet.window(of: hours, at: at) else { continue }
            quietSince[account] = window.since
            holds.changesAt = min(holds.changesAt ?? window.changesAt, window.changesAt)
        }
        let offsets = try await offsets(before: Set(quietSince.values))
        for (account, since) in quietSince {
            let offset = offsets[since] ?? 0
            holds.limits[account] = min(holds.limits[account] ?? offset, offset)
        }
        return holds
    }

    /// Interval between checks whether an account's notices are still held, in seconds.
    static let holdCheckSeconds = 60.0

    /// Returns those of the given accounts that must not be disturbed now, each with the time of the next check. For reminders.
    /// - Throws: ``Postgres/PostgresError``.
    public func heldUntil(_ accounts: [Int64]) async throws -> [Int64: Timestamp] {
        let again = now().advanced(bySeconds: Self.holdCheckSeconds)
        return try await holds(of: accounts).limits.mapValues { _ in again }
    }

    /// Head of the log at each of these times.
    private func offsets(before times: Set<Timestamp>) async throws -> [Timestamp: Int64] {
        guard !times.isEmpty else { return [:] }
        let rows = try await database.query(
            """
            SELECT u.at, coalesce((SELECT l.at_offset FROM notice_log l WHERE l.at < u.at ORDER BY l.at_offset DESC LIMIT 1), 0) AS place
            FROM unnest($1::timestamptz[]) AS u (at)
            """, [.timestampArray(times.map(\.milliseconds))])
        var offsets: [Timestamp: Int64] = [:]
        for row in rows { offsets[Timestamp(milliseconds: try row.timestamp("at"))] = try row.int("place") }
        return offsets
    }
}
