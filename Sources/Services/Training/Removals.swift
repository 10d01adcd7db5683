import Postgres
import Wire

/// Removed workouts and trainings, which a request that is sent again does not bring back.
enum Removals {
    enum Kind: String, Sendable {
        case workout, training
    }

    /// Largest number that is kept of an account: the oldest ones go first.
    static let keptMax: Int64 = 2_000
    static let keptDays = 365.0
    /// Largest number of rows that one statement of upkeep removes.
    static let prunedMax: Int64 = 10_000

    static func note(
        _ kind: Kind, _ id: String, of account: Int64, at time: Timestamp, in transaction: PostgresTransaction
    ) async throws {
        _ = try await transaction.query(
            """
            INSERT INTO training_removals (account_id, kind, id, removed_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (account_id, kind, id) DO UPDATE SET removed_at = excluded.removed_at
            """, [.int(account), .text(kind.rawValue), .uuid(id), .timestamp(time.milliseconds)])
        _ = try await transaction.query(
            """
            DELETE FROM training_removals WHERE (account_id, kind, id) IN (
                SELECT account_id, kind, id FROM training_removals WHERE account_id = $1
                ORDER BY removed_at DESC, kind, id OFFSET $2)
            """, [.int(account), .int(keptMax)])
    }

    static func contains(
        _ kind: Kind, _ id: String, of account: Int64, in transaction: PostgresTransaction
    ) async throws -> Bool {
        try await transaction.query(
            "SELECT FROM training_removals WHERE account_id = $1 AND kind = $2 AND id = $3",
            [.int(account), .text(kind.rawValue), .uuid(id)]
        ).first != nil
    }

    /// Forgets removals that are older than a year.
    /// - Throws: ``Postgres/PostgresError``.
    static func prune(_ database: PostgresPool, now: Timestamp) async throws {
        let before = now.advanced(bySeconds: -keptDays * Timestamp.daySeconds)
        var removed = 0
        repeat {
            removed = try await database.query(
                """
                DELETE FROM training_removals WHERE ctid = ANY (ARRAY(
                    SELECT ctid FROM training_removals WHERE removed_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))
                """, [.timestamp(before.milliseconds), .int(prunedMax)]
            ).affected
        } while removed == Int(prunedMax)
    }
}
