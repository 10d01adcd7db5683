import Postgres
import Wire

/// Pause, resume and stop (U-4.2). All are idempotent.
extension Tracking {
    /// Largest number of pauses of a session.
    static let pausesMax = 1_000

    /// Pauses a session: movement and time after the pause's start do not count.
    public func pause(_ identity: Identity, _ params: SessionTimeParams) async throws -> SessionReply {
        try await change(identity, params) { record, at in
            if record.pauses.contains(where: { $0.fromMilliseconds == at.milliseconds }) { return nil }
            switch record.session.state {
            case .finished: throw RPCError(.conflict, "the session is finished")
            case .paused: return nil
            case .running: break
            }
            guard record.pauses.count < Self.pausesMax else {
                throw RPCError(.conflict, "the session has \(Self.pausesMax) pauses: stop it and start another")
            }
            if let end = record.pauses.last?.toMilliseconds, at.milliseconds < end {
                throw RPCError.invalid("at", "is before the end of the last pause")
            }
            record.session.state = .paused
            record.pauses.append(.init(fromMilliseconds: at.milliseconds, toMilliseconds: nil))
            record.filter.pause()
            record.shown?.pause()
            return [
                PostgresStatement(
                    "INSERT INTO pauses (session_id, from_at) VALUES ($1, $2)",
                    [.int(record.session.id), .timestamp(at.milliseconds)]),
                PostgresStatement("UPDATE sessions SET state = 'paused' WHERE id = $1", [.int(record.session.id)]),
            ]
        }
    }

    /// Resumes a paused session. While the account's location is off, only a resume that its device kept for a while is stored.
    public func resume(_ identity: Identity, _ params: SessionTimeParams) async throws -> SessionReply {
        if now().seconds(since: params.at ?? now()) < LocationSwitch.lateSeconds {
            try await database.transaction { transaction in
                try await LocationSwitch.requireOn(for: identity.account.id, in: transaction)
            }
        }
        return try await change(identity, params) { record, at in
            switch record.session.state {
            case .finished: throw RPCError(.conflict, "the session is finished")
            case .running: return nil
            case .paused: break
            }
            let start = record.pauses.last?.fromMilliseconds ?? .max
            if at.milliseconds < start, record.pauses.contains(where: { $0.toMilliseconds == at.milliseconds }) {
                return nil
            }
            guard at.milliseconds >= start else {
                throw RPCError.invalid("at", "is before the start of the pause")
            }
            record.session.state = .running
            return Self.endPause(of: &record, at: at) + [
                PostgresStatement("UPDATE sessions SET state = 'running' WHERE id = $1", [.int(record.session.id)])
            ]
        }
    }

    /// Finishes a session and adds it to the history. Late points from before the stop are still accepted.
    public func stop(_ identity: Identity, _ params: SessionTimeParams) async throws -> SessionReply {
        let ends = try await endTimes(of: params.session, identity)
        let time = now()
        var reply = try await change(identity, params) { record, at in
            guard record.session.state != .finished else { return nil }
            // Points tracked so far are part of the session, whatever time the request gives.
            let end = max(at, record.session.lastFixAt ?? at)
            var statements: [PostgresStatement] = []
            if record.session.state == .paused { statements = Self.endPause(of: &record, at: end) }
            record.session.state = .finished
            record.session.endedAt = end
            record.endPublishedAt = record.shown?.endPublishedAt(of: record, endedAt: max(end, time))
            if !ends.isEmpty {
                // Viewers of both the session and the share learn of both ends at the same time.
                statements.append(
                    Self.setEnds(ends.map { ($0.share, $0.at > time ? record.endPublishedAt ?? $0.at : $0.at) }))
            }
            return statements + [
                PostgresStatement(
                    "UPDATE sessions SET state = 'finished', ended_at = $2, end_published_at = $3 WHERE id = $1",
                    [
                        .int(record.session.id), .timestamp(end.milliseconds),
                        .optional(timestamp: record.endPublishedAt?.milliseconds),
                    ])
            ]
        }
        reply.message = "Session successfully saved"
        return reply
    }

    private static func endPause(of record: inout SessionRecord, at: Timestamp) -> [PostgresStatement] {
        guard let index = record.pauses.indices.last else { return [] }
        let end = max(at.milliseconds, record.pauses[index].fromMilliseconds)
        record.pauses[index].toMilliseconds = end
        record.filter.resume()
        record.shown?.resume()
        return [
            PostgresStatement(
                "UPDATE pauses SET to_at = $3 WHERE session_id = $1 AND from_at = $2",
                [.int(record.session.id), .timestamp(record.pauses[index].fromMilliseconds), .timestamp(end)])
        ]
    }

    /// Applies one change under the session's lock: first the commit, then memory, then the hub. `body` returns nil if there is nothing
    /// to change.
    private func change(
        _ identity: Identity, _ params: SessionTimeParams,
        _ body: (inout SessionRecord, Timestamp) throws -> [PostgresStatement]?
    ) async throws -> SessionReply {
        try await withLock(params.session, for: identity) {
            var record = try await self.record(params.session, ownedBy: identity)
            if record.clock.kind == .live, let at = params.at {
                try clock.check([at], of: identity.account.id, now: now())
            }
            let at = try TimeRules.moment(params.at, in: record, now: now())
            guard let statements = try body(&record, at) else {
                try await checkOwnership(of: record)
                return SessionReply(session: record.session)
            }
            record.refreshTimes()
            do {
                // A change that does not follow the last judged point can alter verdicts, because a pause includes its first instant.
                if let last = record.session.lastFixAt, at <= last || record.isFilterLost {
                    try await refilterAll(&record, with: statements)
                } else {
                    try await writeGuarded(record, statements + [sums(of: record)])
                }
            } catch {
                records[params.session] = nil
                throw error
            }
            if record.session.state == .finished {
                records[params.session] = nil
                await end(record)
            } else {
                records[params.session] = record
                let (session, own) = views(of: record)
                await hub.sessions.update(session, own: own)
            }
            await hub.notices.refreshHold(of: identity.account.id)
            return SessionReply(session: record.session)
        }
    }
}
