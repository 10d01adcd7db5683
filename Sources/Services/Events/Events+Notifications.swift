import Hub
import Postgres
import Wire

/// A change of an event for one recipient.
public struct EventNotification: Sendable, Equatable {
    /// Recipient of the notification.
    public let account: Int64
    /// Id of the event.
    public let event: Int64
    /// Kind of change.
    public let news: EventNews
}

/// Delivery of changes. A change of an event writes its notifications to an outbox (`event_news`) in the same transaction; after the
/// commit they are delivered and removed. Notifications that a server could not deliver, because it crashed or lost the database, are
/// delivered later by any server. Each recipient is thus notified at least once, and then requests the event.
extension Events {
    /// Seconds within which a server delivers claimed notifications before another server may claim them.
    static let publishingSeconds = 60.0
    /// Largest number of notifications claimed at once, and of recipients read at once.
    static let notificationBatchMax = 1_000
    /// Days after which an undelivered notification is discarded.
    static let notificationDaysMax = 7.0

    /// Sets an additional recipient of changes, such as the mail reminders. It is called with at most ``notificationBatchMax`` changes,
    /// before they are removed from the outbox. If it throws, all recipients are notified again a minute later.
    public func setChangePublished(_ body: @escaping @Sendable ([EventNotification]) async throws -> Void) {
        changePublished = body
    }

    /// Writes notifications to the outbox within the transaction of a change.
    /// - Parameter accounts: Recipients; nil for accounts that attend, may attend, wait, are invited or saved the event, except those
    ///   that declined.
    static func write(
        _ news: EventNews, of event: Int64, to accounts: [Int64]?, by author: Int64, _ transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(
            """
            INSERT INTO event_news (event_id, account_id, news, author_id)
            SELECT $1, a, $2, $3 FROM unnest(coalesce($4::bigint[], ARRAY[NULL::bigint])) a
            """, [.int(event), .text(news.rawValue), .int(author), accounts.map { .intArray($0) } ?? .null])
    }

    /// Delivers the notifications of an event right after the commit. Failed ones remain for ``publishPendingChanges()``.
    func publishPendingChanges(of event: Int64) async { _ = try? await publishChanges(of: event) }

    /// Delivers all due notifications.
    /// - Throws: ``Postgres/PostgresError``; the remaining notifications are delivered by the next call.
    public func publishPendingChanges() async throws {
        while try await publishChanges(of: nil) == Self.notificationBatchMax { await Task.yield() }
    }

    private struct PendingNotification: Sendable {
        let id: Int64
        let event: Int64
        let account: Int64?
        let news: EventNews
        let author: Int64

        func isAlike(_ other: PendingNotification) -> Bool {
            event == other.event && news == other.news && author == other.author && account != nil
                && other.account != nil
        }
    }

    /// Claims notifications, so that only one server delivers each. The upper bound on `due_at` prevents that a backward jump of the
    /// database's clock delays them forever.
    private static let takeSQL = """
        WITH due AS MATERIALIZED (
            SELECT id FROM event_news
            WHERE ($1::bigint IS NULL OR event_id = $1)
                AND (due_at <= now() OR due_at > now() + make_interval(secs => 2 * $2::double precision))
            ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)
        UPDATE event_news n SET due_at = now() + make_interval(secs => $2::double precision)
        FROM due d WHERE n.id = d.id RETURNING n.id, n.event_id, n.account_id, n.news, n.author_id
        """

    /// Delivers a batch of notifications.
    /// - Returns: Number of claimed notifications.
    private func publishChanges(of event: Int64?) async throws -> Int {
        let rows = try await database.query(
            Self.takeSQL, [.optional(event), .double(Self.publishingSeconds), .int(Int64(Self.notificationBatchMax))])
        let taken = try rows.map { row in
            PendingNotification(
                id: try row.int("id"), event: try row.int("event_id"), account: try row.optionalInt("account_id"),
                news: EventNews(rawValue: try row.text("news")) ?? .changed,
                author: try row.optionalInt("author_id") ?? 0)
        }.sorted { $0.id < $1.id }
        var failure: (any Error)?
        for group in taken.split(between: { !$0.isAlike($1) }) {
            do {
                try await notify(group)
                _ = try await database.query(
                    "DELETE FROM event_news WHERE id = ANY ($1::bigint[])", [.intArray(group.map(\.id))])
            } catch {
                // Continues with the other groups; this one is claimed again after its lease.
                failure = error
            }
        }
        if let failure { throw failure }
        return taken.count
    }

    /// Recipients of event `$1` among `$2` (or all), with ids above `$3`. The query checks the current state, so that nobody is notified
    /// of an event that no longer concerns them. `$4` is the kind of change, `$5` its author, `$6` the time, `$7` the limit.
    private static let recipientsSQL = """
        SELECT p.account_id, e.audience FROM event_people p JOIN events e ON e.id = p.event_id
        WHERE p.event_id = $1 AND p.account_id > $3 AND p.account_id <> $5 AND e.state <> 'draft'
            AND CASE WHEN $2::bigint[] IS NULL THEN event_concerns(p.answer, p.is_saved, p.invited_at)
                ELSE p.account_id = ANY ($2) END
            AND CASE $4 WHEN 'movedUp' THEN p.answer = 'going' AND NOT p.is_waiting AND e.state = 'published' AND e.ends_at > $6
                WHEN 'invited' THEN p.invited_at IS NOT NULL AND NOT is_blocked(p.account_id, $5) ELSE true END
            AND event_visible(e, p.account_id)
        ORDER BY p.account_id LIMIT $7
        """

    /// Delivers notifications that differ only in their recipients.
    private func notify(_ alike: ArraySlice<PendingNotification>) async throws {
        guard let first = alike.first else { return }
        let accounts = alike.compactMap(\.account)
        let signal = UserSignal(type: .event, event: first.event, news: first.news)
        var last: Int64 = 0
        for page in 0..<Self.recipientsMax / Self.notificationBatchMax {
            if page > 0 { await Task.yield() }
            let rows = try await database.query(
                Self.recipientsSQL,
                [
                    .int(first.event), first.account == nil ? .null : .intArray(accounts), .int(last),
                    .text(first.news.rawValue), .int(first.author), .timestamp(now().milliseconds),
                    .int(Int64(Self.notificationBatchMax)),
                ])
            let recipients = try rows.map { try $0.int("account_id") }
            // Changes of campus events go to all attendees regardless of blocks, because they name no person.
            let isCampus = try rows.first?.text("audience") == EventAudience.campus.rawValue && first.news != .invited
            for start in stride(from: 0, to: recipients.count, by: Self.notifiedPerYieldMax) {
                if start > 0 { await Task.yield() }
                let some = recipients[start..<min(start + Self.notifiedPerYieldMax, recipients.count)]
                await hub.signals.publish(some.map { AccountSignal($0, signal) }, by: isCampus ? 0 : first.author)
            }
            if !recipients.isEmpty {
                try await changePublished(
                    recipients.map { EventNotification(account: $0, event: first.event, news: first.news) })
            }
            guard recipients.count == Self.notificationBatchMax, let end = recipients.last else { return }
            last = end
        }
    }

    /// Number of recipients after which the actor yields to other work.
    private static let notifiedPerYieldMax = 200
}

extension Array {
    /// Splits the array wherever `isEnd` is true for two neighbours.
    fileprivate func split(between isEnd: (Element, Element) -> Bool) -> [ArraySlice<Element>] {
        var runs: [ArraySlice<Element>] = []
        var start = startIndex
        for index in indices where index + 1 == endIndex || isEnd(self[index], self[index + 1]) {
            runs.append(self[start...index])
            start = index + 1
        }
        return runs
    }
}
