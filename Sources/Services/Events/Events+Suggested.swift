import Campus
import Postgres
import Wire

/// Suggested events (N-5): events that buddies attend, of a kind that the account likes, or in a zone where it often is. The derived
/// interests are not disclosed to other accounts.
extension Events {
    static let suggestedMax = 20
    static let suggestedDefault = 10
    /// Number of days ahead in which events are suggested; `suggestedScannedMax` is the number of upcoming events that are scanned.
    static let suggestedDays = 30.0
    static let suggestedScannedMax: Int64 = 2_000
    /// Number of the newest answers that indicate interests; likewise of own sessions, and of sampled points per session.
    static let answersScannedMax: Int64 = 200
    static let sessionsScannedMax: Int64 = 30
    static let placesOfSessionMax: Int64 = 8
    /// Number of most frequent zones that count.
    static let zonesMax = 3
    /// Largest number of buddies' answers that are scanned.
    static let buddyAnswersMax: Int64 = 20_000

    /// Suggests events that the account has neither answered nor created, best first.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func suggested(
        _ params: EventsSuggested.Params, for identity: Identity
    ) async throws -> EventsSuggested.Result {
        let limit = params.limit ?? Self.suggestedDefault
        guard (1...Self.suggestedMax).contains(limit) else {
            throw RPCError.invalid("limit", "must be 1 to \(Self.suggestedMax)")
        }
        let account = identity.account.id
        let at = now()
        let rows = try await database.query(
            Self.suggestedSQL,
            [
                .int(account), .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: Self.suggestedDays * 86_400).milliseconds),
                .textArray(try await kinds(of: account).sorted()), .intArray(try await zones(of: account)),
                .int(Int64(limit)), .int(Self.suggestedScannedMax), .int(Self.buddyAnswersMax),
            ])
        let events = try await EventRow.events(
            try rows.map { try EventRow($0, seenBy: identity) }, people, seenBy: identity)
        return EventsSuggested.Result(
            suggestions: try zip(rows, events).map { row, event in
                let because: EventsSuggested.Reason =
                    if try row.bool("has_buddy") { .buddies } else if try row.bool("is_kind") { .interest } else {
                        .place
                    }
                return EventsSuggested.Suggestion(event: event, because: because)
            })
    }

    /// Parameters: `$1` the viewer, `$2` to `$3` the interval, `$4` kinds, `$5` zones, `$6` the limit, `$7` and `$8` the numbers of
    /// scanned events and answers. A buddy's attendance weighs more than kind and zone together. Saved events without an answer may be
    /// suggested again.
    private static let suggestedSQL = """
        WITH looked AS (
            SELECT e.id, e.workout, e.zone_id, e.starts_at, e.owner_id, e.state, e.audience FROM events e
            WHERE e.state <> 'draft' AND e.audience <> 'private' AND e.starts_at > $2 AND e.starts_at < $3
            ORDER BY e.starts_at, e.id LIMIT $7),
        friends AS (
            SELECT DISTINCT g.event_id FROM (
                SELECT p.event_id FROM (
                    SELECT high_id AS id FROM buddies WHERE low_id = $1 UNION ALL SELECT low_id FROM buddies WHERE high_id = $1) b
                    JOIN event_people p ON p.account_id = b.id AND p.answer = 'going'
                WHERE NOT is_blocked($1, b.id) LIMIT $8) g),
        rated AS (
            SELECT l.*, f.event_id IS NOT NULL AS has_buddy, coalesce(l.workout = ANY ($4), false) AS is_kind,
                coalesce(l.zone_id = ANY ($5), false) AS is_place
            FROM looked l LEFT JOIN friends f ON f.event_id = l.id),
        best AS MATERIALIZED (
            SELECT r.id, r.has_buddy, r.is_kind, 4 * r.has_buddy::int + 2 * r.is_kind::int + r.is_place::int AS score FROM rated r
            WHERE (r.has_buddy OR r.is_kind OR r.is_place) AND r.state = 'published' AND r.owner_id IS DISTINCT FROM $1
                AND r.id NOT IN (SELECT p.event_id FROM event_people p WHERE p.account_id = $1 AND p.answer IS NOT NULL)
                AND (r.audience = 'campus' OR coalesce(r.owner_id, 0) NOT IN (
                    SELECT b FROM blocks_of($1) b))
            ORDER BY score DESC, r.starts_at, r.id LIMIT $6)
        SELECT \(EventRow.columns), b.has_buddy, b.is_kind
        FROM best b JOIN events e ON e.id = b.id LEFT JOIN event_people p ON p.event_id = e.id AND p.account_id = $1::bigint
        WHERE event_visible(e, $1::bigint) ORDER BY b.score DESC, e.starts_at, e.id
        """

    /// Kinds of workouts from the interests, from the buddy profile, from answered or saved events, and from own sessions.
    private func kinds(of account: Int64) async throws -> Set<String> {
        let rows = try await database.query(
            """
            SELECT (SELECT styles FROM buddy_profiles WHERE account_id = $1) AS styles,
                coalesce((SELECT interests FROM profiles WHERE account_id = $1), '{}') || ARRAY(SELECT DISTINCT l.workout FROM (
                    SELECT e.workout FROM event_people p JOIN events e ON e.id = p.event_id
                    WHERE p.account_id = $1 AND (p.answer IN ('going', 'maybe') OR p.answer IS NULL AND p.is_saved)
                    ORDER BY p.event_id DESC LIMIT $2) l WHERE l.workout IS NOT NULL)
                || ARRAY(SELECT DISTINCT CASE s.activity WHEN 'cycle' THEN 'cycling' ELSE 'running' END FROM (
                    SELECT activity FROM sessions WHERE account_id = $1 ORDER BY started_at DESC, id DESC LIMIT $3) s) AS kinds
            """, [.int(account), .int(Self.answersScannedMax), .int(Self.sessionsScannedMax)])
        guard let row = rows.first else { return [] }
        let styles = try row.optionalInt("styles").map { BuddyCatalogue.styles.ids($0) } ?? []
        return Set(styles).union(try row.textArray("kinds"))
    }

    /// Most frequent zones of the account's newest sessions. A fixed number of points per session gives long and short sessions equal
    /// weight.
    private func zones(of account: Int64) async throws -> [Int64] {
        let rows = try await database.query(
            """
            SELECT p.lat, p.lon FROM (
                SELECT id, last_seq FROM sessions WHERE account_id = $1 AND state = 'finished' AND points > 0
                ORDER BY started_at DESC, id DESC LIMIT $2) s
                CROSS JOIN generate_series(0, $3::bigint - 1) step
                CROSS JOIN LATERAL (SELECT lat, lon FROM points
                    WHERE session_id = s.id AND seq >= 1 + step * s.last_seq / $3 ORDER BY seq LIMIT 1) p
            """, [.int(account), .int(Self.sessionsScannedMax), .int(Self.placesOfSessionMax)])
        var counts: [Int64: Int] = [:]
        for row in rows {
            guard let zone = campus.zone(at: LatLon(try row.double("lat"), try row.double("lon"))) else { continue }
            counts[zone, default: 0] += 1
        }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.zonesMax).map(\.key)
    }
}
