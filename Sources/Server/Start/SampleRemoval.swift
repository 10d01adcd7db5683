import Postgres

/// Removes the simulated accounts and what they made, so that a demonstration starts afresh. Accounts of people stay.
struct SampleRemoval {
    let database: PostgresPool

    /// Runs before the server accepts requests, so that no client sees the removal.
    func run() async throws {
        // Events for the campus and notices outlive their authors, and a group outlives its owner.
        for statement in [
            """
            SELECT notice_withdraw(ARRAY(
                SELECT n.id FROM notices n JOIN accounts a ON a.id = n.author_id WHERE a.simulated ORDER BY n.id), now())
            """,
            "DELETE FROM events e USING accounts a WHERE a.id = e.owner_id AND a.simulated",
            "DELETE FROM conversations c USING accounts a WHERE a.id = c.created_by AND a.simulated",
        ] {
            _ = try await database.query(statement)
        }
        // One account per statement: the points of a long simulation in one statement would exceed the statement's time limit.
        for row in try await database.query("SELECT id FROM accounts WHERE simulated ORDER BY id") {
            _ = try await database.query("DELETE FROM accounts WHERE id = $1", [.int(try row.int("id"))])
        }
    }
}
