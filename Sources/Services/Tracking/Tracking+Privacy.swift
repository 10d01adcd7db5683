import Campus
import Hub
import Postgres
import Wire

/// The view that others have of a session with hidden parts (B-4, see <doc:Sharing>).
extension Tracking {
    /// The session as others see it, and the owner's view if it differs.
    func views(of record: SessionRecord, fix: LiveFix? = nil, route: [RoutePiece] = []) -> (Session, OwnerView?) {
        guard let shown = record.shown else { return (record.session.forOthers, nil) }
        return (
            shown.session(of: record, at: now()),
            OwnerView(session: record.session, fix: fix, route: route, isHidden: shown.isHidden)
        )
    }

    /// Last position that others may see.
    func shownFix(of record: SessionRecord) -> LiveFix? {
        guard let shown = record.shown else { return liveFix(of: record) }
        guard !shown.isHidden, let last = shown.lastShown else { return nil }
        return liveFix(at: last, of: record, isStanding: shown.filter.isStanding)
    }

    /// Suppression areas of an account; nil, which means everywhere, if they cannot be read.
    func suppressionAreas(of account: Int64) async -> SuppressionAreas? {
        try? await rules.load(account)
        return rules.places(of: account)
    }

    /// Suppression areas of an account in live views; nil, which means everywhere, also while its location is off (C-6).
    func liveSuppressionAreas(of account: Int64) async -> SuppressionAreas? {
        try? await rules.load(account)
        return knownLiveAreas(of: account)
    }

    /// Like ``liveSuppressionAreas(of:)``, from the cache alone.
    func knownLiveAreas(of account: Int64) -> SuppressionAreas? {
        rules.isLocationOn(account) ? rules.places(of: account) : nil
    }

    /// Suppression areas of a session in replies: an unfinished session is live.
    private func suppressionAreas(of record: SessionRecord) async -> SuppressionAreas? {
        let owner = record.session.owner.id
        return record.session.state == .finished
            ? await suppressionAreas(of: owner) : await liveSuppressionAreas(of: owner)
    }

    /// Returns the shares that end with a session, each with the time at which its viewers would learn of an end now. The time is later
    /// for shares that currently hide the owner, even if all points of the session are visible, and immediate for others. Shares whose
    /// state is unknown are omitted.
    func endTimes(of session: Int64, _ identity: Identity) async throws -> [(share: Int64, at: Timestamp)] {
        let tied = try await ShareTable(database: database, now: now).started(
            "session_id = $1 AND account_id = $2", [.int(session), .int(identity.account.id)])
        return await hub.shares.endTimes(of: tied).map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// Sets when viewers learn of the end of shares that are about to end with a session.
    static func setEnds(_ ends: [(share: Int64, at: Timestamp)]) -> PostgresStatement {
        PostgresStatement(
            """
            UPDATE shares s SET end_published_at = h.at FROM unnest($1::bigint[], $2::timestamptz[]) h (share, at)
            WHERE s.id = h.share AND s.ended_at IS NULL
            """, [.intArray(ends.map(\.share)), .timestampArray(ends.map(\.at.milliseconds))])
    }

    /// Ends a session in the hub; others learn of the end as soon as they may.
    func end(_ record: SessionRecord) async {
        // Shares that ended with the session in a hidden place. If they cannot be read, the hub decides by the locations that it knows.
        if let held = try? await ShareTable(database: database, now: now).held(
            "session_id = $1", .int(record.session.id))
        {
            await hub.shares.delayEnds(held)
        } else {
            await hub.shares.delayEnds(hub.shares.hiddenEnds(of: hub.shares.working(with: record.session)))
        }
        var others = record
        let delay = record.endPublishedAt.map { $0.seconds(since: now()) } ?? 0
        others.endPublishedAt = nil
        if others.shown == nil {
            // The record came from the database. ErasureHandlers see what the hub shows, plus the end.
            return await hub.sessions.end(finished: record.session.forOthers)
        }
        await hub.sessions.end(
            views(of: others).0, own: views(of: others).1,
            toOthersAfter: delay > 0 ? .milliseconds(Int64(delay * 1_000)) : .zero)
    }

    /// Redraws an account's live sessions immediately after a change of its suppression zones. Finished sessions are evaluated at each
    /// request.
    public func redraw(_ account: Int64) async {
        for id in await hub.sessions.sessions(of: account) {
            do {
                try await redraw(session: id)
            } catch {
                logger.error("a session could not be redrawn", metadata: ["session": "\(id)", "error": "\(error)"])
                // Points that may be hidden now must not stay visible.
                records[id] = nil
                await hub.sessions.conceal(id)
            }
        }
    }

    /// Redraws the live sessions of all accounts after a change of the residences.
    public func redrawAll() async {
        for account in await hub.sessions.trackedAccounts { await redraw(account) }
    }

    private func redraw(session id: Int64) async throws {
        while await !locks.acquire(id) { await loop.sleep(for: Self.surrenderRetryInterval) }
        defer { locks.release(id) }
        let kept = records[id]
        // Not tracked on this node: drawn as stored.
        let stored = kept == nil ? try await find(id) : nil
        guard var record = kept ?? stored, record.session.state != .finished else {
            return await hub.sessions.endNow(id)
        }
        let (whole, drawn) = try await storedAndDrawn(record)
        record.shown = drawn.part
        if kept != nil { records[id] = record } else { record.lastShown = whole.lastShown }
        let (session, own) = views(of: record, fix: liveFix(of: record), route: whole.pieces)
        await hub.sessions.rewrite(session, route: drawn.routeShown(whole.pieces), fix: shownFix(of: record), own: own)
    }

    /// Draws a session's stored points completely and as others may see them.
    func storedAndDrawn(
        _ record: SessionRecord
    ) async throws -> (
        stored: (pieces: [RoutePiece], builder: RouteBuilder, lastShown: SessionRecord.ShownPoint?),
        drawn: PublicPart.Drawn
    ) {
        let places = await liveSuppressionAreas(of: record.session.owner.id)
        return try await withStoredPoints(of: record.session.id) { points in
            (Self.draw(points), try PublicPart.draw(record, points, places))
        }
    }

    // MARK: Replies

    /// A session with its complete route for the owner, with the parts that others may not see.
    func whole(_ record: SessionRecord) async throws -> TrackingSession.Result {
        let places = await suppressionAreas(of: record)
        return try await withStoredPoints(of: record.session.id) { points in
            let hidden = try PublicPart.draw(record, points, places).hidden
            return TrackingSession.Result(
                session: record.session, route: Self.thinned(Self.draw(points).pieces.map(\.points)),
                notCounted: Self.notCounted(points), hidden: hidden.isEmpty ? nil : Self.thinned(hidden),
                splits: SplitTimes.splits(of: record, points))
        }
    }

    /// A session with its route for others, without hidden parts.
    /// - Parameter isInvited: Whether the viewer came by a link and therefore knows that the session exists.
    /// - Throws: `notFound` for a session of which nothing is visible yet.
    func shown(_ record: SessionRecord, isInvited: Bool, field: String) async throws -> TrackingSession.Result {
        let places = await suppressionAreas(of: record)
        let time = now()
        let result = try await withStoredPoints(of: record.session.id) { points -> TrackingSession.Result? in
            let drawn = try PublicPart.draw(record, points, places)
            guard let part = drawn.part else {
                return TrackingSession.Result(
                    session: record.session.forOthers, route: Self.thinned(Self.draw(points).pieces.map(\.points)),
                    notCounted: Self.notCounted(points), splits: SplitTimes.splits(of: record, points))
            }
            let session = part.session(of: record, at: time)
            guard isInvited || session.points > 0 else { return nil }
            return TrackingSession.Result(
                session: session, route: Self.thinned(drawn.route), notCounted: drawn.notCounted, splits: drawn.splits)
        }
        guard let result else { throw Self.notShared(field) }
        return result
    }

    private static func notCounted(_ points: [FilteredPoint]) -> [String: Int] {
        points.compactMap(\.reason).reduce(into: [:]) { $0[$1.rawValue, default: 0] += 1 }
    }

    static func notShared(_ field: String) -> RPCError {
        RPCError(.notFound, "there is no such session, or it is not shared with you", field: field)
    }
}

extension Session {
    /// The session without the number of its last point. Only the owner gets it: given for sessions without hidden parts alone, it would
    /// show others which sessions have some, and beside the count of visible points how many points are hidden.
    var forOthers: Session {
        var session = self
        session.lastSeq = nil
        return session
    }
}
