import Postgres

/// Prepares and checks the tables of ``StopScenario``.
struct StopDatabase {
    let dataDirectory: String
    /// Username of the account that shares its location.
    let owner: String

    /// Makes accounts buddies of the owner.
    /// - Returns: The numbers of these accounts.
    func addBuddies(_ usernames: [String]) async throws -> Set<Int64> {
        try await BenchDatabase.with(dataDirectory) { database in
            let rows = try await database.query(
                """
                WITH pairs AS (
                    SELECT b.id, least(o.id, b.id) AS low_id, greatest(o.id, b.id) AS high_id
                    FROM accounts o JOIN accounts b ON b.username = ANY ($2::text[]) WHERE o.username = $1),
                chats AS (
                    INSERT INTO conversations (kind, low_id, high_id, created_at)
                    SELECT 'direct', low_id, high_id, now() FROM pairs RETURNING id, low_id, high_id),
                made AS (
                    INSERT INTO buddies (low_id, high_id, conversation_id, matched_at)
                    SELECT low_id, high_id, id, now() FROM chats RETURNING low_id, high_id)
                SELECT p.id FROM pairs p JOIN made USING (low_id, high_id)
                """, [.text(owner), .textArray(usernames)])
            return Set(try rows.map { try $0.int("id") })
        }
    }

    /// Returns the number of correct entries in the access log of the owner's shares. A viewer of a share counts once, if the viewer has
    /// exactly one entry, and the entry lasts until the end of the share.
    func completeEntries() async throws -> Int {
        try await BenchDatabase.with(dataDirectory) { database in
            let rows = try await database.query(
                """
                SELECT count(*) AS count FROM (
                    SELECT FROM shares s JOIN share_watches w ON w.share_id = s.id
                    WHERE s.account_id = (SELECT id FROM accounts WHERE username = $1) AND w.account_id IS NOT NULL
                    GROUP BY w.share_id, w.account_id
                    HAVING count(*) = 1 AND bool_and(w.to_at = s.ended_at AND w.precision = 'exact')) l
                """, [.text(owner)])
            return Int(try rows.first?.int("count") ?? 0)
        }
    }
}
