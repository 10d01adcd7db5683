import HubCore
import Wire

/// Publishing to subscribers: each publication is encoded once for all that receive it.
extension SessionFeed {
    func publish(_ publications: [AreaFeeds.Publication]) {
        for (delivery, viewers) in publications { publish(delivery, to: viewers) }
    }

    /// Publishes the pending changes of a session to its viewers. The owner gets the owner's view, if part of the session is hidden.
    func publishSession(_ id: Int64) {
        guard let session = live[id] else { return }
        defer { live[id]?.clearPending() }
        guard sessionViewers[id]?.isEmpty == false else { return }
        let own = session.own
        if let own { publish(update(of: own), session: id, lane: .conflating, to: \.access.isOwner) }
        // That a session is hidden is published once, unless points were shown since.
        let isPublished =
            session.isHidden && session.isHiddenPublished && session.append.isEmpty && !session.routeChanged
        guard !isPublished else { return }
        session.isHiddenPublished = session.isHidden
        publish(update(of: session), session: id, lane: .conflating) { own == nil || !$0.access.isOwner }
    }

    private func update(of session: LiveSession) -> SessionUpdate {
        let hidden = session.isHidden ? true : nil
        return session.routeChanged
            ? SessionUpdate(
                type: .route, serverTime: serverTime, session: session.session, runner: session.runner,
                route: session.route.points, hidden: hidden)
            : SessionUpdate(
                type: .session, serverTime: serverTime, session: session.session, runner: session.runner,
                append: session.append, startsPiece: session.appendStartsPiece, hidden: hidden)
    }

    func publish(
        _ update: SessionUpdate, session: Int64, lane: Delivery.Lane,
        to isMeant: (SessionViewer) -> Bool = { _ in true }
    ) {
        var set = SubscriberSet()
        for viewer in sessionViewers[session]?.values ?? [:].values where isMeant(viewer) {
            set.insert(viewer.subscriber)
        }
        guard !set.isEmpty else { return }
        let topic = Topic.session(session)
        publish(Delivery(topic: topic, json: Self.json(topic, update), lane: lane), to: set)
    }

    /// Publishes to viewers that a session has ended, and ends their subscriptions.
    func publishEnd(of id: Int64, _ session: Session, own: Session?, to isMeant: (SessionViewer) -> Bool) {
        for isOwner in [false, true] {
            let shown = isOwner ? live[id]?.ownerPerspective : live[id]
            let update = SessionUpdate(
                type: .ended, serverTime: serverTime, session: isOwner ? own ?? session : session,
                runner: shown?.runner)
            publish(update, session: id, lane: .reliable) { isMeant($0) && $0.access.isOwner == isOwner }
        }
        for (key, viewer) in sessionViewers[id] ?? [:] where isMeant(viewer) {
            sessionViewers[id]?[key] = nil
            core.forget(.session(id), of: key)
        }
        if sessionViewers[id]?.isEmpty == true { sessionViewers[id] = nil }
    }
}
