import Postgres
import Wire

/// An event from the database as one account sees it.
struct EventRow: Sendable {
    /// Columns of `events e` and of the viewer's row `p`, for the viewer `$1` or null.
    static let columns = """
        e.id, e.uid, e.changed_at, e.owner_id, e.audience, e.state, e.title, e.description, e.workout, e.starts_at,
        extract(epoch FROM e.ends_at - e.starts_at)::double precision AS duration, e.place, ST_Y(e.position) AS lat,
        ST_X(e.position) AS lon, e.zone_id, e.capacity, e.going, e.maybe, e.waiting, e.revision, e.cancel_reason, p.answer,
        coalesce(p.is_saved, false) AS is_saved, e.owner_id IS NOT NULL AND (NOT is_blocked(e.owner_id, $1)
            OR EXISTS (SELECT FROM accounts a WHERE a.id = e.owner_id AND a.role IN ('admin', 'lecturer'))) AS shows_owner,
        CASE WHEN p.invited_at IS NOT NULL AND NOT is_blocked(p.invited_by, $1) THEN p.invited_by END AS invited_by,
        CASE WHEN p.is_waiting THEN (SELECT count(*) FROM event_people q
            WHERE q.event_id = e.id AND q.is_waiting AND q.queue <= p.queue) END AS queue_place,
        (SELECT w.id FROM workouts w WHERE w.event_id = e.id AND w.account_id = $1 ORDER BY w.scheduled_at, w.id LIMIT 1) AS own_workout
        """

    let event: Event
    /// Identifier of the event in calendars.
    let uid: String
    let changedAt: Timestamp
    /// Owner, if the viewer may see the name. It is omitted if either blocks the other, except for owners with a role that announces for
    /// the campus.
    let owner: Int64?
    let invitedBy: Int64?

    /// - Parameter viewer: Identity of the viewer; nil for a guest.
    init(_ row: PostgresRow, seenBy viewer: Identity?) throws {
        let owner = try row.optionalInt("owner_id")
        self.owner = try row.bool("shows_owner") ? owner : nil
        uid = try row.uuid("uid")
        changedAt = Timestamp(milliseconds: try row.timestamp("changed_at"))
        invitedBy = try row.optionalInt("invited_by")
        guard let audience = EventAudience(rawValue: try row.text("audience")),
            let state = EventState(rawValue: try row.text("state"))
        else { throw RPCError(.internalError, "an event is of an unknown kind") }
        let details = EventDetails(
            title: try row.text("title"), description: try row.optionalText("description"),
            workout: try row.optionalText("workout"), startsAt: Timestamp(milliseconds: try row.timestamp("starts_at")),
            duration: try row.double("duration"),
            place: EventPlace(
                name: try row.text("place"), lat: try row.optionalDouble("lat"), lon: try row.optionalDouble("lon"),
                zone: try row.optionalInt("zone_id")),
            capacity: try row.optionalInt("capacity").map { Int($0) })
        let owns =
            viewer.map { viewer in
                let isMaker = viewer.account.id == owner && (audience != .campus || viewer.mayAnnounce)
                return isMaker || (audience == .campus && viewer.isAdmin)
            } ?? false
        event = Event(
            id: try row.int("id"), audience: audience, state: state, details: details, owner: nil,
            going: Int(try row.int("going")), maybe: Int(try row.int("maybe")), waiting: Int(try row.int("waiting")),
            revision: Int(try row.int("revision")), cancelReason: try row.optionalText("cancel_reason"),
            mine: Event.Mine(
                answer: try row.optionalText("answer").flatMap { EventAnswer(rawValue: $0) },
                queue: try row.optionalInt("queue_place").map { Int($0) }, saved: try row.bool("is_saved"),
                invitedBy: nil, owns: owns, workout: try row.optionalUUID("own_workout")))
    }

    /// Completes events with the names of people as the viewer may see them.
    static func events(_ rows: [EventRow], _ people: People, seenBy viewer: Identity?) async throws -> [Event] {
        guard let viewer else { return rows.map(\.event) }
        let accounts = Set(rows.flatMap { [$0.owner, $0.invitedBy].compactMap { $0 } })
        let known = try await people.people(Array(accounts), seenBy: viewer.account.id)
        return rows.map { row in
            var event = row.event
            event.owner = row.owner.flatMap { known[$0] }
            event.mine.invitedBy = row.invitedBy.flatMap { known[$0] }
            return event
        }
    }
}
