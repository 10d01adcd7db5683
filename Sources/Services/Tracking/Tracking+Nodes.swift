import Hub
import Postgres
import Wire

/// Database queries of the hub when several nodes serve the campus; see ``Hub/NodeStorage``.
extension Tracking {
    /// Interval between attempts to lock a busy session that another node takes over.
    static let surrenderRetryInterval = Duration.milliseconds(50)

    /// Returns the stored audience and state of sessions; deleted ones are omitted.
    public func truth(of sessions: [Int64]) async throws -> [Int64: StoredSessionState] {
        let rows = try await database.query(
            """
            SELECT id, audience, CASE WHEN end_published_at > $2 THEN 'running' ELSE state END AS state FROM sessions
            WHERE id = ANY($1::bigint[])
            """, [.intArray(sessions), .timestamp(now().milliseconds)])
        var truth: [Int64: StoredSessionState] = [:]
        for row in rows {
            guard let audience = Audience(rawValue: try row.text("audience")),
                let state = SessionState(rawValue: try row.text("state"))
            else { continue }
            truth[try row.int("id")] = StoredSessionState(audience: audience, state: state)
        }
        return truth
    }

    /// Returns those of the given links that are still valid.
    public func working(links: [Int64]) async throws -> Set<Int64> {
        let rows = try await database.query(
            "SELECT id FROM links WHERE id = ANY($1::bigint[]) AND revoked_at IS NULL AND expires_at > $2",
            [.intArray(links), .timestamp(now().milliseconds)])
        return Set(try rows.map { try $0.int("id") })
    }

    /// Records that another node revoked a link, so that pending subscriptions check their links again.
    public func noteRevokedLink() { linkRevocations += 1 }

    /// Drops a session that another node takes over. The next request for it on this node reads it again.
    public func surrender(_ session: Int64) async {
        // Waits for the session's pending request, which would restore the record otherwise.
        while await !locks.acquire(session) { await loop.sleep(for: Self.surrenderRetryInterval) }
        records[session] = nil
        locks.release(session)
    }

    /// Passes unfinished sessions that the hub lacks to it, as they are stored.
    /// - Parameter session: Restricts the call to one session; nil for all.
    public func rest(_ session: Int64?) async throws {
        let rows = try await database.query(
            "SELECT id FROM sessions WHERE state <> 'finished' AND ($1::bigint IS NULL OR id = $1) ORDER BY id",
            [.optional(session)])
        for row in rows {
            let id = try row.int("id")
            guard await hub.sessions.needsLoading(id) else { continue }
            do {
                try await show(id)
            } catch let error where !(error is PostgresError) {
                // One unreadable row must not hide the others.
                logger.error("a session cannot be shown", metadata: ["session": "\(id)", "error": "\(error)"])
            }
        }
    }

    private func show(_ id: Int64) async throws {
        guard var record = try await find(id), record.session.state != .finished else { return }
        let (whole, drawn) = try await storedAndDrawn(record)
        record.lastShown = whole.lastShown
        record.shown = drawn.part
        let (session, own) = views(of: record, fix: liveFix(of: record), route: whole.pieces)
        await hub.sessions.rest(
            session, rate: record.clock.speed, route: drawn.routeShown(whole.pieces), fix: shownFix(of: record),
            own: own)
    }
}
