import Postgres
import Wire

/// Calendar exports: single events as files, and an account's calendar at a secret address.
extension Events {
    /// Largest number of events in an account's calendar; the nearest to the current time are kept.
    static let calendarEventsMax = 1_000
    /// Days for which past events stay in the calendar.
    static let calendarPastDays = 90.0
    /// Days for which cancelled events stay in the calendar, so that programs learn of the cancellation.
    static let calendarCancelledDays = 30.0
    /// Common answer for unknown and revoked tokens.
    static let noCalendar = RPCError(
        .notFound, "there is no such calendar: events.calendar creates an address for yours", field: "token")

    /// Returns one event as a calendar file.
    /// - Parameters:
    ///   - identity: Identity of the viewer; nil for a guest.
    ///   - origin: The server's base address, such as `https://campus.example`.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func calendarFile(_ id: Int64, for identity: Identity?, origin: String) async throws -> [UInt8] {
        guard let row = try await row(id, for: identity) else { throw EventError.notFound }
        var file = CalendarFile()
        file.add(row.entry, origin: origin)
        return file.end()
    }

    // MARK: Account calendar

    /// Creates a new address for an account's calendar, which revokes the previous one, or only returns whether one exists.
    /// - Throws: ``Postgres/PostgresError``.
    public func calendar(of identity: Identity, _ params: EventsCalendar.Params) async throws -> EventsCalendar.Result {
        let account = PostgresValue.int(identity.account.id)
        func since(_ rows: PostgresRows) throws -> Timestamp? {
            try rows.first.map { Timestamp(milliseconds: try $0.timestamp("made_at")) }
        }
        guard params.make ?? true else {
            let rows = try await database.query("SELECT made_at FROM calendar_feeds WHERE account_id = $1", [account])
            return EventsCalendar.Result(since: try since(rows))
        }
        let token = Secrets.makeToken()
        let rows = try await database.transaction { transaction in
            try await identity.requireValidToken(in: transaction)
            return try await transaction.query(
                """
                INSERT INTO calendar_feeds (account_id, hash) VALUES ($1, $2)
                ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash, made_at = now() RETURNING made_at
                """, [account, .bytes(Secrets.hash(token))])
        }
        return EventsCalendar.Result(path: "/calendar/\(token).ics", since: try since(rows))
    }

    /// Revokes the address of an account's calendar.
    /// - Throws: ``Postgres/PostgresError``.
    public func endCalendar(of identity: Identity) async throws -> EventsCalendarOff.Result {
        let gone = try await database.query(
            "DELETE FROM calendar_feeds WHERE account_id = $1", [.int(identity.account.id)])
        return EventsCalendarOff.Result(wasOn: gone.affected > 0)
    }

    /// Returns the account whose calendar a token opens.
    /// - Throws: ``Wire/RPCError``: `notFound`; ``Postgres/PostgresError``.
    public func calendarOwner(token: String) async throws -> Int64 {
        let rows = try await database.query(
            """
            SELECT f.account_id FROM calendar_feeds f JOIN accounts a ON a.id = f.account_id
            WHERE f.hash = $1 AND a.disabled_at IS NULL
            """, [.bytes(Secrets.hash(token))])
        guard let row = rows.first else { throw Self.noCalendar }
        return try row.int("account_id")
    }

    private static let calendarSQL = """
        SELECT \(EventRow.columns) FROM events e LEFT JOIN event_people p ON p.event_id = e.id AND p.account_id = $1::bigint
        WHERE e.id IN (SELECT event_id FROM event_people WHERE account_id = $1 AND answer IN ('going', 'maybe')
                UNION SELECT id FROM events WHERE owner_id = $1)
            AND e.ends_at > $2 AND (e.state = 'published' OR e.state = 'cancelled' AND e.changed_at > $3) AND event_visible(e, $1::bigint)
        ORDER BY abs(extract(epoch FROM e.starts_at - $4)), e.id LIMIT $5
        """

    /// Builds the calendar of events that an account attends, may attend, waits for or owns, with current visibility.
    /// - Throws: ``Wire/RPCError``, ``Postgres/PostgresError``.
    public func calendar(of account: Int64, origin: String) async throws -> [UInt8] {
        let at = now()
        let rows = try await database.query(
            Self.calendarSQL,
            [
                .int(account), .timestamp(at.advanced(bySeconds: -Self.calendarPastDays * 86_400).milliseconds),
                .timestamp(at.advanced(bySeconds: -Self.calendarCancelledDays * 86_400).milliseconds),
                .timestamp(at.milliseconds), .int(Int64(Self.calendarEventsMax)),
            ])
        let entries = try rows.map { row in
            // Read as for a guest, without people's names, because calendar programs and their providers read the file.
            var entry = try EventRow(row, seenBy: nil).entry
            let mine = entry.event.mine
            entry.isTentative = mine.answer == .maybe || mine.queue != nil
            return entry
        }
        var file = CalendarFile(name: "Campus events")
        for (index, entry) in entries.sorted(by: { $0.order < $1.order }).enumerated() {
            if index > 0, index.isMultiple(of: Self.writtenAtOnceMax) { await Task.yield() }
            file.add(entry, origin: origin)
        }
        return file.end()
    }

    /// Number of entries after which the actor yields to other work.
    private static let writtenAtOnceMax = 100
}

extension CalendarFile.Entry {
    fileprivate var order: (Int64, Int64) { (event.details.startsAt.milliseconds, event.id) }
}

extension EventRow {
    fileprivate var entry: CalendarFile.Entry {
        CalendarFile.Entry(uid: uid, event: event, changedAt: changedAt)
    }
}
