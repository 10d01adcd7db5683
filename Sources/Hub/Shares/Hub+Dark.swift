import Wire

/// Sessions of those who are not shown everywhere.
extension Hub {
    /// Sessions of an account that are not finished and are shown here.
    public func sessions(of account: Int64) -> [Int64] { (sessionsOf[account] ?? []).sorted() }

    /// Whether the map of everybody who is signed in shows a session of an account now: none that is private or in a hidden place.
    public func isOnMap(_ account: Int64) -> Bool {
        sessions(of: account).contains { live[$0]?.isOnMap ?? false }
    }

    /// Accounts with sessions that are not finished and are shown here.
    public var trackedAccounts: [Int64] { Array(sessionsOf.keys) }

    /// Accounts whose location is held here.
    public var locatedAccounts: [Int64] { Array(board.locations.keys) }

    /// What may be shown of a session is not known any more: others see no position and no route until it is drawn anew.
    public func conceal(_ id: Int64) {
        guard let session = live[id], isHere(id) else { return }
        let own = OwnView(
            session: session.forOwner.session, fix: session.forOwner.fix,
            route: session.forOwner.route.points.map { RoutePiece(points: $0, startsPiece: true) }, isDark: true)
        rewrite(session.session, route: [], fix: nil, own: own)
    }

    /// What is shown of a session that is over cannot be drawn anew: others hear of its end now.
    public func endNow(_ id: Int64) {
        guard let ending = live[id], ending.isEnding else { return }
        var session = ending.session
        session.state = .finished
        session.endedAt = session.lastFixAt ?? session.startedAt
        end(session)
    }

    /// A session is over of which no more is known than that: what others saw of it last is what they see at its end.
    public func end(finished session: Session) {
        // Others are told in their time, however often it is stopped.
        guard live[session.id]?.isEnding != true else { return }
        guard let shown = live[session.id], shown.own != nil || shown.isDark else { return end(session) }
        var others = shown.session
        others.state = .finished
        others.endedAt = others.lastFixAt ?? others.startedAt
        end(others, own: OwnView(session: session, fix: nil, isDark: shown.isDark))
    }
}
