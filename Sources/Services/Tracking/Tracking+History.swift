import Campus
import Hub
import Postgres
import Wire

/// History and single sessions (U-5), and who may see them.
extension Tracking {
    static let historyDefault = 20
    static let historyMax = 100
    /// Points of a route in one reply; a longer one is thinned.
    static let routePointsMax = 5_000
    /// Looks at a session that changes while somebody subscribes to it.
    static let watchTriesMax = 5

    /// Finished sessions, newest first.
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

    /// A session with its route, for its owner and whoever it is shared with.
    /// - Throws: ``Wire/RPCError`` `notFound`, also when it exists but is not shared.
    public func session(_ identity: Identity?, _ params: TrackingSession.Params) async throws -> TrackingSession.Result
    {
        let (record, found) = try await access(to: params.session, by: identity, share: params.share, field: "session")
        if found.isOwner { return try await whole(record) }
        let result = try await shown(record, isInvited: found.linkID != nil, field: "session")
        // The route may have waited for its turn: who may not see it any more gets nothing.
        _ = try await access(to: params.session, by: identity, share: params.share, field: "session")
        return result
    }

    /// Evenly fewer points; ends of pieces stay.
    static func thinned(_ pieces: [[LatLon]]) -> [[LatLon]] {
        let count = pieces.reduce(0) { $0 + $1.count }
        guard count > routePointsMax else { return pieces }
        let step = (count + routePointsMax - 1) / routePointsMax
        return pieces.map { piece in
            piece.enumerated().filter { $0.offset % step == 0 || $0.offset == piece.count - 1 }.map(\.element)
        }
    }

    /// Finds a session that `identity` may see: its own, one shared with it, or one it holds a link to; none of whom it blocks or is
    /// blocked by.
    /// - Throws: ``Wire/RPCError`` `notFound`: whether it exists is not told.
    func access(
        to id: Int64, by identity: Identity?, share: String?, field: String
    ) async throws -> (SessionRecord, SessionAccess) {
        let hidden = Self.notShared(field)
        guard let record = try await find(id) else { throw hidden }
        var access = SessionAccess(
            isOwner: identity?.account.id == record.session.owner.id, isMember: identity != nil,
            account: identity.map { WatchingAccount(id: $0.account.id, name: $0.account.username) })
        // Also for a viewer whom the audience admits: it stays when the audience is lowered.
        if !access.isOwner, let share, let link = try await link(share, session: id) {
            access.linkID = link.id
            access.expiresAt = link.expiresAt
        }
        guard access.allows(audience: record.session.audience) else { throw hidden }
        // As it was committed, whatever this server has heard of it yet. Even with a link: who was given one may be blocked since.
        if !access.isOwner, let identity,
            try await blocks.isBlocked(identity.account.id, record.session.owner.id)
        {
            throw hidden
        }
        return (record, access)
    }

    /// Subscribes a connection to a session; a finished one gives its snapshot and no more.
    /// - Returns: The snapshot's encoded reply when the caller must send it, because the session is finished.
    public func watch(
        _ subscriber: any Subscriber, session id: Int64, identity: Identity?, share: String?,
        reply: @Sendable (SessionSnapshot) -> [UInt8]
    ) async throws -> [UInt8]? {
        for _ in 0..<Self.watchTriesMax {
            let revocations = linkRevocations
            let (record, access) = try await access(to: id, by: identity, share: share, field: "topic")
            // A link revoked since it was looked up: the hub would not hear of it any more. From here to the hub's
            // queue there is no suspension, so a later revocation comes behind.
            guard access.linkID == nil || revocations == linkRevocations else { continue }
            if try await hub.subscribe(subscriber, session: id, access: access, reply: reply) { return nil }
            // Stopped since it was looked up, or tracked at another node.
            guard record.session.state == .finished else {
                await hub.fetch(id)
                continue
            }
            let result =
                access.isOwner
                ? try await whole(record)
                : try await shown(record, isInvited: access.linkID != nil, field: "topic")
            // The route may have waited for its turn: who may not see it any more gets nothing. From here on there is no
            // suspension.
            let revocationsSince = linkRevocations
            let (_, still) = try await self.access(to: id, by: identity, share: share, field: "topic")
            guard still.linkID == nil || revocationsSince == linkRevocations else { continue }
            return reply(
                SessionSnapshot(serverTime: now(), session: result.session, runner: nil, route: result.route))
        }
        throw RPCError(.unavailable, "the session is changing: subscribe again in a second", retryAfter: 1)
    }
}
