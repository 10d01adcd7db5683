import Postgres
import Wire

/// Queries of single events and their people.
extension Events {
    /// Options for new events.
    public nonisolated func options(for identity: Identity?) -> EventsOptions.Result {
        EventsOptions.Result(workouts: EventWorkouts.all, mayAnnounce: identity?.mayAnnounce ?? false)
    }

    private static let oneSQL = """
        SELECT \(EventRow.columns) FROM events e LEFT JOIN event_people p ON p.event_id = e.id AND p.account_id = $1::bigint
        WHERE e.id = $2 AND event_visible(e, $1::bigint)
        """

    /// Returns one event.
    /// - Parameter identity: Identity of the viewer; nil for a guest.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func event(_ id: Int64, for identity: Identity?) async throws -> Event {
        try await eventAndOwner(id, for: identity).event
    }

    /// Returns an event and its owner's account. The owner is nil if the viewer may not see it.
    func eventAndOwner(_ id: Int64, for identity: Identity?) async throws -> (event: Event, owner: Int64?) {
        guard let row = try await row(id, for: identity),
            let event = try await EventRow.events([row], people, seenBy: identity).first
        else { throw EventError.notFound }
        return (event, row.owner)
    }

    func row(_ id: Int64, for identity: Identity?) async throws -> EventRow? {
        let rows = try await database.query(Self.oneSQL, [.optional(identity?.account.id), .int(id)])
        return try rows.first.map { try EventRow($0, seenBy: identity) }
    }

    private static let peopleSQL = """
        SELECT p.account_id, p.answer, CASE WHEN p.is_waiting THEN (SELECT count(*) FROM event_people q
                WHERE q.event_id = p.event_id AND q.is_waiting AND q.queue <= p.queue) END AS queue_place
        FROM event_people p JOIN events e ON e.id = p.event_id
        WHERE p.event_id = $1 AND (p.answer IS NOT NULL OR p.invited_at IS NOT NULL) AND event_visible(e, $2)
            AND (p.account_id = $2 OR $3 OR NOT is_blocked(p.account_id, $2))
            AND (e.owner_id = $2 OR (e.audience = 'campus' AND $3) OR p.account_id = $2 OR (p.answer IS DISTINCT FROM 'no'
                AND EXISTS (SELECT FROM buddies b WHERE b.low_id = least(p.account_id, $2) AND b.high_id = greatest(p.account_id, $2))))
        ORDER BY array_position(ARRAY['going', 'maybe', NULL, 'no'], p.answer), p.is_waiting, p.queue, p.answered_at, p.account_id
        LIMIT $4
        """

    /// Lists the people of an event. The owner sees everybody with an answer or invitation; other viewers see themselves and their
    /// buddies. A block in either direction hides two people from each other, but not from admins.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func people(of params: EventParams, for identity: Identity) async throws -> EventsPeople.Result {
        _ = try await event(params.event, for: identity)
        let account = identity.account.id
        let rows = try await database.query(
            Self.peopleSQL,
            [.int(params.event), .int(account), .bool(identity.isAdmin), .int(Self.peopleMax)])
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
