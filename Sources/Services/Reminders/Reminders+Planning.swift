import Hub
import Postgres
import Wire

/// Planning of reminders. All servers plan; the outbox stores each reminder once.
extension Reminders {
    /// Seconds between two searches for upcoming events.
    static let eventPlanSeconds = 60.0
    /// Seconds by which searches overlap, so that a concurrent change is not missed.
    static let planOverlapSeconds = 120.0
    /// Largest age in seconds of event reminders that are made up after an outage.
    static let planLateSecondsMax = 21_600.0
    /// Seconds between two searches of all conversations, which cover plans of a crashed server.
    static let messagePlanSeconds = 600.0
    /// Largest age in seconds of messages that cause a reminder.
    static let messageSecondsMax = 86_400.0
    /// Seconds before the due time at which a reminder of messages is postponed for a connected recipient.
    static let presenceSeconds = 4.0
    /// Seconds for which it is postponed.
    static let presentSeconds = 300.0
    /// Largest number of reminders checked in one iteration.
    static let presentMax: Int64 = 5_000

    /// Runs the due planners. A failure of one does not stop the others.
    func plan(at: Timestamp) async throws {
        var failure: (any Error)?
        let written = unread.take()
        do {
            if !written.isEmpty { try await planMessages(written, at: at) }
        } catch {
            // The next iteration retries once the database is back.
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
            if Self.isDue(plannedWorkoutsAt, every: Self.eventPlanSeconds, at: at) {
                try await planWorkouts(at: at)
                plannedWorkoutsAt = at
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

    /// Whether the interval has passed, or the clock was set back by more than it.
    private static func isDue(_ last: Timestamp?, every seconds: Double, at: Timestamp) -> Bool {
        guard let last else { return true }
        return abs(at.seconds(since: last)) >= seconds
    }

    /// Puts reminders of events into the outbox that are due within the next minute.
    /// - Returns: Number of new reminders.
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
    /// - Parameter conversations: Restricts the search to conversations; nil searches all.
    /// - Returns: Number of new reminders.
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

    /// Postpones reminders of messages for accounts that are connected to this server. Each server does this for its own connections
    /// shortly before the due time, so an account connected anywhere gets no reminder, and a crashed server has no effect.
    func postponeForConnected(at: Timestamp) async throws {
        let soon = PostgresValue.timestamp(at.advanced(bySeconds: Self.presenceSeconds).milliseconds)
        let rows = try await database.query(
            """
            SELECT DISTINCT account_id FROM (SELECT account_id FROM reminders
                WHERE channel IN ('push', 'email', 'text') AND state = 'waiting' AND kind = 'message' AND next_at <= $1
                ORDER BY next_at LIMIT $2) r
            """, [soon, .int(Self.presentMax)])
        let accounts = try rows.map { try $0.int("account_id") }
        guard !accounts.isEmpty else { return }
        let present = await hub.signals.connected(of: accounts)
        guard !present.isEmpty else { return }
        _ = try await database.query(
            """
            UPDATE reminders SET next_at = $3 WHERE account_id = ANY ($1::bigint[]) AND state = 'waiting' AND kind = 'message'
                AND next_at <= $2
            """,
            [.intArray(present), soon, .timestamp(at.advanced(bySeconds: Self.presentSeconds).milliseconds)])
    }
}
