import Campus
import Postgres
import Wire

/// Lists of events in order of time. A page scans a bounded number of upcoming events that may concern the viewer, so its cost does not
/// depend on the total number.
extension Events {
    /// Largest age in days of a list's start; events older than that are removed.
    public static let pastDaysMax = 400.0
    /// Number of events that a page scans when it filters, and `unfilteredScannedMax` without a filter.
    static let scannedMax = 5_000
    static let unfilteredScannedMax = 500
    /// Permitted radius of a search around a place, in metres.
    static let nearMetres = 50.0...5_000.0

    /// Condition on `$3` to `$6`: events that have not ended, start in the interval, and follow the previous page. `$10` is the number of
    /// scanned events.
    private static let window = """
        e.ends_at > $3 AND e.starts_at >= greatest($3 - interval '\(Int(EventDraft.durationSeconds.upperBound)) seconds', $5::timestamptz)
            AND ($4::timestamptz IS NULL OR e.starts_at < $4)
            AND ($5::timestamptz IS NULL OR (e.starts_at, e.id) > ($5, $6::bigint))
        """
    private static let scanned = "ORDER BY e.starts_at, e.id LIMIT $10 + 1"
    /// Events `e` for which the viewer `$1` has a row `p`.
    private static let ofPeople = "events e JOIN event_people p ON p.event_id = e.id AND p.account_id = $1"

    /// Query of the events to scan.
    private static func candidates(_ which: EventsList.Which, isGuest: Bool) -> String {
        func select(_ from: String, _ condition: String) -> String {
            "SELECT e.id, e.starts_at FROM \(from) WHERE \(condition) AND \(window)"
        }
        return switch which {
        case .all where isGuest: select("events e", "e.audience = 'campus' AND e.state <> 'draft'")
        case .all:
            "(" + select("events e", "e.state <> 'draft' AND e.audience <> 'private'") + " \(scanned)) UNION ALL "
                + select(ofPeople, "e.audience = 'private' AND e.owner_id <> $1 AND p.invited_at IS NOT NULL")
                + " UNION ALL "
                + select("events e", "e.owner_id = $1 AND e.audience = 'private' AND e.state <> 'draft'")
        case .coming: select(ofPeople, "p.answer IN ('going', 'maybe')")
        case .invited:
            select(
                ofPeople,
                "p.invited_at IS NOT NULL AND p.answer IS NULL AND e.state <> 'cancelled' AND NOT is_blocked(p.invited_by, $1)"
            )
        case .saved: select(ofPeople, "p.is_saved")
        case .own: select("events e", "e.owner_id = $1")
        }
    }

    /// Selects the page and one further row. Each row carries the last scanned event, even for an empty page. Cheap conditions come first
    /// and are evaluated event by event in order of time until the page is full.
    private static func listSQL(_ which: EventsList.Which, isGuest: Bool) -> String {
        """
        WITH scanned AS MATERIALIZED (SELECT * FROM (\(candidates(which, isGuest: isGuest))) e \(scanned)),
        last AS (SELECT starts_at, id FROM scanned ORDER BY starts_at, id OFFSET $10 - 1 LIMIT 1),
        found AS MATERIALIZED (
            SELECT c.id FROM (SELECT starts_at, id FROM scanned ORDER BY starts_at, id LIMIT $10) c
                JOIN events e ON e.id = c.id LEFT JOIN event_people p ON p.event_id = e.id AND p.account_id = $1::bigint
            WHERE (e.state <> 'cancelled' OR e.owner_id = $1 OR p.answer IS NOT NULL OR p.invited_at IS NOT NULL OR p.is_saved
                    OR e.audience = 'campus')
                AND ($2::bigint IS NULL OR e.zone_id = $2) AND ($7::text IS NULL OR e.workout = $7)
                AND ($11::double precision IS NULL OR \(isNear))
                AND (cardinality($8::text[]) = 0 OR lower(concat_ws(' ', e.title, e.place, e.description))
                    LIKE ALL (ARRAY(SELECT lower(t) FROM unnest($8::text[]) t)))
                AND event_visible(e, $1::bigint)
            ORDER BY c.starts_at, c.id LIMIT $9),
        page AS (
            SELECT \(EventRow.columns)
            FROM found f JOIN events e ON e.id = f.id LEFT JOIN event_people p ON p.event_id = e.id AND p.account_id = $1::bigint)
        SELECT page.*, last.starts_at AS last_at, last.id AS last_id, (SELECT count(*) > $10 FROM scanned) AS is_cut
        FROM (SELECT) one LEFT JOIN last ON true LEFT JOIN page ON true ORDER BY page.starts_at, page.id
        """
    }

    /// Condition on the place `$11`, `$12` and the radius `$13` in metres. It uses a planar approximation, which is exact to less than a
    /// metre over a few kilometres away from the poles.
    private static let isNear = """
        \(GeoPoint.earthRadiusMetres) * radians(1)
            * sqrt(power((ST_X(e.position) - $11) * cos(radians($12)), 2) + power(ST_Y(e.position) - $12, 2)) <= $13
        """

    private static let guestSQL = listSQL(.all, isGuest: true)
    private static let sql = Dictionary(
        uniqueKeysWithValues: EventsList.Which.allCases.map { ($0, listSQL($0, isGuest: false)) })

    /// Lists events in order of time.
    /// - Parameter identity: Identity of the viewer; nil for a guest, who sees campus events only.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func list(_ params: EventsList.Params, for identity: Identity?) async throws -> EventsList.Result {
        let which = params.which ?? .all
        guard identity != nil || which == .all else {
            throw RPCError(.unauthenticated, "only accounts have such events: sign in, or list all")
        }
        let limit = params.limit ?? Self.listedDefault
        guard (1...Self.listedMax).contains(limit) else {
            throw RPCError.invalid("limit", "must be 1 to \(Self.listedMax)")
        }
        if let workout = params.workout, !EventWorkouts.ids.contains(workout) {
            throw RPCError.invalid("workout", "is not a kind of workout: events.options lists them")
        }
        let text = try Inputs.text(params.text, "text", charactersMax: Self.searchedCharactersMax)
        let from = params.from ?? now()
        guard now().seconds(since: from) <= Self.pastDaysMax * 86_400 else {
            throw RPCError.invalid("from", "must be within the last \(Int(Self.pastDaysMax)) days")
        }
        try Self.check(params.near)
        let isChoosy = params.zone != nil || params.workout != nil || params.near != nil || !text.isEmpty
        let rows = try await database.query(
            identity == nil ? Self.guestSQL : Self.sql[which] ?? Self.guestSQL,
            [
                .optional(identity?.account.id), .optional(params.zone), .timestamp(from.milliseconds),
                .optional(timestamp: params.to?.milliseconds),
                .optional(timestamp: params.after?.startsAt.milliseconds), .optional(params.after?.event),
                .optional(params.workout), .textArray(Patterns.like(text)), .int(Int64(limit) + 1),
                .int(Int64(isChoosy ? Self.scannedMax : Self.unfilteredScannedMax)), .optional(params.near?.lon),
                .optional(params.near?.lat), .optional(params.near?.metres),
            ])
        let found = try rows.filter { try $0.optionalInt("id") != nil }
        let known = try found.prefix(limit).map { try EventRow($0, seenBy: identity) }
        let events = try await EventRow.events(known, people, seenBy: identity)
        var next: EventCursor?
        if found.count > limit {
            next = events.last.map { EventCursor(startsAt: $0.details.startsAt, event: $0.id) }
        } else if let row = rows.first, try row.bool("is_cut"), let id = try row.optionalInt("last_id"),
            let at = try row.optionalTimestamp("last_at")
        {
            next = EventCursor(startsAt: Timestamp(milliseconds: at), event: id)
        }
        return EventsList.Result(events: events, next: next)
    }

    private static func check(_ near: EventCircle?) throws {
        guard let near else { return }
        guard (-90...90).contains(near.lat) else { throw RPCError.invalid("near.lat", "must be -90 to 90") }
        guard (-180...180).contains(near.lon) else { throw RPCError.invalid("near.lon", "must be -180 to 180") }
        guard nearMetres.contains(near.metres) else {
            throw RPCError.invalid(
                "near.metres", "must be \(Int(nearMetres.lowerBound)) to \(Int(nearMetres.upperBound))")
        }
    }
}
