import Campus
import Hub
import HubCore
import Postgres
import Wire

/// History, single sessions, and access to them (U-5).
extension Tracking {
    static let historyDefault = 20
    static let historyMax = 100
    /// Largest number of route points in one reply; longer routes are thinned.
    static let routePointsMax = 5_000
    /// Largest number of attempts to subscribe to a session that changes meanwhile.
    static let watchTriesMax = 5

    /// Lists the caller's finished sessions, newest first.
    /// - Throws: ``Wire/RPCError`` `invalidParams`.
    public func history(_ identity: Identity, _ params: TrackingHistory.Params) async throws -> TrackingHistory.Result {
        let limit = params.limit ?? Self.historyDefault
        guard (1...Self.historyMax).contains(limit) else {
            throw RPCError.invalid("limit", "must be 1 to \(Self.historyMax)")
        }
        let cursor = try params.before.map(Self.cursor)
        let sessions = try await list(
            """
            WHERE s.account_id = $1 AND s.state = 'finished'
              AND ($2::timestamptz IS NULL OR (s.started_at, s.id) < ($2::timestamptz, $3::bigint))
            ORDER BY s.started_at DESC, s.id DESC LIMIT $4
            """,
            [
                .int(identity.account.id), .optional(timestamp: cursor?.started), .optional(cursor?.id),
                .int(Int64(limit) + 1),
            ])
        let page = Array(sessions.prefix(limit))
        let next = sessions.count > limit ? page.last.map { "\($0.startedAt.milliseconds).\($0.id)" } : nil
        return TrackingHistory.Result(sessions: page, next: next)
    }

    private static func cursor(_ text: String) throws -> (started: Int64, id: Int64) {
        let parts = text.split(separator: ".")
        guard parts.count == 2, let started = Int64(parts[0]), let id = Int64(parts[1]),
            Timestamp.millisecondsRange.contains(started)
        else { throw RPCError.invalid("before", "is not a reply's next") }
        return (started, id)
    }

    /// Returns a session with its route to the owner and to viewers it is shared with.
    /// - Throws: ``Wire/RPCError`` `notFound`, also for a session that is not shared with the caller.
    public func session(_ identity: Identity?, _ params: TrackingSession.Params) async throws -> TrackingSession.Result
    {
        let (record, found) = try await access(to: params.session, by: identity, share: params.share, field: "session")
        if found.isOwner { return try await whole(record) }
        let result = try await shown(record, isInvited: found.linkID != nil, field: "session")
        // The route may have been queued; a viewer who lost access meanwhile gets nothing.
        _ = try await access(to: params.session, by: identity, share: params.share, field: "session")
        return result
    }

    /// Thins a route evenly; the ends of pieces stay.
    static func thinned(_ pieces: [[LatLon]]) -> [[LatLon]] {
        let count = pieces.reduce(0) { $0 + $1.count }
        guard count > routePointsMax else { return pieces }
        let step = (count + routePointsMax - 1) / routePointsMax
        return pieces.map { piece in
            piece.enumerated().filter { $0.offset % step == 0 || $0.offset == piece.count - 1 }.map(\.element)
        }
    }

    /// Finds a session that `identity` may see: an own session, a shared one, or one with a valid link. A block in either direction
    /// excludes the session.
    /// - Throws: ``Wire/RPCError`` `notFound`, which does not reveal whether the session exists.
    func access(
        to id: Int64, by identity: Identity?, share: String?, field: String
    ) async throws -> (SessionRecord, SessionAccess) {
        let hidden = Self.notShared(field)
        guard let record = try await find(id) else { throw hidden }
        var access = SessionAccess(
            isOwner: identity?.account.id == record.session.owner.id, isMember: identity?.isOfCampus ?? false,
            account: identity.map { PresenceAccount(id: $0.account.id, name: $0.account.username) })
        // Also checked for a viewer whom the audience admits: the link keeps access if the audience is restricted later.
        if !access.isOwner, let share, let link = try await link(share, session: id) {
            access.linkID = link.id
            access.expiresAt = link.expiresAt
        }
        guard access.allows(audience: record.session.audience) else { throw hidden }
        // Reads the latest committed state, because this server may not have received a recent block yet. Applies to links too: the owner
        // may have blocked the link's holder since.
        if !access.isOwner, let identity,
            try await blocks.isBlocked(identity.account.id, record.session.owner.id)
        {
            throw hidden
        }
        return (record, access)
    }

    /// Subscribes a connection to a session; for a finished session it only produces the snapshot.
    /// - Returns: The encoded snapshot reply of a finished session, which the caller must send; nil if the hub sends it.
    public func watch(
        _ subscriber: any Subscriber, session id: Int64, identity: Identity?, share: String?,
        reply: @Sendable (SessionSnapshot) -> [UInt8]
    ) async throws -> [UInt8]? {
        for _ in 0..<Self.watchTriesMax {
            let revocations = linkRevocations
            let (record, access) = try await access(to: id, by: identity, share: share, field: "topic")
            // Retries if a link was revoked since the check, because the hub would not learn of that revocation again. From here to the
            // hub's queue there is no suspension, so a later revocation is queued after the subscription.
            guard access.linkID == nil || revocations == linkRevocations else { continue }
            if try await hub.sessions.subscribe(subscriber, session: id, access: access, reply: reply) { return nil }
            // The session was stopped since the check, or another node owns it.
            guard record.session.state == .finished else {
                await hub.sessions.fetch(id)
                continue
            }
            let result =
                access.isOwner
                ? try await whole(record)
                : try await shown(record, isInvited: access.linkID != nil, field: "topic")
            // The route may have been queued; a viewer who lost access meanwhile gets nothing. From here on there is no suspension.
            let revocationsSince = linkRevocations
            let (_, still) = try await self.access(to: id, by: identity, share: share, field: "topic")
            guard still.linkID == nil || revocationsSince == linkRevocations else { continue }
            return reply(
                SessionSnapshot(serverTime: now(), session: result.session, runner: nil, route: result.route))
        }
        throw RPCError(.unavailable, "the session is changing: subscribe again in a second", retryAfter: 1)
    }
}
