import Campus
import Hub
import Postgres
import Wire

/// What others see of a session, where its owner is not shown everywhere (B-4, see <doc:Sharing>).
extension Tracking {
    /// A session as it is told: to others, and to its owner where that is something else.
    func told(_ record: SessionRecord, fix: LiveFix? = nil, route: [RoutePiece] = []) -> (Session, OwnView?) {
        guard let shown = record.shown else { return (record.session, nil) }
        return (
            shown.session(of: record, at: now()),
            OwnView(session: record.session, fix: fix, route: route, isDark: shown.isDark)
        )
    }

    /// The last position that others may be shown.
    func shownFix(of record: SessionRecord) -> LiveFix? {
        guard let shown = record.shown else { return liveFix(of: record) }
        guard !shown.isDark, let last = shown.lastShown else { return nil }
        return liveFix(at: last, of: record, isStanding: shown.filter.isStanding)
    }

    /// Where the owner is shown to nobody; nil, which means everywhere, when that cannot be read.
    func darkPlaces(of account: Int64) async -> DarkPlaces? {
        try? await rules.load(account)
        return rules.places(of: account)
    }

    /// The shares that end with a session, and when their viewers learn of an end now: later where they hide their owner, also of a
    /// session whose own points are all visible; at once where they show the owner. Without those of which it is not known.
    func endTimes(of session: Int64, _ identity: Identity) async throws -> [(share: Int64, at: Timestamp)] {
        let tied = try await ShareTable(database: database, now: now).started(
            "session_id = $1 AND account_id = $2", [.int(session), .int(identity.account.id)])
        return await hub.endTimes(of: tied).map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// Has viewers of shares that are about to end with a session learn of it then.
    static func setEnds(_ ends: [(share: Int64, at: Timestamp)]) -> PostgresStatement {
        PostgresStatement(
            """
            UPDATE shares s SET end_told_at = h.at FROM unnest($1::bigint[], $2::timestamptz[]) h (share, at)
            WHERE s.id = h.share AND s.ended_at IS NULL
            """, [.intArray(ends.map(\.share)), .timestampArray(ends.map(\.at.milliseconds))])
    }

    /// A session is over: others hear of it when they may.
    func end(_ record: SessionRecord) async {
        // What ended with it in a hidden place. When that cannot be read now, what hides its owner by what the hubs know.
        if let held = try? await ShareTable(database: database, now: now).held(
            "session_id = $1", .int(record.session.id))
        {
            await hub.holdShares(held)
        } else {
            await hub.holdShares(hub.hiddenEnds(of: hub.shares(with: record.session)))
        }
        var others = record
        let delay = record.endToldAt.map { $0.seconds(since: now()) } ?? 0
        others.endToldAt = nil
        if others.shown == nil {
            // Found in the database: what others see of it is what the hub shows, and no more than that it is over.
            return await hub.end(finished: record.session)
        }
        await hub.end(
            told(others).0, own: told(others).1, toOthersAfter: delay > 0 ? .milliseconds(Int64(delay * 1_000)) : .zero)
    }

    /// What is dark of an account is something else: what is shown of its sessions is drawn anew, at once. Those that are finished are
    /// looked at whenever somebody asks for them.
    public func redraw(_ account: Int64) async {
        for id in await hub.sessions(of: account) {
            do {
                try await redraw(session: id)
            } catch {
                logger.error("a session cannot be drawn anew", metadata: ["session": "\(id)", "error": "\(error)"])
                // Nobody is to see what may be dark now.
                records[id] = nil
                await hub.conceal(id)
            }
        }
    }

    /// The same for everybody: other places are residences.
    public func redrawAll() async {
        for account in await hub.trackedAccounts { await redraw(account) }
    }

    private func redraw(session id: Int64) async throws {
        while await !locks.acquire(id) { await loop.sleep(for: Self.surrenderRetryInterval) }
        defer { locks.release(id) }
        let kept = records[id]
        // Not tracked here now: shown as it is stored.
        let stored = kept == nil ? try await find(id) : nil
        guard var record = kept ?? stored, record.session.state != .finished else { return await hub.endNow(id) }
        let (whole, drawn) = try await storedAndDrawn(record)
        record.shown = drawn.part
        if kept != nil { records[id] = record } else { record.lastShown = whole.lastShown }
        let (session, own) = told(record, fix: liveFix(of: record), route: whole.pieces)
        await hub.rewrite(session, route: drawn.routeShown(whole.pieces), fix: shownFix(of: record), own: own)
    }

    /// A session's stored points, and as others see them.
    func storedAndDrawn(
        _ record: SessionRecord
    ) async throws -> (
        stored: (pieces: [RoutePiece], builder: RouteBuilder, lastShown: SessionRecord.ShownPoint?),
        drawn: ShownPart.Drawn
    ) {
        let places = await darkPlaces(of: record.session.owner.id)
        return try await withStoredPoints(of: record.session.id) { points in
            (Self.draw(points), try ShownPart.draw(record, points, places))
        }
    }

    // MARK: Who asks for it

    /// A session and its route for its owner, with what others do not see of it.
    func whole(_ record: SessionRecord) async throws -> TrackingSession.Result {
        let places = await darkPlaces(of: record.session.owner.id)
        return try await withStoredPoints(of: record.session.id) { points in
            let hidden = try ShownPart.draw(record, points, places).hidden
            return TrackingSession.Result(
                session: record.session, route: Self.thinned(Self.draw(points).pieces.map(\.points)),
                notCounted: Self.notCounted(points), hidden: hidden.isEmpty ? nil : Self.thinned(hidden),
                splits: SplitTimes.splits(of: record, points))
        }
    }

    /// A session and its route for others; nothing of what is dark is in it.
    /// - Parameter isInvited: It came by a link, and knows that there is a session.
    /// - Throws: `notFound` for a session of which others have not seen anything yet.
    func shown(_ record: SessionRecord, isInvited: Bool, field: String) async throws -> TrackingSession.Result {
        let places = await darkPlaces(of: record.session.owner.id)
        let time = now()
        let result = try await withStoredPoints(of: record.session.id) { points -> TrackingSession.Result? in
            let drawn = try ShownPart.draw(record, points, places)
            guard let part = drawn.part else {
                return TrackingSession.Result(
                    session: record.session, route: Self.thinned(Self.draw(points).pieces.map(\.points)),
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

    private static func notCounted(_ points: [JudgedPoint]) -> [String: Int] {
        points.compactMap(\.reason).reduce(into: [:]) { $0[$1.rawValue, default: 0] += 1 }
    }

    static func notShared(_ field: String) -> RPCError {
        RPCError(.notFound, "there is no such session, or it is not shared with you", field: field)
    }
}
