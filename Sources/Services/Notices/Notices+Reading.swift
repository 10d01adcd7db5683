import Hub
import HubCore
import Postgres
import Wire

/// Queries of senders and recipients.
extension Notices {
    /// Largest number of current notices that a page or a count scans.
    static let scannedMax: Int64 = 500

    // MARK: Senders

    func sent(_ notice: Int64, for identity: Identity) async throws -> SentNotice {
        let rows = try await database.query(
            """
            SELECT \(NoticeRow.columns), \(NoticeRow.counts) FROM notices n \(NoticeRow.countsJoin)
            WHERE n.id = $1 AND \(NoticeRow.isSenderSQL)
            """, [.int(notice), .int(identity.account.id), .bool(identity.adminsNeedFactor)])
        guard let row = rows.first else { throw NoticeError.notFound }
        return try NoticeRow.sent(row, now: now())
    }

    /// Returns the counts of a notice.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func status(of params: NoticeParams, for identity: Identity) async throws -> SentNotice {
        try await sent(params.notice, for: identity)
    }

    /// Lists notices that the caller sent, for admins all notices, newest first.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func sent(_ params: NoticesSent.Params, for identity: Identity) async throws -> NoticesSent.Result {
        let limit = try Self.limit(params.limit)
        let rows = try await database.query(
            """
            SELECT \(NoticeRow.columns), \(NoticeRow.counts)
            FROM (SELECT * FROM notices n WHERE n.id < $1 AND \(NoticeRow.isSenderSQL) ORDER BY n.id DESC LIMIT $4) p
            JOIN notices n USING (id) \(NoticeRow.countsJoin) ORDER BY n.id DESC
            """,
            [
                .int(params.before ?? .max), .int(identity.account.id), .bool(identity.adminsNeedFactor),
                .int(Int64(limit)),
            ])
        let time = now()
        let notices = try rows.map { try NoticeRow.sent($0, now: time) }
        return NoticesSent.Result(notices: notices, next: notices.count == limit ? notices.last?.notice.number : nil)
    }

    private static func limit(_ limit: Int?) throws -> Int {
        let limit = limit ?? listedDefault
        guard (1...listedMax).contains(limit) else { throw RPCError.invalid("limit", "must be 1 to \(listedMax)") }
        return limit
    }

    // MARK: Recipients

    /// Subscribes a connection to the notices of its account; see ``Hub/NoticeFeed/subscribe(_:account:since:reply:)``.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func watch(
        _ subscriber: any Subscriber, for identity: Identity, since: TopicPosition?,
        reply: @Sendable (Recovery) -> [UInt8]
    ) async throws {
        try await hub.notices.subscribe(subscriber, account: identity.account.id, since: since, reply: reply)
    }

    private static let listSQL = """
        WITH newest AS MATERIALIZED (
            SELECT n FROM notices n
            WHERE n.state = 'published' AND n.published_offset < $2 AND n.expires_at > $3 AND (n.published_offset <= $4 OR n.was_emergency)
            ORDER BY n.published_offset DESC LIMIT $5)
        SELECT f.*, (SELECT CASE WHEN count(*) = $5 THEN min((s.n).published_offset) END FROM newest s) AS looked_to
        FROM (VALUES (1)) one LEFT JOIN LATERAL (
            SELECT \(NoticeRow.columns), r.read_at
            FROM newest s CROSS JOIN LATERAL (SELECT (s.n).*) n \(NoticeRow.join)
            LEFT JOIN notice_receipts r ON r.notice_id = n.id AND r.account_id = $1
            WHERE ($6 IS NOT TRUE OR r.read_at IS NULL)
                AND notice_for(s.n, $1)
            ORDER BY n.published_offset DESC LIMIT $7) f ON true
        ORDER BY f.published_offset DESC
        """

    /// Lists current notices for the caller, newest first, without those held by do-not-disturb.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func list(_ params: NoticesList.Params, for identity: Identity) async throws -> NoticesList.Result {
        let limit = try Self.limit(params.limit)
        let account = identity.account.id
        let held = try await table.holds(of: [account]).limits[account] ?? .max
        let rows = try await database.query(
            Self.listSQL,
            [
                .int(account), .int(params.before ?? .max), .timestamp(now().milliseconds), .int(held),
                .int(Self.scannedMax), .bool(params.unread == true), .int(Int64(limit)),
            ])
        var notices: [Notice] = []
        var last: Int64?
        for row in rows where try !row.isNull("id") {
            notices.append(try NoticeRow.notice(row, readAt: try row.optionalTimestamp("read_at")))
            last = try row.optionalInt("published_offset")
        }
        let next = notices.count == limit ? last : try rows.first?.optionalInt("looked_to")
        return NoticesList.Result(notices: notices, unread: try await unread(by: account, held: held), next: next)
    }

    private func unread(by account: Int64, held: Int64) async throws -> Int64 {
        let rows = try await database.query(
            """
            SELECT count(*) AS count FROM (
                SELECT n FROM notices n
                WHERE n.state = 'published' AND n.expires_at > $2 AND (n.published_offset <= $3 OR n.was_emergency)
                ORDER BY n.published_offset DESC LIMIT $4) s
            WHERE NOT EXISTS (SELECT FROM notice_receipts r
                    WHERE r.notice_id = (s.n).id AND r.account_id = $1 AND r.read_at IS NOT NULL)
                AND notice_for(s.n, $1)
            """,
            [.int(account), .timestamp(now().milliseconds), .int(held), .int(Self.scannedMax)])
        return try rows.first?.int("count") ?? 0
    }

    /// Number of unread notices of an account; see ``Wire/NoticesList/Result/unread``.
    func unread(by account: Int64) async throws -> Int64 {
        try await unread(by: account, held: table.holds(of: [account]).limits[account] ?? .max)
    }

    // MARK: Settings

    /// Returns the caller's notice settings.
    /// - Throws: ``Postgres/PostgresError``.
    public func settings(of identity: Identity) async throws -> NoticeSettings {
        let rows = try await database.query(
            """
            SELECT q.from_time, q.to_time, q.time_zone,
                ARRAY(SELECT f.zone_id FROM zone_followers f WHERE f.account_id = $1 ORDER BY f.zone_id) AS zones
            FROM (VALUES (1)) one LEFT JOIN quiet_hours q ON q.account_id = $1
            """, [.int(identity.account.id)])
        guard let row = rows.first else { return NoticeSettings() }
        return NoticeSettings(quietHours: try NoticeTable.quietHours(row), zones: try row.intArray("zones"))
    }

    /// Replaces the caller's notice settings. Notices that the previous quiet hours held are in delivery when this returns.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func save(_ settings: NoticeSettings, of identity: Identity) async throws -> NoticeSettings {
        let account = identity.account.id
        let zones = Set(settings.zones).sorted()
        guard zones.count <= Self.followedZonesMax else {
            throw RPCError.invalid("zones", "has at most \(Self.followedZonesMax)")
        }
        if let hours = settings.quietHours { try Self.check(hours, at: now()) }
        try await database.transaction { transaction in
            _ = try await transaction.query("SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE", [.int(account)])
            let known = try await transaction.query(
                "SELECT count(*) AS count FROM zones WHERE id = ANY ($1::bigint[])", [.intArray(zones)])
            guard try known.first?.int("count") == Int64(zones.count) else {
                throw RPCError(.notFound, "there is no such zone: hello lists them", field: "zones")
            }
            _ = try await transaction.batch([
                PostgresStatement(
                    "DELETE FROM zone_followers WHERE account_id = $1 AND zone_id <> ALL ($2::bigint[])",
                    [.int(account), .intArray(zones)]),
                PostgresStatement(
                    "INSERT INTO zone_followers SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING",
                    [.int(account), .intArray(zones)]),
                PostgresStatement("DELETE FROM quiet_hours WHERE account_id = $1", [.int(account)]),
            ])
            guard let hours = settings.quietHours else { return }
            _ = try await transaction.query(
                "INSERT INTO quiet_hours VALUES ($1, $2, $3, $4)",
                [.int(account), .text(hours.from), .text(hours.to), .text(hours.timeZone)])
        }
        await hub.notices.refreshHold(of: account)
        return NoticeSettings(quietHours: settings.quietHours, zones: zones)
    }

    private static func check(_ hours: QuietHours, at now: Timestamp) throws {
        for (name, time) in [("from", hours.from), ("to", hours.to)] where QuietHoursCalendar.minutes(time) == nil {
            throw RPCError.invalid("quietHours.\(name)", "must be a time such as 22:00")
        }
        guard hours.from != hours.to else {
            throw RPCError.invalid("quietHours.to", "must be another time than their beginning")
        }
        guard QuietHoursCalendar.window(of: hours, at: now) != nil else {
            throw RPCError.invalid("quietHours.timeZone", "must be a time zone such as Europe/Berlin")
        }
    }
}
