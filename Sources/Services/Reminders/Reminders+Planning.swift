import Hub
import Postgres
import Wire

/// What is to be sent, and when. Every server plans; what two of them plan is one reminder.
extension Reminders {
    /// Between two looks for events whose moment comes.
    static let eventPlanSeconds = 60.0
    /// Looked at twice: what was changed while a planner looked is not missed.
    static let planOverlapSeconds = 120.0
    /// After an outage, how far back moments are made good for.
    static let planLateSecondsMax = 21_600.0
    /// Between two looks at all conversations for what a server that was killed had in mind.
    static let messagePlanSeconds = 600.0
    /// Messages that are older are no news.
    static let messageSecondsMax = 86_400.0
    /// How long before its moment a reminder of messages is put off because its person is there.
    static let presenceSeconds = 4.0
    /// Until it is looked at again.
    static let presentSeconds = 300.0
    /// Looked at in one turn.
    static let presentMax: Int64 = 5_000

    /// Plans what it is time to plan. Each planner by itself: one that fails holds up none of the others.
    func plan(at: Timestamp) async throws {
        var failure: (any Error)?
        let written = unread.take()
        do {
            if !written.isEmpty { try await planMessages(written, at: at) }
        } catch {
            // The next turn, when the database is back.
            unread.add(written)
            failure = error
        }
        do {
            if Self.isDue(plannedEventsAt, every: Self.eventPlanSeconds, at: at) {
                try await planEvents(at: at)
                plannedEventsAt = at
            }
        } catch { failure = error }
        do {
            if Self.isDue(plannedMessagesAt, every: Self.messagePlanSeconds, at: at) {
                try await planMessages(nil, at: at)
                plannedMessagesAt = at
            }
        } catch { failure = error }
        do {
            if Self.isDue(plannedNoticesAt, every: Self.noticePlanSeconds, at: at) {
                plannedNoticesAt = try await planNotices(at: at) ? at : nil
            }
        } catch { failure = error }
        if let failure { throw failure }
    }

    /// Also when the clock was set back.
    private static func isDue(_ last: Timestamp?, every seconds: Double, at: Timestamp) -> Bool {
        guard let last else { return true }
        return abs(at.seconds(since: last)) >= seconds
    }

    /// Puts reminders of events into the outbox whose moment comes within the next minute.
    /// - Returns: How many were new.
    @discardableResult
    func planEvents(at: Timestamp) async throws -> Int {
        let rows = try await database.query(
            "SELECT reminder_plan_events($1, $2, $3, make_interval(secs => $4), $5) AS made",
            [
                .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: Self.eventPlanSeconds).milliseconds),
                .timestamp(at.advanced(bySeconds: -Self.planLateSecondsMax).milliseconds),
                .double(Self.planOverlapSeconds), availableNames,
            ])
        return Int(try rows.first?.int("made") ?? 0)
    }

    /// Puts reminders of unread messages into the outbox.
    /// - Parameter conversations: Nil looks at all.
    /// - Returns: How many were new.
    @discardableResult
    func planMessages(_ conversations: [Int64]?, at: Timestamp) async throws -> Int {
        let rows = try await database.query(
            "SELECT reminder_plan_messages($1::bigint[], $2, $3, $4, make_interval(secs => $5), $6) AS made",
            [
                conversations.map { .intArray($0) } ?? .null, .timestamp(at.milliseconds),
                .timestamp(at.advanced(bySeconds: configuration.pushDelaySeconds).milliseconds),
                .timestamp(at.advanced(bySeconds: -Self.messageSecondsMax).milliseconds),
                .double(Self.messageSecondsMax), availableNames,
            ])
        return Int(try rows.first?.int("made") ?? 0)
    }

    /// Puts off reminders of messages for those who are connected to this server. Every server does that for its own, shortly before
    /// the moment; so whoever is connected anywhere is not reminded, and a server that is gone has no say.
    func putOffPresent(at: Timestamp) async throws {
        let soon = PostgresValue.timestamp(at.advanced(bySeconds: Self.presenceSeconds).milliseconds)
        let rows = try await database.query(
            """
            SELECT DISTINCT account_id FROM (SELECT account_id FROM reminders
                WHERE channel IN ('push', 'email', 'text') AND state = 'waiting' AND kind = 'message' AND next_at <= $1
                ORDER BY next_at LIMIT $2) r
            """, [soon, .int(Self.presentMax)])
        let accounts = try rows.map { try $0.int("account_id") }
        guard !accounts.isEmpty else { return }
        let present = await hub.connected(of: accounts)
        guard !present.isEmpty else { return }
        _ = try await database.query(
            """
            UPDATE reminders SET next_at = $3 WHERE account_id = ANY ($1::bigint[]) AND state = 'waiting' AND kind = 'message'
                AND next_at <= $2
            """,
            [.intArray(present), soon, .timestamp(at.advanced(bySeconds: Self.presentSeconds).milliseconds)])
    }
}
