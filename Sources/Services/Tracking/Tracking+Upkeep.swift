import Logging
import Postgres
import Wire

/// Periodic and administrative completion of sessions.
extension Tracking {
    /// Seconds without a point after which an unfinished session counts as abandoned and ends at its last fix.
    static let abandonedAfterSeconds = 86_400.0
    /// Largest number of sessions that one call finishes.
    static let abandonedPerCheckMax: Int64 = 500

    /// Finishes sessions without a point for a day. Their points and distance stay; late points from before the end are still accepted.
    public func finishAbandoned() async throws {
        let before = now().advanced(bySeconds: -Self.abandonedAfterSeconds)
        let rows = try await database.query(
            """
            SELECT \(SessionRecord.columns) FROM sessions s JOIN accounts a ON a.id = s.account_id
            WHERE s.state <> 'finished' AND greatest(s.created_at, coalesce(s.last_fix_at, s.started_at)) < $1
            ORDER BY s.id LIMIT $2
            """, [.timestamp(before.milliseconds), .int(Self.abandonedPerCheckMax)])
        for row in rows { try await finish(row, why: "finished an abandoned session") }
    }

    /// Finishes the unfinished sessions of a disabled account at their last fix. Viewers learn of the end.
    public func finishAll(of account: Int64) async throws {
        let rows = try await database.query(
            """
            SELECT \(SessionRecord.columns) FROM sessions s JOIN accounts a ON a.id = s.account_id
            WHERE s.state <> 'finished' AND s.account_id = $1 ORDER BY s.id LIMIT $2
            """, [.int(account), .int(Self.abandonedPerCheckMax)])
        for row in rows { try await finish(row, why: "finished a session of an account that was disabled") }
    }

    private func finish(_ row: PostgresRow, why: Logger.Message) async throws {
        let id = try row.int("id")
        do {
            let session = try SessionRecord(row, pauses: []).session
            let owner = Account(
                id: session.owner.id, username: session.owner.username, role: .student, email: "",
                simulated: session.simulated)
            _ = try await stop(
                Identity(account: owner, tokenID: 0),
                SessionTimeParams(session: id, at: session.lastFixAt ?? session.startedAt))
            logger.info(why, metadata: ["session": "\(id)"])
        } catch {
            // One session that cannot be finished must not block the others.
            logger.error("a session cannot be finished", metadata: ["session": "\(id)", "error": "\(error)"])
        }
    }
}
