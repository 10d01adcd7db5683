import Postgres
import Wire

/// Reading events: in the order of time, each as the viewer may see it.
extension Events {
    /// What there is to choose from.
    public nonisolated func options(for identity: Identity?) -> EventsOptions.Result {
        EventsOptions.Result(workouts: EventWorkouts.all, mayAnnounce: identity?.account.role.mayAnnounce ?? false)
    }

    private static let oneSQL = """
        SELECT \(EventRow.columns) FROM events e LEFT JOIN event_people p ON p.event_id = e.id AND p.account_id = $1::bigint
        WHERE e.id = $2 AND event_visible(e, $1::bigint)
        """

    /// One event.
    /// - Parameter identity: Nil for a guest.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func event(_ id: Int64, for identity: Identity?) async throws -> Event {
        let rows = try await database.query(Self.oneSQL, [.optional(identity?.account.id), .int(id)])
        let known = try rows.map { try EventRow($0, seenBy: identity) }
        guard let event = try await EventRow.events(known, people, seenBy: identity).first else {
            throw EventError.notFound
        }
        return event
    }

    private static let listSQL = """
        SELECT \(EventRow.columns) FROM events e LEFT JOIN event_people p ON p.event_id = e.id AND p.account_id = $1::bigint
        WHERE e.ends_at > $3 AND ($4::timestamptz IS NULL OR e.starts_at < $4)
            AND CASE $2
                WHEN 'coming' THEN p.answer IN ('going', 'maybe')
                WHEN 'invited' THEN p.invited_at IS NOT NULL AND p.answer IS NULL AND e.state <> 'cancelled'
                WHEN 'saved' THEN p.is_saved
                WHEN 'own' THEN e.owner_id = $1
                ELSE e.state <> 'draft' END
            AND (e.state <> 'cancelled' OR e.owner_id = $1 OR p.answer IS NOT NULL OR p.invited_at IS NOT NULL OR p.is_saved
                OR e.audience = 'campus')
            AND ($1 IS NOT NULL OR e.audience = 'campus')
            AND ($5::bigint IS NULL OR e.zone_id = $5) AND ($6::text IS NULL OR e.workout = $6)
            AND lower(concat_ws(' ', e.title, e.place, e.description)) LIKE ALL (ARRAY(SELECT lower(t) FROM unnest($7::text[]) t))
            AND ($8::timestamptz IS NULL OR (e.starts_at, e.id) > ($8, $9::bigint)) AND event_visible(e, $1::bigint)
        ORDER BY e.starts_at, e.id LIMIT $10
        """

    /// Events in the order of time.
    /// - Parameter identity: Nil for a guest, who sees those of the campus.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func list(_ params: EventsList.Params, for identity: Identity?) async throws -> EventsList.Result {
        let which = params.which ?? .all
        guard identity != nil || which == .all else {
            throw RPCError(.unauthenticated, "only who is signed in has such events: sign in, or list all")
        }
        let limit = params.limit ?? Self.listedDefault
        guard (1...Self.listedMax).contains(limit) else {
            throw RPCError.invalid("limit", "must be 1 to \(Self.listedMax)")
        }
        if let workout = params.workout, !EventWorkouts.ids.contains(workout) {
            throw RPCError.invalid("workout", "is not a kind of workout: events.options lists them")
        }
        let text = try Inputs.text(params.text, "text", charactersMax: Self.searchedCharactersMax)
        let rows = try await database.query(
            Self.listSQL,
            [
                .optional(identity?.account.id), .text(which.rawValue),
                .timestamp((params.from ?? now()).milliseconds), .optional(timestamp: params.to?.milliseconds),
                .optional(params.zone), .optional(params.workout), .textArray(Patterns.like(text)),
                .optional(timestamp: params.after?.startsAt.milliseconds), .optional(params.after?.event),
                .int(Int64(limit) + 1),
            ])
        let known = try rows.prefix(limit).map { try EventRow($0, seenBy: identity) }
        let events = try await EventRow.events(known, people, seenBy: identity)
        let next =
            rows.count > limit ? events.last.map { EventCursor(startsAt: $0.details.startsAt, event: $0.id) } : nil
        return EventsList.Result(events: events, next: next)
    }

    private static let peopleSQL = """
        SELECT p.account_id, p.answer, CASE WHEN p.is_waiting THEN (SELECT count(*) FROM event_people q
                WHERE q.event_id = p.event_id AND q.is_waiting AND q.queue <= p.queue) END AS queue_place
        FROM event_people p JOIN events e ON e.id = p.event_id
        WHERE p.event_id = $1 AND (p.answer IS NOT NULL OR p.invited_at IS NOT NULL) AND event_visible(e, $2)
            AND (e.owner_id = $2 OR (e.audience = 'campus' AND $3) OR p.account_id = $2 OR (p.answer IS DISTINCT FROM 'no'
                AND EXISTS (SELECT FROM buddies b WHERE b.low_id = least(p.account_id, $2) AND b.high_id = greatest(p.account_id, $2))))
        ORDER BY array_position(ARRAY['going', 'maybe', NULL, 'no'], p.answer), p.is_waiting, p.queue, p.answered_at, p.account_id
        LIMIT $4
        """

    /// Who comes: its owner sees all who have to do with it, others their buddies and themselves.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func people(of params: EventParams, for identity: Identity) async throws -> EventsPeople.Result {
        _ = try await event(params.event, for: identity)
        let account = identity.account.id
        let rows = try await database.query(
            Self.peopleSQL,
            [.int(params.event), .int(account), .bool(identity.account.role == .admin), .int(Self.peopleMax)])
        let accounts = try rows.map { try $0.int("account_id") }
        let known = try await people.people(accounts, seenBy: account)
        return EventsPeople.Result(
            people: try rows.compactMap { row in
                guard let person = known[try row.int("account_id")] else { return nil }
                return EventsPeople.Guest(
                    person: person, answer: try row.optionalText("answer").flatMap { EventAnswer(rawValue: $0) },
                    queue: try row.optionalInt("queue_place").map { Int($0) })
            })
    }
}
