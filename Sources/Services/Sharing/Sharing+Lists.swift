import Hub
import Postgres
import Wire

/// Lists of own, past and received shares.
extension Sharing {
    private static let shareColumns = """
        s.id, s.audience, s.person_id, o.username AS person_username, share_name($1, s.person_id) AS person_name,
        s.conversation_id, share_group_name(s) AS group_name, s.precision, s.session_id, s.started_at, s.expires_at,
        s.ended_at, s.end_reason, s.invitation IS NOT NULL AS is_invited
        """

    /// Returns shares of an account, as the account sees them.
    /// - Parameter condition: SQL condition with parameters from `$2` on.
    func shares(
        _ condition: String, _ parameters: [PostgresValue], of account: Int64, limit: Int = Sharing.workingMax
    ) async throws -> [Share] {
        let rows = try await database.query(
            """
            SELECT \(Self.shareColumns) FROM shares s LEFT JOIN accounts o ON o.id = s.person_id WHERE s.account_id = $1
                AND \(condition) ORDER BY s.id DESC LIMIT \(limit)
            """, [.int(account)] + parameters)
        let watching = await hub.shares.watching(try rows.map { try $0.int("id") })
        return try rows.map { row in
            let person = try row.optionalInt("person_id").map { id in
                SharingPerson(
                    account: id, name: try row.text("person_name"), username: try row.text("person_username"))
            }
            let endedAt = try row.optionalTimestamp("ended_at").map { Timestamp(milliseconds: $0) }
            return Share(
                id: try row.int("id"), audience: try row.choice("audience"), person: person,
                group: try row.optionalInt("conversation_id"), groupName: try row.optionalText("group_name"),
                precision: try row.choice("precision"), session: try row.optionalInt("session_id"),
                startedAt: Timestamp(milliseconds: try row.timestamp("started_at")),
                expiresAt: Timestamp(milliseconds: try row.timestamp("expires_at")), endedAt: endedAt,
                end: try row.optionalText("end_reason").flatMap(ShareEnd.init(rawValue:)),
                watching: endedAt == nil ? watching[try row.int("id")] ?? 0 : 0,
                invited: try row.bool("is_invited") ? true : nil)
        }
    }

    /// Lists the caller's active shares.
    /// - Throws: ``Postgres/PostgresError``.
    public func mine(of identity: Identity) async throws -> SharingMine.Result {
        SharingMine.Result(
            shares: try await shares(
                "s.ended_at IS NULL AND s.expires_at > $2", [.timestamp(now().milliseconds)], of: identity.account.id))
    }

    /// Returns a page of the caller's ended shares.
    /// - Throws: ``Postgres/PostgresError``.
    public func past(_ params: SharingPast.Params, of identity: Identity) async throws -> SharingPast.Result {
        let found = try await shares(
            "s.ended_at IS NOT NULL AND s.id < $2", [.int(params.before ?? .max)], of: identity.account.id,
            limit: Self.pageMax + 1)
        return SharingPast.Result(
            shares: Array(found.prefix(Self.pageMax)),
            next: found.count > Self.pageMax ? found[Self.pageMax - 1].id : nil)
    }

    /// Removes the caller's ended shares.
    /// - Throws: ``Postgres/PostgresError``.
    public func erasePast(of identity: Identity) async throws -> Erased {
        Erased(erased: try await remove("account_id = $1", [.int(identity.account.id)]))
    }

    // MARK: Access log

    /// Lists the viewers of a share: one line per account and precision, and one line for all guests. If there are too many lines, each
    /// account's most exact line comes first, so that no account is left out because of another's lines. A `loose` record has no observed
    /// end, because map viewers do not report when they stop viewing. `share_viewers` omits strangers until the share has ended, and
    /// always omits their times, from which the owner could infer their presence. It omits strangers of a campus-wide share permanently;
    /// `share_strangers` counts them.
    private static let receiptSQL = """
        WITH lines AS (
            SELECT w.account_id, w.precision, min(w.from_at) AS from_at,
                CASE WHEN bool_and(w.to_at IS NOT NULL) THEN max(w.to_at) END AS to_at,
                CASE WHEN bool_and(w.to_at IS NOT NULL)
                    THEN coalesce(max(w.to_at) FILTER (WHERE loose) > max(w.to_at) FILTER (WHERE NOT loose), bool_or(loose))
                    ELSE NOT bool_or(w.to_at IS NULL AND NOT loose) END AS at_latest,
                sum(w.times)::bigint AS times, max(w.from_at) AS latest, max(w.id) AS id,
                row_number() OVER (PARTITION BY w.account_id
                    ORDER BY array_position(ARRAY['exact', 'building', 'zone', 'campus'], w.precision)) AS nth
            FROM share_viewers($1) w GROUP BY w.account_id, w.precision),
        listed AS (SELECT * FROM lines ORDER BY nth, latest DESC, id DESC LIMIT \(Sharing.watchesMax))
        SELECT s.account_id, a.username, share_name($2, s.account_id) AS name, s.from_at, s.latest, s.to_at, s.at_latest,
            s.precision, s.times
        FROM listed s LEFT JOIN accounts a ON a.id = s.account_id ORDER BY s.latest DESC, s.id DESC
        """

    /// Returns the access log of a share.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func receipt(_ params: ShareParams, of identity: Identity) async throws -> SharingReceipt {
        guard let share = try await shares("s.id = $2", [.int(params.share)], of: identity.account.id).first else {
            throw Self.notYours
        }
        let answers = try await database.transaction { transaction in
            try await transaction.batch([
                PostgresStatement(Self.receiptSQL, [.int(params.share), .int(identity.account.id)]),
                PostgresStatement(
                    """
                    SELECT count(DISTINCT w.account_id)
                        + count(DISTINCT w.opening) FILTER (WHERE w.account_id IS NULL) AS count,
                        (SELECT CASE WHEN s.audience = 'campus' THEN share_strangers(s.id) WHEN s.ended_at IS NOT NULL THEN s.more END
                            FROM shares s WHERE s.id = $1) AS more
                    FROM share_viewers($1) w
                    """, [.int(params.share)]),
            ])
        }
        let watches = try answers[0].map { row in
            ShareWatch(
                person: try row.optionalInt("account_id").map { id in
                    SharingPerson(account: id, name: try row.text("name"), username: try row.text("username"))
                }, from: Timestamp(milliseconds: try row.timestamp("from_at")),
                last: Timestamp(milliseconds: try row.timestamp("latest")),
                to: try row.optionalTimestamp("to_at").map { Timestamp(milliseconds: $0) },
                atLatest: try row.bool("at_latest"), precision: try row.choice("precision"),
                times: Int(try row.int("times")))
        }
        let count = try answers[1].first.map { try $0.int("count") + ($0.optionalInt("more") ?? 0) } ?? 0
        return SharingReceipt(share: share, watches: watches, watchers: Int(count))
    }

    // MARK: Received shares

    private static let withMeSQL = """
        SELECT \(ShareTable.columns) FROM \(ShareTable.tables)
        WHERE \(ShareTable.isThere) AND s.account_id <> $1
            AND (s.person_id = $1 OR s.conversation_id IN (
                SELECT m.conversation_id FROM members m WHERE m.account_id = $1 AND m.state = 'joined'))
            AND share_visible(s, $1, NULL)
        ORDER BY name, s.id LIMIT \(Sharing.listedMax)
        """

    private static let invitationsSQL = """
        SELECT \(ShareTable.columns) FROM \(ShareTable.tables)
        WHERE s.person_id = $1 AND s.invitation = 'waiting' AND \(ShareTable.isThere)
            AND NOT is_blocked($1, s.account_id)
        ORDER BY s.id DESC LIMIT \(Sharing.listedMax)
        """

    private static let campusSQL = """
        SELECT \(ShareTable.columns) FROM \(ShareTable.tables)
        WHERE \(ShareTable.isThere) AND s.account_id <> $1 AND s.audience = 'campus'
            AND share_visible(s, $1, NULL)
        ORDER BY a.username, s.id LIMIT \(Sharing.listedMax + 1)
        """

    /// Lists the shares that the caller can view.
    /// - Throws: ``Postgres/PostgresError``.
    public func withMe(_ params: SharingWithMe.Params, of identity: Identity) async throws -> SharingWithMe.Result {
        let parameters: [PostgresValue] = [.int(identity.account.id), .timestamp(now().milliseconds)]
        var shares = try await database.query(Self.withMeSQL, parameters).map { try StoredShare($0).seen() }
        var hasMore = false
        if params.campus == true {
            let campus = try await database.query(Self.campusSQL, parameters).map { try StoredShare($0).seen() }
            hasMore = campus.count > Self.listedMax
            shares += campus.prefix(Self.listedMax)
        }
        let invitations = try await database.query(Self.invitationsSQL, parameters).map { try StoredShare($0).seen() }
        return SharingWithMe.Result(shares: shares, more: hasMore, invitations: invitations)
    }

    private static let respondSQL = """
        UPDATE shares s SET invitation = CASE WHEN $3 THEN 'accepted' ELSE 'declined' END
        WHERE s.id = $1 AND s.person_id = $2 AND (s.ended_at IS NULL OR s.end_published_at > $4) AND s.expires_at > $4
            AND s.invitation IN ('waiting', CASE WHEN $3 THEN 'accepted' ELSE 'declined' END)
            AND NOT is_blocked($2, s.account_id)
        RETURNING s.id
        """

    /// Accepts or declines a stranger's share. The owner is not notified, and nothing that the owner can read changes.
    /// - Throws: ``Wire/RPCError``: `notFound` without such an invitation; ``Postgres/PostgresError``.
    public func respond(_ params: SharingRespond.Params, by identity: Identity) async throws -> SharingRespond.Result {
        let account = identity.account.id
        let rows = try await database.query(
            Self.respondSQL,
            [.int(params.share), .int(account), .bool(params.accept), .timestamp(now().milliseconds)])
        guard rows.first != nil else { throw Self.noInvitation }
        // Notifies the caller's other devices.
        await hub.signals.publish([AccountSignal(account, UserSignal(type: .share, share: params.share))], by: account)
        guard params.accept else { return SharingRespond.Result() }
        let share = try await ShareTable(database: database, now: now).shares([params.share]).first
        return SharingRespond.Result(share: share?.seen())
    }

    private static let noInvitation = RPCError(
        .notFound, "there is no such invitation any more: sharing.withMe lists the pending ones", field: "share")
}
