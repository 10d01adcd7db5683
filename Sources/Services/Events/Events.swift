import Campus
import EventLoop
import Foundation
import Hub
import Postgres
import Synchronization
import Wire

/// Events (N-5, N-7, C-4). PostgreSQL checks permissions at every request, for changes under the lock of the event's row. People
/// concerned are notified of a change and then request the event.
///
/// An actor on the hub's loop.
public actor Events {
    /// Largest number of an account's events that have not ended or are less than a day old, including drafts and cancelled events.
    public static let openEventsMax = 50
    /// Largest length of a reason for a cancellation.
    static let reasonCharactersMax = TextLimit.eventReason.max
    /// Largest number of accounts in one invitation; `groupsAtOnceMax` limits the groups.
    static let invitedAtOnceMax = 100
    static let groupsAtOnceMax = 10
    /// Largest number of invited accounts of an event.
    static let invitedMax: Int64 = 1_000
    /// Largest number of recipients of a change.
    static let recipientsMax = 100_000
    /// Largest number of events in a page.
    static let listedMax = 50
    static let listedDefault = 20
    /// Largest number of people listed for an event.
    static let peopleMax: Int64 = 1_000
    /// Largest length of a search text.
    static let searchedCharactersMax = TextLimit.eventSearch.max

    /// The event loop that the actor runs on.
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let database: PostgresPool
    let hub: Hub
    let campus: CampusMap
    let people: People
    let now: @Sendable () -> Timestamp
    var changePublished: @Sendable ([EventNotification]) async throws -> Void = { _ in }

    /// Creates the service of events.
    /// - Parameters:
    ///   - loop: The hub's loop.
    ///   - campus: Finds the zone of an event's position.
    ///   - now: The server's wall clock.
    public init(
        loop: EventLoop, database: PostgresPool, hub: Hub, campus: CampusMap,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.loop = loop
        self.database = database
        self.hub = hub
        self.campus = campus
        self.now = now
        people = People(database: database)
    }

    // MARK: Creation

    /// Creates an event. A repeated request with the same id returns the same event.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func create(_ params: EventsCreate.Params, by identity: Identity) async throws -> Event {
        let account = identity.account.id
        let clientID = try Inputs.clientID(params.id)
        let at = now()
        let draft = try EventDraft(params.details, now: at)
        let zone = draft.position.flatMap { campus.zone(at: $0) }
        let id = try await database.transaction { transaction in
            // Serialises the account's creations, so that the limit holds.
            let actor = try await identity.current(.alone, in: transaction)
            guard params.audience != .campus || actor.mayAnnounce else {
                throw RPCError(
                    .forbidden, "only admins and lecturers announce events for the campus", field: "audience")
            }
            if params.audience != .private { try actor.requireConfirmedAddress() }
            let known = try await transaction.query(
                "SELECT id FROM events WHERE owner_id = $1 AND client_id = $2", [.int(account), .uuid(clientID)])
            if let row = known.first { return try row.int("id") }
            let open = try await transaction.query(
                """
                SELECT count(*) AS count FROM events WHERE owner_id = $1 AND (ends_at > $2 OR created_at > $3)
                """,
                [
                    .int(account), .timestamp(at.milliseconds),
                    .timestamp(at.advanced(bySeconds: -86_400).milliseconds),
                ])
            guard try open.first?.int("count") ?? 0 < Int64(Self.openEventsMax) else {
                throw RPCError(
                    .conflict,
                    "you have \(Self.openEventsMax) events that are not over or not a day old: wait, or delete drafts")
            }
            let rows = try await transaction.query(
                """
                INSERT INTO events (title, description, workout, starts_at, ends_at, place, position, zone_id, capacity, changed_at,
                    owner_id, client_id, audience, state, created_at)
                VALUES ($1, $2, $3, $4, $5, $6, ST_SetSRID(ST_MakePoint($7, $8), 4326), $9, $10, $11, $12, $13, $14, $15, $11)
                RETURNING id
                """,
                Self.values(draft, zone: zone, at: at) + [
                    .int(account), .uuid(clientID), .text(params.audience.rawValue),
                    .text((params.publish ? EventState.published : .draft).rawValue),
                ])
            guard let id = try rows.first?.int("id") else { throw RPCError(.internalError, "no event was made") }
            if params.audience != .campus { try await Self.join(id, host: account, at: at, transaction) }
            if params.audience == .campus, actor.isAdmin {
                try await AuditLog.record(
                    .init("event.create", subject: .init(kind: "event", id: id, name: draft.title)), by: actor,
                    in: transaction)
            }
            return id
        }
        return try await event(id, for: identity)
    }

    /// Adds the host to the event's attendees, unless the event is announced for the campus. The host can change the answer later.
    private static func join(
        _ event: Int64, host: Int64, at: Timestamp, _ transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(
            "INSERT INTO event_people (event_id, account_id, answer, answered_at) VALUES ($1, $2, 'going', $3)",
            [.int(event), .int(host), .timestamp(at.milliseconds)])
        _ = try await transaction.query("SELECT event_settle($1)", [.int(event)])
    }

    /// Parameters `$1` to `$11` of the statements that write an event.
    private static func values(_ draft: EventDraft, zone: Int64?, at: Timestamp) -> [PostgresValue] {
        [
            .text(draft.title), .optional(draft.description), .optional(draft.workout),
            .timestamp(draft.startsAt.milliseconds), .timestamp(draft.endsAt.milliseconds), .text(draft.place),
            .optional(draft.position?.longitude), .optional(draft.position?.latitude), .optional(zone),
            .optional(draft.capacity.map { Int64($0) }), .timestamp(at.milliseconds),
        ]
    }

    /// Publishes a draft. Idempotent.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func publish(_ params: EventParams, by identity: Identity) async throws -> Event {
        let at = now()
        try await change(params.event, by: identity, action: "event.publish") { known, transaction in
            switch known.state {
            case .published: return false
            case .cancelled: throw EventError.refused("cancelled")
            case .draft: break
            }
            guard known.endsAt > at else { throw EventError.refused("over") }
            _ = try await transaction.query(
                "UPDATE events SET state = 'published', revision = revision + 1, changed_at = $2 WHERE id = $1",
                [.int(params.event), .timestamp(at.milliseconds)])
            return true
        }
        return try await event(params.event, for: identity)
    }

    // MARK: Changes

    /// Changes an event's details. If the capacity grows, waiting people move up.
    /// - Throws: ``Wire/RPCError``: `conflict` if the event has changed since `revision`; ``Postgres/PostgresError``.
    public func update(_ params: EventsUpdate.Params, by identity: Identity) async throws -> Event {
        let at = now()
        let draft = try EventDraft(params.details, now: at)
        let zone = draft.position.flatMap { campus.zone(at: $0) }
        // A repeated request whose first answer was lost returns the changed event.
        let current = try await event(params.event, for: identity)
        if current.mine.owns, current.revision == params.revision + 1, draft.matches(current.details) { return current }
        let moved = Mutex<[AccountSignal]>([])
        try await change(params.event, by: identity, action: "event.update") { known, transaction in
            guard known.state != .cancelled else { throw EventError.refused("cancelled") }
            guard known.endsAt > at else { throw EventError.refused("over") }
            guard known.revision == params.revision else {
                throw RPCError(
                    .conflict, "this event has changed meanwhile: load it again, then change it", field: "revision"
                )
            }
            _ = try await transaction.query(
                """
                UPDATE events SET title = $1, description = $2, workout = $3, starts_at = $4, ends_at = $5, place = $6,
                    position = ST_SetSRID(ST_MakePoint($7, $8), 4326), zone_id = $9, capacity = $10, changed_at = $11,
                    revision = revision + 1 WHERE id = $12
                """, Self.values(draft, zone: zone, at: at) + [.int(params.event)])
            let signals = try await Self.moveWorkouts(
                of: params.event, from: known.startsAt, to: draft.startsAt, transaction)
            moved.withLock { $0 = signals }
            return true
        }
        await hub.signals.publish(moved.withLock(\.self), by: 0)
        return try await event(params.event, for: identity)
    }

    /// Moves workouts that people planned for the event's start. Workouts of people who no longer take part stay, so that a person who
    /// declined or is blocked does not learn the new time.
    /// - Returns: Signals for the owners' devices.
    private static func moveWorkouts(
        of event: Int64, from former: Timestamp, to start: Timestamp, _ transaction: PostgresTransaction
    ) async throws -> [AccountSignal] {
        guard former != start else { return [] }
        let rows = try await transaction.query(
            """
            UPDATE workouts w SET scheduled_at = $3 FROM events e
            WHERE w.event_id = $1 AND w.scheduled_at = $2 AND e.id = $1 AND event_includes(e, w.account_id)
            RETURNING w.account_id, w.id
            """, [.int(event), .timestamp(former.milliseconds), .timestamp(start.milliseconds)])
        return try rows.map { row in
            AccountSignal(try row.int("account_id"), UserSignal(type: .workout, workout: try row.uuid("id")))
        }
    }

    /// Cancels an event, which stays listed. Idempotent.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func cancel(_ params: EventsCancel.Params, by identity: Identity) async throws -> Event {
        let reason = try Inputs.text(
            params.reason, "reason", charactersMax: Self.reasonCharactersMax, isAllowed: Inputs.isLayout)
        let at = now()
        try await change(
            params.event, by: identity, action: "event.cancel", news: .cancelled, allowsFormerAnnouncer: true
        ) {
            known, transaction in
            switch known.state {
            case .cancelled: return false
            case .draft: throw RPCError(.conflict, "this is a draft: delete it instead", field: "event")
            case .published: break
            }
            guard known.endsAt > at else { throw EventError.refused("over") }
            _ = try await transaction.query(
                """
                UPDATE events SET state = 'cancelled', cancel_reason = $2, revision = revision + 1, changed_at = $3 WHERE id = $1
                """, [.int(params.event), .optional(reason.isEmpty ? nil : reason), .timestamp(at.milliseconds)])
            return true
        }
        return try await event(params.event, for: identity)
    }

    /// Deletes a draft. A published event can only be cancelled, so that its attendees are notified.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func delete(_ params: EventParams, by identity: Identity) async throws -> EventParams {
        try await change(params.event, by: identity, action: "event.delete") { known, transaction in
            guard known.state == .draft else {
                throw RPCError(.conflict, "this event is published: cancel it instead", field: "event")
            }
            _ = try await transaction.query("DELETE FROM events WHERE id = $1", [.int(params.event)])
            return false
        }
        return params
    }

    private struct Known: Sendable {
        let state: EventState
        let revision: Int
        let startsAt: Timestamp
        let endsAt: Timestamp
    }

    /// Changes an event under its lock, moves waiting people up and notifies the people concerned.
    /// - Parameters:
    ///   - action: Name of the action in the audit log.
    ///   - allowsFormerAnnouncer: Whether the owner of a campus event may do it even after losing the permission to announce.
    ///   - body: Makes the change and returns whether there is anything to announce.
    private func change(
        _ event: Int64, by identity: Identity, action: String, news: EventNews = .changed,
        allowsFormerAnnouncer: Bool = false,
        _ body: @Sendable (Known, PostgresTransaction) async throws -> Bool
    ) async throws {
        let account = identity.account.id
        let isNew = try await database.transaction { transaction in
            let actor = try await identity.current(.role, in: transaction)
            let rows = try await transaction.query(
                """
                SELECT e.state, e.revision, e.starts_at, e.ends_at, e.title, e.owner_id = $2 AS is_own,
                    e.owner_id = $2 AND ($4 OR e.audience <> 'campus') OR (e.audience = 'campus' AND $3) AS owns
                FROM events e WHERE e.id = $1 AND event_visible(e, $2) FOR NO KEY UPDATE OF e
                """,
                [
                    .int(event), .int(account), .bool(actor.isAdmin),
                    .bool(allowsFormerAnnouncer || actor.mayAnnounce),
                ])
            guard let row = rows.first, let state = EventState(rawValue: try row.text("state")) else {
                throw EventError.notFound
            }
            guard try row.optionalBool("owns") == true else { throw EventError.notYours }
            let known = Known(
                state: state, revision: Int(try row.int("revision")),
                startsAt: Timestamp(milliseconds: try row.timestamp("starts_at")),
                endsAt: Timestamp(milliseconds: try row.timestamp("ends_at")))
            guard try await body(known, transaction) else { return false }
            // Records admins' changes of events that others announced.
            if try row.optionalBool("is_own") != true, actor.isAdmin {
                try await AuditLog.record(
                    .init(action, subject: .init(kind: "event", id: event, name: try row.text("title"))), by: actor,
                    in: transaction)
            }
            try await Self.write(news, of: event, to: nil, by: account, transaction)
            _ = try await transaction.query("SELECT event_settle($1)", [.int(event)])
            return true
        }
        if isNew { await publishPendingChanges(of: event) }
    }
}

extension Identity {
    /// Whether the account may announce events for the campus.
    var mayAnnounce: Bool { isAdmin || account.role == .lecturer }
}
