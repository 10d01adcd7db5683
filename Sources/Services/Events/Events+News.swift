import Hub
import Postgres
import Wire

/// Something new about an event, for one account.
public struct EventTelling: Sendable, Equatable {
    /// For whom.
    public let account: Int64
    /// Its number.
    public let event: Int64
    /// What is new.
    public let news: EventNews
}

/// Telling what is new. Whatever changes an event writes down in the same transaction what is to be told (`event_news`); after the commit
/// it is told and removed. What a server did not get to, because it died or the database was away, any server tells later. So everybody
/// is told at least once, and who is told asks for the event.
extension Events {
    /// Seconds that a server has to tell what it took on.
    static let tellingSeconds = 60.0
    /// News taken on at once, and accounts read at once.
    static let newsAtOnceMax = 1_000
    /// Days after which news are too old to be told.
    static let newsDaysMax = 7.0

    /// Who else is told, such as those who write mails: with at most ``newsAtOnceMax`` at once, before the news are removed. What it
    /// throws has them told again in a minute, to everybody who hears of them.
    public func setTold(_ body: @escaping @Sendable ([EventTelling]) async throws -> Void) { told = body }

    /// Writes down what is to be told when the transaction is committed.
    /// - Parameter accounts: Nil for all who come, perhaps, wait, are invited or keep it in view, but not who does not come.
    static func write(
        _ news: EventNews, of event: Int64, to accounts: [Int64]?, by author: Int64, _ transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(
            """
            INSERT INTO event_news (event_id, account_id, news, author_id)
            SELECT $1, a, $2, $3 FROM unnest(coalesce($4::bigint[], ARRAY[NULL::bigint])) a
            """, [.int(event), .text(news.rawValue), .int(author), accounts.map { .intArray($0) } ?? .null])
    }

    /// Tells what is to be told of an event, right after the commit. What fails now is told by ``tellNews()``.
    func tellNews(of event: Int64) async { _ = try? await tell(of: event) }

    /// Tells what nobody has told yet.
    /// - Throws: ``Postgres/PostgresError``; what is left is told the next time.
    public func tellNews() async throws {
        while try await tell(of: nil) == Self.newsAtOnceMax { await Task.yield() }
    }

    private struct News: Sendable {
        let id: Int64
        let event: Int64
        let account: Int64?
        let news: EventNews
        let author: Int64

        func isAlike(_ other: News) -> Bool {
            event == other.event && news == other.news && author == other.author && account != nil
                && other.account != nil
        }
    }

    /// Of two servers one takes it on. A time of the database that went backwards does not keep news for ever.
    private static let takeSQL = """
        UPDATE event_news n SET due_at = now() + make_interval(secs => $2::double precision)
        FROM (SELECT id FROM event_news
            WHERE ($1::bigint IS NULL OR event_id = $1) AND (due_at <= now() OR due_at > now() + make_interval(secs => 2 * $2::double precision))
            ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED) c
        WHERE n.id = c.id RETURNING n.id, n.event_id, n.account_id, n.news, n.author_id
        """

    /// - Returns: How many were taken on.
    private func tell(of event: Int64?) async throws -> Int {
        let rows = try await database.query(
            Self.takeSQL, [.optional(event), .double(Self.tellingSeconds), .int(Int64(Self.newsAtOnceMax))])
        let taken = try rows.map { row in
            News(
                id: try row.int("id"), event: try row.int("event_id"), account: try row.optionalInt("account_id"),
                news: EventNews(rawValue: try row.text("news")) ?? .changed,
                author: try row.optionalInt("author_id") ?? 0)
        }.sorted { $0.id < $1.id }
        var failure: (any Error)?
        for group in taken.split(between: { !$0.isAlike($1) }) {
            do {
                try await tell(group)
                _ = try await database.query(
                    "DELETE FROM event_news WHERE id = ANY ($1::bigint[])", [.intArray(group.map(\.id))])
            } catch {
                // The others are told; these when their time is up.
                failure = error
            }
        }
        if let failure { throw failure }
        return taken.count
    }

    /// Who is to be told of `$1`, of `$2` or all, behind `$3`: as it stands now, so that nobody hears of what is none of their business any
    /// more. `$4` is what is new, `$5` who did it, `$6` the time, `$7` how many.
    private static let heardSQL = """
        SELECT p.account_id, e.audience FROM event_people p JOIN events e ON e.id = p.event_id
        WHERE p.event_id = $1 AND p.account_id > $3 AND p.account_id <> $5 AND e.state <> 'draft'
            AND CASE WHEN $2::bigint[] IS NULL THEN p.answer IN ('going', 'maybe')
                    OR p.answer IS NULL AND (p.is_saved OR p.invited_at IS NOT NULL)
                ELSE p.account_id = ANY ($2) END
            AND CASE $4 WHEN 'movedUp' THEN p.answer = 'going' AND NOT p.is_waiting AND e.state = 'published' AND e.ends_at > $6
                WHEN 'invited' THEN p.invited_at IS NOT NULL AND NOT event_parted(p.account_id, $5) ELSE true END
            AND event_visible(e, p.account_id)
        ORDER BY p.account_id LIMIT $7
        """

    /// Tells news that are alike but for whom they are for.
    private func tell(_ alike: ArraySlice<News>) async throws {
        guard let first = alike.first else { return }
        let accounts = alike.compactMap(\.account)
        let signal = UserSignal(type: .event, event: first.event, news: first.news)
        var last: Int64 = 0
        for page in 0..<Self.toldMax / Self.newsAtOnceMax {
            if page > 0 { await Task.yield() }
            let rows = try await database.query(
                Self.heardSQL,
                [
                    .int(first.event), first.account == nil ? .null : .intArray(accounts), .int(last),
                    .text(first.news.rawValue), .int(first.author), .timestamp(now().milliseconds),
                    .int(Int64(Self.newsAtOnceMax)),
                ])
            let heard = try rows.map { try $0.int("account_id") }
            // What concerns a campus event, everybody hears who comes; it names nobody.
            let isCampus = try rows.first?.text("audience") == EventAudience.campus.rawValue && first.news != .invited
            for start in stride(from: 0, to: heard.count, by: Self.toldAtOnceMax) {
                if start > 0 { await Task.yield() }
                let some = heard[start..<min(start + Self.toldAtOnceMax, heard.count)]
                await hub.tell(some.map { AccountSignal($0, signal) }, by: isCampus ? 0 : first.author)
            }
            if !heard.isEmpty {
                try await told(heard.map { EventTelling(account: $0, event: first.event, news: first.news) })
            }
            guard heard.count == Self.newsAtOnceMax, let end = heard.last else { return }
            last = end
        }
    }

    /// Then others have a turn.
    private static let toldAtOnceMax = 200
}

extension Array {
    /// Runs of elements, parted wherever `isEnd` says so of two neighbours.
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
