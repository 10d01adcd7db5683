import Postgres
import Wire

/// Removal of old events and their data.
extension Events {
    /// Days for which an event is kept after its end; no list starts earlier.
    static let keptDaysMax = pastDaysMax
    /// Largest number of rows that one statement removes.
    static let prunedAtOnceMax = 500
    /// Seconds for which an event of a removed account is kept after its end.
    static let orphanedSeconds = 86_400.0

    /// Removes old events with all answers, rows of people without information, and undeliverable notifications.
    /// - Throws: ``Postgres/PostgresError``.
    public func prune() async throws {
        let over = now().advanced(bySeconds: -Self.keptDaysMax * 86_400)
        try await removeAll(
            "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE ends_at < $2 ORDER BY ends_at LIMIT $1)",
            .timestamp(over.milliseconds))
        // Events of removed accounts are deleted a day after their end (<doc:ThreatModel>).
        try await removeAll(
            """
            DELETE FROM events WHERE id IN (SELECT id FROM events
                WHERE owner_id IS NULL AND audience <> 'campus' AND ends_at < $2 ORDER BY ends_at LIMIT $1)
            """, .timestamp(now().advanced(bySeconds: -Self.orphanedSeconds).milliseconds))
        // Notices to the people of removed events are withdrawn.
        await hub.notices.appended()
        // Evaluated again under the row's lock, because the row may have changed since.
        let isEmpty = "answer IS NULL AND NOT is_saved AND invited_at IS NULL"
        try await removeAll(
            """
            DELETE FROM event_people WHERE \(isEmpty) AND (event_id, account_id) IN (
                SELECT event_id, account_id FROM event_people WHERE \(isEmpty) LIMIT $1)
            """)
        _ = try await database.query(
            "DELETE FROM event_news WHERE at < now() - make_interval(days => $1)",
            [.int(Int64(Self.notificationDaysMax))])
    }

    private func removeAll(_ sql: String, _ parameters: PostgresValue...) async throws {
        while try await database.query(sql, [.int(Int64(Self.prunedAtOnceMax))] + parameters).affected
            >= Self.prunedAtOnceMax
        { await Task.yield() }
    }
}
