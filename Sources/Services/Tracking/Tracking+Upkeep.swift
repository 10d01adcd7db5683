import Logging
import Postgres
import Wire

/// What the service does by itself.
extension Tracking {
    /// An unfinished session without a point for this long is finished at its last fix: its owner forgot it.
    static let abandonedAfterSeconds = 86_400.0
    /// Abandoned sessions finished in one look.
    static let abandonedPerLookMax: Int64 = 500

    /// Finishes sessions that were left running for a day. Their points and distance stay as they are; late points of
    /// before the end are still taken.
    public func finishAbandoned() async throws {
        let before = now().advanced(bySeconds: -Self.abandonedAfterSeconds)
        let rows = try await database.query(
            """
            SELECT \(SessionRecord.columns) FROM sessions s JOIN accounts a ON a.id = s.account_id
            WHERE s.state <> 'finished' AND greatest(s.created_at, coalesce(s.last_fix_at, s.started_at)) < $1
            ORDER BY s.id LIMIT $2
            """, [.timestamp(before.milliseconds), .int(Self.abandonedPerLookMax)])
        for row in rows { try await finish(row, why: "finished an abandoned session") }
    }

    /// Finishes what an account tracks now, at its last fix: it was disabled. Viewers hear that it ended.
    public func finishAll(of account: Int64) async throws {
        let rows = try await database.query(
            """
            SELECT \(SessionRecord.columns) FROM sessions s JOIN accounts a ON a.id = s.account_id
            WHERE s.state <> 'finished' AND s.account_id = $1 ORDER BY s.id LIMIT $2
            """, [.int(account), .int(Self.abandonedPerLookMax)])
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
                SessionMoment(session: id, at: session.lastFixAt ?? session.startedAt))
            logger.info(why, metadata: ["session": "\(id)"])
        } catch {
            // One that cannot be finished must not keep the others from it.
            logger.error("a session cannot be finished", metadata: ["session": "\(id)", "error": "\(error)"])
        }
    }
}
