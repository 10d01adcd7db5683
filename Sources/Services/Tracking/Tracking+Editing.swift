import Hub
import Postgres
import Wire

/// Changes of a session by its owner: title and deletion (U-3, U-5).
extension Tracking {
    /// Changes a session's title.
    /// - Throws: ``Wire/RPCError``: `notFound`, `invalidParams`; ``Postgres/PostgresError``.
    public func rename(_ identity: Identity, _ params: TrackingRename.Params) async throws -> SessionReply {
        let title = try Self.title(params.title)
        return try await withLock(params.session, for: identity) {
            var record = try await self.record(params.session, ownedBy: identity)
            guard record.session.title != title else {
                try await checkOwnership(of: record)
                return SessionReply(session: record.session)
            }
            do {
                try await writeGuarded(
                    record,
                    [
                        PostgresStatement(
                            "UPDATE sessions SET title = $2 WHERE id = $1", [.int(params.session), .text(title)])
                    ])
            } catch {
                records[params.session] = nil
                throw error
            }
            record.session.title = title
            if record.session.state != .finished { records[params.session] = record }
            await hub.sessions.rename(params.session, to: title)
            return SessionReply(session: record.session)
        }
    }

    /// Deletes a session with its points, pauses and links. An unfinished session ends, and so do the shares tied to it.
    ///
    /// The subscriptions of viewers end before the commit, so that nobody sees a deleted session if the commit is in doubt. Viewers of a
    /// share that hides its owner learn of the end later, as when the session is stopped.
    /// - Throws: ``Wire/RPCError``: `notFound`; ``Postgres/PostgresError``. Repeating the request is harmless.
    public func delete(_ identity: Identity, _ params: TrackingDelete.Params) async throws -> TrackingDelete.Result {
        let id = params.session
        return try await withLock(id, for: identity) {
            let record: SessionRecord
            do {
                record = try await self.record(id, ownedBy: identity)
            } catch let error as RPCError where error.registered == .notFound {
                // An earlier request deleted the session, and its answer was lost.
                await hub.sessions.remove(id, of: identity.account.id)
                throw error
            }
            records[id] = nil
            let ends = record.session.state == .finished ? [] : try await endTimes(of: id, identity)
            try await cutViewers(of: record)
            try await remove(record, ends)
            if !ends.isEmpty { await hub.shares.delayEnds(await held(ends)) }
            await hub.sessions.remove(id, of: identity.account.id)
            await hub.notices.refreshHold(of: identity.account.id)
            return TrackingDelete.Result(deleted: 1)
        }
    }

    private func cutViewers(of record: SessionRecord) async throws {
        let id = record.session.id
        let links = try await database.query("SELECT id FROM links WHERE session_id = $1", [.int(id)])
        var hidden = record
        hidden.session.audience = .private
        if record.session.state == .finished {
            await hub.sessions.changeAudience(ofEnding: id, to: .private)
        } else {
            await hub.sessions.changeAudience(views(of: hidden).0)
        }
        // Pending subscriptions check their links again.
        linkRevocations += 1
        for row in links { await hub.sessions.revoke(link: try row.int("id"), session: id) }
    }

    /// The shares of `ends` that have ended and whose viewers learn of it later. If the database cannot be read, all shares that hide
    /// their owner.
    private func held(_ ends: [(share: Int64, at: Timestamp)]) async -> [Int64: Timestamp] {
        let time = now()
        let table = ShareTable(database: database, now: now)
        return (try? await table.held("id = ANY ($1::bigint[])", .intArray(ends.map(\.share))))
            ?? ends.reduce(into: [:]) { if $1.at > time { $0[$1.share] = $1.at } }
    }

    private func remove(_ record: SessionRecord, _ ends: [(share: Int64, at: Timestamp)]) async throws {
        let id = record.session.id
        try await Self.refusing {
            try await database.transaction { [now] transaction in
                _ = try await transaction.batch(
                    [Self.guardFencingToken(of: record)] + (ends.isEmpty ? [] : [Self.setEnds(ends)]))
                // Triggers on the state end the session's shares and release held notices.
                _ = try await transaction.query(
                    "UPDATE sessions SET state = 'finished', ended_at = $2 WHERE id = $1 AND state <> 'finished'",
                    [.int(id), .timestamp(now().milliseconds)])
                _ = try await transaction.query("DELETE FROM sessions WHERE id = $1", [.int(id)])
            }
        }
    }
}
