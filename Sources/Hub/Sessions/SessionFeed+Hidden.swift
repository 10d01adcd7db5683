import HubCore
import Wire

/// Sessions that are hidden in part.
extension SessionFeed {
    /// Unfinished sessions of an account that the hub has.
    public func sessions(of account: Int64) -> [Int64] { (sessionsOf[account] ?? []).sorted() }

    /// Whether the map shows a session of an account to all signed-in viewers now: a session that is private or in a hidden place does
    /// not count.
    public func isOnMap(_ account: Int64) -> Bool {
        sessions(of: account).contains { live[$0]?.isOnMap ?? false }
    }

    /// Accounts with unfinished sessions that the hub has.
    public var trackedAccounts: [Int64] { Array(sessionsOf.keys) }

    /// Hides position and route of a session from others until it is rewritten, because the rules are not known any more.
    public func conceal(_ id: Int64) {
        guard let session = live[id], isOwned(id) else { return }
        let own = OwnerView(
            session: session.ownerPerspective.session, fix: session.ownerPerspective.fix,
            route: session.ownerPerspective.route.points.map { RoutePiece(points: $0, startsPiece: true) },
            isHidden: true
        )
        rewrite(session.session, route: [], fix: nil, own: own)
    }

    /// Publishes the delayed end of a session to others now, because the session cannot be rewritten any more.
    public func endNow(_ id: Int64) {
        guard let ending = live[id], ending.isEnding else { return }
        var session = ending.session
        session.state = .finished
        session.endedAt = session.lastFixAt ?? session.startedAt
        end(session)
    }

    /// Ends a session for which only its final state is known: others keep seeing the last state that they were shown.
    public func end(finished session: Session) {
        // The delayed end is published at its time, however often the session is stopped.
        guard live[session.id]?.isEnding != true else { return }
        guard let shown = live[session.id], shown.own != nil || shown.isHidden else { return end(session) }
        var others = shown.session
        others.state = .finished
        others.endedAt = others.lastFixAt ?? others.startedAt
        end(others, own: OwnerView(session: session, fix: nil, isHidden: shown.isHidden))
    }
}
