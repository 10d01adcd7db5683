import Hub
import Postgres
import Wire

/// What the hub asks PostgreSQL when several nodes serve the campus; see ``Hub/NodeBacking``.
extension Tracking {
    /// Before a session whose lock is busy is given up for another node.
    static let surrenderRetryInterval = Duration.milliseconds(50)

    /// Where sessions stand; those that are gone are left out.
    public func truth(of sessions: [Int64]) async throws -> [Int64: SessionTruth] {
        let rows = try await database.query(
            """
            SELECT id, audience, CASE WHEN end_told_at > $2 THEN 'running' ELSE state END AS state FROM sessions
            WHERE id = ANY($1::bigint[])
            """, [.intArray(sessions), .timestamp(now().milliseconds)])
        var truth: [Int64: SessionTruth] = [:]
        for row in rows {
            guard let audience = Audience(rawValue: try row.text("audience")),
                let state = SessionState(rawValue: try row.text("state"))
            else { continue }
            truth[try row.int("id")] = SessionTruth(audience: audience, state: state)
        }
        return truth
    }

    /// Which of these links still work.
    public func working(links: [Int64]) async throws -> Set<Int64> {
        let rows = try await database.query(
            "SELECT id FROM links WHERE id = ANY($1::bigint[]) AND revoked_at IS NULL AND expires_at > $2",
            [.intArray(links), .timestamp(now().milliseconds)])
        return Set(try rows.map { try $0.int("id") })
    }

    /// Another node revoked a link: who has just been let in by one is looked at again.
    public func noteRevokedLink() { linkRevocations += 1 }

    /// Another node takes the session's points: what is in memory of it is old, and is read anew when somebody tracks it here again.
    public func surrender(_ session: Int64) async {
        // Behind the request under way, which would put it back.
        while await !locks.acquire(session) { await loop.sleep(for: Self.surrenderRetryInterval) }
        records[session] = nil
        locks.release(session)
    }

    /// Shows unfinished sessions that the hub does not know as they are stored.
    /// - Parameter session: This one only; nil for all.
    public func rest(_ session: Int64?) async throws {
        let rows = try await database.query(
            "SELECT id FROM sessions WHERE state <> 'finished' AND ($1::bigint IS NULL OR id = $1) ORDER BY id",
            [.optional(session)])
        for row in rows {
            let id = try row.int("id")
            guard await hub.isMissing(id) else { continue }
            do {
                try await show(id)
            } catch let error where !(error is PostgresError) {
                // One row that cannot be read must not hide the others.
                logger.error("a session cannot be shown", metadata: ["session": "\(id)", "error": "\(error)"])
            }
        }
    }

    private func show(_ id: Int64) async throws {
        guard var record = try await find(id), record.session.state != .finished else { return }
        let (whole, drawn) = try await storedAndDrawn(record)
        record.lastShown = whole.lastShown
        record.shown = drawn.part
        let (session, own) = told(record, fix: liveFix(of: record), route: whole.pieces)
        await hub.rest(
            session, rate: record.clock.speed, route: drawn.routeShown(whole.pieces), fix: shownFix(of: record),
            own: own)
    }
}
