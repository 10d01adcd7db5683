import Postgres
import Wire

/// What is removed by itself.
extension Events {
    /// Days that an event stays after its end: beyond that no list begins.
    static let keptDaysMax = pastDaysMax
    /// Events and rows removed by one statement.
    static let prunedAtOnceMax = 500
    /// How long an event stays behind its end whose owner's account is gone.
    static let orphanedSeconds = 86_400.0

    /// Removes events that are over for long, with all answers, rows of people that say nothing, and news that nobody could tell.
    /// - Throws: ``Postgres/PostgresError``.
    public func prune() async throws {
        let over = now().advanced(bySeconds: -Self.keptDaysMax * 86_400)
        try await removeAll(
            "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE ends_at < $2 ORDER BY ends_at LIMIT $1)",
            .timestamp(over.milliseconds))
        // Those of accounts that are gone, when their day is over (<doc:ThreatModel>).
        try await removeAll(
            """
            DELETE FROM events WHERE id IN (SELECT id FROM events
                WHERE owner_id IS NULL AND audience <> 'campus' AND ends_at < $2 ORDER BY ends_at LIMIT $1)
            """, .timestamp(now().advanced(bySeconds: -Self.orphanedSeconds).milliseconds))
        // Those of events that went are withdrawn.
        await hub.noticesGrew()
        // Looked at again under the row's lock: it may say something by now.
        let isEmpty = "answer IS NULL AND NOT is_saved AND invited_at IS NULL"
        try await removeAll(
            """
            DELETE FROM event_people WHERE \(isEmpty) AND (event_id, account_id) IN (
                SELECT event_id, account_id FROM event_people WHERE \(isEmpty) LIMIT $1)
            """)
        _ = try await database.query(
            "DELETE FROM event_news WHERE at < now() - make_interval(days => $1)", [.int(Int64(Self.newsDaysMax))])
    }

    private func removeAll(_ sql: String, _ parameters: PostgresValue...) async throws {
        while try await database.query(sql, [.int(Int64(Self.prunedAtOnceMax))] + parameters).affected
            >= Self.prunedAtOnceMax
        { await Task.yield() }
    }
}
