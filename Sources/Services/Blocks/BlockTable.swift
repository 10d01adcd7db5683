import Hub
import Postgres

/// Reads the table of blocks, for the hub and for single checks.
public struct BlockTable: BlockStore {
    let database: PostgresPool

    /// - Parameter database: Pool that holds the `blocks` table.
    public init(database: PostgresPool) { self.database = database }

    /// Seconds by which reads overlap; longer than the pool's time limit for a transaction.
    static let overlapSeconds = 60.0

    /// Changed blocks, ordered by version. A transaction in flight can still commit a lower version with the time of its start, so the
    /// read also covers recently changed rows.
    /// - Throws: `PostgresError`.
    public func blocks(above floor: Int64, changedSince version: Int64, limit: Int) async throws -> [StoredBlock] {
        let rows = try await database.query(
            """
            SELECT blocker_id, blocked_id, is_on, version FROM blocks
            WHERE version > $1 AND (version > $2 OR changed_at > now() - make_interval(secs => $3))
            ORDER BY version LIMIT $4
            """, [.int(floor), .int(version), .double(Self.overlapSeconds), .int(Int64(limit))])
        return try rows.map {
            StoredBlock(
                blocker: try $0.int("blocker_id"), blocked: try $0.int("blocked_id"), isOn: try $0.bool("is_on"),
                version: try $0.int("version"))
        }
    }

    /// Whether either account blocks the other, according to the latest commit.
    /// - Throws: `PostgresError`.
    public func isBlocked(_ one: Int64, _ other: Int64) async throws -> Bool {
        let rows = try await database.query(
            """
            SELECT b FROM blocks_between($1, $2) b
            """, [.int(one), .int(other)])
        return rows.first != nil
    }
}
